import type { Language } from '../../src/shared/languages';
import { MINUTE_MS, HOUR_MS, DAY_MS } from '../lib/durations';

/** Writes a rounded duration of at least a minute in a language, such as `90 minutes`. */
export function writeDuration(milliseconds: number, language: Language): string {
  const [unit, length] =
    milliseconds < 2 * HOUR_MS
      ? (['minute', MINUTE_MS] as const)
      : milliseconds < 2 * DAY_MS
        ? (['hour', HOUR_MS] as const)
        : (['day', DAY_MS] as const);
  const format = { style: 'unit', unit, unitDisplay: 'long' } as const;
  const count = Math.max(1, Math.round(milliseconds / length));
  return new Intl.NumberFormat(`${language}-u-nu-latn`, format).format(count);
}

/** Writes `30 Nov 2026, 03:20 UTC` in a language: a machine has no time zone of its own. */
export function writeUtcTime(at: number, language: Language): string {
  const locale = language === 'en' ? 'en-GB' : language;
  const format = { day: 'numeric', month: 'short', year: 'numeric' } as const;
  const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  const zone = { timeZone: 'UTC', timeZoneName: 'short' } as const;
  return new Intl.DateTimeFormat(`${locale}-u-nu-latn`, { ...format, ...clock, ...zone }).format(
    at,
  );
}
