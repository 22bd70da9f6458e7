/**
 * Work by jobs that is done in turns by one loop (`messages/sending/writing.ts`), so that no kind of
 * it waits for all of another.
 */
import type { Transaction } from 'kysely';
import { databaseFault } from './db/errors';
import { claimJobs, continueJob, finishJob, postponeJob, settleJobs } from './db/jobs/jobs';
import type { Job } from './db/jobs/jobs';
import type { Tables } from './db/schema';
import { inTransaction } from './db/transaction';
import { backoff } from './delivery/queue/backoff';
import { nextTurn } from './delivery/queue/sleep';
import { describeError } from './lib/log';
import type { Services } from './services';

/** Far longer than a handful of steps takes; what a dead process held is taken up so soon. */
const LEASE_MILLISECONDS = 10_000;

/** So few that on the embedded engine, where nothing else is served meanwhile, no call waits for long. */
export const TOGETHER = 10;

export interface Turn {
  kinds: readonly string[];
  /** Does a piece of what is due. @returns whether there was anything due */
  take(services: Services): Promise<boolean>;
}

export interface Work {
  kinds: readonly string[];
  /** So many jobs are claimed at once: together they take far less than the lease. */
  limit: number;
  /** So many of those are done at the same time, where the engine has more than one writer. */
  atOnce?: number;
  /**
   * Takes one step of each of those that are quicker done together, in one transaction of at most
   * `TOGETHER`.
   * @returns as `step`, of each that it took; the others are taken one by one
   */
  together?(
    jobs: readonly Job[],
    transaction: Transaction<Tables>,
    services: Services,
  ): Promise<ReadonlyMap<Job, number | undefined>>;
  /** What the log says where a step fails. */
  failure: string;
  /**
   * Takes one step of one job. Everything that it changes is in this transaction.
   * @returns when the rest is due (milliseconds since 1970); undefined if nothing is left
   */
  step(job: Job, transaction: Transaction<Tables>, services: Services): Promise<number | undefined>;
}

export function createTurn({ kinds, limit, atOnce = 1, together, failure, step }: Work): Turn {
  async function attempt(job: Job, services: Services): Promise<void> {
    const { db, now, log } = services;
    try {
      await inTransaction(db, async (transaction) => {
        const dueAt = await step(job, transaction, services);
        if (dueAt === undefined) await finishJob(job, transaction);
        else await continueJob(job, dueAt, transaction);
      });
    } catch (error) {
      const fault = databaseFault(error);
      // Somebody was deleted since they were looked up.
      if (fault === 'missing-reference' && job.attempts < 3) return postponeJob(job, now(), db);
      log.error(failure, {
        message: job.subject,
        fault: fault ?? 'unexpected',
        ...describeError(error),
      });
      await postponeJob(job, now() + backoff(job.attempts), db);
    }
  }

  /** @returns those that are left */
  async function attemptTogether(jobs: Job[], services: Services): Promise<Job[]> {
    if (together === undefined || jobs.length < 2) return jobs;
    try {
      const done = await inTransaction(services.db, async (transaction) => {
        const outcomes = await together(jobs, transaction, services);
        await settleJobs(outcomes, transaction);
        return outcomes;
      });
      return jobs.filter((job) => !done.has(job));
    } catch (error) {
      // Each is tried alone, which says which of them it was; if it is none, this line alone tells.
      services.log.warn(`${failure}: several at once, which are tried one by one`, {
        jobs: jobs.length,
        ...describeError(error),
      });
      return jobs;
    }
  }

  return {
    kinds,
    async take(services) {
      const { db, config, now } = services;
      const engine = config.databaseUrl === undefined ? 'sqlite' : 'postgres';
      const claimed = await claimJobs(db, engine, {
        kinds,
        now: now(),
        lease: LEASE_MILLISECONDS,
        limit,
      });
      if (claimed.length === 0) return false;
      const lanes = engine === 'sqlite' ? 1 : atOnce;
      const left: Job[] = together ? [] : claimed;
      if (together)
        await inLanes(lanes, inGroups(claimed), async (group) => {
          left.push(...(await attemptTogether(group, services)));
        });
      await inLanes(lanes, left, (job) => attempt(job, services));
      services.wake();
      services.wakeMail();
      services.wakeWebhooks();
      return true;
    },
  };
}

const inGroups = (jobs: readonly Job[]): Job[][] =>
  Array.from({ length: Math.ceil(jobs.length / TOGETHER) }, (_, nth) =>
    jobs.slice(nth * TOGETHER, (nth + 1) * TOGETHER),
  );

/** Does all of it, so many pieces at the same time. */
async function inLanes<Piece>(
  count: number,
  pieces: readonly Piece[],
  work: (piece: Piece) => Promise<void>,
): Promise<void> {
  const waiting = [...pieces];
  const lane = async () => {
    for (let piece = waiting.shift(); piece !== undefined; piece = waiting.shift()) {
      await work(piece);
      // On the embedded engine a step is one piece of work: between two, all else is served.
      await nextTurn();
    }
  };
  await Promise.all(Array.from({ length: count }, lane));
}
