/** How presses and time change a check-in, as pure functions over its row. `check-in-press.ts` and `check-in-job.ts` store the changes. */
import { isAlarm } from '../db/current-check-in';
import type { CheckInRow } from '../db/schema';
import { MINUTE_MS } from '../lib/durations';
import type { AlarmEnd } from './sent-alarms';

/** How long before the time is up the person is asked; half of a shorter time. */
const ASK_MINUTES = 5;
/** A press that arrives within this time counts when it arrives: clocks of processes differ. */
const FRESH_PRESS_MS = 10_000;
const LATE_PRESS_MS = 60_000;
/** A device's clock may be off by this without being corrected. */
export const CLOCK_TOLERANCE_MS = 60_000;
/** Whether a press is shown with its time, because it arrived much later. */
export const isLatePress = (at: number, now: number): boolean => now - at >= LATE_PRESS_MS;

export type CheckInChange = Partial<Omit<CheckInRow, 'id' | 'user_id'>>;
type CheckInTimes = Pick<CheckInRow, 'begun_at' | 'ask_at' | 'due_at' | 'alarm_at' | 'asked'>;

/** The times of a check-in that begins, or begins again. */
export function checkInTimes(
  at: number,
  { minutes, grace_minutes }: Pick<CheckInRow, 'minutes' | 'grace_minutes'>,
): CheckInTimes {
  const due_at = at + minutes * MINUTE_MS;
  return {
    begun_at: at,
    ask_at: due_at - Math.min(ASK_MINUTES, minutes / 2) * MINUTE_MS,
    due_at,
    alarm_at: due_at + grace_minutes * MINUTE_MS,
    asked: 0,
  };
}

/** What the person pressed, when, and when it arrived. Milliseconds since 1970. */
export interface CheckInPress {
  kind: 'ok' | 'help';
  /** The phone's time of the press; undefined if the press counts when it arrives. */
  pressedAt?: number | undefined;
  /** The earliest time of an “I’m OK” whose time is uncertain. A call for help since then stands. */
  earliestAt?: number | undefined;
  /** The latest time of the press, measured with a clock that cannot be set. */
  latestAt?: number | undefined;
  /** Whether `pressedAt` is only the earliest possible time, because the phone's is impossible. */
  isTimeUnknown?: boolean;
  now: number;
  /** The outcome of the last alarm. Set for calls for help. */
  alarmEnd?: AlarmEnd | undefined;
  /** The new length of the check-in. */
  minutes?: number | undefined;
  /** The caller's, for the audit log. */
  network?: string;
}

/** A time that was recorded; 0 for none, and for one of a clock that was ahead. */
const plausibleTime = (time: number | null, now: number): number =>
  time !== null && time < now + FRESH_PRESS_MS ? time : 0;

/** Whether the phone's clock was wrong at the press: its time is before the check-in. */
const isImpossible = ({ started_at }: CheckInRow, time: number | undefined, now: number): boolean =>
  time !== undefined && time < plausibleTime(started_at, now) - CLOCK_TOLERANCE_MS;

/** A wrong clock does not make an “I’m OK” too old if the measured age shows that it is fresh. */
function ignoreWrongClock(row: CheckInRow, press: CheckInPress): CheckInPress {
  const { pressedAt, earliestAt = pressedAt, latestAt = 0, now } = press;
  const isFresh = (at: number): boolean => now - at < FRESH_PRESS_MS;
  const mayBeFresh = isImpossible(row, pressedAt, now) || isFresh(pressedAt ?? now);
  return isImpossible(row, earliestAt, now) && mayBeFresh && isFresh(latestAt)
    ? { ...press, pressedAt: undefined, earliestAt: undefined }
    : press;
}

/**
 * Returns a time between the start of the check-in and now. A fresh press counts as later than all
 * earlier presses, but an “I’m OK” with its own time never as later than a call for help.
 */
function resolvePressTime(row: CheckInRow, { kind, pressedAt, now }: CheckInPress): number {
  const start = plausibleTime(row.started_at, now);
  // A clock that was wrong then and right later: an unknown time must not make a press too old.
  const countsAsNow =
    isImpossible(row, pressedAt, now) && (kind === 'help' || plausibleTime(row.help_at, now) === 0);
  const at = countsAsNow ? now : Math.max(start, Math.min(pressedAt ?? now, now));
  if (now - at >= FRESH_PRESS_MS) return at;
  const earlierTimes = [row.answered_at, row.begun_at];
  if (kind === 'help' || pressedAt === undefined) earlierTimes.push(row.help_at);
  return Math.max(at, ...earlierTimes.map((time) => plausibleTime(time, now)));
}

const precedesHelp = ({ help_at }: CheckInRow, time: number, now: number): boolean =>
  time < plausibleTime(help_at, now);

/** @returns undefined if it changes nothing */
export function changeByPress(
  row: CheckInRow,
  givenPress: CheckInPress,
): CheckInChange | undefined {
  const press = ignoreWrongClock(row, givenPress);
  const at = resolvePressTime(row, press);
  return press.kind === 'help' ? askForHelp(row, at, press) : changeByOk(row, at, press);
}

/** Help is accepted even after the check-in's end, unless a later answer is known. */
function askForHelp(
  row: CheckInRow,
  at: number,
  { now, latestAt = at, alarmEnd }: CheckInPress,
): CheckInChange | undefined {
  const writeHelpTimes = (time: number) => ({
    help_at: time,
    help_received_at: isLatePress(time, now) ? now : null,
  });
  const formerHelpAt = plausibleTime(row.help_at, now);
  // An earlier “I’m OK” that arrives later must not cancel the request for help.
  if (row.state === 'help') {
    // A slow clock must not hide a new call; the same press, sent again, is none.
    const isSlow = at < formerHelpAt - FRESH_PRESS_MS && latestAt > formerHelpAt + FRESH_PRESS_MS;
    const time = isSlow ? latestAt : at;
    if (time <= formerHelpAt) return undefined;
    return { ...writeHelpTimes(time), ...(isNewCall(alarmEnd, time, now) && { owes: 'help' }) };
  }
  // A doubtful call for help counts, unless a later answer called it off.
  const isRepeated = at < formerHelpAt + FRESH_PRESS_MS;
  const lastAnswerAt = Math.max(
    plausibleTime(row.answered_at, now),
    plausibleTime(row.ended_at, now),
  );
  const isOutdated = at + (isRepeated ? 0 : CLOCK_TOLERANCE_MS) < lastAnswerAt;
  // The clock may have been slow. The same press, sent again, was called off all the same.
  const isSamePress = isRepeated && at > formerHelpAt - FRESH_PRESS_MS;
  if (isOutdated && (isSamePress || latestAt < lastAnswerAt)) return undefined;
  const helpTimes = writeHelpTimes(isOutdated ? latestAt : at);
  return { state: 'help', ...helpTimes, owes: 'help', ended_at: null, end_reason: null };
}

/**
 * Whether a call during an alarm needs another alarm: those who got the last one are no longer
 * notified, and who is on the way does not know of this call.
 */
const isNewCall = (alarmEnd: AlarmEnd | undefined, at: number, now: number): boolean =>
  alarmEnd !== undefined &&
  (alarmEnd.isCleared ||
    alarmEnd.isOver ||
    (alarmEnd.answeredAt !== null && plausibleTime(alarmEnd.answeredAt, now) < at));

function changeByOk(row: CheckInRow, at: number, press: CheckInPress): CheckInChange | undefined {
  const { now, earliestAt, minutes = row.minutes } = press;
  if (row.state === 'ended') return undefined;
  if (mayPrecedeAlarm(row, press)) return { answers: row.answers + 1 };
  if (precedesHelp(row, Math.min(at, earliestAt ?? at), now)) return undefined;
  if (at < plausibleTime(row.answered_at, now)) return undefined;
  const isRepeated = at === row.answered_at && row.state === 'running';
  if (isRepeated && minutes === row.minutes) return undefined;
  const answerFields = {
    answers: row.answers + 1,
    answered_at: at,
    received_at: isLatePress(at, now) ? now : null,
  };
  const times = checkInTimes(at, { ...row, minutes });
  // The alarm is right: they have been silent for the whole time since that answer, too.
  if (row.state !== 'running' && times.alarm_at <= now) return answerFields;
  return {
    ...answerFields,
    ...times,
    minutes,
    state: 'running',
    owes: chooseOwedMessage(row),
  };
}

/** Whether an alarm is out, and the person may have pressed the button before their trouble. */
const mayPrecedeAlarm = (
  row: CheckInRow,
  { pressedAt, isTimeUnknown = false, now }: CheckInPress,
): boolean =>
  isAlarm(row) &&
  (isTimeUnknown
    ? (pressedAt ?? now) < (row.alarmed_at ?? now)
    : isImpossible(row, pressedAt, now));

const chooseOwedMessage = ({ alarm_id, asked, owes }: CheckInRow): CheckInRow['owes'] =>
  alarm_id !== null ? 'all-clear' : asked > 0 || owes !== null ? 'withdrawal' : null;

/** Whether the person asked for help after this press, which arrived late. */
export const isBeforeHelp = (
  row: CheckInRow,
  { earliestAt, now }: Pick<CheckInPress, 'earliestAt' | 'now'>,
): boolean => row.state === 'help' && precedesHelp(row, earliestAt ?? now, now);

/** @returns undefined if it has ended */
export function findChangeByEnd(row: CheckInRow, now: number): CheckInChange | undefined {
  if (row.state === 'ended') return undefined;
  return { state: 'ended', ended_at: now, owes: chooseOwedMessage(row) };
}

/**
 * Ends the check-in of a suspended person, who can no longer answer. Those who watch always learn
 * of it.
 * @returns undefined if it has ended
 */
export function findChangeBySuspension(row: CheckInRow, now: number): CheckInChange | undefined {
  const change = findChangeByEnd(row, now);
  return change && { ...change, end_reason: 'suspended', owes: 'all-clear' };
}

/** Returns the step of a running check-in that is due, besides any it still owes. */
export function findDueStep(row: CheckInRow, now: number): 'alarm' | 'reminder' | undefined {
  if (row.state !== 'running') return undefined;
  if (row.alarm_at <= now) return 'alarm';
  return remindersDueBy(row, now) > row.asked ? 'reminder' : undefined;
}

/** The last push also wakes a phone that has not sent its person's answer. */
const LAST_REMINDER_MS = MINUTE_MS;

const reminderTimes = ({ ask_at, due_at, alarm_at }: CheckInTimes): number[] => [
  ask_at,
  due_at,
  ...(alarm_at - due_at > LAST_REMINDER_MS ? [alarm_at - LAST_REMINDER_MS] : []),
];

/** Whether this is the last reminder before the alarm. */
export const isLastReminder = (row: CheckInTimes, now: number): boolean =>
  row.alarm_at - now <= LAST_REMINDER_MS;

/** How often the person was to be asked by now; a reminder that comes late counts for those before. */
export const remindersDueBy = (row: CheckInTimes, now: number): number =>
  reminderTimes(row).filter((at) => at <= now).length;

/** Due at once, also after a clock was set back. */
const DUE_NOW = 0;

/** When the job has to look again; undefined if the check-in waits only for its person. */
export function nextCheckInDueAt(row: CheckInRow): number | undefined {
  if (row.owes !== null) return DUE_NOW;
  if (row.state !== 'running') return undefined;
  return reminderTimes(row)[row.asked] ?? row.alarm_at;
}
