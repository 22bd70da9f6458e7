/**
 * Entries of what strangers may do as often as they like: an entry cannot count up, so there is one
 * of the first time, and of the second, fourth, eighth… within an hour.
 */
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import type { Tables } from '../db/schema';
import { sha256 } from '../lib/sha256';
import { actAs, record } from './record';
import type { Author, Entry } from './record';

const HOUR = 60 * 60_000;
/** So many are told one by one in an hour, of all accounts and networks together. */
export const MOST_TOLD = 200;

/**
 * Records that somebody signed in: each account once, and then at doublings, for each network and
 * hour.
 */
export async function recordSignIn(
  userId: number,
  detail: string,
  author: Omit<Author, 'by'>,
  transaction: Transaction<Tables>,
): Promise<void> {
  const entry: Entry = { action: 'login', person: userId, detail };
  const times = await count(entry, author, transaction);
  if (!isPowerOfTwo(times)) return;
  actAs({ ...author, by: { person: userId } }, transaction);
  await record(withTimes(entry, times), transaction, { isCounted: true });
}

/**
 * Records that a sign-in failed. Under attack from many places at once they are told together, so
 * that no attack fills the disk.
 * @param userId the account; undefined where there is none of that name, which is kept nowhere:
 *   people type passwords there
 * @param detail such as `Wrong password`
 */
export async function recordFailure(
  userId: number | undefined,
  detail: string,
  author: Omit<Author, 'by'>,
  transaction: Transaction<Tables>,
): Promise<void> {
  const entry: Entry =
    userId === undefined
      ? { action: 'login.failed', on: 'no such account', detail }
      : { action: 'login.failed', person: userId, detail };
  actAs({ ...author, by: { name: 'unknown' } }, transaction);
  // In this order everywhere: the narrow before what all share.
  const times = await count(entry, author, transaction);
  const all = await count({ action: 'login.failed' }, { at: author.at }, transaction);
  if (all <= MOST_TOLD) {
    if (isPowerOfTwo(times)) await record(withTimes(entry, times), transaction);
  } else if (isPowerOfTwo(all)) {
    actAs({ by: { name: 'unknown' }, at: author.at }, transaction);
    const together = `${all} times within an hour, from all networks`;
    await record({ action: 'login.failed', on: 'many accounts', detail: together }, transaction);
  }
}

const isPowerOfTwo = (times: number): boolean => (times & (times - 1)) === 0;

const withTimes = (entry: Entry, times: number): Entry =>
  times === 1 ? entry : { ...entry, detail: `${entry.detail}, ${times} times within an hour` };

/**
 * Counts one more within the hour, in a row of the rate limits. @returns the how manieth it is
 */
async function count(
  { action, person, on = '' }: Entry,
  { network = '', at }: Omit<Author, 'by'>,
  transaction: Transaction<Tables>,
): Promise<number> {
  // One that ends later was counted by a clock that has been set back since.
  const isOver = sql`rate_limits.ends_at <= ${at} or rate_limits.ends_at > ${at + HOUR}`;
  const row = await transaction
    .insertInto('rate_limits')
    .values({
      key: sha256(JSON.stringify(['audit', action, person ?? on, network])),
      count: 1,
      ends_at: at + HOUR,
    })
    .onConflict((known) =>
      known.column('key').doUpdateSet({
        count: sql<number>`case when ${isOver} then 1 else rate_limits.count + 1 end`,
        ends_at: sql<number>`case when ${isOver} then excluded.ends_at else rate_limits.ends_at end`,
      }),
    )
    .returning('count')
    .executeTakeFirstOrThrow();
  return row.count;
}
