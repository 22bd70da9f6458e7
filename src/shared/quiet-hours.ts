// When a person's quiet hours apply, in their time zone, for server and app. `Intl` knows the
// zones.
/** Quiet on some weekdays from one time (`HH:MM`) to another; equal times mean all day. */
export interface QuietRule {
  /** 1 is Monday, 7 Sunday. A rule over midnight belongs to the day it begins on. */
  days: number[];
  from: string;
  to: string;
}
/** When `info` messages wait. No rules, no quiet hours. */
export interface QuietHours {
  /** An IANA name, such as `Europe/Oslo`. */
  timeZone: string;
  rules: QuietRule[];
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const WEEK_MS = 7 * DAY_MS;
/** A window that ends in a skipped hour joins the next week's: two weeks of quiet. */
const MAX_LOOKAHEAD_MS = 3 * WEEK_MS;
/** A formatter takes about 10 kB, and zones have hundreds of names. */
const MAX_CLOCKS = 50;
/** Each takes about 10 µs to compute, and a person's rules need the same ones repeatedly. */
const MAX_OFFSETS = 500;

/**
 * When the quiet at `now` ends, in milliseconds since 1970; undefined if it is not quiet or the
 * time zone is unknown. Windows that touch or overlap count as one. A time that the clocks skip
 * moves by the change, and of a repeated time the first counts (RFC 5545, 3.3.5; Temporal's
 * `compatible`). For rules that never end it is a time about three weeks ahead.
 */
export function quietUntil({ timeZone, rules }: QuietHours, now: number): number | undefined {
  if (rules.length === 0 || !isTimeZone(timeZone)) return undefined;
  let until = now;
  while (until <= now + MAX_LOOKAHEAD_MS) {
    const end = endOfWindows(until, timeZone, rules);
    if (end <= until) break;
    until = end;
  }
  return until > now ? until : undefined;
}

/** Whether the rules leave no pause in the week. */
export function coversWholeWeek(rules: readonly QuietRule[]): boolean {
  const windows = rules.flatMap((rule) =>
    rule.days.map((day) => ({
      start: day * DAY_MS + readTime(rule.from),
      length: getLength(rule),
    })),
  );
  // Before a pause, some window ends and none continues.
  return (
    windows.length > 0 &&
    windows.every(({ start, length }) =>
      windows.some((window) => modulo(start + length - window.start, WEEK_MS) < window.length),
    )
  );
}

/** Whether `Intl` knows the name here. */
export function isTimeZone(timeZone: string): boolean {
  try {
    createClock(timeZone);
    return true;
  } catch {
    return false;
  }
}

/**
 * The end of the windows open at `at` and of windows that touch them; `at` if no window is open.
 */
function endOfWindows(at: number, timeZone: string, rules: readonly QuietRule[]): number {
  const today = Math.floor(at / DAY_MS);
  const windows: [start: number, end: number][] = [];
  // Other zones have other dates, and a skipped day (Samoa, 2011) moves windows by a day.
  for (let day = today - 3; day <= today + 2; day += 1)
    for (const rule of rules) {
      // January 1, 1970 was a Thursday.
      if (!rule.days.includes(modulo(day + 3, 7) + 1)) continue;
      const start = day * DAY_MS + readTime(rule.from);
      windows.push([findInstant(start, timeZone), findInstant(start + getLength(rule), timeZone)]);
    }
  // Sorted, so that one pass follows all that touch.
  windows.sort(([a], [b]) => a - b);
  let coveredUntil = at;
  for (const [start, end] of windows)
    if (start <= coveredUntil) coveredUntil = Math.max(coveredUntil, end);
  return coveredUntil;
}

/** When a zone's clocks show `localTime`, a time given as if in UTC. */
function findInstant(localTime: number, timeZone: string): number {
  const midnight = Math.floor(localTime / DAY_MS) * DAY_MS;
  const offsetBefore = offsetAt(midnight - DAY_MS, timeZone);
  const offsetAfter = offsetAt(midnight + 2 * DAY_MS, timeZone);
  const isRightOffset = (offset: number) => offsetAt(localTime - offset, timeZone) === offset;
  // The offset before the change yields the first of two times, and moves a skipped time past the
  // change.
  return (
    localTime -
    (offsetBefore === offsetAfter || isRightOffset(offsetBefore) || !isRightOffset(offsetAfter)
      ? offsetBefore
      : offsetAfter)
  );
}

/** A zone's offset from UTC, in milliseconds. */
function offsetAt(at: number, timeZone: string): number {
  const { format, offsets } = createClock(timeZone);
  const cachedOffset = offsets.get(at);
  if (cachedOffset !== undefined) return cachedOffset;
  const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] =
    format.format(at).match(/\d+/g)?.map(Number) ?? [];
  const offset = Date.UTC(year, month - 1, day, hour, minute, second) - at;
  cacheValue(offsets, at, offset, MAX_OFFSETS);
  return offset;
}

interface Clock {
  format: Intl.DateTimeFormat;
  /** Offsets by time. */
  offsets: Map<number, number>;
}
const clocksByZone = new Map<string, Clock>();

/** @throws RangeError for an unknown zone */
function createClock(timeZone: string): Clock {
  const cachedClock = clocksByZone.get(timeZone);
  if (cachedClock) return cachedClock;
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
  cacheValue(clocksByZone, timeZone, clock, MAX_CLOCKS);
  return clock;
}

/** Evicts the oldest entry if the map is full. */
function cacheValue<Key, Value>(
  cache: Map<Key, Value>,
  key: Key,
  value: Value,
  maxEntries: number,
): void {
  const [oldest] = cache.size < maxEntries ? [] : cache.keys();
  if (oldest !== undefined) cache.delete(oldest);
  cache.set(key, value);
}

/** Milliseconds since midnight. */
const readTime = (time: string): number =>
  (Number(time.slice(0, 2)) * 60 + Number(time.slice(3))) * MINUTE_MS;

/** A rule's length on the clock. Equal times mean all day. */
const getLength = ({ from, to }: QuietRule): number =>
  modulo(readTime(to) - readTime(from), DAY_MS) || DAY_MS;

const modulo = (value: number, by: number): number => ((value % by) + by) % by;
