/** Decides what a receipt changes in a recipient's row; `receipts.ts` reads and writes it. */
import type { Receipt } from '../../src/shared/contract';
import { readIsoTime } from '../../src/shared/iso-time';

/** Times are milliseconds since 1970. */
export interface RecipientMarks {
  displayedAt: number | null;
  readAt: number | null;
  acknowledgedAt: number | null;
  answer: string | null;
  late: 0 | 1;
}

export interface MarkedMessage {
  createdAt: number;
  expiresAt: number;
  answers: readonly string[];
}

/** When it happened, never before the message was sent or after now: a clock may be wrong. */
export const receiptTime = ({ at }: Pick<Receipt, 'at'>, sentAt: number, now: number): number =>
  Math.max(sentAt, Math.min(readIsoTime(at ?? '') ?? now, now));

/** The first of a kind counts; `acknowledged` implies `read`, which implies `displayed`. */
export function markRecipients(
  marks: RecipientMarks,
  receipt: Receipt,
  { createdAt, expiresAt, answers }: MarkedMessage,
  now: number,
): RecipientMarks | undefined {
  const { kind, answer } = receipt;
  const time = receiptTime(receipt, createdAt, now);
  const displayed = { ...marks, displayedAt: marks.displayedAt ?? time };
  if (kind === 'displayed') return marks.displayedAt === null ? displayed : undefined;
  const read = { ...displayed, readAt: marks.readAt ?? time };
  if (kind === 'read') return marks.readAt === null ? read : undefined;
  if (kind !== 'acknowledged' || marks.acknowledgedAt !== null) return undefined;
  if (answer === undefined || !answers.includes(answer)) return undefined;
  return { ...read, acknowledgedAt: time, answer, late: time > expiresAt ? 1 : 0 };
}
