/** A transaction takes the ledger's `held` rows of some people, so a crash changes nothing. */
import type { Transaction } from 'kysely';
import { QUIET_JOB } from '../../db/jobs/kinds';
import type { Job } from '../../db/jobs/jobs';
import type { Tables } from '../../db/schema';
import type { JobOutcomes, JobSteps } from '../../jobs/job-steps';
import { findQuietHoursEnds } from '../../quiet-hours/hours';
import type { Services } from '../../services';
import { countHeld, sendHeld } from './send-held';

export const quietEndSteps: JobSteps = {
  kinds: [QUIET_JOB],
  // Most quiet hours end at the same time, so one step handles many people.
  limit: 100,
  async groupJobs(jobs, { db }) {
    // A message to several people locks these jobs in this order, too.
    const inOrder = [...jobs].sort((one, other) => jobUserId(one) - jobUserId(other));
    const heldCounts = await countHeld(inOrder.map(jobUserId), db);
    return inBatches(inOrder, (job) => heldCounts.get(jobUserId(job)) ?? 0);
  },
  runTogether: sendHeldAfterQuietHours,
  step: async (job, transaction, services) =>
    (await sendHeldAfterQuietHours([job], transaction, services)).get(job),
};

const jobUserId = ({ subject }: Job): number => Number(subject);

async function sendHeldAfterQuietHours(
  jobs: readonly Job[],
  transaction: Transaction<Tables>,
  { config, now }: Services,
): Promise<JobOutcomes> {
  const at = now();
  const quietUntil = await findQuietHoursEnds(jobs.map(jobUserId), transaction, at);
  const awakeIds = jobs.map(jobUserId).filter((id) => !quietUntil.has(id));
  await sendHeld(awakeIds, config, transaction, at);
  // Some people are still quiet: their hours have changed, or clocks differ.
  return new Map(jobs.map((job) => [job, quietUntil.get(jobUserId(job))]));
}

const MAX_HELD_MESSAGES = 1000;

function inBatches<Person>(
  people: readonly Person[],
  heldFor: (person: Person) => number,
): Person[][] {
  const batches: Person[][] = [];
  let freePlaces = 0;
  for (const person of people) {
    const heldCount = heldFor(person);
    const batch = batches.at(-1);
    if (batch !== undefined && heldCount <= freePlaces) batch.push(person);
    else {
      batches.push([person]);
      freePlaces = MAX_HELD_MESSAGES;
    }
    freePlaces -= heldCount;
  }
  return batches;
}
