import { signal } from '@preact/signals-react';

/**
 * How the reader's language writes days and times. Null until the first screen is there: a browser
 * that makes its first format stands still for 20 ms, a slow phone for 120 and more, and what it is
 * for can be shown before.
 */
export const formats = signal<{ day: Intl.DateTimeFormat; clock: Intl.DateTimeFormat } | null>(
  null,
);

/** In milliseconds since 1970; NaN for what is no moment, whatever a server says. */
export const timeOf = (iso: unknown): number =>
  typeof iso === 'string' ? Date.parse(iso) : Number.NaN;

/**
 * Text of a day in the reader's language, or at first in the app's: `12 Nov 2026`; `-` for what is
 * no date.
 */
export function dayText(iso: unknown): string {
  const time = timeOf(iso);
  if (Number.isNaN(time)) return '-';
  if (formats.value) return formats.value.day.format(time);
  const [, month, dayOfMonth, year] = new Date(time).toDateString().split(' ');
  return `${Number(dayOfMonth)} ${month} ${year}`;
}

/** A day, from the contract's timestamp. @useSignals */
export const Day = ({ iso }: { iso: string }) => day(iso);

/** The same where there are hundreds: as many components would cost more than what they draw. */
export function day(iso: string) {
  const text = dayText(iso);
  return text === '-' ? <>-</> : <time dateTime={iso.slice(0, 10)}>{text}</time>;
}

/** The time of a day, such as `14:02`. */
export const clockText = (date: Date): string =>
  formats.value?.clock.format(date) ?? date.toTimeString().slice(0, 5);

/** The same with its seconds: `14:02:11`. */
export const exactText = (date: Date): string => date.toTimeString().slice(0, 8);
