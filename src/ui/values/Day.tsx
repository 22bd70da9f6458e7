import { signal } from '@preact/signals-react';

/** Null until the first screen is shown: the first format blocks a slow phone for 120 ms. */
export const dateFormats = signal<{
  day: Intl.DateTimeFormat;
  dayWithYear: Intl.DateTimeFormat;
  clock: Intl.DateTimeFormat;
} | null>(null);

/** Milliseconds since 1970; NaN for anything that is not a time. */
export const parseTime = (iso: unknown): number =>
  typeof iso === 'string' ? Date.parse(iso) : Number.NaN;

/**
 * A date in the reader's language, at first in English: `12 Nov`, or `12 Nov 2025` in another
 * year; `-` if invalid.
 * @param withYear also for this year
 */
export function dayText(iso: unknown, withYear?: boolean): string {
  const time = parseTime(iso);
  if (Number.isNaN(time)) return '-';
  const date = new Date(time);
  const hasYear = withYear || date.getFullYear() !== new Date(Date.now()).getFullYear();
  if (dateFormats.value) return dateFormats.value[hasYear ? 'dayWithYear' : 'day'].format(time);
  if (LANGUAGE !== 'en')
    return date.toLocaleDateString(LOCALE, {
      day: 'numeric',
      month: 'short',
      ...(hasYear && { year: 'numeric' }),
    });
  const [, month, dayOfMonth, year] = date.toDateString().split(' ');
  return `${Number(dayOfMonth)} ${month}${hasYear ? ` ${year}` : ''}`;
}

/** @useSignals */
export const Day = ({ iso }: { iso: string }) => dayElement(iso);

/** A `time` element without a component, which costs too much in hundreds of rows. */
export function dayElement(iso: string) {
  const text = dayText(iso);
  return text === '-' ? <>-</> : <time dateTime={iso.slice(0, 10)}>{text}</time>;
}

/** Formats a time: `14:02`. */
export const clockText = (date: Date): string =>
  dateFormats.value?.clock.format(date) ?? date.toTimeString().slice(0, 5);

/** Formats a time with its seconds: `14:02:11`. */
export const formatWithSeconds = (date: Date): string => date.toTimeString().slice(0, 8);
