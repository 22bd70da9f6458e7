import { clockText, dayText, dateFormats } from './Day';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NEAR_DAYS = new Map([
  [-1, 'Yesterday'],
  [0, 'Today'],
  [1, 'Tomorrow'],
]);

/** Consecutive days differ by one, whatever their length. */
const dayNumber = (date: Date): number =>
  Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / DAY_MS;

export const isToday = (date: Date): boolean => dayNumber(date) === dayNumber(new Date(Date.now()));

/** `Yesterday`, `Today` or `Tomorrow`; undefined for any other day. */
export const nearDay = (date: Date): string | undefined =>
  NEAR_DAYS.get(dayNumber(date) - dayNumber(new Date(Date.now())));

/** Formats a time in ISO 8601 as `14:02`. */
export const timeOfDay = (iso: string): string => clockText(new Date(iso));

/** Formats milliseconds since 1970: `14:02`, `yesterday 14:02`, `12 Nov 14:02`, or `-`. */
export function timeText(time: number, clock = clockText): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return '-';
  if (isToday(date)) return clock(date);
  return `${nearDay(date)?.toLowerCase() ?? dayText(date.toISOString())} ${clock(date)}`;
}

/**
 * A `time` element with this text.
 * @useSignals
 */
export const Moment = ({ time }: { time: number }) =>
  Number.isNaN(time) ? (
    <>-</>
  ) : (
    <time dateTime={new Date(time).toISOString()}>{timeText(time)}</time>
  );

/** Formats a day's weekday: `Sat`. */
const weekdayText = (date: Date): string =>
  dateFormats.value
    ? date.toLocaleDateString(dateFormats.value.day.resolvedOptions().locale, { weekday: 'short' })
    : (date.toDateString().split(' ')[0] ?? '');

/**
 * `06:00`, `Sat 06:00`, `28 Nov 06:00`.
 * @param hours within these the time is enough
 */
export function untilText(iso: string, hours = 0): string {
  const fullText = dayText(iso);
  if (fullText === '-') return fullText;
  const date = new Date(iso);
  const clock = clockText(date);
  const days = dayNumber(date) - dayNumber(new Date());
  if (days <= 0 || Number(date) - Date.now() < hours * HOUR_MS) return clock;
  return `${days < 7 ? weekdayText(date) : fullText} ${clock}`;
}

/**
 * `Today 14:02` (`today 14:02` if `inside` a sentence), `18 Nov 05:50`, or `-`.
 * @param withYear for records, which are read and copied years later
 */
export function When({
  iso,
  inside,
  withYear,
}: {
  iso: string;
  inside?: boolean;
  withYear?: boolean;
}) {
  const fullText = dayText(iso, withYear);
  if (fullText === '-') return <>-</>;
  const date = new Date(iso); // after the check, because toISOString throws for an invalid date
  const nearText = nearDay(date);
  return (
    <time dateTime={date.toISOString()}>
      {(inside ? nearText?.toLowerCase() : nearText) ?? fullText} {clockText(date)}
    </time>
  );
}
