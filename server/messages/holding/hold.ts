/** Lets an `info` message wait at those for whom it is quiet. */
import type { Transaction } from 'kysely';
import { QUIET_JOB, addJobs } from '../../db/jobs';
import type { Tables } from '../../db/schema';
import { findQuiet } from '../../quiet-hours/hours';
import type { Member } from '../../subscriptions/audience';

/** Somebody in the audience, as the ledger gets them. */
export interface Written extends Omit<Member, 'state'> {
  state: Member['state'] | 'held';
}

/**
 * Who would be rung at in their quiet hours is `held`, without any push, and a job tells them at the
 * end. To be called once their inboxes are taken (`quiet-hours/hours.ts`).
 */
export async function hold(
  members: readonly Member[],
  transaction: Transaction<Tables>,
  now: number,
): Promise<Written[]> {
  const rung = members.flatMap(({ userId, state }) => (state === 'pending' ? userId : []));
  const quiet = await findQuiet(rung, transaction, now);
  const ends = [...quiet].sort(([one], [other]) => one - other);
  const jobs = ends.map(([userId, dueAt]) => ({ subject: String(userId), dueAt }));
  await addJobs(QUIET_JOB, jobs, transaction, now);
  return members.map((member) =>
    quiet.has(member.userId) ? { ...member, devices: [], state: 'held' } : member,
  );
}
