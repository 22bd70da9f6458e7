/** Parses ISO 8601 times; only real dates and times. */

/** 30 digits of a fraction fit. */
const MAX_TEXT_LENGTH = 60;
const ISO_TIME_PATTERN =
  /^(\d{4}-\d\d-\d\dT\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/;
const MINUTE_MS = 60_000;

export interface IsoTime {
  /** Milliseconds since 1970, without the fraction. */
  second: number;
  fraction: string;
}

/** Returns undefined for another form, or for a time that does not exist, such as February 31. */
export function parseIsoTime(text: string): IsoTime | undefined {
  if (text.length > MAX_TEXT_LENGTH) return undefined;
  const [form, hour, minute, seconds = '00', fraction = '', sign, hours, minutes] =
    ISO_TIME_PATTERN.exec(text) ?? [];
  if (form === undefined) return undefined;
  const local = new Date(`${hour}:${minute}:${seconds}Z`);
  // JavaScript would read February 31 as March 3, and 24:00 as the next day.
  if (Number.isNaN(local.getTime()) || local.toISOString().slice(0, 13) !== hour) return undefined;
  const offset =
    sign === undefined ? 0 : Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes));
  return { second: local.getTime() - offset * MINUTE_MS, fraction };
}

/** Milliseconds since 1970; undefined as above. */
export function readIsoTime(text: string): number | undefined {
  const time = parseIsoTime(text);
  return time && time.second + Number(time.fraction.slice(0, 3).padEnd(3, '0'));
}
