/** Policies. */
import * as v from 'valibot';
import type { EscalationCalls } from '../../../src/shared/contract';
import { idOf } from '../call';
import type { Area } from '../call';
import { policy } from '../samples';
import { done } from '../shapes/common';
import { policy as policyShape, targetProblem } from '../shapes/escalation';

const ofPolicy = { id: idOf('policy', 1) };
const kept = { id: 1, ...policy, topics: 3 };
const STEPS =
  'Steps come `after` so many seconds, 60 to 86,400. `notify` names a `topicId`, `webhook` the `url` of a registered webhook.';
const NAME_TAKEN = 'Another policy has this name, or there are too many.';

export const policyCalls = {
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
} satisfies Partial<Area<EscalationCalls>>;
