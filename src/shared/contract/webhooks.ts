/** Webhooks: URLs that are called when something happens. */
import * as v from 'valibot';
import {
  countSchema,
  withDescription,
  messageResponseWith,
  idSchema,
  idField,
  nullableTimestampSchema,
  withExamples,
  timestampSchema,
  sampleUri,
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
const webhookEventSchema = v.picklist(EVENTS);

export const webhookSchema = v.object({
  id: idSchema,
  url: sampleUri('https://sms.example/bell'),
  events: withExamples(v.array(webhookEventSchema), ['message.escalated']),
  lastStatus: withDescription(
    v.nullable(countSchema),
    'The HTTP status of the webhook’s response to the last call. 0 if the webhook did not respond. Null before the first call.',
    200,
  ),
  lastAt: v.nullable(withExamples(timestampSchema, '2026-11-20T14:12:00.000Z')),
  failingSince: nullableTimestampSchema,
  offSince: withDescription(
    nullableTimestampSchema,
    'When the webhook was disabled: after it failed for three days, or when it returned 410. Null if it is enabled.',
    null,
  ),
});
export const webhooksSchema = v.object({ webhooks: v.array(webhookSchema) });
export const newWebhookSchema = v.object({
  ...webhookSchema.entries,
  secret: withDescription(
    v.string(),
    'The secret that calls are signed with. It is shown only once.',
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  ),
});

export type WebhookEvent = (typeof EVENTS)[number];
export type Webhook = v.InferOutput<typeof webhookSchema>;

const webhookParams = { id: idField('webhook') };

export const webhookCalls = {
  'GET /api/admin/webhooks': { does: 'List webhooks', response: webhooksSchema },
  'POST /api/admin/webhooks': {
    does: 'Add a webhook',
    more: 'The server signs its calls as the Standard Webhooks specification describes. The `secret` is shown only once.',
    body: v.object({
      url: withExamples(
        v.pipe(
          requiredLine('URL', 2000),
          v.check(
            (address) => URL.canParse(address) && new URL(address).hostname !== '',
            'Enter a URL such as https://sms.example/bell.',
          ),
        ),
        'https://pager.example/bell',
      ),
      events: withExamples(
        v.pipe(
          listOf(webhookEventSchema, EVENTS.length, 'List each event only once.'),
          v.check((events) => new Set(events).size === events.length, 'List each event only once.'),
        ),
        ['message.sent', 'message.acknowledged'],
      ),
    }),
    isRepeatable: true,
    response: newWebhookSchema,
    errors: {
      400: 'The body is invalid, or the address is not allowed.',
      409: 'A webhook with this URL already exists, or there are already 20 webhooks.',
    },
  },
  'POST /api/admin/webhooks/:id/test': {
    does: 'Test a webhook',
    more: 'Calls the webhook now, and returns the result. If the webhook was disabled, a successful test enables it again.',
    params: webhookParams,
    response: webhookSchema,
    errors: { 429: 'Webhooks were tested ten times within a minute.' },
  },
  'DELETE /api/admin/webhooks/:id': {
    does: 'Delete a webhook',
    params: webhookParams,
    response: messageResponseWith('The webhook was deleted.'),
    errors: { 409: 'An escalation policy uses this webhook.' },
  },
} satisfies CallTable;
