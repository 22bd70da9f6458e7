/** Decides what a receipt changes in a recipient's row; `receipts.ts` reads and writes it. */
import type { Receipt } from '../../src/shared/contract';
import type { RecipientMarks } from '../db/recipient-marks';
import { receiptTime } from '../lib/receipt-time';

export interface MarkedMessage {
  createdAt: number;
  expiresAt: number;
  /** When the message ends, by its expiry, cancellation, all-clear or resolution. */
  commentsUntil: number;
  answers: readonly string[];
  /** What an answer belongs to. */
  revision: number;
}

/** Embeddings and overrides would turn the words around a comment (Unicode Bidirectional Algorithm). */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g;

const toComment = (text: string): string | null => text.replace(DIRECTIONS, '').trim() || null;

/**
 * The first of a kind counts; `acknowledged` implies `read`, which implies `displayed`. A comment
 * may change until the message ends.
 */
export function markRecipients(
  marks: RecipientMarks,
  receipt: Receipt,
  { createdAt, expiresAt, commentsUntil, answers, revision }: MarkedMessage,
  now: number,
): RecipientMarks | undefined {
  const { kind, answer } = receipt;
  const comment = receipt.comment === undefined ? marks.comment : toComment(receipt.comment);
  const time = receiptTime(receipt, createdAt, now);
  const displayMarks = { ...marks, displayed_at: marks.displayed_at ?? time };
  if (kind === 'displayed') return marks.displayed_at === null ? displayMarks : undefined;
  const read = { ...displayMarks, read_at: marks.read_at ?? time };
  if (kind === 'read') return marks.read_at === null ? read : undefined;
  if (kind !== 'acknowledged' || answer === undefined || !answers.includes(answer))
    return undefined;
  if (marks.acknowledged_at === null)
    return {
      ...{ ...read, acknowledged_at: time, answer, comment },
      ...{ late: time > expiresAt ? 1 : 0, answer_revision: revision },
    };
  const isChanged = answer === marks.answer && comment !== marks.comment && time <= commentsUntil;
  return isChanged ? { ...marks, comment } : undefined;
}
