/**
 * The end of people's quiet hours: what waited rings, once, and all that does not ring is dealt
 * with. Some people are one transaction, which takes the rows of the ledger that are `held`: a
 * process that dies changes nothing, and a second one finds nothing that is.
 */
import type { Transaction } from 'kysely';
import { QUIET_JOB } from '../../db/jobs/kinds';
import type { Job } from '../../db/jobs/jobs';
import type { Tables } from '../../db/schema';
import type { JobOutcomes, JobSteps } from '../../jobs/job-steps';
import { findQuiet } from '../../quiet-hours/hours';
import type { Services } from '../../services';
import { countHeld, ringHeld } from './ring';

/** Some people whose quiet hours are over. */
export const quietEndSteps: JobSteps = {
  kinds: [QUIET_JOB],
  // Most quiet hours end at the same time, and nobody else waits long.
  limit: 100,
  failure: 'what waited for the end of quiet hours could not be sent',
  async inGroups(jobs, { db }) {
    // As whoever writes a message for several of them takes these jobs.
    const inOrder = [...jobs].sort((one, other) => userOf(one) - userOf(other));
    const held = await countHeld(inOrder.map(userOf), db);
    return inBatches(inOrder, (job) => held.get(userOf(job)) ?? 0);
  },
  together: endQuiet,
  step: async (job, transaction, services) =>
    (await endQuiet([job], transaction, services)).get(job),
};

const userOf = ({ subject }: Job): number => Number(subject);

async function endQuiet(
  jobs: readonly Job[],
  transaction: Transaction<Tables>,
  { now }: Services,
): Promise<JobOutcomes> {
  const at = now();
  const quiet = await findQuiet(jobs.map(userOf), transaction, at);
  const over = jobs.map(userOf).filter((id) => !quiet.has(id));
  await ringHeld(over, transaction, at);
  // Where it is quiet, their hours are others by now, or this clock is behind that of who asked.
  return new Map(jobs.map((job) => [job, quiet.get(userOf(job))]));
}

/** So many messages at once, unless they are all one person's. */
const MAX_HELD = 1000;

/**
 * @param people in their order
 * @param heldFor how many messages wait for somebody
 * @returns the same in the same order, of whom no few have too many together
 */
function inBatches<Person>(
  people: readonly Person[],
  heldFor: (person: Person) => number,
): Person[][] {
  const batches: Person[][] = [];
  let room = 0;
  for (const person of people) {
    const held = heldFor(person);
    const batch = batches.at(-1);
    if (batch !== undefined && held <= room) batch.push(person);
    else {
      batches.push([person]);
      room = MAX_HELD;
    }
    room -= held;
  }
  return batches;
}
