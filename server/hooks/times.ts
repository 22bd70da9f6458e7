/** When an alert began, in one form whoever writes it: that is a part of what it is known by. */

const RFC_3339 = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.(\d{1,30}))?([Zz]|[+-]\d\d:\d\d)$/;
/** Go writes a time that was never set as the beginning of the year 1. */
const NEVER = '0001-01-01T00:00:00.000000000Z';

/**
 * A time of RFC 3339 in UTC with nine digits of a second's fraction, as Go has them, so that equal
 * times are equal texts and later ones come later; empty for what is none, or was never set.
 */
export function readTime(given = ''): string {
  const [, day, time, fraction = '', zone = ''] = RFC_3339.exec(given.trim()) ?? [];
  const seconds = new Date(`${day}T${time}${zone.toUpperCase()}`);
  // A year of another length is none that anybody means.
  if (Number.isNaN(seconds.getTime()) || !/^\d{4}-/.test(seconds.toISOString())) return '';
  const nanoseconds = fraction.padEnd(9, '0').slice(0, 9);
  const written = `${seconds.toISOString().slice(0, 19)}.${nanoseconds}Z`;
  return written === NEVER ? '' : written;
}
