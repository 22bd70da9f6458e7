/**
 * How long others wait while a month of old rows is deleted, and how long that takes.
 * `npm run bench -- delete-old-messages --rows 10000000 --sqlite 1000000`
 */
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { deleteOldEntries } from '../../server/audit-log/delete-old-entries';
import { migrate } from '../../server/db/migrate';
import { openDatabase } from '../../server/db/open';
import type { Database, DatabaseConfig } from '../../server/db/open';
import { deleteOldDeliveries } from '../../server/messages/delete-old-deliveries';
import { deleteOldMessages } from '../../server/messages/delete-old-messages';
import { startPostgres } from '../support/processes/postgres.mjs';
import { readOption, createReporter } from './measure';

const ROW_COUNT = readOption('rows', 1_000_000);
const SQLITE_ROWS = readOption('sqlite', Math.min(ROW_COUNT, 1_000_000));
const ROWS_PER_MESSAGE = 10_000;
const DAY_MS = 86_400_000;
/** Milliseconds. */
const MAX_STATEMENT_MS = 1000;

const report = createReporter();
const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'fieldbell-bench-'));
const postgres = await startPostgres();
try {
  await measureOn('SQLite', SQLITE_ROWS, { dataDir: folder });
  const databaseUrl = await postgres.createDatabase('prune');
  await measureOn('PostgreSQL', ROW_COUNT, { dataDir: folder, databaseUrl });
} finally {
  await postgres.stop();
  await fs.rm(folder, { recursive: true, force: true });
}

async function measureOn(engine: string, rows: number, config: DatabaseConfig): Promise<void> {
  console.log(`delete-old-messages: a month of ${rows} rows in each table, on ${engine}`);
  await migrate(config);
  const filling = openDatabase({ ...config, statementLimit: 0 });
  await fill(filling.db, rows);
  await filling.close();
  const { db, close } = openDatabase(config);
  const beside = openDatabase(config);
  const { signal } = new AbortController();
  const now = 400 * DAY_MS;
  try {
    for (const [table, deleteOld] of [
      ['deliveries', () => deleteOldDeliveries(db, now, signal)],
      ['recipients', () => deleteOldMessages(db, now, signal, 365)],
      ['audit_entries', () => deleteOldEntries(db, now, 365, signal)],
    ] as const) {
      const startedAt = performance.now();
      const longest = await longestWait(beside.db, deleteOld);
      const seconds = (performance.now() - startedAt) / 1000;
      const remainingCount = await countRows(db, table);
      console.log(`  ${table}: ${seconds.toFixed(1)} s, ${remainingCount} rows are left`);
      report.atMost('  the longest that another write waited, ms', longest, MAX_STATEMENT_MS);
    }
  } finally {
    await beside.close();
    await close();
  }
}

/** Writes to all tables while the work is done. */
async function longestWait(db: Database, work: () => Promise<void>): Promise<number> {
  let isDone = false;
  let longest = 0;
  const writing = (async () => {
    for (let nth = 0; !isDone; nth += 1) {
      const due = performance.now() + 20;
      await wait(20);
      await sql`insert into audit_entries (at, action, actor, target, detail, search_key)
        values (${400 * DAY_MS}, 'probe', '', '', '', '')`.execute(db);
      await sql`update messages set people = people + 1 where id = 'kept'`.execute(db);
      await sql`insert into recipients (message_id, user_id, seq, state) values ('kept', ${-1 - nth}, 1, 'accepted')
        on conflict do nothing`.execute(db);
      longest = Math.max(longest, performance.now() - due);
    }
  })();
  await work();
  isDone = true;
  await writing;
  return longest;
}

async function countRows(db: Database, table: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}
    ${table === 'audit_entries' ? sql`where action <> 'probe'` : sql`where message_id <> 'kept'`}`.execute(
    db,
  );
  return Number(rows[0]?.n);
}

async function fill(db: Database, rows: number): Promise<void> {
  const series = (most: number) =>
    sql`(with recursive n(i) as (select 0 union all select i + 1 from n where i < ${sql.lit(most - 1)}) select i from n) as n`;
  const messageId = sql`'message ' || (i / ${sql.lit(ROWS_PER_MESSAGE)})`;
  const person = sql`1 + i % ${sql.lit(ROWS_PER_MESSAGE)}`;
  const at = sql`cast(i as bigint) * ${sql.lit(30 * DAY_MS)} / ${sql.lit(rows)}`;
  for (const statement of [
    sql`insert into messages (id, topic_title, text, created_at, expires_at, people)
      select 'message ' || i, '', '', i, i + 1, ${sql.lit(ROWS_PER_MESSAGE)} from ${series(Math.ceil(rows / ROWS_PER_MESSAGE))}`,
    sql`insert into messages (id, topic_title, text, created_at, expires_at) values ('kept', '', '', ${sql.lit(400 * DAY_MS)}, ${sql.lit(500 * DAY_MS)})`,
    sql`insert into recipients (message_id, user_id, seq, state, devices)
      select ${messageId}, ${person}, 1 + i / ${sql.lit(ROWS_PER_MESSAGE)}, 'accepted', 1 from ${series(rows)}`,
    sql`insert into deliveries (message_id, user_id, device_id, device_type, state, due_at, updated_at, created_at)
      select ${messageId}, ${person}, ${person}, 'web', 'accepted', 0, 0, 0 from ${series(rows)}`,
    sql`insert into audit_entries (at, action, actor, target, detail, search_key)
      select ${at}, 'login', '', '', '', 'login' from ${series(rows)}`,
    sql`analyze`,
  ])
    await statement.execute(db);
}
