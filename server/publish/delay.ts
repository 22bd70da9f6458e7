/** Parses ntfy's delays. */
import { HttpError } from '../http/errors';
import { readIsoTime } from '../../src/shared/iso-time';
import { SECOND_MS, MINUTE_MS, HOUR_MS } from '../lib/durations';

/** The first letter of a unit gives its milliseconds. */
const MILLISECONDS_BY_UNIT: Record<string, number> = {
  d: 24 * HOUR_MS,
  h: HOUR_MS,
  m: MINUTE_MS,
  s: SECOND_MS,
};
/** Longer texts are not parsed, to limit the work of the patterns. */
const MAX_DELAY_LENGTH = 100;
const DURATION_PART = /^(\d+(?:\.\d+)?) ?(days?|d|hours?|h|minutes?|mins?|m|seconds?|secs?|s) ?/;
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const CLOCK_TIME_PATTERN =
  /^(?:(?<day>today|tomorrow|\w{3,6}day) ?,? ?)?(?:at )?(?<hour>\d{1,2})(?::(?<minute>\d\d))? ?(?<half>[ap]m)?$/;

/**
 * Accepts seconds since 1970, a duration (`30m`, `2 hours`, `1h30m`), ISO 8601, or a time of day
 * with or without a day (`10am`, `tomorrow, 15:30`); a past time of day means the next one.
 * @returns ISO 8601
 * @throws HttpError 400
 */
export function readDelay(text: string, now: number): string {
  const at = text.length > MAX_DELAY_LENGTH ? undefined : readAny(text, now);
  if (at === undefined || Number.isNaN(new Date(at).valueOf()))
    throw new HttpError(400, [
      {
        message:
          'Delay must be a duration such as 30m or 2 hours, a time such as 10am or “tomorrow, 10am”, or seconds since 1970.',
        path: 'delay',
      },
    ]);
  return new Date(at).toISOString();
}

function readAny(input: string, now: number): number | undefined {
  const text = input.trim().toLowerCase().replace(/\s+/g, ' ');
  return (
    readUnix(text) ??
    readDuration(text, now) ??
    readClock(text, now) ??
    readIsoTime(text.toUpperCase())
  );
}

const readUnix = (text: string): number | undefined =>
  /^\d+$/.test(text) ? Number(text) * SECOND_MS : undefined;

function readDuration(text: string, now: number): number | undefined {
  let [at, remainingText] = [now, text.replace(/^in /, '')];
  do {
    const [part = '', count = '', unit = ''] = DURATION_PART.exec(remainingText) ?? [];
    if (part === '') return undefined;
    at += Number(count) * (MILLISECONDS_BY_UNIT[unit.charAt(0)] ?? 0);
    remainingText = remainingText.slice(part.length);
  } while (remainingText !== '');
  return Math.round(at);
}

/** Reads a time of day in the server's time zone. */
function readClock(text: string, now: number): number | undefined {
  const { day, hour, minute, half } = CLOCK_TIME_PATTERN.exec(text)?.groups ?? {};
  // A lone number is seconds since 1970.
  if (hour === undefined || (minute === undefined && half === undefined)) return undefined;
  const weekday = WEEKDAYS.indexOf(day ?? '');
  if (day !== undefined && weekday < 0 && day !== 'today' && day !== 'tomorrow') return undefined;
  const [hours, minutes] = [Number(hour), Number(minute ?? 0)];
  if (minutes > 59 || (half === undefined ? hours > 23 : hours < 1 || hours > 12)) return undefined;
  const today = new Date(now);
  const hourOfDay = half === undefined ? hours : (hours % 12) + (half === 'pm' ? 12 : 0);
  const inDays = (days: number): number =>
    new Date(
      today.getFullYear(),
      today.getMonth(),
      today.getDate() + days,
      hourOfDay,
      minutes,
    ).valueOf();
  if (day === 'tomorrow') return inDays(1);
  const daysAhead = weekday < 0 ? 0 : (weekday - today.getDay() + 7) % 7;
  const at = [inDays(daysAhead), adjustForClockChange(inDays(daysAhead))].find(
    (time) => time > now,
  );
  return at ?? inDays(daysAhead + (weekday < 0 ? 1 : 7));
}

/** The second occurrence of a time when clocks go back; else the same moment. */
function adjustForClockChange(at: number): number {
  const [before, later] = [new Date(at), new Date(at + 3 * HOUR_MS)];
  const shiftedTime = new Date(
    at + (later.getTimezoneOffset() - before.getTimezoneOffset()) * MINUTE_MS,
  );
  const isSameDay =
    shiftedTime.getHours() === before.getHours() &&
    shiftedTime.getMinutes() === before.getMinutes();
  return isSameDay ? shiftedTime.valueOf() : at;
}
