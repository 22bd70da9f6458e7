import type { UserRow } from '../db/schema';
import type { Database } from '../db/open';
import { yieldToEventLoop } from '../lib/loop';
import { clock } from '../lib/clock';
import { describeError } from '../lib/log';
import type { Services } from '../services';
import { CustomResponse } from './response';
import { HttpError } from './errors';

export const CSV_TYPE = 'text/csv; charset=utf-8; header=present';

interface DownloadFile {
  type: string;
  name: string;
}

/**
 * @param begin checks, records, and returns the pieces.
 * @throws HttpError 429, and its errors
 */
export const respondWithDownload = (
  {
    user,
    reauthorize,
    closeConnection,
  }: { user: Pick<UserRow, 'id'>; reauthorize(): Promise<unknown>; closeConnection(): void },
  { db, log }: Pick<Services, 'db' | 'log'>,
  { type, name }: DownloadFile,
  begin: () => Promise<AsyncIterator<string>>,
): Promise<CustomResponse> =>
  limitDownloads(user.id, db, async (release) => {
    const report = (error: unknown): void =>
      log.warn('download interrupted', { file: name, ...describeError(error) });
    return new CustomResponse(
      200,
      { 'Content-Type': type, 'Content-Disposition': `attachment; filename="${name}"` },
      await streamPieces(await begin(), { reauthorize, report, closeConnection, release, db }),
    );
  });

export const downloadLimits = {
  perPerson: 3,
  total: 32,
  /** `connections/listen.ts` cuts off every response after this time. */
  milliseconds: 40_000,
};

interface Download {
  userId: number;
  startedAt: number;
}

const runningDownloads = new WeakMap<Database, Set<Download>>();

/**
 * Limits downloads, because each keeps a piece of its file in memory.
 * @throws HttpError 429 if too many run
 */
export async function limitDownloads<Result>(
  userId: number,
  db: Database,
  work: (release: () => void) => Promise<Result>,
  now = clock.elapsed(),
): Promise<Result> {
  const downloads = runningDownloads.get(db) ?? new Set();
  runningDownloads.set(db, downloads);
  // An unread response is never released.
  for (const entry of downloads)
    if (entry.startedAt <= now - downloadLimits.milliseconds) downloads.delete(entry);
  const ownCount = [...downloads].filter(
    (runningDownload) => runningDownload.userId === userId,
  ).length;
  if (ownCount >= downloadLimits.perPerson || downloads.size >= downloadLimits.total)
    throw new HttpError(429, 'Too many downloads at once. Please try again.', 5);
  const download = { userId, startedAt: now };
  const release = (): void => void downloads.delete(download);
  downloads.add(download);
  try {
    return await work(release);
  } catch (error) {
    release();
    throw error;
  }
}

interface PieceOptions {
  /** Rejects once the reader may no longer read. */
  reauthorize(): Promise<unknown>;
  /** Logs why a response ended early: it is too late to tell its reader. */
  report(error: unknown): void;
  closeConnection(): void;
  release(): void;
  db: Database;
}

const lastPieces = new WeakMap<Database, Promise<unknown>>();

/** SQLite reads synchronously: one piece at a time, or readers would starve the rest. */
function runInTurn<Result>(db: Database, work: () => Promise<Result>): Promise<Result> {
  const piece = (lastPieces.get(db) ?? Promise.resolve()).then(yieldToEventLoop).then(work);
  lastPieces.set(
    db,
    piece.catch(() => undefined),
  );
  return piece;
}

/** The first piece comes before the response starts, while a failure can still be sent. */
export async function streamPieces(
  pieces: AsyncIterator<string>,
  { reauthorize, report, closeConnection, release, db }: PieceOptions,
): Promise<ReadableStream<Uint8Array>> {
  const encoder = new TextEncoder();
  let nextPiece: IteratorResult<string> | undefined = await runInTurn(db, () => pieces.next());
  const readPiece = (): Promise<IteratorResult<string>> =>
    runInTurn(db, async () => {
      await reauthorize();
      return pieces.next();
    });
  let isCanceled = false;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = nextPiece ?? (await readPiece());
          nextPiece = undefined;
          if (isCanceled) return;
          if (!done) return controller.enqueue(encoder.encode(value));
          release();
          controller.close();
        } catch (error) {
          if (isCanceled) return;
          release();
          report(error);
          // A cut connection shows the client that the file is incomplete; Hono logs stream errors.
          closeConnection();
          await yieldToEventLoop();
          if (!isCanceled) controller.error(new Error('The download was interrupted.'));
        }
      },
      async cancel() {
        isCanceled = true;
        release();
        await pieces.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}
