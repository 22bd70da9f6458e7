/** Thousands of phones report a message within seconds: single transactions would be too slow. */
import { randomInt } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { isOnPostgres } from '../db/lock';
import { inTransaction } from '../db/transaction';
import { HttpError, type ErrorStatus } from '../http/errors';
import { sessionEndedError } from '../http/access/session';
import type { Services } from '../services';
import { recordReceiptReports } from './receipts';
import type { RecordedReport } from './receipts';
import type { ReceiptReport } from './receipt-authors';

interface QueueLimits {
  /**
   * Minimum milliseconds to wait for more receipts. On SQLite, which blocks this thread, as long as
   * the last transaction, up to `maxCollect`.
   */
  collect: number;
  maxCollect: number;
  /** Receipts in one transaction; also the most that one phone may have waiting. */
  atOnce: number;
  waiting: number;
}

/** 500 take some 20 ms, so everything is written within half a second. */
const queueLimits: QueueLimits = {
  collect: 5,
  maxCollect: 100,
  atOnce: 500,
  waiting: 10_000,
};

/** Simultaneous transactions on PostgreSQL: with one, it idled a third of the time. */
const MAX_POSTGRES_WRITERS = 2;

/** Spreads the retries of phones that were rejected together. */
const MAX_RETRY_SECONDS = 10;
const BUSY: ErrorStatus = 503;

interface WaitingReport {
  report: ReceiptReport;
  resolve(recorded: RecordedReport): void;
  reject(reason: unknown): void;
}

/**
 * Resolves after the commit.
 * @throws HttpError 401 for an invalid caller; 503 if too many wait
 */
export type RecordReport = (report: ReceiptReport) => Promise<RecordedReport>;

/** Includes the key's secret: it is not verified yet, and could otherwise use up another's share. */
const authorKey = ({ claimed }: ReceiptReport): string =>
  'session' in claimed ? String(claimed.session.id) : JSON.stringify(claimed.key);

const countReceipts = ({ report }: WaitingReport): number => Math.max(1, report.receipts.length);

export function createReceiptQueue(
  services: Services,
  { collect, maxCollect, atOnce, waiting: maxWaiting }: QueueLimits = queueLimits,
  wait: (milliseconds: number) => Promise<unknown> = setTimeout,
): RecordReport {
  let queue: WaitingReport[] = [];
  let waitingReceipts = 0;
  let writingReceipts = 0;
  let writers = 0;
  let pause = collect;
  const waitingByAuthor = new Map<string, number>();
  const writesElsewhere = isOnPostgres(services.db);
  const maxWriters = writesElsewhere ? MAX_POSTGRES_WRITERS : 1;

  function dequeueBatch(): WaitingReport[] {
    let end = 0;
    for (let size = 0; end < queue.length; end += 1) {
      const nextReport = queue[end];
      size += nextReport ? countReceipts(nextReport) : 0;
      if (end > 0 && size > atOnce) break;
    }
    const batch = queue.slice(0, end);
    queue = queue.slice(end);
    return batch;
  }

  async function writeAll(): Promise<void> {
    writers += 1;
    while (queue.length > 0) {
      if (waitingReceipts - writingReceipts < atOnce) await wait(pause);
      const batch = dequeueBatch();
      if (batch.length === 0) break; // another writer has them
      const size = batch.reduce((sum, report) => sum + countReceipts(report), 0);
      writingReceipts += size;
      const startedAt = performance.now();
      await writeTogether(batch, services);
      if (!writesElsewhere)
        pause = Math.min(maxCollect, Math.max(collect, performance.now() - startedAt));
      writingReceipts -= size;
      waitingReceipts -= size;
      for (const report of batch) {
        const author = authorKey(report.report);
        const remainingCount = (waitingByAuthor.get(author) ?? 0) - countReceipts(report);
        if (remainingCount > 0) waitingByAuthor.set(author, remainingCount);
        else waitingByAuthor.delete(author);
      }
    }
    writers -= 1;
  }

  return (report) =>
    new Promise((resolve, reject) => {
      const entry = { report, resolve, reject };
      const author = authorKey(report);
      const waitingOfAuthor = waitingByAuthor.get(author) ?? 0;
      const isOverShare = waitingOfAuthor > 0 && waitingOfAuthor + countReceipts(entry) > atOnce;
      if (isOverShare || waitingReceipts + countReceipts(entry) > maxWaiting) {
        const retrySeconds = 1 + randomInt(MAX_RETRY_SECONDS);
        return reject(
          new HttpError(
            BUSY,
            'Too many receipts at once. Please send them again later.',
            retrySeconds,
          ),
        );
      }
      waitingReceipts += countReceipts(entry);
      waitingByAuthor.set(author, waitingOfAuthor + countReceipts(entry));
      queue.push(entry);
      if (writers < maxWriters) void writeAll();
    });
}

async function writeTogether(reports: readonly WaitingReport[], services: Services): Promise<void> {
  try {
    const recorded = await inTransaction(services.db, (transaction) =>
      recordReceiptReports(
        reports.map(({ report }) => report),
        transaction,
        services,
      ),
    );
    for (const [index, { resolve, reject }] of reports.entries()) {
      const newCount = recorded[index];
      if (newCount === undefined) reject(sessionEndedError());
      else resolve(newCount);
    }
  } catch (error) {
    if (reports.length === 1) for (const { reject } of reports) reject(error);
    // One phone's receipts must not cost the others theirs.
    else for (const report of reports) await writeTogether([report], services);
  }
}
