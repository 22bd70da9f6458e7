/** Decides what a receipt changes in a recipient's row; `receipts.ts` reads and writes it. */
import type { Receipt } from '../../src/shared/contract';
import type { RecipientReceipts } from '../db/recipient-receipts';
import { receiptTime } from '../lib/receipt-time';
import {
  addFormerAnswer,
  readFormerAnswers,
  withFormerAnswer,
  withoutAnswer,
} from '../messages/corrections/answer-revisions';

export interface MarkedMessage {
  createdAt: number;
  expiresAt: number;
  /** When the message ends: by expiry, cancellation, all-clear or resolution. */
  commentsUntil: number;
  answers: readonly string[];
  helpAnswers: readonly string[];
  /** What an answer belongs to. */
  revision: number;
  /** The text that last asked for answers. */
  askedRevision: number;
}

/** Embeddings and overrides would turn the words around a comment (Unicode Bidirectional Algorithm). */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g;

const toComment = (text: string): string | null => text.replace(DIRECTIONS, '').trim() || null;

/**
 * The first of a kind counts; `acknowledged` implies `read`, which implies `displayed`. Until the
 * message ends, the comment may change, and the answer or its text by a later one that says so. The
 * words belong to their answer: another answer has only its own.
 */
export function markRecipients(
  current: RecipientReceipts,
  receipt: Receipt,
  message: MarkedMessage,
  now: number,
): RecipientReceipts | undefined {
  const { createdAt, expiresAt, commentsUntil, answers, revision, askedRevision } = message;
  const { kind, answer } = receipt;
  const comment = receipt.comment === undefined ? current.comment : toComment(receipt.comment);
  const time = receiptTime(receipt, createdAt, now);
  const displayedReceipts = { ...current, displayed_at: current.displayed_at ?? time };
  if (kind === 'displayed') return current.displayed_at === null ? displayedReceipts : undefined;
  const read = { ...displayedReceipts, read_at: current.read_at ?? time };
  if (kind === 'read') return current.read_at === null ? read : undefined;
  if (kind !== 'acknowledged' || answer === undefined || !answers.includes(answer))
    return undefined;
  if (current.acknowledged_at === null)
    return {
      ...{ ...read, acknowledged_at: time, answer, comment },
      ...{ late: time > expiresAt ? 1 : 0, answer_revision: revision },
    };
  // A call for help stood although the person was asked again. This is the answer to the new text.
  const isAnsweredAnew =
    (current.answer_revision ?? revision) < askedRevision && revision >= askedRevision;
  if (isAnsweredAnew && time >= current.acknowledged_at)
    return markRecipients(withoutAnswer(current), receipt, message, now);
  if (time > commentsUntil) return undefined;
  const answeredReceipts = {
    ...current,
    acknowledged_at: time,
    answer,
    comment,
    answer_revision: revision,
  };
  const mayChange = receipt.changes === true && time >= current.acknowledged_at;
  if (answer !== current.answer)
    return mayChange
      ? { ...answeredReceipts, comment: receipt.comment === undefined ? null : comment }
      : undefined;
  // The same answer may be to a newer text. Older servers did not record the text.
  if (mayChange && revision > (current.answer_revision ?? revision)) return answeredReceipts;
  return comment === current.comment ? undefined : { ...current, comment };
}

/**
 * Counts a call for help that was given to an earlier text, although people were asked again: it
 * stands until the person gives another answer to the new text. An earlier answer of the person
 * changes as it would have without the correction.
 */
export function markLateCallForHelp(
  current: RecipientReceipts,
  receipt: Receipt,
  message: MarkedMessage,
  now: number,
): RecipientReceipts | undefined {
  const { revision, helpAnswers } = message;
  const isCallForHelp = helpAnswers.includes(receipt.answer ?? '');
  const isCalling = receipt.answer === current.answer && (current.answer_revision ?? 0) > revision;
  if (!isCallForHelp || isCalling) return undefined;
  return markRecipients(withFormerAnswer(current, revision), receipt, message, now);
}

/**
 * Keeps an answer that was given to an earlier text after people were asked again: it does not
 * count, and both sides see it. The first answer to each text is kept.
 */
export function keepEarlierAnswer(
  current: RecipientReceipts,
  receipt: Receipt,
  message: MarkedMessage,
  now: number,
): RecipientReceipts | undefined {
  const { revision } = message;
  const isKnown = readFormerAnswers(current).some(
    (formerAnswer) => formerAnswer.revision === revision,
  );
  if (receipt.kind !== 'acknowledged' || isKnown) return undefined;
  if (current.acknowledged_at !== null && current.answer_revision === revision) return undefined;
  const newReceipts = markRecipients(withoutAnswer(current), receipt, message, now);
  if (newReceipts === undefined || newReceipts.acknowledged_at === null) return undefined;
  const { answer, comment, acknowledged_at: at, late } = newReceipts;
  return addFormerAnswer(current, { revision, answer, comment, at, late });
}
