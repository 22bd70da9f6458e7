import * as v from 'valibot';
import { LANGUAGE_CODES } from '../languages';
import { roleSchema, teamReferenceSchema, userStatusSchema } from './accounts';
import {
  countSchema,
  withDescription,
  messageResponseWith,
  idSchema,
  idField,
  nullableTimestampSchema,
  pageFields,
  pagingFields,
  searchField,
  withExamples,
  sampleText,
  timestampSchema,
  uuidSchema,
  uuidField,
} from './common';
import type { CallTable } from './common';
import { requiredLine } from './fields';
import {
  audienceFields,
  messageTextFields,
  prioritySchema,
  timeField,
  translationsSchema,
} from './message-fields';
import { policyIdSchema, topicReferenceSchema } from './topics';

const EXAMPLE_MESSAGE = 'Stop all work on poles. Gusts of 90 km/h from 15:00.';
const messageLinkSchema = withDescription(
  v.nullable(v.string()),
  'The link of the message: a path in the app, or an https URL.',
  null,
);
const answersSchema = withDescription(
  v.array(v.string()),
  'The answers that people can choose, at most three. Empty if no answer is requested.',
  ['On my way', 'Got it'],
);
/** An earlier text of a corrected message. */
const formerTextSchema = v.object({
  revision: withExamples(idSchema, 1),
  title: v.nullable(v.string()),
  message: v.string(),
  at: timestampSchema,
});
/** Servers that know no corrections omit this field. */
export const revisionFields = {
  revision: v.exactOptional(
    withDescription(
      countSchema,
      'The version of the text. The first version is 1, and each correction adds 1.',
      1,
    ),
  ),
  revisedAt: v.exactOptional(nullableTimestampSchema),
  former: v.exactOptional(
    withDescription(
      v.array(formerTextSchema),
      'The earlier texts of the message, oldest first.',
      [],
    ),
  ),
  allClearAt: v.exactOptional(nullableTimestampSchema),
  allClear: v.exactOptional(
    withDescription(v.string(), 'The text of the all-clear, if there is one.', 'The wind is down.'),
  ),
  allClearBy: v.exactOptional(
    withDescription(v.string(), 'Who sent the all-clear. Only in inboxes.', 'ada.lindqvist'),
  ),
};
export const helpAnswersField = {
  helpAnswers: v.exactOptional(
    withDescription(
      v.array(v.string()),
      'Those of the `answers` that call for help. They are shown in red, do not stop an escalation, and keep it from stopping. Absent if there are none.',
      ['Need help'],
    ),
  ),
};
export const messageFields = {
  message: sampleText(EXAMPLE_MESSAGE),
  link: messageLinkSchema,
  priority: withExamples(prioritySchema, 'urgent'),
  answers: answersSchema,
};

/** Counts of people. `displayed`, `read` and `acknowledged` are cumulative. */
export const peopleSchema = v.object({
  total: withExamples(countSchema, 31),
  unreachable: withExamples(countSchema, 4),
  muted: countSchema,
  held: withExamples(countSchema, 0),
  displayed: withExamples(countSchema, 24),
  read: withExamples(countSchema, 20),
  acknowledged: withExamples(countSchema, 18),
  pending: v.exactOptional(
    withDescription(
      countSchema,
      'How many people have pushes that are not sent yet. `pending`, `accepted` and `failed` do not include people who are counted in `displayed`.',
      0,
    ),
  ),
  accepted: v.exactOptional(withExamples(countSchema, 1)),
  failed: v.exactOptional(withExamples(countSchema, 1)),
  correctionDisplayed: v.exactOptional(
    withDescription(
      countSchema,
      'How many people were shown the newest correction. Absent if the message was not corrected.',
      3,
    ),
  ),
  answeredEarlierText: v.exactOptional(
    withDescription(
      countSchema,
      'How many of the people in `acknowledged` answered an earlier text, before it was corrected. Absent if the message was not corrected.',
      1,
    ),
  ),
  allClearDisplayed: v.exactOptional(
    withDescription(
      countSchema,
      'How many people were shown the all-clear. Absent if there is none.',
      0,
    ),
  ),
});

export const checkInEndReasonSchema = withDescription(
  v.picklist(['suspended']),
  '`suspended`: an administrator suspended the person, which ended the check-in. No one knows whether the person is OK. Absent if the person ended the check-in, and until it ends.',
);

/** What both administrators and senders get of a message: senders see no devices. */
export const countedMessageSchema = v.object({ people: peopleSchema });
/** A message's pushes, counted in devices. */
export const progressSchema = v.object({
  total: withDescription(
    countSchema,
    'How many devices the message goes to. `accepted`, `failed`, `gone` and `pending` also count devices.',
    26,
  ),
  accepted: withExamples(countSchema, 25),
  failed: withExamples(countSchema, 0),
  gone: countSchema,
  pending: withExamples(countSchema, 0),
});
export const sentMessageSchema = v.object({
  id: uuidSchema,
  topic: withDescription(
    v.nullable(topicReferenceSchema),
    'The first of the message’s topics. Null if the message was not sent to a topic, or if that topic was deleted.',
    { id: 1, title: 'Storm warnings' },
  ),
  createdAt: timestampSchema,
  ...progressSchema.entries,
  title: withDescription(
    v.nullable(v.string()),
    'The title that the sender entered. Null if the message uses the topic’s title.',
    'Storm from the west',
  ),
  ...messageFields,
  ...helpAnswersField,
  topics: v.array(topicReferenceSchema),
  teams: v.exactOptional(
    withDescription(
      v.array(teamReferenceSchema),
      'The teams that the message was sent to. Absent if there are none.',
    ),
  ),
  namedPeople: v.exactOptional(
    withDescription(
      countSchema,
      'How many people the sender chose individually, in addition to topics and teams. Absent if there are none.',
      2,
    ),
  ),
  sender: withDescription(
    v.nullable(v.string()),
    'Who sent the message: a username, or `key: NAME` for a topic key. Null if that user was deleted, or if Fieldbell itself sent the message.',
    'ada.lindqvist',
  ),
  state: withExamples(
    v.picklist(['scheduled', 'sending', 'sent', 'cancelled', 'expired', 'resolved']),
    'sent',
  ),
  sendAt: timestampSchema,
  expiresAt: withExamples(timestampSchema, '2026-11-21T14:02:00.000Z'),
  withheld: v.exactOptional(
    withDescription(
      v.picklist(['no-sender']),
      'Present if the message was not sent at `sendAt`, because its sender could no longer send to one of its topics. An administrator can send or cancel the message.',
      'no-sender',
    ),
  ),
  people: peopleSchema,
  reachable: v.exactOptional(
    withDescription(
      countSchema,
      'How many recipients had a device to notify when the message was sent, including people in their quiet hours. This number does not change later. Absent until the message is sent, or if the number was not recorded.',
      26,
    ),
  ),
  isAllClear: v.exactOptional(
    withDescription(
      v.boolean(),
      '`true` if the message is the all-clear for a check-in. Such a message cannot be corrected, and cannot get an all-clear. Absent otherwise.',
      false,
    ),
  ),
  isTranslated: v.exactOptional(
    withDescription(
      v.boolean(),
      '`true` if the sender added translations. Absent otherwise.',
      true,
    ),
  ),
  checkIn: v.exactOptional(
    withDescription(
      v.object({
        username: sampleText('m.okafor'),
        needsAnswer: withDescription(
          v.boolean(),
          'Whether the check-in waits for an answer, because the person missed it or asked for help.',
          true,
        ),
        answeredAt: withDescription(
          nullableTimestampSchema,
          'When the person last answered “I’m OK”.',
          null,
        ),
        endedAt: withDescription(
          nullableTimestampSchema,
          'When the check-in ended. Null until then.',
          null,
        ),
        endReason: v.exactOptional(checkInEndReasonSchema),
        isSuspended: v.exactOptional(
          withDescription(
            v.boolean(),
            '`true` if the person is suspended, and can no longer answer. Absent otherwise.',
            true,
          ),
        ),
        newerAlarm: v.exactOptional(
          withDescription(
            v.object({
              messageId: sampleText('0e7f4c52-6f1b-4a3d-9b58-1c2d3e4f5a6b'),
              at: timestampSchema,
            }),
            'The last alarm, if it was sent after this one and the check-in still waits for an answer. Absent otherwise.',
          ),
        ),
      }),
      'The check-in, if the message is the alarm of a check-in. Absent for other messages, and in lists.',
    ),
  ),
  translations: v.exactOptional(
    withDescription(
      translationsSchema,
      'The sender’s translations of title and text. Only in responses about one message. Absent if there are none.',
      { de: { message: 'Alle Arbeiten an Masten einstellen.' } },
    ),
  ),
  askedRevision: v.exactOptional(
    withDescription(
      countSchema,
      'The newest revision that asked people to answer again. Absent if there is none.',
      2,
    ),
  ),
  tally: withDescription(v.record(v.string(), countSchema), 'How many people chose each answer.', {
    'On my way': 11,
    'Got it': 7,
  }),
  ...revisionFields,
});
export const sentFilterStateSchema = v.picklist(['needs_help', 'withheld']);
export const sentPageSchema = v.object({ messages: v.array(sentMessageSchema), ...pageFields });

export const recipientStateSchema = v.picklist([
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

/** The comment that a person added to their answer. */
export const commentSchema = withDescription(
  v.nullable(v.string()),
  'The comment on the answer. Absent if there is none.',
  'With the van. Two of us.',
);
const answerSchema = v.nullable(sampleText('On my way'));
const lateAnswerSchema = withDescription(
  v.boolean(),
  'Whether the answer came after the message expired.',
  false,
);
export const formerAnswersSchema = v.exactOptional(
  withDescription(
    v.array(
      v.object({
        revision: countSchema,
        answer: answerSchema,
        comment: v.exactOptional(commentSchema),
        at: timestampSchema,
        late: lateAnswerSchema,
      }),
    ),
    'The answers that the person gave before a correction asked people to answer again, oldest first. Absent if there are none.',
    [],
  ),
);
export const answerRevisionSchema = v.exactOptional(
  withDescription(
    countSchema,
    'The revision of the text that the person answered. It is less than the message’s `revision` if the person answered an earlier text and that answer still counts. Absent if there is no answer.',
    1,
  ),
);
export const recipientSchema = v.object({
  user: v.nullable(
    v.object({
      id: withExamples(idSchema, 2),
      username: sampleText('m.okafor'),
      role: withExamples(roleSchema, 'TECHNICIAN'),
      status: v.exactOptional(userStatusSchema),
      registrationToken: v.exactOptional(v.string()),
    }),
  ),
  state: withDescription(
    recipientStateSchema,
    'The furthest state that the message has reached for this person.',
    'acknowledged',
  ),
  answer: answerSchema,
  comment: v.exactOptional(commentSchema),
  answerRevision: answerRevisionSchema,
  formerAnswers: formerAnswersSchema,
  late: lateAnswerSchema,
  displayedAt: nullableTimestampSchema,
  readAt: nullableTimestampSchema,
  acknowledgedAt: nullableTimestampSchema,
  devices: withDescription(
    countSchema,
    'How many of the person’s devices the message was sent to.',
  ),
  heldUntil: v.exactOptional(nullableTimestampSchema),
  language: v.exactOptional(
    withDescription(
      v.nullable(v.picklist(LANGUAGE_CODES)),
      'The language in which the person gets the message. Null if there is no translation into the person’s language. Absent if the message has no translations.',
      'de',
    ),
  ),
  failure: v.exactOptional(
    withDescription(
      v.picklist(['expired', 'cancelled', 'cleared', 'gone', 'refused', 'unwanted']),
      'Only for `failed`: why the last push failed. `cleared`: the all-clear came before the push. `unwanted`: the person had, for example, unsubscribed, muted the topic or answered before the push.',
    ),
  ),
});
export const messageLanguagesSchema = v.object({
  languages: v.array(
    v.object({
      language: withDescription(
        v.nullable(v.picklist(LANGUAGE_CODES)),
        'A language of the message. Null for the original text.',
        'de',
      ),
      people: withDescription(
        countSchema,
        'How many recipients get the message in this language.',
        12,
      ),
    }),
  ),
});
export const recipientPageSchema = v.object({
  recipients: v.array(recipientSchema),
  ...pageFields,
});

export const audienceSchema = v.object({
  people: withDescription(
    countSchema,
    'The sum of `reachable`, `muted`, `unreachable` and `held`.',
    31,
  ),
  reachable: withDescription(
    countSchema,
    'How many people have at least one device to notify. Does not include people counted in `held`.',
    26,
  ),
  muted: withDescription(
    countSchema,
    'How many people have muted all of the message’s topics on all of their devices.',
    1,
  ),
  unreachable: withDescription(countSchema, 'How many people have no registered device.', 4),
  held: withDescription(
    countSchema,
    'How many people would be notified only after their quiet hours.',
    0,
  ),
  suspended: v.exactOptional(
    withDescription(
      countSchema,
      'How many people are suspended. They are not notified and not counted in `people`.',
      2,
    ),
  ),
  heldUntil: v.exactOptional(
    withDescription(
      nullableTimestampSchema,
      'When the last of the people that `held` counts will be notified. Null if `held` is 0.',
      null,
    ),
  ),
  canUndo: v.exactOptional(
    withDescription(v.boolean(), 'Whether this server supports `undoSeconds`.', true),
  ),
});

export const templateSchema = v.object({
  id: idSchema,
  name: sampleText('Storm'),
  title: v.nullable(sampleText('Storm from the west')),
  ...messageFields,
  helpAnswers: v.exactOptional(
    withDescription(
      v.array(v.string()),
      'The `helpAnswers` that were saved. Absent if the server decides when a message is sent.',
      ['Need help'],
    ),
  ),
  translations: messageTextFields.translations,
});
export const templatesSchema = v.object({ templates: v.array(templateSchema) });

export const acceptedSchema = v.object({
  message: sampleText('Sent to 31 people.'),
  messageId: uuidSchema,
  notified: withDescription(v.boolean(), '`false` if no recipient can be notified.'),
});
export const notifiedAgainSchema = v.object({ messageId: uuidSchema, people: countSchema });

export type Priority = v.InferOutput<typeof prioritySchema>;
export type People = v.InferOutput<typeof peopleSchema>;
export type SentMessage = v.InferOutput<typeof sentMessageSchema>;
export type SentFilterState = v.InferOutput<typeof sentFilterStateSchema>;
export type MessageState = SentMessage['state'];
export type Recipient = v.InferOutput<typeof recipientSchema>;
export type RecipientState = Recipient['state'];
export type RecipientFailure = NonNullable<Recipient['failure']>;
export type Audience = v.InferOutput<typeof audienceSchema>;
export type Template = v.InferOutput<typeof templateSchema>;

const UNDO_RULE_TEXT = 'Undo seconds must be a number from 1 to 60.';
/** How long the server holds a message back, so that its sender can cancel it. */
export const undoSecondsField = {
  undoSeconds: v.exactOptional(
    v.pipe(
      v.number(UNDO_RULE_TEXT),
      v.integer(UNDO_RULE_TEXT),
      v.minValue(1, UNDO_RULE_TEXT),
      v.maxValue(60, UNDO_RULE_TEXT),
    ),
  ),
};
const toOneTopicSchema = v.object({
  ...messageTextFields,
  sendAt: v.exactOptional(timeField('Send at')),
  expiresAt: v.exactOptional(timeField('Expires at')),
  policyId: policyIdSchema,
  ...undoSecondsField,
});
/** The names of all states fit, with room to spare. */
const MAX_STATES = 200;
/** Whom to notify again; without ids and states, everyone. */
export const repeatQuerySchema = v.optional(
  v.object({
    userIds: audienceFields.userIds,
    state: v.exactOptional(
      v.pipe(v.string(), v.maxLength(MAX_STATES, 'State is too long. List each state once.')),
    ),
  }),
  {},
);
export const correctionSchema = v.object({
  message: messageTextFields.message,
  title: v.exactOptional(messageTextFields.title.wrapped),
  translations: messageTextFields.translations,
  ask: withDescription(
    v.boolean(),
    'Whether to ask for answers again. If false, earlier answers stay valid. If true, only earlier calls for help stay valid, until their person answers the new text.',
    true,
  ),
});
export const allClearBodySchema = v.optional(
  v.object({
    message: v.exactOptional(withExamples(messageTextFields.message, 'The wind is down.')),
  }),
  {},
);
export const CORRECTION_TEXT =
  'All recipients are notified again, and their inboxes show the new text, also in other topics that the message’s policy notified. For `info` messages, people in their quiet hours are notified when their quiet hours end. Each correction creates a new revision; receipts and answers belong to the revision that the person saw. If you leave out the `title`, it stays the same. Translations that you leave out are removed. If the message was not sent yet, it is later sent with the new text. A correction with the same text changes nothing, unless it asks for answers again.';
export const ALL_CLEAR_TEXT =
  'All recipients are notified, also in other topics that the message’s policy notified. For `info` messages, people in their quiet hours are notified when their quiet hours end. The escalation stops, and the message can no longer be corrected. An all-clear for the alarm of a check-in, or for what its policy sent, applies also to the earlier alarms of that check-in. The check-in continues until the person answers or ends it, or ends now if the person is suspended.';
export const ENDED_TEXT =
  'The message has expired, was canceled or resolved, already has an all-clear, or is itself an all-clear. Or an all-clear was requested for a message that was not sent yet. Or the message was already corrected 19 times.';
const audienceQuerySchema = v.object({
  ...audienceFields,
  priority: v.exactOptional(withExamples(prioritySchema, 'info')),
});
const newTemplateSchema = v.object({
  name: withExamples(requiredLine('Name', 100), 'Storm'),
  ...messageTextFields,
});

/** A message's fields besides its text. */
export type MessageOptions = Omit<v.InferInput<typeof toOneTopicSchema>, 'message'>;
export type AudienceQuery = v.InferInput<typeof audienceQuerySchema>;
export type NewTemplate = v.InferInput<typeof newTemplateSchema>;

const messageParams = { id: uuidField('message') };
const templateParams = { id: idField('template') };
export const stateQuerySchema = withDescription(
  v.string(),
  'Only recipients in these states, separated by commas. `not_answered` stands for `held`, `pending`, `accepted`, `displayed` and `read`. `correction_not_displayed` stands for everyone who was not shown the newest correction, whatever their state; if the message was not corrected, for no one. `all_clear_not_displayed` works likewise for the all-clear.',
);
export const RECIPIENTS_CSV_TEXT =
  'A CSV file as defined in RFC 4180. Its first line names the columns. Cells that a spreadsheet would treat as formulas start with an apostrophe. If a correction asked people to answer again, there are more columns for each earlier revision, such as `revision1Answer`, `revision1Comment`, `revision1AcknowledgedAt` and `revision1Late`.';
export const recipientsQuery = {
  ...pagingFields('Text to search for in names.'),
  state: stateQuerySchema,
  formerAnswers: withDescription(
    v.literal(true),
    'Only people who had answered when a correction requested a new answer.',
  ),
  answer: withDescription(
    v.string(),
    'Only people whose answer is this text, written as in the message’s `answers`.',
  ),
};
const SENDING_OPTIONS_TEXT =
  '`link` is a path in the app or an https URL. `sendAt` is at most a year ahead. `expiresAt` is after the message is sent, and at most a year later. Default: 24 hours later. Without `policyId`, the message uses the policy of its first topic that has a policy. If `policyId` is null, the message uses no policy. With `undoSeconds` (1 to 60) the message is sent that many seconds later, and can be canceled until then.';
const OTHER_MESSAGE = 'The Idempotency-Key was used for another message.';
const TEMPLATE_NAME_TAKEN = 'Another template already has this name.';
const INVALID_STATE = '`state` has an invalid value.';

export const messageCalls = {
  'POST /api/admin/notifications/send-topic/:topicId': {
    does: 'Send a message to a topic',
    more: SENDING_OPTIONS_TEXT,
    params: { topicId: idField('topic') },
    body: toOneTopicSchema,
    isRepeatable: true,
    response: v.object({
      ...acceptedSchema.entries,
      notified: v.exactOptional(acceptedSchema.entries.notified),
    }),
    errors: { 409: OTHER_MESSAGE },
  },
  'POST /api/admin/messages': {
    does: 'Send a message to topics and people',
    more: `Each person gets the message once. ${SENDING_OPTIONS_TEXT}`,
    body: v.object({ ...toOneTopicSchema.entries, ...audienceFields }),
    isRepeatable: true,
    response: acceptedSchema,
    errors: {
      400: 'The body is invalid, an id does not exist, or the message has no recipients.',
      409: OTHER_MESSAGE,
    },
  },
  'POST /api/admin/messages/audience': {
    does: 'Count the people whom a message would reach',
    body: audienceQuerySchema,
    response: audienceSchema,
    errors: { 400: 'The body is invalid, or an id does not exist.' },
  },
  'GET /api/admin/messages': {
    does: 'List sent messages',
    query: {
      ...pagingFields('Text to search for in titles, texts, topics and teams.'),
      priority: withDescription(prioritySchema, 'Only messages of this priority.', 'urgent'),
      state: withDescription(
        sentFilterStateSchema,
        '`needs_help`: only messages with an answer that calls for help in one of the app’s languages, such as “Need help”, until they get the all-clear, are resolved, or expired a day ago. `withheld`: only messages that were not sent because their senders may no longer send to their topics. An administrator can send or cancel them.',
      ),
      topicId: withDescription(idSchema, 'Only messages to this topic.', 1),
      sender: searchField('Text to search for in senders’ names.'),
    },
    response: sentPageSchema,
    errors: { 400: '`priority`, `state` or `topicId` has an invalid value.' },
  },
  'GET /api/admin/messages/:id': {
    does: 'Get a message’s progress',
    params: messageParams,
    hasTag: true,
    response: sentMessageSchema,
  },
  'GET /api/admin/messages/:id/recipients': {
    does: 'List a message’s recipients',
    params: messageParams,
    query: recipientsQuery,
    response: recipientPageSchema,
    errors: { 400: INVALID_STATE },
  },
  'GET /api/admin/messages/:id/languages': {
    does: 'Count a message’s recipients by language',
    more: 'The counts use the current languages of the recipients. The list is empty if the message has no translations.',
    params: messageParams,
    response: messageLanguagesSchema,
  },
  'GET /api/admin/messages/:id/recipients.csv': {
    does: 'Download a message’s recipients',
    more: RECIPIENTS_CSV_TEXT,
    params: messageParams,
    query: { state: stateQuerySchema },
    responseType: 'text/csv',
    response: sampleText(
      'username,role,state,answer,late,displayedAt,readAt,acknowledgedAt,comment,answerRevision\r\nm.okafor,TECHNICIAN,acknowledged,On my way,false,2026-11-20T14:02:02.000Z,2026-11-20T14:02:40.000Z,2026-11-20T14:03:00.000Z,With the van.,1\r\n',
    ),
    errors: { 400: INVALID_STATE },
  },
  'POST /api/admin/messages/:id/repeat': {
    does: 'Send another notification to everyone who has not answered',
    more: 'If no answer was requested, the server notifies everyone who has not read the message. `userIds` and `state` limit this to some of these people. `state` works as in the list of recipients. With `correction_not_displayed`, the server also notifies people who answered an earlier text, because they were not shown the correction. After the all-clear, only `all_clear_not_displayed` is accepted: the server notifies people of the all-clear again, whether they answered or not. People whom the server cannot notify now are left out, for example people without a device or with a push that is not sent yet. The body is optional.',
    params: messageParams,
    body: repeatQuerySchema,
    response: notifiedAgainSchema,
    errors: {
      400: INVALID_STATE,
      409: 'The message has expired, was canceled or resolved, has not been sent yet, or has an all-clear and `state` does not include `all_clear_not_displayed`.',
    },
  },
  'POST /api/admin/messages/:id/correct': {
    does: 'Correct a message',
    more: CORRECTION_TEXT,
    params: messageParams,
    body: correctionSchema,
    response: sentMessageSchema,
    errors: {
      409: `${ENDED_TEXT} Or it is the alarm of a check-in that has not ended: send the all-clear instead.`,
    },
  },
  'POST /api/admin/messages/:id/all-clear': {
    does: 'Send the all-clear for a message',
    more: ALL_CLEAR_TEXT,
    params: messageParams,
    body: allClearBodySchema,
    response: sentMessageSchema,
    errors: { 409: ENDED_TEXT },
  },
  'POST /api/admin/messages/:id/release': {
    does: 'Send a withheld message',
    more: 'Sends a scheduled message that was withheld because its sender may no longer send to its topics.',
    params: { id: uuidField('message', '5a3e8b17-2f4c-4d60-8e9b-7c1d0f6a2b93') },
    response: sentMessageSchema,
    errors: { 409: 'The message is not withheld, or has expired.' },
  },
  'POST /api/admin/messages/:id/cancel': {
    does: 'Cancel a message',
    more: 'A scheduled message is not sent. Otherwise, this stops the escalation and all pushes that have not been sent yet. The message stays in the inboxes that it has reached.',
    params: messageParams,
    response: sentMessageSchema,
    errors: {
      409: 'The message has expired or was already canceled, or everything has already been sent. Or it is the alarm of a check-in that has not ended: send the all-clear instead.',
    },
  },
} satisfies CallTable;

export const templateCalls = {
  'GET /api/admin/templates': { does: 'List templates', response: templatesSchema },
  'POST /api/admin/templates': {
    does: 'Add a template',
    body: withExamples(newTemplateSchema, {
      name: 'All clear',
      message: 'Work may continue.',
      priority: 'info',
      answers: [],
    }),
    response: templateSchema,
    errors: { 409: 'Another template already has this name, or there are already 200 templates.' },
  },
  'PUT /api/admin/templates/:id': {
    does: 'Change a template',
    params: templateParams,
    body: newTemplateSchema,
    response: templateSchema,
    errors: { 409: TEMPLATE_NAME_TAKEN },
  },
  'DELETE /api/admin/templates/:id': {
    does: 'Delete a template',
    params: templateParams,
    response: messageResponseWith('The template was deleted.'),
  },
} satisfies CallTable;
