/** Entries of what people did so often that it was only counted. */
import type { Transaction } from 'kysely';
import type { AuditAction } from '../../src/shared/audit-actions';
import { takenAlone } from '../db/lock';
import type { Database } from '../db/open';
import type { Tables } from '../db/schema';
import { inTransaction } from '../db/transaction';
import { inSteps } from '../lib/in-steps';
import { HOUR } from './often';
import { actAs, record } from './record';

/** Tells of what was only counted for an hour. Several processes may do so at once. */
export function tellRepeats(db: Database, now: number, stopping: AbortSignal): Promise<void> {
  return inSteps(async () => {
    const waiting = await db
      .selectFrom('audit_repeats')
      .select('key')
      .where('untold_since', '<=', now - HOUR)
      .limit(100)
      .execute();
    for (const { key } of waiting)
      await inTransaction(db, (transaction) => tellOne(key, transaction, now));
    return waiting.length > 0;
  }, stopping);
}

async function tellOne(key: string, transaction: Transaction<Tables>, now: number): Promise<void> {
  const counted = transaction.selectFrom('audit_repeats').selectAll().where('key', '=', key);
  const row = await takenAlone(counted, transaction).executeTakeFirst();
  if (row?.untold_since == null) return;
  const { actor_id, action, network, target_id, target, detail, untold, untold_since } = row;
  await transaction
    .updateTable('audit_repeats')
    .set({ untold: 0, untold_since: null })
    .where('key', '=', key)
    .execute();
  actAs({ by: { person: actor_id }, ...(network !== null && { network }), at: now }, transaction);
  const times = `×${untold} from ${new Date(untold_since).toISOString().slice(0, 16)}Z`;
  const entry = {
    action: action as AuditAction,
    person: target_id ?? undefined,
    on: target,
    detail: detail === '' ? times : `${detail}, ${times}`,
  };
  await record(entry, transaction, { isCounted: true });
}
