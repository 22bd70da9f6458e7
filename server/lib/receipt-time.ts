import type { Receipt } from '../../src/shared/contract';
import { readIsoTime } from '../../src/shared/iso-time';

/** A request may take this long, so a smaller difference does not show a slow clock. Milliseconds. */
const CLOCK_TOLERANCE_MS = 60_000;

/** A device's time by our clock. A slow request looks the same as a clock that is behind. */
export interface DeviceTimes {
  /** The most likely time. */
  at?: string;
  /** The earliest possible time, if the request was held up. */
  earliestAt?: string;
}

/**
 * Corrects the time of a device whose clock is wrong.
 * @param sentAt the device's own time when it sent this. ISO 8601
 */
export function toServerClock<T extends { at?: string }>(
  receipt: T,
  sentAt: string | undefined,
  now: number,
): T & DeviceTimes {
  const [at, deviceSentAt] = [readIsoTime(receipt.at ?? ''), readIsoTime(sentAt ?? '')];
  // A clock that was set back meanwhile says nothing.
  if (at === undefined || deviceSentAt === undefined || at > deviceSentAt) return receipt;
  const correctedAt = new Date(at + now - deviceSentAt).toISOString();
  if (deviceSentAt > now) return { ...receipt, at: correctedAt };
  if (now - deviceSentAt < CLOCK_TOLERANCE_MS) return receipt;
  return { ...receipt, at: correctedAt, ...(receipt.at && { earliestAt: receipt.at }) };
}

/** Keeps a receipt's time between the sending of its message and now: a clock may be wrong. */
export const receiptTime = ({ at }: Pick<Receipt, 'at'>, sentAt: number, now: number): number =>
  Math.max(sentAt, Math.min(readIsoTime(at ?? '') ?? now, now));
