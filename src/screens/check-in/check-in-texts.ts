/** Texts about a check-in, at a time in milliseconds since 1970. */
import { plural } from '../../platform/plural';
import type { CheckIn, RecipientState } from '../../shared/contract';
import { checkInFailure, type Press } from '../../state/check-ins/own-check-ins';
import { formatWithSeconds, parseTime } from '../../ui/values/Day';
import { timeOfDay } from '../../ui/values/When';

const MINUTE_MS = 60_000;

type Alarm = NonNullable<CheckIn['alarm']>;

/** The text is empty if all people can be notified. */
export function unreachableText({ people, unreachable = 0 }: Alarm): string {
  if (unreachable === 0) return '';
  if (unreachable >= people) return 'We can’t notify anyone.';
  return plural(unreachable, {
    one: 'We can’t notify 1 person.',
    other: `We can’t notify ${unreachable} people.`,
  });
}

/** Whether the alarm cannot notify any person. A person who answered saw the alarm in the app. */
export const isUndeliverable = ({ answered, people, unreachable }: Alarm): boolean =>
  unreachable === people && answered === 0;

/** The text is empty if the alarm cannot notify any person. */
export function displayedText(alarm: Alarm): string {
  const { displayed, people } = alarm;
  if (displayed === undefined || isUndeliverable(alarm)) return '';
  return displayed === 0
    ? 'No device has displayed the alarm yet.'
    : plural(people, {
        one: `Displayed to ${displayed} of 1 person.`,
        other: `Displayed to ${displayed} of ${people} people.`,
      });
}

/**
 * Whom the alarm was sent to.
 * @param planned the topic that the settings name now
 */
export function alarmRecipientsText({ topicTitle, isToAdmins }: Alarm, planned: string): string {
  if (!isToAdmins) return topicTitle ?? planned;
  return topicTitle ? `${topicTitle} and all administrators` : 'all administrators';
}

/** Says when the check-in's alarms were sent; empty if there was none. */
export function sentAlarmText({
  lastAlarm,
  earlierAlarms = [],
}: Pick<CheckIn, 'lastAlarm' | 'earlierAlarms'>): string {
  if (lastAlarm === undefined) return '';
  const times = [...earlierAlarms, lastAlarm].flatMap(({ at }) =>
    at === null ? [] : timeOfDay(at),
  );
  const lastTime = times.pop();
  if (lastTime === undefined) return 'An alarm was sent.';
  if (times.length === 0) return `An alarm was sent at ${lastTime}.`;
  return `Alarms were sent at ${times.join(', ')} and ${lastTime}.`;
}

/** The text is empty unless someone else gave the all-clear. */
export function allClearText({ allClearAt, allClearBy }: Alarm): string {
  if (allClearAt === undefined) return '';
  const clearedAt = timeOfDay(allClearAt);
  return allClearBy === undefined
    ? `The all-clear was given at ${clearedAt}.`
    : `${allClearBy} gave the all-clear at ${clearedAt}.`;
}

/** `due`: the person was asked. `alarm`: others are alerted, or will be at once. */
export type CheckInPhase = 'running' | 'due' | 'alarm';

export function getCheckInPhase({ state, askAt }: CheckIn, time: number): CheckInPhase {
  if (state === 'missed' || state === 'help') return 'alarm';
  return time < parseTime(askAt) ? 'running' : 'due';
}

/** Whether the person called for help, and no one has given the all-clear. */
export const isHelpCalled = ({ state, alarm }: CheckIn): boolean =>
  state === 'help' && !alarm?.allClearAt;

/**
 * Whether the server may have sent the alarm: the time to answer is over, and this device cannot
 * reach the server.
 */
export const mayHaveAlerted = ({ alarmAt }: CheckIn, time: number): boolean =>
  time >= parseTime(alarmAt) && checkInFailure.value !== '';

/**
 * Formats a time with its seconds, `15:35:40`: minutes are too coarse when the time is almost up.
 */
export const checkInTimeWithSeconds = (iso: string): string => formatWithSeconds(new Date(iso));

/** The headline while this device could not send the press, or if it did not count. */
export function unsentTitle({ kind, isUncounted }: Press): string {
  if (isUncounted) return '“I need help” wasn’t counted.';
  return kind === 'ok' ? '“I’m OK” hasn’t been sent yet.' : '“I need help” hasn’t been sent yet.';
}

export const overdueText = ({ alarmAt }: CheckIn): string =>
  `You had until ${checkInTimeWithSeconds(alarmAt)} to answer. Your device can’t reach us, so we may have alerted others.`;

/** Minutes are rounded up, but never exceed the whole span: clocks may differ. */
export const minutesLeft = ({ dueAt, minutes }: CheckIn, time: number): number =>
  Math.min(minutes, Math.max(0, Math.ceil((parseTime(dueAt) - time) / MINUTE_MS)));

/** Formats a length: `30 min`, `1 hour`. */
export const lengthText = (minutes: number): string =>
  minutes % 60 === 0
    ? plural(minutes / 60, { one: '1 hour', other: `${minutes / 60} hours` })
    : `${minutes} min`;

const PENDING_TEXT = 'Not delivered to your device yet';
const FAILED_TEXT = 'Not delivered to your device';
const DISPLAYED_TEXT = 'Displayed on your device';
const REACH_TEXTS: Record<RecipientState, string> = {
  unreachable: 'No device to notify',
  muted: FAILED_TEXT,
  held: PENDING_TEXT,
  pending: PENDING_TEXT,
  failed: FAILED_TEXT,
  accepted: 'Accepted by the push service; your device may be off',
  displayed: DISPLAYED_TEXT,
  read: DISPLAYED_TEXT,
  acknowledged: DISPLAYED_TEXT,
};

/** How far a reminder got. */
export const reminderReachText = (state: RecipientState): string => REACH_TEXTS[state];
