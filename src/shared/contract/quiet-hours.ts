/** What the app and the server agree on about quiet hours. Types only. */
import type { Timestamp } from './common';

/** A time of the day as `HH:MM`, 00:00 to 23:59. */
export type DayTime = string;

/**
 * Quiet on some days of the week from one time to another. One that goes over midnight belongs to
 * the day it begins on; equal times are a whole day.
 */
export interface QuietRule {
  /** 1 is Monday, 7 Sunday; at least one. */
  days: number[];
  from: DayTime;
  to: DayTime;
}

/** When `info` messages wait. At most 14 rules; without any there are no quiet hours. */
export interface QuietHours {
  /** An IANA name, such as `Europe/Oslo`. */
  timeZone: string;
  rules: QuietRule[];
}

/** With what they mean at this moment. */
export interface QuietHoursNow extends QuietHours {
  /** When the quiet of this moment ends; null while it is not quiet. */
  quietUntil: Timestamp | null;
  /** How many messages wait to ring. */
  waiting: number;
}

export interface QuietCalls {
  /** Without any saved: no rules, and the time zone `UTC`. */
  'GET /api/notifications/quiet-hours': { answer: QuietHoursNow };
  /** 400 for hours that never end. What waits rings as soon as it is not quiet any more. */
  'PUT /api/notifications/quiet-hours': { body: QuietHours; answer: QuietHoursNow };
}
