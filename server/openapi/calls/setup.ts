/** Policies and webhooks. */
import * as v from 'valibot';
import type { EscalationCalls, WebhookCalls } from '../../../src/shared/contract';
import { idOf } from '../call';
import type { Area } from '../call';
import { policy, webhook } from '../samples';
import { done } from '../shapes/common';
import {
  newWebhook,
  policy as policyShape,
  targetProblem,
  webhook as webhookShape,
} from '../shapes/escalation';

const ofPolicy = { id: idOf('policy', 1) };
const ofWebhook = { id: idOf('webhook', webhook.id) };
const kept = { id: 1, ...policy, topics: 3 };
const STEPS =
  'Steps come `after` so many seconds, 60 to 86,400. `notify` names a `topicId`, `webhook` the `url` of a registered webhook.';
const NAME_TAKEN = 'Another policy has this name, or there are too many.';

export const setupCalls = {
  'GET /api/admin/policies': {
    does: 'List policies',
    more: '`problems` says what steps can’t use now; topics without subscribers are named up to 500.',
    shape: v.object({
      policies: v.array(policyShape),
      problems: v.exactOptional(v.array(targetProblem)),
    }),
    answer: {
      policies: [{ ...kept, topicIds: [1, 2, 3] }],
      problems: [{ action: 'mail', problem: 'mail-not-set-up' }],
    },
  },
  'POST /api/admin/policies': {
    does: 'Add a policy',
    more: STEPS,
    body: { name: 'Mail after an hour', steps: [{ after: 3600, action: 'mail' }] },
    isRepeatable: true,
    shape: policyShape,
    answer: {
      id: 2,
      name: 'Mail after an hour',
      quorum: null,
      steps: [{ after: 3600, action: 'mail' }],
      topics: 0,
    },
    refusals: { 409: NAME_TAKEN },
  },
  'PUT /api/admin/policies/:id': {
    does: 'Change a policy',
    more: `Messages that were sent keep what they were sent with. ${STEPS}`,
    params: ofPolicy,
    body: policy,
    shape: policyShape,
    answer: kept,
    refusals: { 409: NAME_TAKEN },
  },
  'DELETE /api/admin/policies/:id': {
    does: 'Delete a policy',
    more: 'Topics that have it have none then.',
    params: ofPolicy,
    shape: done,
    answer: { message: 'The policy was deleted.' },
  },
  'GET /api/admin/webhooks': {
    does: 'List webhooks',
    shape: v.object({ webhooks: v.array(webhookShape) }),
    answer: { webhooks: [webhook] },
  },
  'POST /api/admin/webhooks': {
    does: 'Add a webhook',
    more: 'Calls are signed as Standard Webhooks says, with the `secret` that is told this once.',
    body: { url: 'https://pager.example/bell', events: ['message.sent', 'message.acknowledged'] },
    isRepeatable: true,
    shape: newWebhook,
    answer: {
      id: 2,
      url: 'https://pager.example/bell',
      events: ['message.sent', 'message.acknowledged'],
      lastStatus: null,
      lastAt: null,
      failingSince: null,
      offSince: null,
      secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    },
    refusals: {
      400: 'What was sent cannot be taken, or the address may not be called.',
      409: 'There is such a webhook already, or there are too many.',
    },
  },
  'POST /api/admin/webhooks/:id/test': {
    does: 'Call a webhook now',
    more: 'Answers what came of it.',
    params: ofWebhook,
    shape: webhookShape,
    answer: webhook,
    refusals: { 429: 'Ten tests in a minute are the most.' },
  },
  'DELETE /api/admin/webhooks/:id': {
    does: 'Delete a webhook',
    params: ofWebhook,
    shape: done,
    answer: { message: 'The webhook was deleted.' },
    refusals: { 409: 'A policy calls it.' },
  },
} satisfies Partial<Area<EscalationCalls & WebhookCalls>>;
