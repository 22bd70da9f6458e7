/** The audit log as a file for spreadsheets. */
import type { AuditEntry } from '../../src/shared/contract';
import type { Database } from '../db/open';
import { nextTurn } from '../delivery/queue/sleep';
import { Reply } from '../http/reply';
import { toLine } from '../../src/shared/csv';
import { PIECE, readPiece } from './entries';

const COLUMNS = ['at', 'actor', 'action', 'target', 'detail', 'network'] as const;

const toText = (entry: AuditEntry): string => toLine(COLUMNS.map((name) => entry[name] ?? ''));

/** What a file's answer needs to go on behind its first piece. */
export interface Following {
  db: Database;
  /** Asks once more whether the one who reads may: rejects if not. */
  ask(): Promise<unknown>;
  /** Hears why a file ended too early: its reader cannot be told any more. */
  report(error: unknown): void;
}

/**
 * The newest first. Each piece is read when the one before it was taken, in a statement of its own: a
 * transaction over all of them would last for as long as the slowest reader likes.
 */
export async function answerCsv(
  words: readonly string[],
  { db, ask, report }: Following,
): Promise<Reply> {
  const encoder = new TextEncoder();
  // Before the answer begins, as long as a failure can still be told.
  let piece = await readPiece(words, Number.MAX_SAFE_INTEGER, db);
  let heading = toLine(COLUMNS);
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          controller.enqueue(encoder.encode(heading + piece.map(toText).join('')));
          heading = '';
          const last = piece.at(-1);
          if (last === undefined || piece.length < PIECE) return controller.close();
          // The embedded engine answers at once, and a quick reader would leave no turn to others.
          await nextTurn();
          await ask();
          piece = await readPiece(words, last.id, db);
        } catch (error) {
          report(error);
          // Cuts the connection, so that half a file is not taken for a whole one.
          controller.error(new Error('The audit log broke off.'));
        }
      },
    },
    { highWaterMark: 0 },
  );
  return new Reply(
    200,
    {
      'Content-Type': 'text/csv; charset=utf-8; header=present',
      'Content-Disposition': 'attachment; filename="audit-log.csv"',
    },
    body,
  );
}
