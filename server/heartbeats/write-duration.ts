import type { Language } from '../../src/shared/languages';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Such as `90 minutes`, rounded, in a language. At least a minute. */
export function writeDuration(milliseconds: number, language: Language): string {
  const [unit, length] =
    milliseconds < 2 * HOUR
      ? (['minute', MINUTE] as const)
      : milliseconds < 2 * DAY
        ? (['hour', HOUR] as const)
        : (['day', DAY] as const);
  const format = { style: 'unit', unit, unitDisplay: 'long' } as const;
  const count = Math.max(1, Math.round(milliseconds / length));
  return new Intl.NumberFormat(`${language}-u-nu-latn`, format).format(count);
}
