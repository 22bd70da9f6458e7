/** How the inbox writes days and times. */
import { clockText, dayText } from '../../ui/Day';
import { today } from '../../state/inbox/follow';

/** An hour before its midnight, whatever the clocks did. */
const dayBefore = (day: string): string => new Date(Date.parse(day) - 3600_000).toDateString();

/** `Today`, `Yesterday`, or the day. */
export function dayName(iso: string): string {
  const day = new Date(iso).toDateString();
  if (day === today.value) return 'Today';
  return day === dayBefore(today.value) ? 'Yesterday' : dayText(iso);
}

export const timeOf = (iso: string): string => clockText(new Date(iso));

/** `today 14:02`, `yesterday 09:31`, `12 Nov 2026 14:02`. */
export function momentText(iso: string, between = ' '): string {
  const day = dayName(iso);
  const name = day === 'Today' || day === 'Yesterday' ? day.toLowerCase() : day;
  return `${name}${between}${timeOf(iso)}`;
}

/** When something was done to a message: its time, with the day if that is another. */
export const timeAfter = (iso: string, then: string): string =>
  new Date(iso).toDateString() === new Date(then).toDateString() ? timeOf(then) : momentText(then);
