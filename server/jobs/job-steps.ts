/** Jobs that are done in steps, each of which is a transaction: claimed, continued, tried again. */
import type { Transaction } from 'kysely';
import { databaseFault } from '../db/errors';
import { claimJobs, nextDueAt, postponeJob, settleJobs } from '../db/jobs/jobs';
import type { Job } from '../db/jobs/jobs';
import { isOnPostgres } from '../db/lock';
import type { Tables } from '../db/schema';
import { inTransaction } from '../db/transaction';
import { backoff } from '../lib/backoff';
import { describeError } from '../lib/log';
import { nextTurn } from '../lib/loop';
import type { Services } from '../services';
import { type JobRunner, POLL_MILLISECONDS, createJobRunner } from './job-runner';

/** Far longer than a handful of steps takes; what a dead process held is taken up so soon. */
const LEASE_MILLISECONDS = 10_000;

/** For each job when the rest of it is due, in milliseconds since 1970: undefined if nothing is left. */
export type JobOutcomes = ReadonlyMap<Job, number | undefined>;

export interface JobSteps {
  kinds: readonly string[];
  /** How many jobs are claimed at once: together they take far less than the lease. */
  limit: number;
  /** How many of those are done at the same time, where the engine has more than one writer. */
  atOnce?: number;
  /** What the log says where a step fails. */
  failure: string;
  /** Takes one step of one job, in this transaction. @returns when the rest is due */
  step(job: Job, transaction: Transaction<Tables>, services: Services): Promise<number | undefined>;
  /**
   * Takes one step of several jobs in one transaction, where that is quicker. The others are taken
   * one by one, and so are all of them where it fails.
   */
  together?(
    jobs: readonly Job[],
    transaction: Transaction<Tables>,
    services: Services,
  ): Promise<JobOutcomes>;
  /** Which are tried together: ten at most, if it does not say. */
  inGroups?(jobs: readonly Job[], services: Services): Promise<Job[][]> | Job[][];
}

/**
 * Does a step of each kind in turn, again and again: none waits for more than a piece of each of
 * the others.
 */
export function createStepRunner(
  services: () => Services,
  failure: string,
  all: readonly JobSteps[],
): JobRunner {
  const kinds = all.flatMap((steps) => steps.kinds);
  return createJobRunner(services, failure, async () => {
    const { db, now } = services();
    // Asked before anything is claimed, which is a write.
    const dueAt = (await nextDueAt(kinds, db, now())) ?? Infinity;
    if (dueAt > now()) return Math.min(POLL_MILLISECONDS, dueAt - now());
    let isAny = false;
    for (const steps of all) isAny = (await takeSteps(steps, services())) || isAny;
    return isAny ? 0 : POLL_MILLISECONDS;
  });
}

/** @returns whether there was anything due */
export async function takeSteps(steps: JobSteps, services: Services): Promise<boolean> {
  const { kinds, limit, atOnce = 1, inGroups = byTens } = steps;
  const { db, now } = services;
  const claim = { kinds, now: now(), lease: LEASE_MILLISECONDS, limit };
  const claimed = await claimJobs(db, claim);
  if (claimed.length === 0) return false;
  const lanes = isOnPostgres(db) ? atOnce : 1;
  const left: Job[] = [];
  await inLanes(lanes, await inGroups(claimed, services), async (group) => {
    left.push(...(await attemptTogether(group, steps, services)));
  });
  await inLanes(lanes, left, (job) => attempt(job, steps, services));
  services.wake();
  services.wakeMail();
  services.wakeWebhooks();
  return true;
}

/** So few that on the embedded engine, where nothing else is served meanwhile, no call waits for long. */
const byTens = (jobs: readonly Job[]): Job[][] =>
  Array.from({ length: Math.ceil(jobs.length / 10) }, (_, nth) =>
    jobs.slice(nth * 10, (nth + 1) * 10),
  );

/** @returns those that are left */
async function attemptTogether(
  jobs: Job[],
  { together, failure }: JobSteps,
  services: Services,
): Promise<Job[]> {
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

async function attempt(job: Job, { step, failure }: JobSteps, services: Services): Promise<void> {
  const { db, now, log } = services;
  try {
    await inTransaction(db, async (transaction) =>
      settleJobs(new Map([[job, await step(job, transaction, services)]]), transaction),
    );
  } catch (error) {
    const fault = databaseFault(error);
    // Somebody was deleted since they were looked up.
    if (fault === 'missing-reference' && job.attempts < 3) return postponeJob(job, now(), db);
    log.error(failure, {
      subject: job.subject,
      fault: fault ?? 'unexpected',
      ...describeError(error),
    });
    await postponeJob(job, now() + backoff(job.attempts), db);
  }
}

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
