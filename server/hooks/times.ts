/** When an alert began, in one form whoever writes it: that is a part of what it is known by. */
import { parseIsoTime } from '../../src/shared/iso-time';

/** Go writes a time that was never set as the beginning of the year 1. */
const NEVER = '0001-01-01T00:00:00.000000000Z';

/**
 * A time of RFC 3339 in UTC with nine digits of a second's fraction, as Go has them, so that equal
 * times are equal texts and later ones come later; empty for what is none, or was never set. An
 * alert with such a time still alerts.
 */
export function readTime(given = ''): string {
  const time = parseIsoTime(given.trim().toUpperCase().replace(' ', 'T'));
  const second = time && new Date(time.second).toISOString();
  // A year of another length is none that anybody means.
  if (!time || !second || !/^\d{4}-/.test(second)) return '';
  const nanoseconds = time.fraction.padEnd(9, '0').slice(0, 9);
  const written = `${second.slice(0, 19)}.${nanoseconds}Z`;
  return written === NEVER ? '' : written;
}
