/** Ends the history: messages that left long ago go, with their recipients. */
import { sql } from 'kysely';
import type { Database } from '../db/open';
import { inSteps } from '../lib/in-steps';

const DAY = 24 * 60 * 60 * 1000;
/** Longer than a year, so that what happens each year can be compared; and longer than any lives. */
const KEPT_MILLISECONDS = 400 * DAY;
/** Few enough that nobody who wants to write has to wait long. */
const BATCH = 1000;

/**
 * Goes on until there is nothing to remove, or until it is told to stop. Several processes may do so
 * at once.
 */
export async function sweepMessages(
  db: Database,
  now: number,
  stopping: AbortSignal,
): Promise<void> {
  const before = now - KEPT_MILLISECONDS;
  while (!stopping.aborted) {
    const old = await findOld(before, db);
    if (old === undefined) return;
    await inSteps(() => removeSome(old, db), stopping);
  }
}

/** Digests of which the outbox keeps nothing any more: nobody reports of them, or finds them. */
export async function sweepDigests(
  db: Database,
  now: number,
  stopping: AbortSignal,
): Promise<void> {
  await inSteps(async () => {
    const { numAffectedRows } = await sql`delete from messages where id in
      (select id from messages where kind = 'digest' and created_at < ${now - DAY} and retired = 1
        order by created_at limit ${sql.lit(BATCH)})`.execute(db);
    return Number(numAffectedRows ?? 0) === BATCH;
  }, stopping);
}

async function findOld(before: number, db: Database): Promise<string | undefined> {
  const old = await db
    .selectFrom('messages')
    .select('id')
    .where('created_at', '<', before)
    // One that was written long before it left.
    .where(({ fn, ref }) => fn.coalesce(ref('send_at'), ref('created_at')), '<', before)
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return old?.id;
}

/** @returns whether there is more of this message */
async function removeSome(messageId: string, db: Database): Promise<boolean> {
  for (const [table, keys] of [
    ['recipients', sql.raw('user_id, seq')],
    ['deliveries', sql.raw('id')],
  ] as const) {
    const { numAffectedRows } = await sql`delete from ${sql.table(table)} where (${keys}) in
      (select ${keys} from ${sql.table(table)} where message_id = ${messageId} limit ${sql.lit(BATCH)})`.execute(
      db,
    );
    if (Number(numAffectedRows ?? 0) === BATCH) return true;
  }
  await db.deleteFrom('messages').where('id', '=', messageId).execute();
  return false;
}
