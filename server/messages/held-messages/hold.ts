/** Holds an `info` message for people in quiet hours. */
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import { QUIET_JOB } from '../../db/jobs/kinds';
import { addJobs } from '../../db/jobs/jobs';
import { isOnPostgres } from '../../db/lock';
import type { Tables } from '../../db/schema';
import { findQuietHoursEnds } from '../../quiet-hours/hours';
import type { AudienceMember } from '../../subscriptions/audience';

/** A member of the audience, as written to the ledger. */
export interface LedgerMember extends Omit<AudienceMember, 'state'> {
  state: AudienceMember['state'] | 'held';
}

/** Callers have locked the inboxes (`quiet-hours/hours.ts`). */
export async function holdForQuietHours(
  members: readonly AudienceMember[],
  transaction: Transaction<Tables>,
  now: number,
): Promise<LedgerMember[]> {
  const pendingIds = members.flatMap(({ userId, state }) => (state === 'pending' ? userId : []));
  const quietHoursEnds = await findQuietHoursEnds(pendingIds, transaction, now);
  const sortedEnds = [...quietHoursEnds].sort(([one], [other]) => one - other);
  const jobs = sortedEnds.map(([userId, dueAt]) => ({ subject: String(userId), dueAt }));
  await addJobs(QUIET_JOB, jobs, transaction, now);
  return members.map((member) =>
    quietHoursEnds.has(member.userId) ? { ...member, devices: [], state: 'held' } : member,
  );
}

/** The batches are small, so that other writers do not wait long. */
const RECIPIENTS_PER_BATCH = 500;

/**
 * Withdraws a canceled message from a batch of people.
 * @returns how many: call until 0
 */
export async function withdrawHeldMessage(
  messageId: string,
  transaction: Transaction<Tables>,
): Promise<number> {
  const lock = isOnPostgres(transaction) ? sql`for no key update` : sql``;
  const { numAffectedRows } =
    await sql`update recipients set state = 'failed' where (user_id, seq) in
    (select user_id, seq from recipients where message_id = ${messageId} and state = 'held'
      order by user_id limit ${sql.lit(RECIPIENTS_PER_BATCH)} ${lock})`.execute(transaction);
  return Number(numAffectedRows ?? 0);
}
