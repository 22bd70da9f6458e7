/** Sending without being an administrator: senders of a topic, and what they see. */
import * as v from 'valibot';
import { teamReference } from './accounts';
import { count, withDescription, idField, page, paging, sample, text, uuidField } from './common';
import type { CallTable } from './common';
import { listOf, rowId } from './fields';
import { messageText, timeField } from './message-fields';
import {
  messageLanguages,
  ALL_CLEAR_TEXT,
  accepted,
  allClearBody,
  audience,
  CORRECTION_TEXT,
  correction,
  ENDED_TEXT,
  RECIPIENTS_CSV_TEXT,
  recipient,
  recipientsQuery,
  repeatQuery,
  notifiedAgain,
  sentMessage,
  stateQuery,
} from './messages';
import { topic } from './topics';

export const senders = v.object({
  users: v.array(v.object({ id: sample(rowId('User'), 2), username: text('m.okafor') })),
  teams: v.array(teamReference),
});
export const sendingTopic = v.object({
  id: topic.entries.id,
  title: topic.entries.title,
  description: topic.entries.description,
  people: sample(count, 31),
  reachable: sample(count, 26),
});
export const sendingTopics = v.object({ topics: v.array(sendingTopic) });
/** Leaves out devices, and topics and recipients that are not the sender's. */
export const ownSentMessage = v.object({
  ...v.omit(sentMessage, [
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
export const ownSentPage = v.object({ messages: v.array(ownSentMessage), ...page });
/** A recipient without address, status and devices. */
export const ownRecipient = v.object({
  ...v.omit(recipient, ['user', 'devices']).entries,
  user: v.nullable(v.object({ id: sample(rowId('User'), 2), username: text('m.okafor') })),
});
export const ownRecipientPage = v.object({ recipients: v.array(ownRecipient), ...page });

export type Senders = v.InferOutput<typeof senders>;
export type SendingTopic = v.InferOutput<typeof sendingTopic>;
export type OwnSentMessage = v.InferOutput<typeof ownSentMessage>;
export type OwnRecipient = v.InferOutput<typeof ownRecipient>;

const MAX_TOPIC_SENDERS = 1000;
const createIdsField = (name: string, plural: string, example: number) =>
  sample(
    listOf(
      rowId(name),
      MAX_TOPIC_SENDERS,
      `At most ${MAX_TOPIC_SENDERS.toLocaleString('en')} ${plural} can be added as senders of a topic.`,
    ),
    [example],
  );
const topicIds = sample(
  listOf(rowId('Topic'), MAX_TOPIC_SENDERS, 'A list can have at most 1,000 IDs.'),
  [1],
);
const ofTopic = { id: idField('topic') };
const ofMessage = { id: uuidField('message', '0d7c9f52-6e1b-4a39-9a55-3a1f6b2c8e41') };
const NOT_YOUR_TOPICS = 'At least one of these topics does not accept messages from you.';
const NOT_YOUR_MESSAGE = 'You can read this message, but not change it.';
const SENT_OFTEN =
  'You sent, corrected or repeated messages more than 30 times within ten minutes.';
const INVALID_STATE = '`state` has an invalid value.';

export const senderCalls = {
  'GET /api/admin/topics/:id/senders': {
    does: 'List who may send to a topic',
    params: ofTopic,
    response: senders,
  },
  'PUT /api/admin/topics/:id/senders': {
    does: 'Change who may send to a topic',
    more: 'Replaces the list: only these people and the members of these teams may then send to the topic. Administrators may always send.',
    params: ofTopic,
    body: v.object({
      userIds: createIdsField('User', 'people', 2),
      teamIds: createIdsField('Team', 'teams', 1),
    }),
    response: senders,
    errors: { 400: 'The body is invalid, or a user or team does not exist.' },
  },
} satisfies CallTable;

export const sendingCalls = {
  'GET /api/sending/topics': { does: 'List the topics you may send to', response: sendingTopics },
  'POST /api/sending/messages': {
    does: 'Send a message to your topics',
    more: 'Each person gets the message once. The message uses the escalation policy of its first topic that has a policy.',
    body: v.object({
      topicIds,
      ...messageText,
      sendAt: v.exactOptional(timeField('Send at')),
      expiresAt: v.exactOptional(timeField('Expires at')),
    }),
    isRepeatable: true,
    response: accepted,
    errors: {
      403: NOT_YOUR_TOPICS,
      409: 'The Idempotency-Key was used for another message.',
      429: SENT_OFTEN,
    },
  },
  'POST /api/sending/audience': {
    does: 'Count the people whom a message to your topics would reach',
    body: v.object({ topicIds, priority: v.exactOptional(messageText.priority) }),
    response: audience,
    errors: { 403: NOT_YOUR_TOPICS },
  },
  'GET /api/sending/messages': {
    does: 'List messages to your topics',
    more: 'Lists all messages to topics that you may send to, including messages that others sent.',
    query: paging('Text to search for in titles, texts and topics.'),
    response: ownSentPage,
  },
  'GET /api/sending/messages/:id': {
    does: 'Get the progress of a message in your topics',
    params: ofMessage,
    hasTag: true,
    response: ownSentMessage,
  },
  'GET /api/sending/messages/:id/recipients': {
    does: 'List the recipients of a message in your topics',
    params: ofMessage,
    query: recipientsQuery,
    response: ownRecipientPage,
    errors: { 400: INVALID_STATE },
  },
  'GET /api/sending/messages/:id/languages': {
    does: 'Count the recipients of a message in your topics, by language',
    params: ofMessage,
    response: messageLanguages,
  },
  'GET /api/sending/messages/:id/recipients.csv': {
    does: 'Download the recipients of a message in your topics',
    more: RECIPIENTS_CSV_TEXT,
    params: ofMessage,
    query: { state: stateQuery },
    responseType: 'text/csv',
    response: text(
      'username,state,answer,late,displayedAt,readAt,acknowledgedAt,comment,answerRevision\r\nm.okafor,acknowledged,On my way,false,2026-11-20T14:02:02.000Z,2026-11-20T14:02:40.000Z,2026-11-20T14:03:00.000Z,With the van.,1\r\n',
    ),
    errors: { 400: INVALID_STATE },
  },
  'POST /api/sending/messages/:id/repeat': {
    does: 'Send another notification to everyone who has not answered your message',
    params: ofMessage,
    body: repeatQuery,
    response: notifiedAgain,
    errors: {
      403: NOT_YOUR_MESSAGE,
      409: 'The message has expired, was canceled or resolved, has not been sent yet, or has an all-clear and `state` does not include `all_clear_not_displayed`.',
      429: SENT_OFTEN,
    },
  },
  'POST /api/sending/messages/:id/correct': {
    does: 'Correct your message',
    more: CORRECTION_TEXT,
    params: ofMessage,
    body: correction,
    response: ownSentMessage,
    errors: { 403: NOT_YOUR_MESSAGE, 409: ENDED_TEXT, 429: SENT_OFTEN },
  },
  'POST /api/sending/messages/:id/all-clear': {
    does: 'Send the all-clear for your message',
    more: ALL_CLEAR_TEXT,
    params: ofMessage,
    body: allClearBody,
    response: ownSentMessage,
    errors: { 403: NOT_YOUR_MESSAGE, 409: ENDED_TEXT },
  },
  'POST /api/sending/messages/:id/cancel': {
    does: 'Cancel your message',
    params: ofMessage,
    response: ownSentMessage,
    errors: {
      403: NOT_YOUR_MESSAGE,
      409: 'The message has expired or was already canceled, or everything has already been sent.',
    },
  },
} satisfies CallTable;
