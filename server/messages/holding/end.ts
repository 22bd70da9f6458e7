/**
 * The end of people's quiet hours: what waited rings, once, and all that does not ring is dealt
 * with. Some people are one transaction, which takes the rows of the ledger that are `held`: a
 * process that dies changes nothing, and a second one finds nothing that is.
 */
import { QUIET_JOB } from '../../db/jobs/kinds';
import { claimJobs, finishJobs, postponeJob } from '../../db/jobs/jobs';
import type { Job } from '../../db/jobs/jobs';
import { inTransaction } from '../../db/transaction';
import { backoff } from '../../delivery/queue/backoff';
import { nextTurn } from '../../delivery/queue/sleep';
import { describeError } from '../../lib/log';
import { findQuiet } from '../../quiet-hours/hours';
import type { Services } from '../../services';
import type { Turn } from '../../turns';
import { inBatches } from './batches';
import { countHeld, ringHeld } from './ring';

/** Far longer than a batch takes; what a dead process held is taken up so soon. */
const LEASE_MILLISECONDS = 10_000;
/** So many people at once: most quiet hours end at the same time, and nobody else waits long. */
const BATCH = 100;

/** Some people whose quiet hours are over. */
export const quietEnds: Turn = {
  kinds: [QUIET_JOB],
  async take(services) {
    const { db, config, now } = services;
    const jobs = await claimJobs(db, config.databaseUrl === undefined ? 'sqlite' : 'postgres', {
      kinds: [QUIET_JOB],
      now: now(),
      lease: LEASE_MILLISECONDS,
      limit: BATCH,
    });
    if (jobs.length === 0) return false;
    // As whoever writes a message for several of them takes these jobs.
    jobs.sort((one, other) => userOf(one) - userOf(other));
    const held = await countHeld(jobs.map(userOf), db);
    for (const batch of inBatches(jobs, (job) => held.get(userOf(job)) ?? 0)) {
      await attempt(batch, services);
      // On the embedded engine a batch is one piece of work: between two, all else is served.
      await nextTurn();
    }
    services.wake();
    return true;
  },
};

/** Where a batch fails, each is tried by itself: nobody waits for what is wrong with another. */
async function attempt(jobs: readonly Job[], services: Services): Promise<void> {
  try {
    await end(jobs, services);
  } catch (error) {
    const [job, another] = jobs;
    if (job === undefined) return;
    if (another !== undefined) {
      for (const each of jobs) await attempt([each], services);
      return;
    }
    const { db, now, log } = services;
    log.error('what waited for the end of quiet hours could not be sent', {
      user: Number(job.subject),
      ...describeError(error),
    });
    await postponeJob(job, now() + backoff(job.attempts), db);
  }
}

const userOf = ({ subject }: Job): number => Number(subject);

async function end(jobs: readonly Job[], { db, now }: Services): Promise<void> {
  await inTransaction(db, async (transaction) => {
    const at = now();
    const quiet = await findQuiet(jobs.map(userOf), transaction, at);
    const over = jobs.filter((job) => !quiet.has(userOf(job)));
    await ringHeld(over.map(userOf), transaction, at);
    await finishJobs(over, transaction);
    // Their hours are others by now, or this clock is behind that of who asked.
    for (const job of jobs) {
      const until = quiet.get(userOf(job));
      if (until !== undefined) await postponeJob(job, until, transaction);
    }
  });
}
