import { unitText } from '../../platform/unit-text';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A duration where there is little room: `40 s`, `3 min`, `2 h`. */
export function delayText(milliseconds: number): string {
  if (milliseconds < 1.5 * MINUTE_MS) return secondsText(milliseconds / 1000);
  if (LANGUAGE !== 'en')
    return milliseconds < 1.5 * HOUR_MS
      ? unitText(Math.round(milliseconds / MINUTE_MS), 'minute', 'short')
      : unitText(Math.round(milliseconds / HOUR_MS), 'hour', 'short');
  if (milliseconds < 1.5 * HOUR_MS) return `${Math.round(milliseconds / MINUTE_MS)} min`;
  return `${Math.round(milliseconds / HOUR_MS)} h`;
}

/** Whole seconds, such as `95 s`. */
export const secondsText = (seconds: number): string =>
  LANGUAGE === 'en' ? `${Math.round(seconds)} s` : unitText(Math.round(seconds), 'second', 'short');

/** Formats an age within a sentence: `now`, `5 minutes ago`, `1 hour ago`, `41 days ago`. */
export function agoText(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / MINUTE_MS);
  if (LANGUAGE !== 'en') return relativeText(minutes >= 2 ? minutes : 0);
  if (!(minutes >= 2)) return 'now'; // also with a wrong clock or an invalid time
  const hours = Math.floor(minutes / 60);
  if (hours < 1) return `${minutes} minutes ago`;
  if (hours < 48) return `${hours} hour${hours === 1 ? '' : 's'} ago`;
  return `${Math.floor(hours / 24)} days ago`;
}

/** Formats an age in other languages: `Intl` knows their plurals. */
function relativeText(minutes: number): string {
  const format = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto' });
  if (minutes < 1) return format.format(0, 'second');
  if (minutes < 60) return format.format(-minutes, 'minute');
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? format.format(-hours, 'hour') : format.format(-Math.floor(hours / 24), 'day');
}
