/** Days and times in the inbox's list. */
import { dayText } from '../../ui/values/Day';
import { nearDay } from '../../ui/values/When';
import { inboxTime } from '../../state/inbox/inbox-state';

/** `Today`, `Yesterday` or the day; rendered again after midnight. */
export const dayName = (iso: string): string =>
  (inboxTime.value && nearDay(new Date(iso))) || dayText(iso);

/** Matches the server's rule. */
export const isLate = (acknowledgedAt: string | null, expiresAt: string): boolean =>
  acknowledgedAt !== null && Date.parse(acknowledgedAt) > Date.parse(expiresAt);
