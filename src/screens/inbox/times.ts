/** The inbox's days and times. */
import { clockText, dayText } from '../../ui/values/Day';
import { nearDay } from '../../ui/values/When';
import { today } from '../../state/inbox/follow';

/** `Today`, `Yesterday` or the day; rendered again at midnight. */
export const dayName = (iso: string): string =>
  (today.value && nearDay(new Date(iso))) || dayText(iso);

export const messageTime = (iso: string): string => clockText(new Date(iso));

/** `today 14:02`, `yesterday 09:31`, `12 Nov 2026 14:02`. */
export function momentText(iso: string, between = ' '): string {
  const near = today.value && nearDay(new Date(iso))?.toLowerCase();
  return `${near || dayText(iso)}${between}${messageTime(iso)}`;
}

/** Matches the server's rule. */
export const isLate = (acknowledgedAt: string | null, expiresAt: string): boolean =>
  acknowledgedAt !== null && Date.parse(acknowledgedAt) > Date.parse(expiresAt);
