/** A number with its unit, for other languages than English: `5 Minuten`, `5 min`. */
export const unitText = (
  count: number,
  unit: 'second' | 'minute' | 'hour' | 'day',
  unitDisplay: 'long' | 'short' = 'long',
): string => new Intl.NumberFormat(LOCALE, { style: 'unit', unit, unitDisplay }).format(count);
