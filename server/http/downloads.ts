/** Files that are made while they are read, so that they may be long. */
import type { UserRow } from '../db/schema';
import type { Database } from '../db/open';
import { nextTurn } from '../lib/loop';
import { clock } from '../lib/clock';
import { describeError } from '../lib/log';
import type { Fields } from '../lib/log';
import type { Services } from '../services';
import { Reply } from './answer';
import { HttpError } from './errors';

export const CSV_TYPE = 'text/csv; charset=utf-8; header=present';

interface File {
  /** Such as `an audit log`, for the log where it breaks off. */
  what: string;
  fields?: Fields;
  type: string;
  name: string;
}

/**
 * Answers with a file.
 * @param begin checks and records, and gives the pieces
 * @throws HttpError 429 where too many are under way, and what `begin` throws
 */
export const answerDownload = (
  { user, askAgain, cut }: { user: Pick<UserRow, 'id'>; askAgain(): Promise<unknown>; cut(): void },
  { db, log }: Pick<Services, 'db' | 'log'>,
  { what, fields, type, name }: File,
  begin: () => Promise<AsyncIterator<string>>,
): Promise<Reply> =>
  inDownload(user.id, db, async (leave) => {
    const report = (error: unknown): void =>
      log.warn(`${what} broke off`, { ...fields, ...describeError(error) });
    return new Reply(
      200,
      { 'Content-Type': type, 'Content-Disposition': `attachment; filename="${name}"` },
      await inPieces(await begin(), { ask: askAgain, report, cut, leave, db }),
    );
  });

export const downloadLimits = {
  /** Of one person. */
  ofOne: 3,
  ofAll: 32,
  /** `connections/listen.ts` cuts every answer off by then. */
  milliseconds: 40_000,
};

interface Download {
  who: number;
  begun: number;
}

/** Of each installation in this process. */
const underWay = new WeakMap<Database, Set<Download>>();

/**
 * Counts a download, as each holds a piece of itself in memory.
 * @param answer gets what ends the count; a failure ends it, too
 * @throws HttpError 429 where too many are under way
 */
export async function inDownload<Answer>(
  who: number,
  db: Database,
  answer: (leave: () => void) => Promise<Answer>,
  now = clock.elapsed(),
): Promise<Answer> {
  const all = underWay.get(db) ?? new Set();
  underWay.set(db, all);
  // Nobody says so of an answer that is never begun to be read.
  for (const one of all) if (one.begun <= now - downloadLimits.milliseconds) all.delete(one);
  const own = [...all].filter((one) => one.who === who).length;
  if (own >= downloadLimits.ofOne || all.size >= downloadLimits.ofAll)
    throw new HttpError(429, 'Too much is being downloaded at once. Please try again.', 5);
  const download = { who, begun: now };
  const leave = (): void => void all.delete(download);
  all.add(download);
  try {
    return await answer(leave);
  } catch (error) {
    leave();
    throw error;
  }
}

interface Following {
  /** Asks once more whether the one who reads may: rejects if not. */
  ask(): Promise<unknown>;
  /** Hears why an answer ended too early: its reader cannot be told any more. */
  report(error: unknown): void;
  /** Ends the connection to who reads. */
  cut(): void;
  /** It is over, however it ended. */
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
          if (!isLeft) controller.error(new Error('The answer broke off.'));
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
