import { clockText, dayText, dateFormats, parseTime } from '../../ui/values/Day';
import { isToday, nearDay } from '../../ui/values/When';

/** `Today 07:12` (`Today` without `clock`), `Yesterday`, `17 Nov 2026`, or `-`. */
export function nearText(iso: string, clock = true, inside = false): string {
  const fullText = dayText(iso);
  if (fullText === '-') return fullText;
  const date = new Date(iso);
  const day = nearDay(date);
  const shortText = inside ? day?.toLowerCase() : day;
  return isToday(date) && clock ? `${shortText} ${clockText(date)}` : (shortText ?? fullText);
}

/** `nearText` inside a sentence: `today 07:12`, but `Nov 17, 2026`. */
export const nearTextInside = (iso: string, clock = true): string => nearText(iso, clock, true);

/** `12 Oct`, or `12 Oct 2025` in another year. */
export function shortDay(iso: string): string {
  const date = new Date(parseTime(iso));
  if (date.getFullYear() !== new Date().getFullYear()) return dayText(iso);
  if (!dateFormats.value) return dayText(iso).replace(/ \d+$/, '');
  const { locale } = dateFormats.value.day.resolvedOptions();
  return date.toLocaleDateString(locale, { day: 'numeric', month: 'short' });
}
