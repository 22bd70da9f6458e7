/** Answers that are made while they are read, so that they may be long. */
import type { Database } from '../db/open';
import { nextTurn } from '../lib/loop';

/** What such an answer needs to go on behind its first piece. */
export interface Following {
  /** Asks once more whether the one who reads may: rejects if not. */
  ask(): Promise<unknown>;
  /** Hears why an answer ended too early: its reader cannot be told any more. */
  report(error: unknown): void;
  /** Ends the connection to who reads. */
  cut(): void;
  /** It is over, however it ended (`downloads.ts`). */
  leave(): void;
  db: Database;
}

/** What is to be made after, of each installation in this process. */
const turns = new WeakMap<Database, Promise<unknown>>();

/**
 * One is made at a time, and all else that waits comes before the next: the embedded engine answers
 * at once, and many quick readers, or a hundred slow ones, would leave no turn to others.
 */
function inTurn<Result>(db: Database, make: () => Promise<Result>): Promise<Result> {
  const made = (turns.get(db) ?? Promise.resolve()).then(nextTurn).then(make);
  turns.set(
    db,
    made.catch(() => undefined),
  );
  return made;
}

/**
 * A body of these pieces: each is made when its reader has taken the one before, and may still read
 * it. The first is made before the answer begins, as long as a failure can still be told.
 */
export async function inPieces(
  pieces: AsyncIterator<string>,
  { ask, report, cut, leave, db }: Following,
  what = 'The answer',
): Promise<ReadableStream<Uint8Array>> {
  const encoder = new TextEncoder();
  let next: IteratorResult<string> | undefined = await inTurn(db, () => pieces.next());
  const read = (): Promise<IteratorResult<string>> =>
    inTurn(db, async () => {
      await ask();
      return pieces.next();
    });
  let isLeft = false;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = next ?? (await read());
          next = undefined;
          if (isLeft) return;
          if (!done) return controller.enqueue(encoder.encode(value));
          leave();
          controller.close();
        } catch (error) {
          if (isLeft) return;
          leave();
          report(error);
          // So that half of it is not taken for the whole. An error of the stream would do so, too, but
          // Hono writes each to standard error.
          cut();
          await nextTurn();
          if (!isLeft) controller.error(new Error(`${what} broke off.`));
        }
      },
      async cancel() {
        isLeft = true;
        leave();
        await pieces.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}
