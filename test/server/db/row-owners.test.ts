import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { migrate } from '../../../server/db/migrate';
import { openDatabase } from '../../../server/db/open';
import { createEmptyDatabase } from '../../support/database/database';
import type { TestDatabase } from '../../support/database/database';

const test = suite('owners of rows');
let database: TestDatabase;
test.before.each(async () => {
  database = await createEmptyDatabase();
});
test.after.each(() => database.drop());

/** Tables whose owner follows from a message, topic or account, or that have none. */
const TABLES_WITHOUT_OWNER = [
  'alerts',
  'audit_entries',
  'audit_repeats',
  'check_in_messages',
  'check_in_settings',
  'heartbeats',
  'insight_makes',
  'insight_part_makes',
  'insight_quarters',
  'insight_reach',
  'jobs',
  'message_topics',
  'messages',
  'policies',
  'push_services',
  'rate_limits',
  'settings',
  'step_outcomes',
  'team_topics',
  'teams',
  'templates',
  'topic_keys',
  'topic_sender_teams',
  'topics',
  'users',
  'webhook_calls',
  'webhooks',
];

test('names the person in every table that grows with people', async () => {
  await migrate(database.config);
  const { db, close } = openDatabase(database.config);
  const tables = await db.introspection.getTables();
  await close();
  const without = tables.filter(
    ({ name, columns }) =>
      !/^(kysely|sqlite)_/.test(name) && !columns.some((column) => column.name === 'user_id'),
  );
  assert.equal(without.map(({ name }) => name).sort(), TABLES_WITHOUT_OWNER);
});

test.run();
