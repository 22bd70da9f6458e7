/** What a receipt changes in a recipient's row. It decides; `receipts.ts` reads and writes. */
import type { Receipt } from '../../src/shared/contract';
import { readIsoTime } from '../../src/shared/iso-time';

/** What a recipient's row says of what a person did. Times are milliseconds since 1970. */
export interface Marks {
  displayedAt: number | null;
  readAt: number | null;
  acknowledgedAt: number | null;
  answer: string | null;
  late: 0 | 1;
}

/** What is asked of a message to judge a receipt. */
export interface Asked {
  /** When the message left, and when it ends. */
  createdAt: number;
  expiresAt: number;
  answers: readonly string[];
}

/**
 * When it happened, in milliseconds since 1970. A clock that is wrong, on the phone or in another
 * process, makes no time before the message or after now.
 */
export const timeOf = ({ at }: Pick<Receipt, 'at'>, sentAt: number, now: number): number =>
  Math.max(sentAt, Math.min(readIsoTime(at ?? '') ?? now, now));

/**
 * The first of a kind wins: acknowledged implies read, which implies displayed.
 * @returns undefined if the receipt says nothing new, gives an answer that was not offered, or is of
 * a kind that there is for tests alone
 */
export function mark(
  marks: Marks,
  receipt: Receipt,
  { createdAt, expiresAt, answers }: Asked,
  now: number,
): Marks | undefined {
  const { kind, answer } = receipt;
  const time = timeOf(receipt, createdAt, now);
  const displayed = { ...marks, displayedAt: marks.displayedAt ?? time };
  if (kind === 'displayed') return marks.displayedAt === null ? displayed : undefined;
  const read = { ...displayed, readAt: marks.readAt ?? time };
  if (kind === 'read') return marks.readAt === null ? read : undefined;
  if (kind !== 'acknowledged' || marks.acknowledgedAt !== null) return undefined;
  if (answer === undefined || !answers.includes(answer)) return undefined;
  return { ...read, acknowledgedAt: time, answer, late: time > expiresAt ? 1 : 0 };
}
