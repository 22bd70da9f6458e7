import type { Receipt } from '../../src/shared/contract';
import { readIsoTime } from '../../src/shared/iso-time';

/** Requests take time: a smaller difference says nothing about a device's clock. Milliseconds. */
const TOLERANCE = 60_000;

/**
 * Corrects the time of a device whose clock is wrong.
 * @param sentAt the device's own time when it sent this. ISO 8601
 */
export function byOurClock<T extends { at?: string }>(
  given: T,
  sentAt: string | undefined,
  now: number,
): T {
  const [at, sent] = [readIsoTime(given.at ?? ''), readIsoTime(sentAt ?? '')];
  if (at === undefined || sent === undefined || Math.abs(now - sent) < TOLERANCE) return given;
  return { ...given, at: new Date(at + now - sent).toISOString() };
}

/** When it happened, never before the message was sent or after now: a clock may be wrong. */
export const receiptTime = ({ at }: Pick<Receipt, 'at'>, sentAt: number, now: number): number =>
  Math.max(sentAt, Math.min(readIsoTime(at ?? '') ?? now, now));
