/** Check-ins: a person who works alone answers in time, or others are alerted. */
import * as v from 'valibot';
import {
  count,
  withDescription,
  id,
  idField,
  maybeTime,
  withNote,
  page,
  sample,
  search,
  text,
  time,
} from './common';
import type { CallTable, QueryOf } from './common';
import { cleanText, hasAtMost, rowId } from './fields';
import { sentAt, timeField } from './message-fields';
import { recipientState } from './messages';
import { topicReference } from './topics';

export const CHECK_IN_STATES = ['running', 'due', 'missed', 'help', 'ended'] as const;
/** The span of a check-in, in minutes. */
export const CHECK_IN_MINUTES = { min: 5, max: 720 };
export const MAX_CHECK_IN_NOTE = 200;
export const GRACE_MINUTES = { min: 1, max: 60 };
export const DEFAULT_GRACE_MINUTES = 5;

/** What a reminder offers to answer, in the order that the server reads. */
export const CHECK_IN_ANSWERS = ['I’m OK', 'I need help'];

const sentAlarm = v.object({
  messageId: text('0e7f4c52-6f1b-4a3d-9b58-1c2d3e4f5a6b'),
  at: withDescription(
    maybeTime,
    'When the alarm was sent. Null if its message is so old that it was deleted.',
    null,
  ),
});

export const checkIn = v.object({
  id,
  minutes: sample(count, 60),
  note: text('Substation Mill Lane, replacing fuses. White van.'),
  startedAt: time,
  askAt: withDescription(time, 'When the server first asks the person “Are you OK?”.'),
  dueAt: withDescription(time, 'When the time is up. The server then asks the person again.'),
  alarmAt: withDescription(
    time,
    'When the server sends the alarm if the person does not answer. `alarm` and `lastAlarm` show the alarms that were sent.',
  ),
  state: withDescription(
    v.picklist(CHECK_IN_STATES),
    '`due`: `askAt` has passed. `missed`: the person did not answer by `alarmAt`. `help`: the person asked for help.',
    'running',
  ),
  answers: withDescription(count, 'How many times the person answered “I’m OK”.', 0),
  answeredAt: withDescription(maybeTime, 'When the person last answered “I’m OK”.', null),
  receivedAt: v.exactOptional(
    withDescription(
      time,
      'When the server received the last answer. Absent if that was less than a minute after `answeredAt`.',
    ),
  ),
  alarm: withDescription(
    v.nullable(
      v.object({
        messageId: text('0e7f4c52-6f1b-4a3d-9b58-1c2d3e4f5a6b'),
        at: time,
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
        people: sample(count, 6),
        unreachable: v.exactOptional(
          withDescription(
            count,
            'How many recipients have no device to notify, or have muted the topic.',
            0,
          ),
        ),
        displayed: v.exactOptional(
          withDescription(
            count,
            'How many recipients were shown the alarm on a device, or read or answered it in the app.',
            3,
          ),
        ),
        answered: sample(count, 2),
        allClearAt: v.exactOptional(
          withDescription(
            time,
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
      sentAlarm,
      'The last alarm that was sent, even after its all-clear or after the end of the check-in. Absent if no alarm was sent.',
    ),
  ),
  earlierAlarms: v.exactOptional(
    withDescription(
      v.array(sentAlarm),
      'The alarms before `lastAlarm`, oldest first. Absent if there were none.',
    ),
  ),
  reminders: v.exactOptional(
    withDescription(
      v.array(v.object({ at: time, state: recipientState })),
      'Only in your own check-in in the state `missed` or `help`: the reminders that you got between your last answer and the alarm, with the state of each.',
    ),
  ),
  presses: v.exactOptional(
    withDescription(
      v.array(v.object({ kind: sample(v.picklist(['ok', 'help']), 'ok'), at: time })),
      'Only in your own check-in in the state `missed` or `help`: when you answered “I’m OK” and asked for help since the start, oldest first. At most the last 20.',
    ),
  ),
  responders: v.exactOptional(
    withDescription(
      v.array(
        v.object({
          username: text('ada.lindqvist'),
          comment: v.exactOptional(text('Ten minutes, from the depot')),
        }),
      ),
      'Only in your own check-in in the state `missed` or `help`: who answered “On my way” to the alarm, in the order of their answers. At most 20.',
    ),
  ),
  endedAt: withDescription(maybeTime, 'Null until the check-in ends.', null),
  person: v.object({ id: sample(id, 2), username: text('m.okafor') }),
});

/** What the screen of a person who works alone shows. */
export const ownCheckIns = v.object({
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
    v.nullable(checkIn),
    'Your current check-in. Null if all your check-ins have ended.',
    null,
  ),
  earlier: withDescription(
    v.array(checkIn),
    'Your last ten check-ins that have ended, newest first.',
  ),
});

export const checkInPage = v.object({
  checkIns: v.array(checkIn),
  counts: withDescription(
    v.object({ running: count, due: count, missed: count, help: count, ended: count }),
    'How many check-ins are in each state, regardless of `state` and `query`. `ended` counts only check-ins that ended after `since` (default: 24 hours ago).',
    { running: 5, due: 1, missed: 1, help: 0, ended: 12 },
  ),
  ...page,
});

export const checkInSettings = v.object({
  enabled: sample(v.boolean(), true),
  graceMinutes: withDescription(
    count,
    'How many minutes after `dueAt` the server sends the alarm if the person does not answer.',
    5,
  ),
  alarmTopicId: withDescription(v.nullable(id), 'The topic that the alarm goes to.', 1),
  policyId: withDescription(
    v.nullable(id),
    'The escalation policy of the alarm. Null to use the topic’s policy.',
    null,
  ),
  alarmTopic: withDescription(
    v.nullable(topicReference),
    'The topic that the alarm goes to, with its title.',
  ),
  isAdminReachable: v.exactOptional(
    withDescription(
      v.boolean(),
      'Whether any administrator has a device to notify. If no subscriber can be notified, the alarm also goes to all administrators.',
    ),
  ),
});

export type CheckIn = v.InferOutput<typeof checkIn>;
export type CheckInState = CheckIn['state'];
export type OwnCheckIns = v.InferOutput<typeof ownCheckIns>;
export type CheckInPage = v.InferOutput<typeof checkInPage>;
export type CheckInSettings = v.InferOutput<typeof checkInSettings>;

const minutesBetween = (name: string, { min, max }: { min: number; max: number }) => {
  const message = `${name} must be a whole number from ${min} to ${max}.`;
  return v.pipe(
    v.number(message),
    v.integer(message),
    v.minValue(min, message),
    v.maxValue(max, message),
  );
};
const minutes = sample(minutesBetween('Minutes', CHECK_IN_MINUTES), 60);
const pressedAt = {
  at: v.exactOptional(
    withDescription(
      timeField('At'),
      'When the person pressed the button. Only needed if the app could not send the answer immediately. If this time is before the check-in started, the server uses the start time. If it is in the future, the server uses the current time.',
    ),
  ),
  ...sentAt,
};
const ofCheckIn = { id: idField('check-in') };
const boardQuery = {
  state: withDescription(
    v.picklist(CHECK_IN_STATES),
    'Only check-ins in this state. Default: all check-ins that have not ended.',
  ),
  since: withDescription(
    time,
    'Excludes check-ins that ended before this time. Default: 24 hours ago.',
  ),
  page: withNote(id, { description: 'The page number, from 1.', default: 1, examples: [1] }),
  limit: withNote(id, { description: 'Rows per page, up to 100.', default: 10, examples: [10] }),
  query: search('Text to search for in usernames.'),
};
export type CheckInQuery = QueryOf<typeof boardQuery>;

export const checkInCalls = {
  'GET /api/check-ins': {
    does: 'Get your check-ins',
    response: ownCheckIns,
  },
  'POST /api/check-ins': {
    does: 'Start a check-in',
    more: 'The server asks the person “Are you OK?” five minutes before the time is up, and again when the time is up. If the check-in is shorter than ten minutes, the server first asks halfway through. If the person does not answer, the server sends the alarm.',
    body: v.object({
      minutes,
      note: v.exactOptional(
        sample(
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
    response: checkIn,
    errors: {
      409: 'You already have a current check-in, or check-ins are turned off.',
      429: 'You started more than 60 check-ins within an hour.',
    },
  },
  'GET /api/check-ins/current': {
    does: 'Get your current check-in',
    more: 'Returns 204 if all your check-ins have ended.',
    response: checkIn,
  },
  'POST /api/check-ins/:id/ok': {
    does: 'Answer “I’m OK”',
    more: 'Restarts the timer. If the alarm was sent, everyone who got it also gets the all-clear.',
    params: ofCheckIn,
    body: v.object({ minutes: v.exactOptional(minutes), ...pressedAt }),
    response: checkIn,
    errors: { 409: 'The check-in has ended.' },
  },
  'POST /api/check-ins/:id/help': {
    does: 'Answer “I need help”',
    more: 'Sends the alarm immediately. If the person already asked for help, the server sends another alarm only after an all-clear.',
    params: ofCheckIn,
    body: v.object(pressedAt),
    response: checkIn,
  },
  'POST /api/check-ins/:id/end': {
    does: 'End a check-in',
    more: 'If the alarm was sent, everyone who got it also gets the all-clear.',
    params: ofCheckIn,
    body: v.optional(v.object(pressedAt), {}),
    response: checkIn,
    errors: { 409: 'The check-in has ended, or the person asked for help after `at`.' },
  },
  'GET /api/admin/check-ins': {
    does: 'List check-ins',
    more: 'For administrators, and for people who may send to the topic that the alarm goes to. Order: people who need help, missed check-ins, then the rest by due time.',
    query: boardQuery,
    response: checkInPage,
  },
  'GET /api/admin/check-ins/settings': {
    does: 'Get the check-in settings',
    response: checkInSettings,
  },
  'PUT /api/admin/check-ins/settings': {
    does: 'Change the check-in settings',
    more: 'Check-ins that have already started keep their times. If the topic was deleted, or if the person who checks in is its only subscriber, the alarm goes to all administrators instead. If no other subscriber can be notified, the alarm goes to the subscribers and to all administrators.',
    body: v.object({
      enabled: sample(v.boolean('Enabled must be true or false.'), true),
      graceMinutes: sample(minutesBetween('Wait time', GRACE_MINUTES), 5),
      alarmTopicId: sample(v.nullable(rowId('Topic')), 1),
      policyId: sample(v.nullable(rowId('Policy')), null),
    }),
    response: checkInSettings,
    errors: {
      400: 'The topic or the policy does not exist. Or `enabled` is `true`, but no topic is given or the topic has no subscribers.',
    },
  },
} satisfies CallTable;
