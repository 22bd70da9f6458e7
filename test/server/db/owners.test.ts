import { sql } from 'kysely';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { migrate } from '../../../server/db/migrate';
import { openDatabase } from '../../../server/db/open';
import { makeEmptyDatabase } from '../../support/database/database';
import type { TestDatabase } from '../../support/database/database';

const test = suite('whose a row is');
let database: TestDatabase;
test.before.each(async () => {
  database = await makeEmptyDatabase();
});
test.after.each(() => database.drop());

/** Whose is known by the message, the topic or the account, of which there are few; or nobody's. */
const WITHOUT = [
  'alerts',
  'audit_entries',
  'audit_repeats',
  'jobs',
  'message_topics',
  'messages',
  'policies',
  'push_services',
  'rate_limits',
  'settings',
  'step_outcomes',
  'templates',
  'topic_keys',
  'topics',
  'users',
  'webhook_calls',
  'webhooks',
];

test('every table that grows with people names its person', async () => {
  await migrate(database.config);
  const { db, close } = openDatabase(database.config);
  const tables = await db.introspection.getTables();
  await close();
  const without = tables.filter(
    ({ name, columns }) =>
      !/^(kysely|sqlite)_/.test(name) && !columns.some((column) => column.name === 'user_id'),
  );
  assert.equal(without.map(({ name }) => name).sort(), WITHOUT);
});

test('what is known of a device names its person', async () => {
  await migrate(database.config);
  const { db, close } = openDatabase(database.config);
  await sql`insert into users (id, username, username_key, role, status, created_at)
    values (71, 'ann', 'ann', 'TECHNICIAN', 'ACTIVE', 0), (72, 'ben', 'ben', 'TECHNICIAN', 'ACTIVE', 0)`.execute(
    db,
  );
  await sql`insert into topics (id, title, description, created_at, updated_at)
    values (1, 'Outages', 'What is down', 0, 0)`.execute(db);
  const add = async (device: number, user: number): Promise<void> => {
    await sql`insert into devices (id, user_id, token, token_hash, type, user_agent, created_at, last_seen_at)
      values (${device}, ${user}, ${`t${device}`}, ${`t${device}`}, 'web', '', 0, 0)`.execute(db);
    await sql`insert into device_reach (device_id) values (${device})`.execute(db);
    await sql`insert into device_preferences (device_id, topic_id, enabled)
      values (${device}, 1, 0)`.execute(db);
  };
  await add(1, 71);
  await add(2, 72);
  for (const table of ['device_reach', 'device_preferences']) {
    const { rows } = await sql<{ user_id: number }>`select user_id from ${sql.table(table)}
      order by device_id`.execute(db);
    assert.equal(
      rows.map(({ user_id }) => user_id),
      [71, 72],
      table,
    );
  }
  await close();
});

test.run();
