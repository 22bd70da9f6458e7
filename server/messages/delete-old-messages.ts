import { sql } from 'kysely';
import { MESSAGE_JOBS, MESSAGE_MAIL_JOB, ESCALATION_JOB } from '../db/jobs/kinds';
import { dropJobs } from '../db/jobs/jobs';
import type { Database } from '../db/open';
import { inTransaction } from '../db/transaction';
import { runInBatches } from '../lib/loop';
import { DAY_MS } from '../lib/durations';

/** Small batches, so that other writers do not wait long. */
const ROWS_PER_DELETION = 1000;

/** Removes messages after a number of days, unless they are still valid. Safe in several processes. */
export async function deleteOldMessages(
  db: Database,
  now: number,
  stopping: AbortSignal,
  days: number,
): Promise<void> {
  const deletedBefore = now - days * DAY_MS;
  while (!stopping.aborted) {
    const oldId = await findOld(deletedBefore, db, now);
    if (oldId === undefined) return;
    await runInBatches(() => removeSome(oldId, db), stopping);
  }
}

export async function deleteOldDigests(
  db: Database,
  now: number,
  stopping: AbortSignal,
): Promise<void> {
  await runInBatches(async () => {
    const { numAffectedRows } = await sql`delete from messages where id in
      (select id from messages where kind = 'digest' and created_at < ${now - DAY_MS} and retired = 1
        order by created_at limit ${sql.lit(ROWS_PER_DELETION)})`.execute(db);
    return Number(numAffectedRows ?? 0) === ROWS_PER_DELETION;
  }, stopping);
}

async function findOld(before: number, db: Database, now: number): Promise<string | undefined> {
  const oldMessage = await db
    .selectFrom('messages')
    .select('id')
    .where('created_at', '<', before)
    // Scheduled messages were written long before they were sent.
    .where(({ fn, ref }) => fn.coalesce(ref('send_at'), ref('created_at')), '<', before)
    .where('expires_at', '<', now)
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return oldMessage?.id;
}

/** Tables with very many rows of one message, and their keys. The rest goes by cascade. */
const LARGE_TABLES = [
  ['recipients', sql.raw('user_id, seq')],
  ['deliveries', sql.raw('id')],
  ['tests', sql.raw('id')],
] as const;

async function removeSome(messageId: string, db: Database): Promise<boolean> {
  for (const [table, keys] of LARGE_TABLES) {
    const { numAffectedRows } = await sql`delete from ${sql.table(table)} where (${keys}) in
      (select ${keys} from ${sql.table(table)} where message_id = ${messageId} limit ${sql.lit(ROWS_PER_DELETION)})`.execute(
      db,
    );
    if (Number(numAffectedRows ?? 0) === ROWS_PER_DELETION) return true;
  }
  await inTransaction(db, async (transaction) => {
    await transaction.deleteFrom('messages').where('id', '=', messageId).execute();
    // An unresolved alert is kept, or the next report of it would notify people again.
    await transaction
      .deleteFrom('alerts')
      .where('message_id', '=', messageId)
      .where('resolved_at', 'is not', null)
      .execute();
    await dropJobs([...MESSAGE_JOBS, ESCALATION_JOB], messageId, transaction);
    await transaction
      .deleteFrom('jobs')
      .where('kind', '=', MESSAGE_MAIL_JOB)
      .where('subject', 'like', `% ${messageId} %`)
      .execute();
  });
  return false;
}
