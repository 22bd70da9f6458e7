/**
 * When it is quiet for somebody: their rules, read in their time zone. Server and app ask the same.
 * What the clocks of a zone show comes from `Intl`; there is no list of our own.
 */
/** Quiet on some days of the week from one time (`HH:MM`) to another; equal times are a whole day. */
export interface QuietRule {
  /** 1 is Monday, 7 Sunday. One over midnight belongs to the day it begins on. */
  days: number[];
  from: string;
  to: string;
}
/** When `info` messages wait. Without rules there are no quiet hours. */
export interface QuietHours {
  /** An IANA name, such as `Europe/Oslo`. */
  timeZone: string;
  rules: QuietRule[];
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const WEEK = 7 * DAY;
/** What ends in an hour that the clocks skip goes on to the next week: one quiet, two weeks long. */
const FURTHEST = 3 * WEEK;
/** A formatter takes some ten kilobytes, and zones have hundreds of names. */
const MAX_CLOCKS = 50;
/** Each takes some ten microseconds to find: a person's rules ask for the same again and again. */
const MAX_OFFSETS = 500;

/**
 * When the quiet that holds at `now` ends, in milliseconds since 1970 as `now` is; undefined while it
 * is not quiet, and in a time zone that is not known here. Windows that touch or overlap are one.
 * A time of the day that the clocks skip is as long after the change as it would have been without
 * it, and of one that they show twice the first counts (RFC 5545, 3.3.5; `compatible` of Temporal).
 * For rules that never end it is some moment three weeks ahead.
 */
export function quietUntil({ timeZone, rules }: QuietHours, now: number): number | undefined {
  if (rules.length === 0 || !isTimeZone(timeZone)) return undefined;
  let until = now;
  while (until <= now + FURTHEST) {
    const end = endOfWindows(until, timeZone, rules);
    if (end <= until) break;
    until = end;
  }
  return until > now ? until : undefined;
}

/** Whether rules leave no moment of the week in which it is not quiet. */
export function neverEnds(rules: readonly QuietRule[]): boolean {
  const windows = rules.flatMap((rule) =>
    rule.days.map((day) => ({ start: day * DAY + readTime(rule.from), length: lengthOf(rule) })),
  );
  // Where there is a pause, one of the windows ends before it.
  return (
    windows.length > 0 &&
    windows.every(({ start, length }) =>
      windows.some((other) => modulo(start + length - other.start, WEEK) < other.length),
    )
  );
}

/** Whether `Intl` knows it by that name, here. */
export function isTimeZone(timeZone: string): boolean {
  try {
    clockOf(timeZone);
    return true;
  } catch {
    return false;
  }
}

/** When the last of the windows that hold at a moment, or touch those, ends; that moment where none does. */
function endOfWindows(at: number, timeZone: string, rules: readonly QuietRule[]): number {
  const today = Math.floor(at / DAY);
  const windows: [start: number, end: number][] = [];
  // It is another day elsewhere; and where clocks skipped a whole one (Samoa, 2011), a window
  // begins and ends as much later.
  for (let day = today - 3; day <= today + 2; day += 1)
    for (const rule of rules) {
      // The first of January 1970 was a Thursday.
      if (!rule.days.includes(modulo(day + 3, 7) + 1)) continue;
      const start = day * DAY + readTime(rule.from);
      windows.push([instantOf(start, timeZone), instantOf(start + lengthOf(rule), timeZone)]);
    }
  // In their order, so that one pass follows all that touch: a day may have fourteen.
  windows.sort(([one], [other]) => one - other);
  let last = at;
  for (const [start, end] of windows) if (start <= last) last = Math.max(last, end);
  return last;
}

/** The moment at which the clocks of a zone show a time, given as if it were that of UTC. */
function instantOf(shown: number, timeZone: string): number {
  const midnight = Math.floor(shown / DAY) * DAY;
  const before = offsetAt(midnight - DAY, timeZone);
  const after = offsetAt(midnight + 2 * DAY, timeZone);
  const fits = (offset: number) => offsetAt(shown - offset, timeZone) === offset;
  // Of two moments the first is by the offset from before the change. Where there is none that
  // offset leads behind the change.
  return shown - (before === after || fits(before) || !fits(after) ? before : after);
}

/** By how much the clocks of a zone are ahead of UTC, in milliseconds. */
function offsetAt(at: number, timeZone: string): number {
  const { format, offsets } = clockOf(timeZone);
  const known = offsets.get(at);
  if (known !== undefined) return known;
  const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] =
    format.format(at).match(/\d+/g)?.map(Number) ?? [];
  const offset = Date.UTC(year, month - 1, day, hour, minute, second) - at;
  keep(offsets, at, offset, MAX_OFFSETS);
  return offset;
}

interface Clock {
  format: Intl.DateTimeFormat;
  /** By the moment. */
  offsets: Map<number, number>;
}
const clocks = new Map<string, Clock>();

/** @throws RangeError for a zone that is not known */
function clockOf(timeZone: string): Clock {
  const known = clocks.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const clock = { format, offsets: new Map() };
  keep(clocks, timeZone, clock, MAX_CLOCKS);
  return clock;
}

/** In place of what is kept for longest, where there is no more room. */
function keep<Key, Value>(kept: Map<Key, Value>, key: Key, value: Value, most: number): void {
  const [oldest] = kept.size < most ? [] : kept.keys();
  if (oldest !== undefined) kept.delete(oldest);
  kept.set(key, value);
}

/** Milliseconds from midnight on. */
const readTime = (time: string): number =>
  (Number(time.slice(0, 2)) * 60 + Number(time.slice(3))) * MINUTE;

/** By the clocks. Equal times are a whole day. */
const lengthOf = ({ from, to }: QuietRule): number =>
  modulo(readTime(to) - readTime(from), DAY) || DAY;

const modulo = (value: number, by: number): number => ((value % by) + by) % by;
