/** Quiet hours the slow way: every minute of three weeks by the clocks. */
import type { QuietRule } from '../../../src/shared/contract';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const DAYS_AROUND = 11;

const formatters = new Map<string, Intl.DateTimeFormat>();

/** Formats a local time: `2026-03-29 01:59`. */
export function shownIn(timeZone: string, at: number): string {
  const format =
    formatters.get(timeZone) ??
    new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  formatters.set(timeZone, format);
  return format.format(at);
}

interface Minutes {
  first: number;
  last: number;
  at: Map<string, number>;
}
const minutesByDay = new Map<string, Minutes>();

function minutesAround(timeZone: string, day: string): Minutes {
  const key = `${timeZone} ${day}`;
  const before = minutesByDay.get(key);
  if (before) return before;
  const first = Date.parse(day) - DAYS_AROUND * DAY_MS;
  const minutes: Minutes = { first, last: first + 2 * DAYS_AROUND * DAY_MS, at: new Map() };
  for (let quarter = first; quarter <= minutes.last; quarter += 15 * MINUTE_MS) {
    // Clocks change at a quarter of an hour.
    const shown = shownIn(timeZone, quarter);
    const [hour, from] = [shown.slice(0, 14), Number(shown.slice(14))];
    for (let minute = 0; minute < 15; minute += 1) {
      const text = hour + String(from + minute).padStart(2, '0');
      if (!minutes.at.has(text)) minutes.at.set(text, quarter + minute * MINUTE_MS);
    }
  }
  minutesByDay.set(key, minutes);
  return minutes;
}

const toText = (shown: number): string =>
  new Date(shown).toISOString().slice(0, 16).replace('T', ' ');

/** The first moment of a local time; a skipped one moves by the change. */
function momentOf(shown: number, { at }: Minutes): number | undefined {
  for (let returnedCount = 0; returnedCount <= 2 * 60; returnedCount += 1) {
    const moment = at.get(toText(shown - returnedCount * MINUTE_MS));
    if (moment !== undefined) return moment + returnedCount * MINUTE_MS;
  }
  return undefined;
}

/** When the quiet at a moment near `day` ends, or undefined. `beyond`: outside the model. */
export function quietUntilByMinutes(
  timeZone: string,
  day: string,
  rules: readonly QuietRule[],
  now: number,
): number | 'beyond' | undefined {
  const minutes = minutesAround(timeZone, day);
  const windows: [from: number, to: number][] = [];
  for (let date = minutes.first; date <= minutes.last; date += DAY_MS)
    for (const { days, from, to } of rules) {
      if (!days.includes(new Date(date).getUTCDay() || 7)) continue;
      const nextDay = to <= from ? DAY_MS : 0;
      const text = toText(date).slice(0, 11);
      const start = momentOf(Date.parse(`${text}${from}Z`), minutes);
      const end = momentOf(Date.parse(`${text}${to}Z`) + nextDay, minutes);
      if (start !== undefined && end !== undefined) windows.push([start, end]);
    }
  const isQuiet = (moment: number) => windows.some(([from, to]) => from <= moment && moment < to);
  let at = now;
  while (isQuiet(at)) {
    at += MINUTE_MS;
    if (at > minutes.last - 2 * DAY_MS) return 'beyond';
  }
  return at === now ? undefined : at;
}
