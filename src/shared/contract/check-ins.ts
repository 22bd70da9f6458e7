/** Check-ins: a person who works alone answers in time, or others are alerted. */
import * as v from 'valibot';
import {
  countSchema,
  withDescription,
  idSchema,
  idField,
  nullableTimestampSchema,
  withNote,
  pageFields,
  withExamples,
  searchField,
  sampleText,
  timestampSchema,
} from './common';
import type { CallTable, QueryOf } from './common';
import { cleanText, hasAtMost, rowIdField } from './fields';
import { sentAtFields, timeField } from './message-fields';
import { checkInEndReasonSchema, recipientStateSchema } from './messages';
import { topicReferenceSchema } from './topics';

export const CHECK_IN_STATES = ['running', 'due', 'missed', 'help', 'ended'] as const;
/** The span of a check-in, in minutes. */
export const CHECK_IN_MINUTES = { min: 5, max: 720 };
export const MAX_CHECK_IN_NOTE = 200;
export const GRACE_MINUTES = { min: 1, max: 60 };
export const DEFAULT_GRACE_MINUTES = 5;

/** What a reminder offers to answer, in the order that the server reads. */
export const CHECK_IN_ANSWERS = ['I’m OK', 'I need help'];

const sentAlarmSchema = v.object({
  messageId: sampleText('0e7f4c52-6f1b-4a3d-9b58-1c2d3e4f5a6b'),
  at: withDescription(
    nullableTimestampSchema,
    'When the alarm was sent. Null if its message is so old that it was deleted.',
    null,
  ),
});

export const checkInSchema = v.object({
  id: idSchema,
  minutes: withExamples(countSchema, 60),
  note: sampleText('Substation Mill Lane, replacing fuses. White van.'),
  startedAt: timestampSchema,
  askAt: withDescription(timestampSchema, 'When the server first asks the person “Are you OK?”.'),
  dueAt: withDescription(
    timestampSchema,
    'When the time is up. The server then asks the person again.',
  ),
  alarmAt: withDescription(
    timestampSchema,
    'When the server sends the alarm if the person does not answer. `alarm` and `lastAlarm` show the alarms that were sent.',
  ),
  state: withDescription(
    v.picklist(CHECK_IN_STATES),
    '`due`: `askAt` has passed. `missed`: the person did not answer by `alarmAt`. `help`: the person asked for help.',
    'running',
  ),
  answers: withDescription(countSchema, 'How many times the person answered “I’m OK”.', 0),
  answeredAt: withDescription(
    nullableTimestampSchema,
    'When the person last answered “I’m OK”.',
    null,
  ),
  receivedAt: v.exactOptional(
    withDescription(
      timestampSchema,
      'When the server received the last answer. Absent if that was less than a minute after `answeredAt`.',
    ),
  ),
  helpAt: v.exactOptional(
    withDescription(
      timestampSchema,
      'When the person last asked for help. Absent if they never did during this check-in.',
    ),
  ),
  helpReceivedAt: v.exactOptional(
    withDescription(
      timestampSchema,
      'When the server received the last call for help. Absent if that was less than a minute after `helpAt`.',
    ),
  ),
  alarm: withDescription(
    v.nullable(
      v.object({
        messageId: sampleText('0e7f4c52-6f1b-4a3d-9b58-1c2d3e4f5a6b'),
        at: timestampSchema,
        topicTitle: v.exactOptional(
          withDescription(
            v.string(),
            'The title of the topic that the alarm was sent to. Absent if the alarm was sent only to administrators.',
            'Control room',
          ),
        ),
        isToAdmins: v.exactOptional(
          withDescription(
            v.literal(true),
            '`true` if the alarm was sent to all administrators. Absent otherwise.',
          ),
        ),
        people: withExamples(countSchema, 6),
        unreachable: v.exactOptional(
          withDescription(
            countSchema,
            'How many recipients have no device to notify, or have muted the topic.',
            0,
          ),
        ),
        displayed: v.exactOptional(
          withDescription(
            countSchema,
            'How many recipients were shown the alarm on a device, or read or answered it in the app.',
            3,
          ),
        ),
        answered: withExamples(countSchema, 2),
        allClearAt: v.exactOptional(
          withDescription(
            timestampSchema,
            'When someone other than the person sent the all-clear. Absent until someone does.',
          ),
        ),
        allClearBy: v.exactOptional(
          withDescription(
            v.string(),
            'Who sent the all-clear. Absent if there is no all-clear, or if that user was deleted.',
            'ada.lindqvist',
          ),
        ),
      }),
    ),
    'The alarm of a check-in in the state `missed` or `help`. Null in all other states, and while the newest alarm has not been sent yet. `lastAlarm` is the last alarm that was sent.',
    null,
  ),
  lastAlarm: v.exactOptional(
    withDescription(
      sentAlarmSchema,
      'The last alarm that was sent, even after its all-clear or after the end of the check-in. Absent if no alarm was sent.',
    ),
  ),
  earlierAlarms: v.exactOptional(
    withDescription(
      v.array(sentAlarmSchema),
      'The alarms before `lastAlarm`, oldest first. Absent if there were none.',
    ),
  ),
  reminders: v.exactOptional(
    withDescription(
      v.array(v.object({ at: timestampSchema, state: recipientStateSchema })),
      'Only in your own check-in in the state `missed` or `help`: the reminders that you got between your last answer and the alarm, with the state of each.',
    ),
  ),
  presses: v.exactOptional(
    withDescription(
      v.array(
        v.object({ kind: withExamples(v.picklist(['ok', 'help']), 'ok'), at: timestampSchema }),
      ),
      'Only in your own check-in in the state `missed` or `help`: when you answered “I’m OK” and asked for help since the start, oldest first. At most the last 20.',
    ),
  ),
  responders: v.exactOptional(
    withDescription(
      v.array(
        v.object({
          username: sampleText('ada.lindqvist'),
          comment: v.exactOptional(sampleText('Ten minutes, from the depot')),
        }),
      ),
      'Only in your own check-in in the state `missed` or `help`: who answered “On my way” to the alarm, in the order of their answers. At most 20.',
    ),
  ),
  endedAt: withDescription(nullableTimestampSchema, 'Null until the check-in ends.', null),
  endReason: v.exactOptional(checkInEndReasonSchema),
  person: v.object({ id: withExamples(idSchema, 2), username: sampleText('m.okafor') }),
});

/** What the screen of a person who works alone shows. */
export const ownCheckInsSchema = v.object({
  enabled: withDescription(v.boolean(), 'Whether people may start check-ins.', true),
  alarmTo: withDescription(
    v.string(),
    'The title of the topic that the alarm goes to. Empty if none was chosen, if the topic was deleted, or if it has no other subscriber: the alarm then goes to all administrators.',
    'Control room',
  ),
  isAlarmUndeliverable: v.exactOptional(
    withDescription(
      v.literal(true),
      '`true` if an alarm sent now would not notify anyone. Absent otherwise.',
    ),
  ),
  current: withDescription(
    v.nullable(checkInSchema),
    'Your current check-in. Null if all your check-ins have ended.',
    null,
  ),
  earlier: withDescription(
    v.array(checkInSchema),
    'Your last ten check-ins that have ended, newest first.',
  ),
});

export const checkInPageSchema = v.object({
  checkIns: v.array(checkInSchema),
  counts: withDescription(
    v.object({
      running: countSchema,
      due: countSchema,
      missed: countSchema,
      help: countSchema,
      ended: countSchema,
    }),
    'How many check-ins are in each state, regardless of `state` and `query`. `ended` counts only check-ins that ended after `since` (default: 24 hours ago).',
    { running: 5, due: 1, missed: 1, help: 0, ended: 12 },
  ),
  ...pageFields,
});

export const checkInSettingsSchema = v.object({
  enabled: withExamples(v.boolean(), true),
  graceMinutes: withDescription(
    countSchema,
    'How many minutes after `dueAt` the server sends the alarm if the person does not answer.',
    5,
  ),
  alarmTopicId: withDescription(v.nullable(idSchema), 'The topic that the alarm goes to.', 1),
  policyId: withDescription(
    v.nullable(idSchema),
    'The escalation policy of the alarm. Null to use the topic’s policy.',
    null,
  ),
  alarmTopic: withDescription(
    v.nullable(topicReferenceSchema),
    'The topic that the alarm goes to, with its title.',
  ),
  isAdminReachable: v.exactOptional(
    withDescription(
      v.boolean(),
      'Whether any administrator has a device to notify. If no subscriber can be notified, the alarm also goes to all administrators.',
    ),
  ),
});

export type CheckIn = v.InferOutput<typeof checkInSchema>;
export type CheckInState = CheckIn['state'];
export type OwnCheckIns = v.InferOutput<typeof ownCheckInsSchema>;
export type CheckInPage = v.InferOutput<typeof checkInPageSchema>;
export type CheckInSettings = v.InferOutput<typeof checkInSettingsSchema>;

const minutesBetween = (name: string, { min, max }: { min: number; max: number }) => {
  const message = `${name} must be a whole number from ${min} to ${max}.`;
  return v.pipe(
    v.number(message),
    v.integer(message),
    v.minValue(min, message),
    v.maxValue(max, message),
  );
};
const minutesSchema = withExamples(minutesBetween('Minutes', CHECK_IN_MINUTES), 60);
const pressedAt = {
  at: v.exactOptional(
    withDescription(
      timeField('At'),
      'When the person pressed the button. Only needed if the app could not send the answer immediately. If this time is before the check-in started, the server uses the start time. While an alarm is out, such an “I’m OK” counts as an answer but does not end the alarm, unless `age` is less than 10 seconds. If the time is in the future, the server uses the current time.',
    ),
  ),
  ...sentAtFields,
  age: v.exactOptional(
    withDescription(
      v.pipe(v.number('Age must be a number.'), v.minValue(0, 'Age must be at least 0.')),
      'How many milliseconds ago the person pressed the button, measured with a clock that cannot be set, such as `performance.now()`. Such a clock may stop while the device sleeps, so `at` may be earlier. The server ignores a later `at`. A call for help that `at` makes older than an answer counts unless `age` also does.',
      90_000,
    ),
  ),
};
const checkInParams = { id: idField('check-in') };
const boardQuery = {
  state: withDescription(
    v.picklist(CHECK_IN_STATES),
    'Only check-ins in this state. Default: all check-ins that have not ended.',
  ),
  since: withDescription(
    timestampSchema,
    'Excludes check-ins that ended before this time. Default: 24 hours ago.',
  ),
  page: withNote(idSchema, { description: 'The page number, from 1.', default: 1, examples: [1] }),
  limit: withNote(idSchema, {
    description: 'Rows per page, up to 100.',
    default: 10,
    examples: [10],
  }),
  query: searchField('Text to search for in usernames.'),
};
export type CheckInQuery = QueryOf<typeof boardQuery>;

export const checkInCalls = {
  'GET /api/check-ins': {
    does: 'Get your check-ins',
    response: ownCheckInsSchema,
  },
  'POST /api/check-ins': {
    does: 'Start a check-in',
    more: 'The server asks the person “Are you OK?” five minutes before the time is up, when the time is up, and a minute before the alarm. If the check-in is shorter than ten minutes, the server first asks halfway through. If the person does not answer, the server sends the alarm.',
    body: v.object({
      minutes: minutesSchema,
      note: v.exactOptional(
        withExamples(
          v.pipe(
            cleanText('Note'),
            v.trim(),
            v.check(
              hasAtMost(MAX_CHECK_IN_NOTE),
              `Note is too long. Use ${MAX_CHECK_IN_NOTE} characters or fewer.`,
            ),
          ),
          'Substation Mill Lane, replacing fuses. White van.',
        ),
      ),
      timeZone: v.exactOptional(
        withDescription(
          v.string('Time zone must be text.'),
          'The IANA name of the person’s time zone. The times in the alarm are in this time zone.',
          'Europe/Oslo',
        ),
      ),
    }),
    response: checkInSchema,
    errors: {
      409: 'You already have a current check-in, or check-ins are turned off.',
      429: 'You started more than 60 check-ins within an hour.',
    },
  },
  'GET /api/check-ins/current': {
    does: 'Get your current check-in',
    more: 'Returns 204 if all your check-ins have ended.',
    response: checkInSchema,
  },
  'POST /api/check-ins/:id/ok': {
    does: 'Answer “I’m OK”',
    more: 'Restarts the timer. If the alarm was sent, everyone who got it also gets the all-clear.',
    params: checkInParams,
    body: v.object({ minutes: v.exactOptional(minutesSchema), ...pressedAt }),
    response: checkInSchema,
    errors: { 409: 'The check-in has ended.' },
  },
  'POST /api/check-ins/:id/help': {
    does: 'Answer “I need help”',
    more: 'Sends the alarm immediately. If the person already asked for help, the server sends another alarm only after an all-clear.',
    params: checkInParams,
    body: v.object(pressedAt),
    response: checkInSchema,
  },
  'POST /api/check-ins/:id/end': {
    does: 'End a check-in',
    more: 'If the alarm was sent, everyone who got it also gets the all-clear.',
    params: checkInParams,
    body: v.optional(v.object(pressedAt), {}),
    response: checkInSchema,
    errors: { 409: 'The check-in has ended, or the person asked for help after `at`.' },
  },
  'GET /api/admin/check-ins': {
    does: 'List check-ins',
    more: 'For administrators, and for people who may send to the topic that the alarm goes to. Order: people who need help, missed check-ins, then the rest by due time.',
    query: boardQuery,
    response: checkInPageSchema,
  },
  'GET /api/admin/check-ins/settings': {
    does: 'Get the check-in settings',
    response: checkInSettingsSchema,
  },
  'PUT /api/admin/check-ins/settings': {
    does: 'Change the check-in settings',
    more: 'Check-ins that have already started keep their times. If the topic was deleted, or if the person who checks in is its only subscriber, the alarm goes to all administrators instead. If no other subscriber can be notified, the alarm goes to the subscribers and to all administrators.',
    body: v.object({
      enabled: withExamples(v.boolean('Enabled must be true or false.'), true),
      graceMinutes: withExamples(minutesBetween('Wait time', GRACE_MINUTES), 5),
      alarmTopicId: withExamples(v.nullable(rowIdField('Topic')), 1),
      policyId: withExamples(v.nullable(rowIdField('Policy')), null),
    }),
    response: checkInSettingsSchema,
    errors: {
      400: 'The topic or the policy does not exist. Or `enabled` is `true`, but no topic is given or the topic has no subscribers.',
    },
  },
} satisfies CallTable;
