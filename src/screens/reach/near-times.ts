import { clockText, dayText } from '../../ui/values/Day';
import { isToday, nearDay } from '../../ui/values/When';

/** `Today 07:12` (`Today` without `clock`), `Yesterday`, `17 Nov`, or `-`. */
export function nearText(iso: string, clock = true, inside = false): string {
  const fullText = dayText(iso);
  if (fullText === '-') return fullText;
  const date = new Date(iso);
  const day = nearDay(date);
  const shortText = inside ? day?.toLowerCase() : day;
  return isToday(date) && clock ? `${shortText} ${clockText(date)}` : (shortText ?? fullText);
}

/** `nearText` inside a sentence: `today 07:12`, but `Nov 17`. */
export const nearTextInside = (iso: string, clock = true): string => nearText(iso, clock, true);
