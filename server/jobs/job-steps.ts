/** Jobs done in steps. Each step is a transaction: claimed, continued, retried. */
import type { Transaction } from 'kysely';
import { databaseFault } from '../db/errors';
import { claimJobs, nextJobDueAt, postponeJob, finishOrPostponeJobs } from '../db/jobs/jobs';
import type { Job } from '../db/jobs/jobs';
import { isOnPostgres } from '../db/lock';
import type { Tables } from '../db/schema';
import { inTransaction } from '../db/transaction';
import { backoff } from '../lib/backoff';
import { describeError } from '../lib/log';
import { yieldToEventLoop } from '../lib/loop';
import type { Services } from '../services';
import { type JobRunner, POLL_EVERY_MS, createJobRunner } from './job-runner';

/** How long a job stays claimed: far longer than a step takes. A dead process' jobs wait until then. */
const JOB_LEASE_MS = 10_000;

/** When the rest of each job is due, in milliseconds since 1970; undefined if it is done. */
export type JobOutcomes = ReadonlyMap<Job, number | undefined>;

export interface JobSteps {
  kinds: readonly string[];
  /** Jobs claimed together; they must take far less than the lease. */
  limit: number;
  /** Concurrent jobs on an engine with several writers. */
  atOnce?: number;
  /**
   * Runs one step of a job in the transaction.
   * @returns when the rest is due
   */
  step(job: Job, transaction: Transaction<Tables>, services: Services): Promise<number | undefined>;
  /** Runs a step of several jobs in one transaction. Jobs it leaves out run alone, as do all on failure. */
  runTogether?(
    jobs: readonly Job[],
    transaction: Transaction<Tables>,
    services: Services,
  ): Promise<JobOutcomes>;
  /** Groups jobs for `runTogether`; tens by default. */
  groupJobs?(jobs: readonly Job[], services: Services): Promise<Job[][]> | Job[][];
}

/** Runs a step of each kind in turn, so that no kind waits long for another. */
export function createStepRunner(
  services: () => Services,
  queue: string,
  allSteps: readonly JobSteps[],
): JobRunner {
  const kinds = allSteps.flatMap((steps) => steps.kinds);
  return createJobRunner(services, queue, async () => {
    const { db, now } = services();
    // A read comes first, because claiming writes.
    const dueAt = (await nextJobDueAt(kinds, db, now())) ?? Infinity;
    if (dueAt > now()) return Math.min(POLL_EVERY_MS, dueAt - now());
    let wasAnyDue = false;
    for (const steps of allSteps) wasAnyDue = (await runSteps(steps, services())) || wasAnyDue;
    return wasAnyDue ? 0 : POLL_EVERY_MS;
  });
}

/** @returns whether anything was due */
export async function runSteps(steps: JobSteps, services: Services): Promise<boolean> {
  const { kinds, limit, atOnce = 1, groupJobs = groupByTen } = steps;
  const { db, now } = services;
  const claim = { kinds, now: now(), leaseMs: JOB_LEASE_MS, limit };
  const jobs = await claimJobs(db, claim);
  if (jobs.length === 0) return false;
  const count = isOnPostgres(db) ? atOnce : 1;
  const remainingJobs: Job[] = [];
  await runInParallel(count, await groupJobs(jobs, services), async (group) => {
    remainingJobs.push(...(await attemptTogether(group, steps, services)));
  });
  await runInParallel(count, remainingJobs, (job) => attemptJob(job, steps, services));
  services.wakePushWorker();
  services.wakeMail();
  services.wakeWebhooks();
  return true;
}

/** Small, because the embedded engine blocks the process meanwhile. */
const groupByTen = (jobs: readonly Job[]): Job[][] => inBatches(jobs, 10);

export const inBatches = (jobs: readonly Job[], size: number): Job[][] =>
  Array.from({ length: Math.ceil(jobs.length / size) }, (_, nth) =>
    jobs.slice(nth * size, (nth + 1) * size),
  );

/** @returns the jobs that remain */
async function attemptTogether(
  jobs: Job[],
  { runTogether }: JobSteps,
  services: Services,
): Promise<Job[]> {
  if (runTogether === undefined || jobs.length < 2) return jobs;
  try {
    const jobOutcomes = await inTransaction(services.db, async (transaction) => {
      const outcomes = await runTogether(jobs, transaction, services);
      await finishOrPostponeJobs(outcomes, transaction);
      return outcomes;
    });
    return jobs.filter((job) => !jobOutcomes.has(job));
  } catch (error) {
    // Each is tried alone next, which shows the faulty one. If none fails, this line is the only trace.
    services.log.warn('jobs failed together, retrying one by one', {
      kind: jobs[0]?.kind,
      jobs: jobs.length,
      ...describeError(error),
    });
    return jobs;
  }
}

async function attemptJob(job: Job, { step }: JobSteps, services: Services): Promise<void> {
  const { db, now, log } = services;
  try {
    await inTransaction(db, async (transaction) =>
      finishOrPostponeJobs(new Map([[job, await step(job, transaction, services)]]), transaction),
    );
  } catch (error) {
    const fault = databaseFault(error);
    // A recipient was deleted since the look-up.
    if (fault === 'missing-reference' && job.attempts < 3) return postponeJob(job, now(), db);
    log.error('job failed, retrying', {
      kind: job.kind,
      subject: job.subject,
      fault: fault ?? 'unexpected',
      ...describeError(error),
    });
    await postponeJob(job, now() + backoff(job.attempts), db);
  }
}

/** Works through all pieces, `count` at a time. */
async function runInParallel<Piece>(
  count: number,
  pieces: readonly Piece[],
  work: (piece: Piece) => Promise<void>,
): Promise<void> {
  const waitingPieces = [...pieces];
  const runNext = async () => {
    for (let piece = waitingPieces.shift(); piece !== undefined; piece = waitingPieces.shift()) {
      await work(piece);
      // The embedded engine blocks during a step, so others get a turn between two.
      await yieldToEventLoop();
    }
  };
  await Promise.all(Array.from({ length: count }, runNext));
}
