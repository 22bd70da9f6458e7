import type { Receipt } from '../../src/shared/contract';
import { readIsoTime } from '../../src/shared/iso-time';

/** When it happened, never before the message was sent or after now: a clock may be wrong. */
export const receiptTime = ({ at }: Pick<Receipt, 'at'>, sentAt: number, now: number): number =>
  Math.max(sentAt, Math.min(readIsoTime(at ?? '') ?? now, now));
