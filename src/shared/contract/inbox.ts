/** A person's messages, and devices' receipts. */
import * as v from 'valibot';
import {
  countSchema,
  withDescription,
  idSchema,
  limitField,
  nullableTimestampSchema,
  withExamples,
  searchField,
  sampleText,
  timestampSchema,
  uuidSchema,
  uuidField,
} from './common';
import type { CallTable, QueryOf } from './common';
import { cleanText, hasAtMost, listOf } from './fields';
import { sentAtFields, timeField } from './message-fields';
import {
  answerRevisionSchema,
  commentSchema,
  formerAnswersSchema,
  helpAnswersField,
  messageFields,
  revisionFields,
} from './messages';
import { ownRightsFields } from './subscriptions';
import { topicReferenceSchema } from './topics';

export const inboxMessageSchema = v.object({
  id: uuidSchema,
  seq: withDescription(
    idSchema,
    'The number of the message in the person’s inbox: 1, 2, 3 and so on.',
    42,
  ),
  title: withDescription(
    v.string(),
    'The title that the sender entered. If there is none, the topic’s title. If there is no topic, `Fieldbell`.',
    'Storm from the west',
  ),
  ...messageFields,
  ...helpAnswersField,
  topic: withDescription(
    v.nullable(topicReferenceSchema),
    'The message’s first topic that the person was subscribed to when it was sent. Null if there is none, or if that topic was deleted.',
    { id: 1, title: 'Storm warnings' },
  ),
  sender: v.exactOptional(
    withDescription(
      v.string(),
      'Who sent the message: a username, or the name of a topic key. Absent if that user was deleted, or if Fieldbell itself sent the message.',
      'ada.lindqvist',
    ),
  ),
  state: v.picklist(['sent', 'cancelled', 'resolved']),
  createdAt: timestampSchema,
  expiresAt: withExamples(timestampSchema, '2026-11-21T14:02:00.000Z'),
  readAt: withDescription(
    nullableTimestampSchema,
    'When the person read the message. Null again after a correction or an all-clear, until the person opens it.',
  ),
  acknowledgedAt: nullableTimestampSchema,
  answer: v.nullable(sampleText('On my way')),
  comment: v.exactOptional(commentSchema),
  answerRevision: answerRevisionSchema,
  formerAnswers: formerAnswersSchema,
  ...revisionFields,
  notifiesAgain: v.exactOptional(
    withDescription(
      v.literal(true),
      '`true` if the message’s escalation policy has a step that notifies people again, and the escalation has not stopped. Absent otherwise.',
    ),
  ),
});
export const inboxPageSchema = v.object({
  messages: v.array(inboxMessageSchema),
  unread: withExamples(countSchema, 0),
  newest: withExamples(countSchema, 42),
  closed: v.exactOptional(
    withDescription(
      countSchema,
      'How many of the newest 20 messages were canceled or resolved, plus `revised`. If this number changes, load the messages again.',
      0,
    ),
  ),
  answered: v.exactOptional(
    withDescription(
      countSchema,
      'How many of the newest 20 messages the person has answered, on any device.',
      1,
    ),
  ),
  revised: v.exactOptional(
    withDescription(
      countSchema,
      'How many corrections and all-clears the newest 20 messages have had.',
      0,
    ),
  ),
  ...ownRightsFields,
});
export const recordedSchema = v.object({
  recorded: withExamples(countSchema, 2),
  withdrawn: v.exactOptional(
    withDescription(
      v.array(v.string()),
      'Only for a device key: the ids of some messages that the device reported as displayed. These messages ask “Are you OK?” although the person has answered, or say that the alarm was sent. The device removes their notifications. Absent if there are none.',
    ),
  ),
});

export const MAX_COMMENT = 500;

const REVISION_RULE_TEXT = 'Revision must be a positive whole number.';

/** A device's report on a message. `received` and `refused` occur only for tests. */
const receiptSchema = v.object({
  messageId: withExamples(v.string(), '0e7f4c52-6f1b-4a3d-9b58-1c2d3e4f5a6b'),
  kind: withExamples(
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
      'Only in receipts of kind `acknowledged`: a comment on the answer, up to 500 characters. Another receipt with the same answer replaces the comment, until the message expires, is canceled or resolved, or gets an all-clear. An empty comment removes it, and so does a receipt that changes the answer without a comment.',
      'With the van. Two of us.',
    ),
  ),
  changes: v.exactOptional(
    withDescription(
      v.boolean(),
      'Only for `acknowledged`: whether this answer may replace an earlier one. Answers can be replaced until the message expires, is canceled or resolved, or gets an all-clear. If `true` and the person repeats the earlier answer for a newer `revision`, it then counts for the newer revision. If absent or `false`, the first answer counts.',
      true,
    ),
  ),
  revision: v.exactOptional(
    withDescription(
      v.pipe(
        v.number(REVISION_RULE_TEXT),
        v.integer(REVISION_RULE_TEXT),
        v.minValue(1, REVISION_RULE_TEXT),
      ),
      'The revision of the message that the person or device saw. Default: the newest revision at the time in `at`. A `displayed` receipt after the all-clear counts for the all-clear, not for the message.',
      1,
    ),
  ),
  at: v.exactOptional(
    withDescription(
      timeField('At'),
      'When the device displayed the message, or when the person read or answered it. Default: now.',
    ),
  ),
  inApp: v.exactOptional(
    withDescription(
      v.boolean(),
      'Whether the person read or answered the message in the app. If so, the receipt does not prove that a notification arrived.',
    ),
  ),
});
const MAX_REPORTED_RECEIPTS = 100;
const inboxQuery = {
  after: withDescription(countSchema, 'Only messages whose `seq` is greater than this number.', 0),
  before: withDescription(countSchema, 'Only messages whose `seq` is less than this number.'),
  limit: limitField(20),
  query: searchField('Text to search for in titles and texts.'),
  unread: withDescription(v.literal(true), 'Only unread messages.'),
};

export type InboxMessage = v.InferOutput<typeof inboxMessageSchema>;
export type Receipt = v.InferOutput<typeof receiptSchema>;
export type ReceiptKind = Receipt['kind'];
export type InboxQuery = QueryOf<typeof inboxQuery>;

export const inboxCalls = {
  'GET /api/notifications/messages': {
    does: 'Get your inbox',
    more: 'The newest messages come first. With `after`, the oldest come first, so that a client can load everything it missed. `newest` is the highest `seq` in the inbox, or 0 if it is empty. The response only includes your permissions if the request has no `after`, `before`, `query` or `unread`.',
    query: inboxQuery,
    response: inboxPageSchema,
  },
  'GET /api/notifications/messages/:id': {
    does: 'Get a message from your inbox',
    params: { id: uuidField('message') },
    response: inboxMessageSchema,
    errors: { 404: 'The message does not exist, or is not in your inbox.' },
  },
  'POST /api/notifications/receipts': {
    does: 'Report messages as displayed, read or answered',
    more: 'The first receipt of each kind counts; afterwards, only the answer and its comment can be changed. The server ignores receipts for messages that you did not get, and receipts with an answer that was not offered. `recorded` counts the new receipts. The kinds `received` and `refused` are only for device tests. If a device sends a receipt with its device key, a `displayed` receipt proves that the device displays notifications. So do `read` and `acknowledged`, unless `inApp` is `true`.',
    body: v.object({
      receipts: withExamples(
        listOf(
          receiptSchema,
          MAX_REPORTED_RECEIPTS,
          `At most ${MAX_REPORTED_RECEIPTS} receipts can be sent at once.`,
        ),
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
      ...sentAtFields,
    }),
    response: recordedSchema,
  },
} satisfies CallTable;
