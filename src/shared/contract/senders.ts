/** Sending without being an administrator: senders of a topic, and what they see. */
import * as v from 'valibot';
import { teamReferenceSchema } from './accounts';
import {
  countSchema,
  withDescription,
  idField,
  pageFields,
  pagingFields,
  withExamples,
  sampleText,
  uuidField,
} from './common';
import type { CallTable } from './common';
import { listOf, rowIdField } from './fields';
import { messageTextFields, timeField } from './message-fields';
import {
  messageLanguagesSchema,
  ALL_CLEAR_TEXT,
  acceptedSchema,
  allClearBodySchema,
  audienceSchema,
  CORRECTION_TEXT,
  correctionSchema,
  ENDED_TEXT,
  RECIPIENTS_CSV_TEXT,
  recipientSchema,
  recipientsQuery,
  repeatQuerySchema,
  notifiedAgainSchema,
  sentMessageSchema,
  stateQuerySchema,
  undoSecondsField,
} from './messages';
import { topicSchema } from './topics';

export const sendersSchema = v.object({
  users: v.array(
    v.object({ id: withExamples(rowIdField('User'), 2), username: sampleText('m.okafor') }),
  ),
  teams: v.array(teamReferenceSchema),
});
export const sendingTopicSchema = v.object({
  id: topicSchema.entries.id,
  title: topicSchema.entries.title,
  description: topicSchema.entries.description,
  people: withExamples(countSchema, 31),
  reachable: withExamples(countSchema, 26),
});
export const sendingTopicsSchema = v.object({ topics: v.array(sendingTopicSchema) });
/** Leaves out devices, and topics and recipients that are not the sender's. */
export const ownSentMessageSchema = v.object({
  ...v.omit(sentMessageSchema, [
    'total',
    'accepted',
    'failed',
    'gone',
    'pending',
    'teams',
    'namedPeople',
    'reachable',
  ]).entries,
  isOwn: withDescription(
    v.boolean(),
    'Whether you sent the message and may still send to all of its topics. If not, you can only read it.',
    true,
  ),
});
export const ownSentPageSchema = v.object({
  messages: v.array(ownSentMessageSchema),
  ...pageFields,
});
/** A recipient without address, status and devices. */
export const ownRecipientSchema = v.object({
  ...v.omit(recipientSchema, ['user', 'devices']).entries,
  user: v.nullable(
    v.object({ id: withExamples(rowIdField('User'), 2), username: sampleText('m.okafor') }),
  ),
});
export const ownRecipientPageSchema = v.object({
  recipients: v.array(ownRecipientSchema),
  ...pageFields,
});

export type Senders = v.InferOutput<typeof sendersSchema>;
export type SendingTopic = v.InferOutput<typeof sendingTopicSchema>;
export type OwnSentMessage = v.InferOutput<typeof ownSentMessageSchema>;
export type OwnRecipient = v.InferOutput<typeof ownRecipientSchema>;

const MAX_TOPIC_SENDERS = 1000;
const createIdsField = (name: string, plural: string, example: number) =>
  withExamples(
    listOf(
      rowIdField(name),
      MAX_TOPIC_SENDERS,
      `At most ${MAX_TOPIC_SENDERS.toLocaleString('en')} ${plural} can be added as senders of a topic.`,
    ),
    [example],
  );
const topicIdsSchema = withExamples(
  listOf(rowIdField('Topic'), MAX_TOPIC_SENDERS, 'A list can have at most 1,000 IDs.'),
  [1],
);
const topicParams = { id: idField('topic') };
const messageParams = { id: uuidField('message', '0d7c9f52-6e1b-4a39-9a55-3a1f6b2c8e41') };
const NOT_YOUR_TOPICS = 'At least one of these topics does not accept messages from you.';
const NOT_YOUR_MESSAGE = 'You can read this message, but not change it.';
const SENT_OFTEN =
  'You sent, corrected or repeated messages more than 30 times within ten minutes.';
const INVALID_STATE = '`state` has an invalid value.';

export const senderCalls = {
  'GET /api/admin/topics/:id/senders': {
    does: 'List who may send to a topic',
    params: topicParams,
    response: sendersSchema,
  },
  'PUT /api/admin/topics/:id/senders': {
    does: 'Change who may send to a topic',
    more: 'Replaces the list: only these people and the members of these teams may then send to the topic. Administrators may always send.',
    params: topicParams,
    body: v.object({
      userIds: createIdsField('User', 'people', 2),
      teamIds: createIdsField('Team', 'teams', 1),
    }),
    response: sendersSchema,
    errors: { 400: 'The body is invalid, or a user or team does not exist.' },
  },
} satisfies CallTable;

export const sendingCalls = {
  'GET /api/sending/topics': {
    does: 'List the topics you may send to',
    response: sendingTopicsSchema,
  },
  'POST /api/sending/messages': {
    does: 'Send a message to your topics',
    more: 'Each person gets the message once. The message uses the escalation policy of its first topic that has a policy. With `undoSeconds` (1 to 60) the message is sent that many seconds later, and can be canceled until then.',
    body: v.object({
      topicIds: topicIdsSchema,
      ...messageTextFields,
      sendAt: v.exactOptional(timeField('Send at')),
      expiresAt: v.exactOptional(timeField('Expires at')),
      ...undoSecondsField,
    }),
    isRepeatable: true,
    response: acceptedSchema,
    errors: {
      403: NOT_YOUR_TOPICS,
      409: 'The Idempotency-Key was used for another message.',
      429: SENT_OFTEN,
    },
  },
  'POST /api/sending/audience': {
    does: 'Count the people whom a message to your topics would reach',
    body: v.object({
      topicIds: topicIdsSchema,
      priority: v.exactOptional(messageTextFields.priority),
    }),
    response: audienceSchema,
    errors: { 403: NOT_YOUR_TOPICS },
  },
  'GET /api/sending/messages': {
    does: 'List messages to your topics',
    more: 'Lists all messages to topics that you may send to, including messages that others sent.',
    query: pagingFields('Text to search for in titles, texts and topics.'),
    response: ownSentPageSchema,
  },
  'GET /api/sending/messages/:id': {
    does: 'Get a message to your topics, with its progress',
    params: messageParams,
    hasTag: true,
    response: ownSentMessageSchema,
  },
  'GET /api/sending/messages/:id/recipients': {
    does: 'List the recipients of a message in your topics',
    params: messageParams,
    query: recipientsQuery,
    response: ownRecipientPageSchema,
    errors: { 400: INVALID_STATE },
  },
  'GET /api/sending/messages/:id/languages': {
    does: 'Count the recipients of a message in your topics, by language',
    params: messageParams,
    response: messageLanguagesSchema,
  },
  'GET /api/sending/messages/:id/recipients.csv': {
    does: 'Download the recipients of a message in your topics',
    more: RECIPIENTS_CSV_TEXT,
    params: messageParams,
    query: { state: stateQuerySchema },
    responseType: 'text/csv',
    response: sampleText(
      'username,state,answer,late,displayedAt,readAt,acknowledgedAt,comment,answerRevision\r\nm.okafor,acknowledged,On my way,false,2026-11-20T14:02:02.000Z,2026-11-20T14:02:40.000Z,2026-11-20T14:03:00.000Z,With the van.,1\r\n',
    ),
    errors: { 400: INVALID_STATE },
  },
  'POST /api/sending/messages/:id/repeat': {
    does: 'Send another notification to everyone who has not answered your message',
    params: messageParams,
    body: repeatQuerySchema,
    response: notifiedAgainSchema,
    errors: {
      403: NOT_YOUR_MESSAGE,
      409: 'The message has expired, was canceled or resolved, has not been sent yet, or has an all-clear and `state` does not include `all_clear_not_displayed`.',
      429: SENT_OFTEN,
    },
  },
  'POST /api/sending/messages/:id/correct': {
    does: 'Correct one of your messages',
    more: CORRECTION_TEXT,
    params: messageParams,
    body: correctionSchema,
    response: ownSentMessageSchema,
    errors: { 403: NOT_YOUR_MESSAGE, 409: ENDED_TEXT, 429: SENT_OFTEN },
  },
  'POST /api/sending/messages/:id/all-clear': {
    does: 'Send the all-clear for your message',
    more: ALL_CLEAR_TEXT,
    params: messageParams,
    body: allClearBodySchema,
    response: ownSentMessageSchema,
    errors: { 403: NOT_YOUR_MESSAGE, 409: ENDED_TEXT },
  },
  'POST /api/sending/messages/:id/cancel': {
    does: 'Cancel your message',
    params: messageParams,
    response: ownSentMessageSchema,
    errors: {
      403: NOT_YOUR_MESSAGE,
      409: 'The message has expired or was already canceled, or everything has already been sent.',
    },
  },
} satisfies CallTable;
