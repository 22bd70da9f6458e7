/** The newest tests of each device stay, to show when it was last tested. */
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { isOnPostgres } from '../db/lock';
import type { Database } from '../db/open';
import { jsonTableOfList } from '../db/json-table';

const TEST_RETENTION_MS = 30 * 24 * 60 * 60 * 1000;
const KEPT_TESTS_PER_DEVICE = 3;
/** Small batches, so that other writers do not wait long. */
const TESTS_PER_DELETION = 500;
const BATCH_PAUSE_MS = 20;

/** Several processes may run this at once. */
export async function deleteOldTests(
  db: Database,
  now: number,
  stopSignal: AbortSignal,
): Promise<void> {
  let lastRound: OldTestRound | undefined;
  while (!stopSignal.aborted) {
    const rounds = await findOld(now - TEST_RETENTION_MS, lastRound, db);
    if (rounds.length === 0) return;
    while ((await removeTests(rounds, db)) === TESTS_PER_DELETION && !stopSignal.aborted)
      await wait(BATCH_PAUSE_MS);
    await removeRounds(rounds, db);
    lastRound = rounds.at(-1);
    await wait(BATCH_PAUSE_MS);
  }
}

interface OldTestRound {
  id: string;
  created_at: number;
}

function findOld(
  createdBefore: number,
  afterRound: OldTestRound | undefined,
  db: Database,
): Promise<OldTestRound[]> {
  return db
    .selectFrom('messages')
    .select(['id', 'created_at'])
    .where('kind', '=', 'test')
    .where('created_at', '<', createdBefore)
    .$if(afterRound !== undefined, (query) =>
      query.where(({ eb, refTuple, tuple }) =>
        eb(
          refTuple('created_at', 'id'),
          '>',
          tuple(afterRound?.created_at ?? 0, afterRound?.id ?? ''),
        ),
      ),
    )
    .orderBy('created_at')
    .orderBy('id')
    .limit(TESTS_PER_DELETION)
    .execute();
}

const selectTestIds = (rounds: readonly OldTestRound[]) =>
  sql`(select value->>0 from ${jsonTableOfList(rounds.map(({ id }) => [id]))})`;

async function removeTests(rounds: readonly OldTestRound[], db: Database): Promise<number> {
  const lock = isOnPostgres(db) ? sql`for update of old skip locked` : sql``;
  const { numAffectedRows } =
    await sql`delete from tests where id in (select old.id from tests as old
    where old.message_id in ${selectTestIds(rounds)} and (not exists (select 1 from devices where devices.id = old.device_id)
      or (select count(*) from (select 1 from tests as newer where newer.device_id = old.device_id
        and newer.created_at > old.created_at limit ${sql.lit(KEPT_TESTS_PER_DEVICE)}) as newest) = ${sql.lit(KEPT_TESTS_PER_DEVICE)})
    limit ${sql.lit(TESTS_PER_DELETION)} ${lock})`.execute(db);
  return Number(numAffectedRows ?? 0);
}

async function removeRounds(rounds: readonly OldTestRound[], db: Database): Promise<void> {
  await sql`delete from messages where id in ${selectTestIds(rounds)} and retired = 1
    and not exists (select 1 from tests where tests.message_id = messages.id)`.execute(db);
}
