/** All recipients of a message as a file for spreadsheets. */
import type { Recipient } from '../../../src/shared/contract';
import type { Database } from '../../db/open';
import { nextTurn } from '../../delivery/queue/sleep';
import { Reply } from '../../http/reply';
import { toLine } from '../../../src/shared/csv';
import { readRecipients, requireMessage } from './recipients';

/** At a time: that much is in memory, whatever their number and however slowly they are read. */
const PIECE = 1000;
const HEADING = toLine([
  'username',
  'role',
  'state',
  'answer',
  'late',
  'displayedAt',
  'readAt',
  'acknowledgedAt',
]);

const toText = ({ user, state, answer, late, ...at }: Recipient): string =>
  toLine([
    user?.username ?? '',
    user?.role ?? '',
    state,
    answer ?? '',
    String(late),
    at.displayedAt ?? '',
    at.readAt ?? '',
    at.acknowledgedAt ?? '',
  ]);

/** What a file's answer needs to go on behind its first piece. */
export interface Following {
  db: Database;
  /** Asks once more whether the one who reads may: rejects if not. */
  ask(): Promise<unknown>;
  /** Hears why a file ended too early: its reader cannot be told any more. */
  report(error: unknown): void;
}

/**
 * By the ids of the people. Each piece is read when the one before it was taken, in a statement of its
 * own: a transaction over all of them would last for as long as the slowest reader likes.
 * @throws HttpError 404 without the message
 */
export async function answerRecipientsCsv(
  messageId: string,
  { db, ask, report }: Following,
): Promise<Reply> {
  await requireMessage(messageId, db);
  const encoder = new TextEncoder();
  const readPiece = (after: number) => readRecipients(messageId, { after, limit: PIECE }, db);
  const readNext = async (after: number) => {
    // The embedded engine answers at once, and a quick reader would leave no turn to others.
    await nextTurn();
    await ask();
    return readPiece(after);
  };
  // Before the answer begins, as long as a failure can still be told.
  const first = await readPiece(0);
  let last: number | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const piece = last === undefined ? first : await readNext(last);
          const text = piece.recipients.map(toText).join('');
          controller.enqueue(encoder.encode(last === undefined ? HEADING + text : text));
          last = piece.last;
          if (piece.recipients.length < PIECE) controller.close();
        } catch (error) {
          report(error);
          // Cuts the connection, so that half a file is not taken for a whole one.
          controller.error(new Error('The list of recipients broke off.'));
        }
      },
    },
    { highWaterMark: 0 },
  );
  const name = `recipients-${messageId.replace(/[^\w-]/g, '')}.csv`;
  return new Reply(
    200,
    {
      'Content-Type': 'text/csv; charset=utf-8; header=present',
      'Content-Disposition': `attachment; filename="${name}"`,
    },
    body,
  );
}
