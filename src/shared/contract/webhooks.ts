/** Webhooks: URLs that are called when something happens. */
import * as v from 'valibot';
import { count, described, doneWith, id, idOf, maybeTime, sample, time, uri } from './common';
import type { CallTable } from './common';
import { listOf, requiredLine } from './fields';

const EVENTS = [
  'message.sent',
  'message.acknowledged',
  'message.escalated',
  'device.failing',
] as const;
const event = v.picklist(EVENTS);

export const webhook = v.object({
  id,
  url: uri('https://sms.example/bell'),
  events: sample(v.array(event), ['message.escalated']),
  lastStatus: described(
    v.nullable(count),
    'Of the last answer; 0 if there was none; null if it was not called yet.',
    200,
  ),
  lastAt: v.nullable(sample(time, '2026-11-20T14:12:00.000Z')),
  failingSince: maybeTime,
  offSince: described(maybeTime, 'When it was disabled, after three days of failing.', null),
});
export const webhooks = v.object({ webhooks: v.array(webhook) });
export const newWebhook = v.object({
  ...webhook.entries,
  secret: described(v.string(), 'Told this once.', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'),
});

export type WebhookEvent = (typeof EVENTS)[number];
export type Webhook = v.InferOutput<typeof webhook>;

const ofWebhook = { id: idOf('webhook') };

export const webhookCalls = {
  'GET /api/admin/webhooks': { does: 'List webhooks', answer: webhooks },
  'POST /api/admin/webhooks': {
    does: 'Add a webhook',
    more: 'Calls are signed as Standard Webhooks says, with the `secret` that is told this once.',
    body: v.object({
      url: sample(
        v.pipe(
          requiredLine('Address', 2000),
          v.check(
            (address) => URL.canParse(address) && new URL(address).hostname !== '',
            'Address must be one such as https://sms.example/bell.',
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
    answer: newWebhook,
    refusals: {
      400: 'What was sent cannot be taken, or the address may not be called.',
      409: 'There is such a webhook already, or there are too many.',
    },
  },
  'POST /api/admin/webhooks/:id/test': {
    does: 'Call a webhook now',
    more: 'Answers what came of it.',
    params: ofWebhook,
    answer: webhook,
    refusals: { 429: 'Ten tests in a minute are the most.' },
  },
  'DELETE /api/admin/webhooks/:id': {
    does: 'Delete a webhook',
    params: ofWebhook,
    answer: doneWith('The webhook was deleted.'),
    refusals: { 409: 'A policy calls it.' },
  },
} satisfies CallTable;
