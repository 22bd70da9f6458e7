/** Webhooks: URLs that are called when something happens. */
import * as v from 'valibot';
import {
  count,
  withDescription,
  doneWith,
  id,
  idField,
  maybeTime,
  sample,
  time,
  uri,
} from './common';
import type { CallTable } from './common';
import { listOf, requiredLine } from './fields';

const EVENTS = [
  'message.sent',
  'message.acknowledged',
  'message.escalated',
  'message.corrected',
  'message.all-clear',
  'device.failing',
] as const;
const event = v.picklist(EVENTS);

export const webhook = v.object({
  id,
  url: uri('https://sms.example/bell'),
  events: sample(v.array(event), ['message.escalated']),
  lastStatus: withDescription(
    v.nullable(count),
    'The status of the last call. 0 if there was no response, null before the first call.',
    200,
  ),
  lastAt: v.nullable(sample(time, '2026-11-20T14:12:00.000Z')),
  failingSince: maybeTime,
  offSince: withDescription(maybeTime, 'When it was disabled, after three days of failures.', null),
});
export const webhooks = v.object({ webhooks: v.array(webhook) });
export const newWebhook = v.object({
  ...webhook.entries,
  secret: withDescription(v.string(), 'Shown only once.', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'),
});

export type WebhookEvent = (typeof EVENTS)[number];
export type Webhook = v.InferOutput<typeof webhook>;

const ofWebhook = { id: idField('webhook') };

export const webhookCalls = {
  'GET /api/admin/webhooks': { does: 'List webhooks', response: webhooks },
  'POST /api/admin/webhooks': {
    does: 'Add a webhook',
    more: 'Calls are signed per the Standard Webhooks spec. The `secret` is shown only once.',
    body: v.object({
      url: sample(
        v.pipe(
          requiredLine('URL', 2000),
          v.check(
            (address) => URL.canParse(address) && new URL(address).hostname !== '',
            'Enter a URL such as https://sms.example/bell.',
          ),
        ),
        'https://pager.example/bell',
      ),
      events: sample(
        v.pipe(
          listOf(event, EVENTS.length, 'Name each event once.'),
          v.check((events) => new Set(events).size === events.length, 'Name each event once.'),
        ),
        ['message.sent', 'message.acknowledged'],
      ),
    }),
    isRepeatable: true,
    response: newWebhook,
    errors: {
      400: 'The body is invalid, or the address is not allowed.',
      409: 'The webhook already exists, or there are too many.',
    },
  },
  'POST /api/admin/webhooks/:id/test': {
    does: 'Test a webhook',
    more: 'Calls it now, and returns the result.',
    params: ofWebhook,
    response: webhook,
    errors: { 429: 'The limit is ten tests a minute.' },
  },
  'DELETE /api/admin/webhooks/:id': {
    does: 'Delete a webhook',
    params: ofWebhook,
    response: doneWith('The webhook was deleted.'),
    errors: { 409: 'A policy uses it.' },
  },
} satisfies CallTable;
