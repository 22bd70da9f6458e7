/**
 * Receipts of many requests in one transaction. When a message reaches thousands of phones they all
 * report it within seconds; a transaction for each would be as many writes to the disk, one after
 * the other. Each request is answered once what it said is committed.
 */
import { randomInt } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { isOnPostgres } from '../db/lock';
import { inTransaction } from '../db/transaction';
import { HttpError, type ErrorStatus } from '../http/errors';
import { sessionEnded } from '../http/access/session';
import type { Services } from '../services';
import { recordReports } from './receipts';
import type { Report } from './receipt-authors';

interface QueueLimits {
  /**
   * How long others are waited for, in milliseconds: at least so long. SQLite writes in this thread,
   * which takes no request meanwhile: there it is as long as the last transaction took, up to
   * `collectMost`, so that a disk that is slow to commit gets fewer and larger ones. While
   * PostgreSQL writes, others come anyway: to wait once more would leave it idle half of the time.
   */
  collect: number;
  collectMost: number;
  /**
   * So many receipts go into one transaction, or those of a single request. No more of one session or
   * device may wait, so that one phone cannot fill the queue of all.
   */
  atOnce: number;
  /** So many receipts may wait in this process. */
  waiting: number;
}

/** A transaction of 500 takes some 20 ms, so what waits has its turn within half a second. */
const queueLimits: QueueLimits = {
  collect: 5,
  collectMost: 100,
  atOnce: 500,
  waiting: 10_000,
};

/**
 * Transactions at the same time. While PostgreSQL works at one, this process collects the next: with
 * one alone it waited for a third of a flood. SQLite has one writer.
 */
const WRITERS = 2;

/** Phones that are all refused at once are not to come back all at once. */
const MAX_RETRY_SECONDS = 10;
const BUSY: ErrorStatus = 503;

interface Waiting {
  report: Report;
  resolve(recorded: number): void;
  reject(reason: unknown): void;
}

/**
 * Resolves with how many of the receipts were new, once that is committed.
 * @throws HttpError 401 where the word of who reports counts no longer; 503 where too many wait
 */
export type RecordReport = (report: Report) => Promise<number>;

/** A key is not proven yet: with its secret, or anyone could use up another device's share. */
const nameSpeaker = ({ claimed }: Report): string =>
  'session' in claimed ? String(claimed.session.id) : JSON.stringify(claimed.key);

const sizeOf = ({ report }: Waiting): number => Math.max(1, report.receipts.length);

export function createReceiptQueue(
  services: Services,
  { collect, collectMost, atOnce, waiting: most }: QueueLimits = queueLimits,
  wait: (milliseconds: number) => Promise<unknown> = setTimeout,
): RecordReport {
  let queue: Waiting[] = [];
  let waiting = 0;
  /** Of these, how many are being written. */
  let writing = 0;
  let writers = 0;
  let pause = collect;
  const waitingOf = new Map<string, number>();
  const writesElsewhere = isOnPostgres(services.db);
  const mostWriters = writesElsewhere ? WRITERS : 1;

  /** Takes the oldest, as many as one transaction may have. */
  function takeNext(): Waiting[] {
    let end = 0;
    for (let size = 0; end < queue.length; end += 1) {
      const next = queue[end];
      size += next ? sizeOf(next) : 0;
      if (end > 0 && size > atOnce) break;
    }
    const taken = queue.slice(0, end);
    queue = queue.slice(end);
    return taken;
  }

  async function writeAll(): Promise<void> {
    writers += 1;
    while (queue.length > 0) {
      if (waiting - writing < atOnce) await wait(pause);
      const taken = takeNext();
      if (taken.length === 0) break; // another writer has them
      const size = taken.reduce((sum, one) => sum + sizeOf(one), 0);
      writing += size;
      const began = performance.now();
      await writeTogether(taken, services);
      if (!writesElsewhere)
        pause = Math.min(collectMost, Math.max(collect, performance.now() - began));
      writing -= size;
      waiting -= size;
      for (const one of taken) {
        const speaker = nameSpeaker(one.report);
        const left = (waitingOf.get(speaker) ?? 0) - sizeOf(one);
        if (left > 0) waitingOf.set(speaker, left);
        else waitingOf.delete(speaker);
      }
    }
    writers -= 1;
  }

  return (report) =>
    new Promise((resolve, reject) => {
      const entry = { report, resolve, reject };
      const speaker = nameSpeaker(report);
      const theirs = waitingOf.get(speaker) ?? 0;
      const isOverShare = theirs > 0 && theirs + sizeOf(entry) > atOnce;
      if (isOverShare || waiting + sizeOf(entry) > most) {
        const later = 1 + randomInt(MAX_RETRY_SECONDS);
        return reject(
          new HttpError(BUSY, 'Too many receipts at once. Please send them again later.', later),
        );
      }
      waiting += sizeOf(entry);
      waitingOf.set(speaker, theirs + sizeOf(entry));
      queue.push(entry);
      if (writers < mostWriters) void writeAll();
    });
}

async function writeTogether(taken: readonly Waiting[], services: Services): Promise<void> {
  try {
    const recorded = await inTransaction(services.db, (transaction) =>
      recordReports(
        taken.map(({ report }) => report),
        transaction,
        services,
      ),
    );
    for (const [index, { resolve, reject }] of taken.entries()) {
      const count = recorded[index];
      if (count === undefined) reject(sessionEnded());
      else resolve(count);
    }
  } catch (error) {
    for (const { reject } of taken) reject(error);
  }
}
