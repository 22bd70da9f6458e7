/** A person's messages, and devices' receipts. */
import * as v from 'valibot';
import {
  count,
  described,
  id,
  limit,
  maybeTime,
  sample,
  search,
  text,
  time,
  uuid,
  uuidOf,
} from './common';
import type { CallTable, QueryOf } from './common';
import { listOf } from './fields';
import { timeField } from './message-fields';
import { messageFields } from './messages';
import { topicName } from './topics';

export const inboxMessage = v.object({
  id: uuid,
  seq: described(id, 'Counts up from 1 for each person, without gaps.', 42),
  title: described(
    v.string(),
    'The sender’s, else the topic’s, else `Fieldbell`.',
    'Storm from the west',
  ),
  ...messageFields,
  topic: described(
    v.nullable(topicName),
    'The first of its topics that the person is in; null for a message to people.',
    { id: 1, title: 'Storm warnings' },
  ),
  state: v.picklist(['sent', 'cancelled', 'resolved']),
  createdAt: time,
  expiresAt: sample(time, '2026-11-21T14:02:00.000Z'),
  readAt: maybeTime,
  acknowledgedAt: maybeTime,
  answer: v.nullable(text('On my way')),
  ringsAgain: v.exactOptional(
    described(v.literal(true), 'A policy rings it again until it is stopped.'),
  ),
});
export const inboxPage = v.object({
  messages: v.array(inboxMessage),
  unread: sample(count, 0),
  newest: sample(count, 42),
  closed: v.exactOptional(
    described(count, 'So many of the newest twenty are cancelled or resolved by now.', 0),
  ),
  answered: v.exactOptional(
    described(count, 'So many of the newest twenty are answered, on whichever device.', 1),
  ),
});
export const recorded = v.object({ recorded: sample(count, 2) });

/** A device's report on a message. `received` and `refused` occur only for tests. */
const receipt = v.object({
  messageId: sample(v.string(), '0e7f4c52-6f1b-4a3d-9b58-1c2d3e4f5a6b'),
  kind: sample(
    v.picklist(['received', 'refused', 'displayed', 'read', 'acknowledged']),
    'acknowledged',
  ),
  answer: v.exactOptional(described(v.string(), 'Of `acknowledged`.', 'On my way')),
  at: v.exactOptional(described(timeField('At'), 'When it was so; else it is now.')),
  inApp: v.exactOptional(
    described(v.boolean(), 'The person did it in the app: it proves no notification.'),
  ),
});
const MAX_RECEIPTS = 100;
const inboxQuery = {
  after: described(count, 'Only messages behind this `seq`.', 0),
  before: described(count, 'Only messages before this `seq`.'),
  limit: limit(20),
  query: search('in titles and texts'),
  unread: described(v.literal(true), 'Only what was not read.'),
};

export type InboxMessage = v.InferOutput<typeof inboxMessage>;
export type Receipt = v.InferOutput<typeof receipt>;
export type ReceiptKind = Receipt['kind'];
export type InboxQuery = QueryOf<typeof inboxQuery>;

export const inboxCalls = {
  'GET /api/notifications/messages': {
    does: 'Read one’s inbox',
    more: 'With `after` the oldest first, to catch up; else the newest first. `newest` is the highest `seq` that there is, 0 for none.',
    query: inboxQuery,
    answer: inboxPage,
  },
  'GET /api/notifications/messages/:id': {
    does: 'Read one message of one’s inbox',
    params: { id: uuidOf('message') },
    answer: inboxMessage,
    refusals: { 404: 'There is no such message, or it was not for the caller.' },
  },
  'POST /api/notifications/receipts': {
    does: 'Say that messages were displayed, read or answered',
    more: 'The first of a kind wins. What was not for that person, or not offered, is left out; `recorded` counts what was new. `received` and `refused` are of tests alone. By a device’s key, `displayed` proves that the device displays, and so do `read` and `acknowledged` without `inApp`.',
    body: v.object({
      receipts: sample(
        listOf(receipt, MAX_RECEIPTS, `At most ${MAX_RECEIPTS} receipts can be sent at once.`),
        [
          { messageId: '0e7f4c52-6f1b-4a3d-9b58-1c2d3e4f5a6b', kind: 'read' },
          {
            messageId: '0e7f4c52-6f1b-4a3d-9b58-1c2d3e4f5a6b',
            kind: 'acknowledged',
            answer: 'On my way',
            at: '2026-11-20T14:03:00.000Z',
          },
        ],
      ),
    }),
    answer: recorded,
  },
} satisfies CallTable;
