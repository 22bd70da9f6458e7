import * as v from 'valibot';
import { LANGUAGE_CODES } from '../languages';
import { role, teamReference, userStatus } from './accounts';
import {
  count,
  withDescription,
  doneWith,
  id,
  idField,
  maybeTime,
  page,
  paging,
  search,
  sample,
  text,
  time,
  uuid,
  uuidField,
} from './common';
import type { CallTable } from './common';
import { requiredLine } from './fields';
import { audienceFields, messageText, priority, timeField } from './message-fields';
import { policyId, topicReference } from './topics';

const MESSAGE = 'Stop all work on poles. Gusts of 90 km/h from 15:00.';
const link = withDescription(v.nullable(v.string()), 'A path in the app, or an https URL.', null);
const answers = withDescription(
  v.array(v.string()),
  'Up to three texts. Empty means that no answer is requested.',
  ['On my way', 'Got it'],
);
/** An earlier text of a corrected message. */
const formerText = v.object({
  revision: sample(id, 1),
  title: v.nullable(v.string()),
  message: v.string(),
  at: time,
});
/** Absent from servers that know no corrections. */
export const revisionFields = {
  revision: v.exactOptional(withDescription(count, 'The version of the text. The first is 1.', 1)),
  revisedAt: v.exactOptional(maybeTime),
  former: v.exactOptional(
    withDescription(v.array(formerText), 'The earlier texts, oldest first.', []),
  ),
  allClearAt: v.exactOptional(maybeTime),
  allClear: v.exactOptional(
    withDescription(v.string(), 'The text of the all-clear, if there is one.', 'The wind is down.'),
  ),
  allClearBy: v.exactOptional(
    withDescription(v.string(), 'Who sent the all-clear. Only in inboxes.', 'ada.lindqvist'),
  ),
};
export const messageFields = {
  message: text(MESSAGE),
  link,
  priority: sample(priority, 'urgent'),
  answers,
};

/** Counts of people. `displayed`, `read` and `acknowledged` are cumulative. */
export const people = v.object({
  total: sample(count, 31),
  unreachable: sample(count, 4),
  muted: count,
  held: sample(count, 0),
  displayed: sample(count, 24),
  read: sample(count, 20),
  acknowledged: sample(count, 18),
  pending: v.exactOptional(
    withDescription(
      count,
      'How many people have pending pushes. Like `accepted` and `failed`, it excludes people counted in `displayed`.',
      0,
    ),
  ),
  accepted: v.exactOptional(sample(count, 1)),
  failed: v.exactOptional(sample(count, 1)),
});

/** A message's pushes, counted in devices. */
export const progress = v.object({
  total: withDescription(
    count,
    'How many devices the message goes to. The next four counts are devices, too.',
    26,
  ),
  accepted: sample(count, 25),
  failed: sample(count, 0),
  gone: count,
  pending: sample(count, 0),
});
export const sentMessage = v.object({
  id: uuid,
  topic: withDescription(
    v.nullable(topicReference),
    'The first of its topics. Null if it was sent to chosen people rather than to a topic, or if that topic was deleted.',
    { id: 1, title: 'Storm warnings' },
  ),
  createdAt: time,
  ...progress.entries,
  title: withDescription(
    v.nullable(v.string()),
    'The title that the sender entered. Null if the message uses the topic’s title.',
    'Storm from the west',
  ),
  ...messageFields,
  topics: v.array(topicReference),
  teams: v.exactOptional(
    withDescription(v.array(teamReference), 'The teams it was sent to. Absent if there are none.'),
  ),
  namedPeople: v.exactOptional(
    withDescription(
      count,
      'How many people were named besides its topics and teams. Absent if none were.',
      2,
    ),
  ),
  sender: withDescription(
    v.nullable(v.string()),
    'A username, or `key: NAME`. Null if that person was deleted, or if Fieldbell sent it.',
    'ada.lindqvist',
  ),
  state: sample(
    v.picklist(['scheduled', 'sending', 'sent', 'cancelled', 'expired', 'resolved']),
    'sent',
  ),
  sendAt: time,
  expiresAt: sample(time, '2026-11-21T14:02:00.000Z'),
  withheld: v.exactOptional(
    withDescription(
      v.picklist(['no-sender']),
      'Only while `scheduled`: when it was due, its sender could no longer send to one of its topics. An administrator can send or cancel it.',
      'no-sender',
    ),
  ),
  people,
  reachable: v.exactOptional(
    withDescription(
      count,
      'How many recipients had a device to notify when the message was sent, including those in quiet hours. Later changes don’t alter it. Absent before it is sent, and if it was not recorded.',
      26,
    ),
  ),
  isAllClear: v.exactOptional(
    withDescription(
      v.boolean(),
      'True if it is itself the all-clear of a check-in. It can’t be corrected, and needs no all-clear. Absent otherwise.',
      false,
    ),
  ),
  isTranslated: v.exactOptional(
    withDescription(v.boolean(), 'True if the sender added translations. Absent otherwise.', true),
  ),
  askedRevision: v.exactOptional(
    withDescription(
      count,
      'The newest revision that asked for answers again. Absent if none did.',
      2,
    ),
  ),
  tally: withDescription(v.record(v.string(), count), 'How many people chose each answer.', {
    'On my way': 11,
    'Got it': 7,
  }),
  ...revisionFields,
});
export const sentPage = v.object({ messages: v.array(sentMessage), ...page });

export const recipientState = v.picklist([
  'unreachable',
  'muted',
  'held',
  'pending',
  'failed',
  'accepted',
  'displayed',
  'read',
  'acknowledged',
]);

/** Words that a person added to their answer. */
export const comment = withDescription(
  v.nullable(v.string()),
  'The comment on the answer. Absent if there is none.',
  'With the van. Two of us.',
);
const answer = v.nullable(text('On my way'));
const late = withDescription(
  v.boolean(),
  'Whether the answer came after the message expired.',
  false,
);
export const formerAnswers = v.exactOptional(
  withDescription(
    v.array(
      v.object({ revision: count, answer, comment: v.exactOptional(comment), at: time, late }),
    ),
    'Answers to earlier texts of a corrected message that asked again, oldest first. Absent if there are none.',
    [],
  ),
);
export const answerRevision = v.exactOptional(
  withDescription(
    count,
    'The revision of the text that was answered. Less than the message’s `revision` if the answer was given to an earlier text and still counts. Absent without an answer.',
    1,
  ),
);
export const recipient = v.object({
  user: v.nullable(
    v.object({
      id: sample(id, 2),
      username: text('m.okafor'),
      role: sample(role, 'TECHNICIAN'),
      status: v.exactOptional(userStatus),
      registrationToken: v.exactOptional(v.string()),
    }),
  ),
  state: withDescription(
    recipientState,
    'The last state that the message reached for this person.',
    'acknowledged',
  ),
  answer,
  comment: v.exactOptional(comment),
  answerRevision,
  formerAnswers,
  late,
  displayedAt: maybeTime,
  readAt: maybeTime,
  acknowledgedAt: maybeTime,
  devices: withDescription(count, 'Number of devices the message was sent to.'),
  heldUntil: v.exactOptional(maybeTime),
  language: v.exactOptional(
    withDescription(
      v.nullable(v.picklist(LANGUAGE_CODES)),
      'The language in which the person reads it; null if it is not translated for them. Absent if the message has no translations.',
      'de',
    ),
  ),
  failure: v.exactOptional(
    withDescription(
      v.picklist(['expired', 'cancelled', 'gone', 'refused', 'unwanted']),
      'Only for `failed`: why the last push failed.',
    ),
  ),
});
export const messageLanguages = v.object({
  languages: v.array(
    v.object({
      language: withDescription(
        v.nullable(v.picklist(LANGUAGE_CODES)),
        'Null for the original text.',
        'de',
      ),
      people: withDescription(count, 'How many recipients read it in this language.', 12),
    }),
  ),
});
export const recipientPage = v.object({ recipients: v.array(recipient), ...page });

export const audience = v.object({
  people: withDescription(count, 'The sum of `reachable`, `muted`, `unreachable` and `held`.', 31),
  reachable: withDescription(count, 'How many people have at least one device to notify.', 26),
  muted: withDescription(
    count,
    'How many people muted all of these topics on all of their devices.',
    1,
  ),
  unreachable: withDescription(count, 'How many people have no device to notify.', 4),
  held: withDescription(count, 'How many people have quiet hours that would hold the message.', 0),
  suspended: v.exactOptional(
    withDescription(
      count,
      'How many people are suspended. They are not notified and not counted in `people`.',
      2,
    ),
  ),
  heldUntil: v.exactOptional(
    withDescription(
      maybeTime,
      'When the last held recipient’s quiet hours end. Null if no one is held.',
      null,
    ),
  ),
  canUndo: v.exactOptional(
    withDescription(v.boolean(), 'Whether this server supports `undoSeconds`.', true),
  ),
});

export const template = v.object({
  id,
  name: text('Storm'),
  title: v.nullable(text('Storm from the west')),
  ...messageFields,
  translations: messageText.translations,
});
export const templates = v.object({ templates: v.array(template) });

export const accepted = v.object({
  message: text('Sent to 31 people.'),
  messageId: uuid,
  notified: withDescription(v.boolean(), 'False if there is no device to notify.'),
});
export const notifiedAgain = v.object({ messageId: uuid, people: count });

export type Priority = v.InferOutput<typeof priority>;
export type People = v.InferOutput<typeof people>;
export type SentMessage = v.InferOutput<typeof sentMessage>;
export type MessageState = SentMessage['state'];
export type Recipient = v.InferOutput<typeof recipient>;
export type RecipientState = Recipient['state'];
export type RecipientFailure = NonNullable<Recipient['failure']>;
export type Audience = v.InferOutput<typeof audience>;
export type Template = v.InferOutput<typeof template>;

const UNDO = 'Undo seconds must be a number from 1 to 60.';
const toOneTopic = v.object({
  ...messageText,
  sendAt: v.exactOptional(timeField('Send at')),
  expiresAt: v.exactOptional(timeField('Expires at')),
  policyId,
  undoSeconds: v.exactOptional(
    v.pipe(v.number(UNDO), v.integer(UNDO), v.minValue(1, UNDO), v.maxValue(60, UNDO)),
  ),
});
/** All states' names, with room to spare. */
const MAX_STATES = 200;
/** Whom to notify again; without ids and states, everyone. */
export const repeatQuery = v.optional(
  v.object({
    userIds: audienceFields.userIds,
    state: v.exactOptional(
      v.pipe(v.string(), v.maxLength(MAX_STATES, 'State is too long. List each state once.')),
    ),
  }),
  {},
);
export const correction = v.object({
  message: messageText.message,
  title: v.exactOptional(messageText.title.wrapped),
  translations: messageText.translations,
  ask: withDescription(
    v.boolean(),
    'Whether to ask for answers again. If false, earlier answers stay valid.',
    true,
  ),
});
export const allClearBody = v.optional(
  v.object({ message: v.exactOptional(sample(messageText.message, 'The wind is down.')) }),
  {},
);
export const CORRECTION_TEXT =
  'Everyone is notified again, and their inbox shows the new text. Each correction makes a new revision; receipts and answers name the revision that the person saw. A `title` or answers that you leave out stay as they are. Translations that you leave out are removed. A message that was not sent yet is sent with the new text. If the text is the same, nothing changes.';
export const ALL_CLEAR_TEXT =
  'Everyone is notified, except that `info` messages wait for the end of quiet hours. Escalation stops, and the message can no longer be corrected. The all-clear for a check-in’s alarm is for all alarms of that check-in. It does not end the check-in: its person answers or ends it.';
export const ENDED_TEXT =
  'The message has expired, was canceled, got its all-clear, or is itself an all-clear.';
const toCount = v.object({
  ...audienceFields,
  priority: v.exactOptional(sample(priority, 'info')),
});
const newTemplate = v.object({ name: sample(requiredLine('Name', 100), 'Storm'), ...messageText });

/** A message's fields besides its text. */
export type MessageOptions = Omit<v.InferInput<typeof toOneTopic>, 'message'>;
export type AudienceQuery = v.InferInput<typeof toCount>;
export type NewTemplate = v.InferInput<typeof newTemplate>;

const ofMessage = { id: uuidField('message') };
const ofTemplate = { id: idField('template') };
export const stateQuery = withDescription(
  v.string(),
  'One or more states, separated by commas. `not_answered` means all states in which an answer is still possible.',
);
export const RECIPIENTS_CSV_TEXT =
  'Follows RFC 4180, with a header. Cells that a spreadsheet would evaluate start with an apostrophe. If a correction asked for new answers, each earlier revision adds columns, such as `revision1Answer`, `revision1Comment`, `revision1AcknowledgedAt` and `revision1Late`.';
export const recipientsQuery = {
  ...paging('in names'),
  state: stateQuery,
  formerAnswers: withDescription(
    v.literal(true),
    'Only people who answered an earlier text of a message that asked again.',
  ),
};
const OPTIONS =
  '`link` is a path in the app or an https URL. `sendAt` is at most a year ahead, and `expiresAt` after it (default: 24 hours). `policyId` defaults to the first topic’s policy; null means none. With `undoSeconds` (1 to 60) the message is sent that many seconds later, and can be canceled until then.';
const OTHER_MESSAGE = 'The Idempotency-Key was used for another message.';
const NAME_TAKEN = 'Another template has this name, or there are too many templates.';
const INVALID_STATE = '`state` has an invalid value.';

export const messageCalls = {
  'POST /api/admin/notifications/send-topic/:topicId': {
    does: 'Send a message to a topic',
    more: OPTIONS,
    params: { topicId: idField('topic') },
    body: toOneTopic,
    isRepeatable: true,
    response: v.object({
      ...accepted.entries,
      notified: v.exactOptional(accepted.entries.notified),
    }),
    errors: { 409: OTHER_MESSAGE },
  },
  'POST /api/admin/messages': {
    does: 'Send a message to topics and people',
    more: `Each person gets it once. ${OPTIONS}`,
    body: v.object({ ...toOneTopic.entries, ...audienceFields }),
    isRepeatable: true,
    response: accepted,
    errors: {
      400: 'The body is invalid, or the message has no `sendAt` and no recipients.',
      409: OTHER_MESSAGE,
    },
  },
  'POST /api/admin/messages/audience': {
    does: 'Count the people whom a message would reach',
    body: toCount,
    response: audience,
    errors: { 400: 'The body is invalid, or an id does not exist.' },
  },
  'GET /api/admin/messages': {
    does: 'List sent messages',
    query: {
      ...paging('in titles, texts and topics'),
      priority: withDescription(priority, 'Only messages of this priority.', 'urgent'),
      state: withDescription(
        v.picklist(['withheld']),
        'Only messages that are withheld until an administrator sends or cancels them.',
      ),
      topicId: withDescription(id, 'Only messages to this topic.', 1),
      sender: search('in senders’ names'),
    },
    response: sentPage,
    errors: { 400: 'The priority, the state or the topic is unknown.' },
  },
  'GET /api/admin/messages/:id': {
    does: 'Get a message’s progress',
    params: ofMessage,
    hasTag: true,
    response: sentMessage,
  },
  'GET /api/admin/messages/:id/recipients': {
    does: 'List a message’s recipients',
    params: ofMessage,
    query: recipientsQuery,
    response: recipientPage,
    errors: { 400: INVALID_STATE },
  },
  'GET /api/admin/messages/:id/languages': {
    does: 'Count the recipients of a message by language',
    more: 'Uses people’s current languages. Empty if the message has no translations.',
    params: ofMessage,
    response: messageLanguages,
  },
  'GET /api/admin/messages/:id/recipients.csv': {
    does: 'Download a message’s recipients',
    more: RECIPIENTS_CSV_TEXT,
    params: ofMessage,
    query: { state: stateQuery },
    responseType: 'text/csv',
    response: text(
      'username,role,state,answer,late,displayedAt,readAt,acknowledgedAt,comment,answerRevision\r\nm.okafor,TECHNICIAN,acknowledged,On my way,false,2026-11-20T14:02:02.000Z,2026-11-20T14:02:40.000Z,2026-11-20T14:03:00.000Z,With the van.,1\r\n',
    ),
    errors: { 400: INVALID_STATE },
  },
  'POST /api/admin/messages/:id/repeat': {
    does: 'Send another notification to everyone who has not answered',
    more: 'If no answer was requested, it notifies everyone who has not read the message. `userIds` and `state` narrow this down; `state` works as in the list of recipients. The body is optional.',
    params: ofMessage,
    body: repeatQuery,
    response: notifiedAgain,
    errors: {
      400: INVALID_STATE,
      409: 'The message has expired, was canceled, or has not been sent yet.',
    },
  },
  'POST /api/admin/messages/:id/correct': {
    does: 'Correct a message',
    more: CORRECTION_TEXT,
    params: ofMessage,
    body: correction,
    response: sentMessage,
    errors: { 409: ENDED_TEXT },
  },
  'POST /api/admin/messages/:id/all-clear': {
    does: 'Send the all-clear for a message',
    more: ALL_CLEAR_TEXT,
    params: ofMessage,
    body: allClearBody,
    response: sentMessage,
    errors: { 409: ENDED_TEXT },
  },
  'POST /api/admin/messages/:id/release': {
    does: 'Send a withheld message',
    more: 'For a scheduled message whose sender can no longer send to its topics.',
    params: { id: uuidField('message', '5a3e8b17-2f4c-4d60-8e9b-7c1d0f6a2b93') },
    response: sentMessage,
    errors: { 409: 'The message is not withheld.' },
  },
  'POST /api/admin/messages/:id/cancel': {
    does: 'Cancel a message',
    more: 'Stops pushes that have not been sent yet. The message stays in people’s inboxes.',
    params: ofMessage,
    response: sentMessage,
    errors: { 409: 'The message has expired, was already canceled, or has nothing left to send.' },
  },
} satisfies CallTable;

export const templateCalls = {
  'GET /api/admin/templates': { does: 'List templates', response: templates },
  'POST /api/admin/templates': {
    does: 'Add a template',
    body: sample(newTemplate, {
      name: 'All clear',
      message: 'Work may continue.',
      priority: 'info',
      answers: [],
    }),
    response: template,
    errors: { 409: NAME_TAKEN },
  },
  'PUT /api/admin/templates/:id': {
    does: 'Change a template',
    params: ofTemplate,
    body: newTemplate,
    response: template,
    errors: { 409: NAME_TAKEN },
  },
  'DELETE /api/admin/templates/:id': {
    does: 'Delete a template',
    params: ofTemplate,
    response: doneWith('The template was deleted.'),
  },
} satisfies CallTable;
