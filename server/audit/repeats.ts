/** Sign-ins get an entry for the first, second, fourth … time within an hour. */
import type { Transaction } from 'kysely';
import type { AuditAction } from '../../src/shared/audit-actions';
import type { Database } from '../db/open';
import type { Tables } from '../db/schema';
import { inTransaction } from '../db/transaction';
import { countedNoun } from '../lib/counted-noun';
import { runInBatches } from '../lib/loop';
import { sha256 } from '../lib/sha256';
import { AUDIT_HOUR_MS, countWithinHour } from './counts';
import { actAs, recordAudit } from './record-audit';
import type { AuditAuthor, NewEntry } from './record-audit';

export const MAX_FAILURE_ENTRIES = 200;

/** Records a sign-in, at the first and each doubled count per account, network and hour. */
export async function recordSignIn(
  userId: number,
  detail: string,
  author: Omit<AuditAuthor, 'by'>,
  transaction: Transaction<Tables>,
): Promise<void> {
  const entry: NewEntry = { action: 'login', person: userId, detail };
  const times = await countEntry(entry, author, transaction);
  if (!isPowerOfTwo(times)) return;
  actAs({ ...author, by: { person: userId } }, transaction);
  await recordAudit(withTimes(entry, times), transaction, { isCounted: true });
}

/** Under attack, networks share entries, which bounds the log. A typed name is never stored. */
export async function recordFailure(
  userId: number | undefined,
  detail: string,
  author: Omit<AuditAuthor, 'by'>,
  transaction: Transaction<Tables>,
): Promise<void> {
  const entry: NewEntry =
    userId === undefined
      ? { action: 'login.failed', on: 'unknown account', detail }
      : { action: 'login.failed', person: userId, detail };
  actAs({ ...author, by: { name: 'unknown' } }, transaction);
  // All calls count in this order, the narrow row before the shared row, to avoid deadlocks.
  const times = await countEntry(entry, author, transaction);
  const total = await countEntry({ action: 'login.failed' }, { at: author.at }, transaction);
  if (total <= MAX_FAILURE_ENTRIES) {
    if (isPowerOfTwo(times)) await recordAudit(withTimes(entry, times), transaction);
  } else if (isPowerOfTwo(total)) {
    actAs({ by: { name: 'unknown' }, at: author.at }, transaction);
    const totalText = `${total} times within an hour, across all networks`;
    await recordAudit(
      { action: 'login.failed', on: 'many accounts', detail: totalText },
      transaction,
    );
  }
}

const isPowerOfTwo = (times: number): boolean => (times & (times - 1)) === 0;

const withTimes = (entry: NewEntry, times: number): NewEntry =>
  times === 1 ? entry : { ...entry, detail: `${entry.detail}, ${times} times within an hour` };

const countEntry = (
  { action, person, on = '' }: NewEntry,
  { network = '', at }: Omit<AuditAuthor, 'by'>,
  transaction: Transaction<Tables>,
): Promise<number> =>
  countWithinHour(
    sha256(JSON.stringify(['audit', action, person ?? on, network])),
    at,
    transaction,
  );

/** Records repeated actions that were only counted for an hour. Safe in several processes. */
export function recordRepeats(db: Database, now: number, stopSignal: AbortSignal): Promise<void> {
  return runInBatches(async () => {
    const dueRepeats = await db
      .selectFrom('audit_repeats')
      .select('key')
      .where('untold_since', '<=', now - AUDIT_HOUR_MS)
      .limit(100)
      .execute();
    for (const { key } of dueRepeats)
      await inTransaction(db, (transaction) => recordRepeat(key, transaction, now));
    return dueRepeats.length > 0;
  }, stopSignal);
}

async function recordRepeat(
  key: string,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  const row = await transaction
    .deleteFrom('audit_repeats')
    .where('key', '=', key)
    .where('untold_since', '<=', now - AUDIT_HOUR_MS)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return;
  const {
    actor_id,
    action,
    network,
    target_id,
    target,
    detail,
    untold: unrecordedCount,
    untold_since: since,
  } = row;
  actAs({ by: { person: actor_id }, ...(network !== null && { network }), at: now }, transaction);
  const minute = new Date(since).toISOString().slice(0, 16).replace('T', ' ');
  const times = `${countedNoun(unrecordedCount, 'more time')} since ${minute} UTC`;
  const entry = {
    action: action as AuditAction,
    person: target_id ?? undefined,
    on: target,
    detail: detail === '' ? times : `${detail}, ${times}`,
  };
  await recordAudit(entry, transaction, { isCounted: true });
}
