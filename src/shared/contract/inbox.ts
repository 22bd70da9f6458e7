/** A person's messages, and devices' receipts. */
import * as v from 'valibot';
import {
  count,
  withDescription,
  id,
  limit,
  maybeTime,
  sample,
  search,
  text,
  time,
  uuid,
  uuidField,
} from './common';
import type { CallTable, QueryOf } from './common';
import { cleanText, hasAtMost, listOf } from './fields';
import { sentAt, timeField } from './message-fields';
import { comment, messageFields, revisionFields } from './messages';
import { ownRights } from './subscriptions';
import { topicReference } from './topics';

export const inboxMessage = v.object({
  id: uuid,
  seq: withDescription(id, 'Counts up from 1 for each person, without gaps.', 42),
  title: withDescription(
    v.string(),
    'The sender’s title. Defaults to the topic’s title, then to `Fieldbell`.',
    'Storm from the west',
  ),
  ...messageFields,
  topic: withDescription(
    v.nullable(topicReference),
    'The first of its topics that the person is subscribed to. Null if it was sent to people by name.',
    { id: 1, title: 'Storm warnings' },
  ),
  state: v.picklist(['sent', 'cancelled', 'resolved']),
  createdAt: time,
  expiresAt: sample(time, '2026-11-21T14:02:00.000Z'),
  readAt: maybeTime,
  acknowledgedAt: maybeTime,
  answer: v.nullable(text('On my way')),
  comment: v.exactOptional(comment),
  ...revisionFields,
  notifiesAgain: v.exactOptional(
    withDescription(
      v.literal(true),
      'Whether an escalation policy still notifies people who have not answered.',
    ),
  ),
});
export const inboxPage = v.object({
  messages: v.array(inboxMessage),
  unread: sample(count, 0),
  newest: sample(count, 42),
  closed: v.exactOptional(
    withDescription(
      count,
      'How many of the newest 20 messages are canceled or resolved, plus `revised`. If this number changes, load the messages again.',
      0,
    ),
  ),
  answered: v.exactOptional(
    withDescription(count, 'How many of the newest 20 messages are answered, on any device.', 1),
  ),
  revised: v.exactOptional(
    withDescription(count, 'Number of corrections and all-clears of the newest 20 messages.', 0),
  ),
  ...ownRights,
});
export const recorded = v.object({ recorded: sample(count, 2) });

export const MAX_COMMENT = 500;

const REVISION = 'Revision must be a whole number from 1.';

/** A device's report on a message. `received` and `refused` occur only for tests. */
const receipt = v.object({
  messageId: sample(v.string(), '0e7f4c52-6f1b-4a3d-9b58-1c2d3e4f5a6b'),
  kind: sample(
    v.picklist(['received', 'refused', 'displayed', 'read', 'acknowledged']),
    'acknowledged',
  ),
  answer: v.exactOptional(
    withDescription(
      v.string(),
      'The chosen answer. Only in receipts of kind `acknowledged`.',
      'On my way',
    ),
  ),
  comment: v.exactOptional(
    withDescription(
      v.pipe(
        cleanText('Comment'),
        v.check(
          hasAtMost(MAX_COMMENT),
          `Comment is too long. Use ${MAX_COMMENT} characters or fewer.`,
        ),
      ),
      'Only for `acknowledged`: a comment on the answer, up to 500 characters. A further receipt with the same answer replaces it until the message ends; an empty text removes it.',
      'With the van. Two of us.',
    ),
  ),
  revision: v.exactOptional(
    withDescription(
      v.pipe(v.number(REVISION), v.integer(REVISION), v.minValue(1, REVISION)),
      'The revision of the message that the receipt belongs to. Defaults to the newest one at that time. `displayed` after the all-clear is about the all-clear, not the message.',
      1,
    ),
  ),
  at: v.exactOptional(
    withDescription(timeField('At'), 'When the person or device did it. Defaults to now.'),
  ),
  inApp: v.exactOptional(
    withDescription(
      v.boolean(),
      'Whether the person did this in the app. If so, the receipt does not prove that a notification arrived.',
    ),
  ),
});
const MAX_RECEIPTS = 100;
const inboxQuery = {
  after: withDescription(count, 'Only messages after this `seq`.', 0),
  before: withDescription(count, 'Only messages before this `seq`.'),
  limit: limit(20),
  query: search('in titles and texts'),
  unread: withDescription(v.literal(true), 'Only unread messages.'),
};

export type InboxMessage = v.InferOutput<typeof inboxMessage>;
export type Receipt = v.InferOutput<typeof receipt>;
export type ReceiptKind = Receipt['kind'];
export type InboxQuery = QueryOf<typeof inboxQuery>;

export const inboxCalls = {
  'GET /api/notifications/messages': {
    does: 'Get your inbox',
    more: 'Newest first. With `after`, oldest first, so that a client can catch up. `newest` is the highest `seq`, or 0 if there are no messages. Only the newest page contains your permissions.',
    query: inboxQuery,
    response: inboxPage,
  },
  'GET /api/notifications/messages/:id': {
    does: 'Get a message from your inbox',
    params: { id: uuidField('message') },
    response: inboxMessage,
    errors: { 404: 'The message does not exist, or is not in your inbox.' },
  },
  'POST /api/notifications/receipts': {
    does: 'Report messages as displayed, read or answered',
    more: 'The first receipt of each kind counts; only its comment can be changed. Receipts for other people’s messages, or with an answer that was not offered, are ignored. `recorded` counts new receipts. `received` and `refused` are only for tests. A `displayed` receipt that a device sends with its key counts as evidence that the device displays notifications. So do `read` and `acknowledged`, unless `inApp` is true.',
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
      ...sentAt,
    }),
    response: recorded,
  },
} satisfies CallTable;
