/** Times on a message's own screen, apart from the list's: the inbox loads less. */
import { inboxTime } from '../../state/inbox/inbox-state';
import { dayText } from '../../ui/values/Day';
import { isToday, nearDay, timeOfDay } from '../../ui/values/When';

/** Other languages put the time after the day without a word. */
const AT_SEPARATOR = LANGUAGE === 'en' ? ' at ' : ' ';

/** `today 14:02`, `yesterday 09:31`, `12 Nov 14:02`. */
export function momentText(iso: string, between = ' '): string {
  const near = inboxTime.value && nearDay(new Date(iso))?.toLowerCase();
  return `${near || dayText(iso)}${between}${timeOfDay(iso)}`;
}

/** Formats a moment with the word “at”: `today at 14:02`. */
export const momentAtText = (iso: string): string => momentText(iso, AT_SEPARATOR);

/** Formats a time: `at 20:00`, with the day unless it is today. */
export const endText = (iso: string): string =>
  inboxTime.value && isToday(new Date(iso))
    ? AT_SEPARATOR.trimStart() + timeOfDay(iso)
    : momentText(iso, AT_SEPARATOR);
