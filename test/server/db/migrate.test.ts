import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { migrate } from '../../../server/db/migrate';
import { openDatabase } from '../../../server/db/open';
import { makeEmptyDatabase } from '../../support/server/database';
import type { TestDatabase } from '../../support/server/database';

const test = suite('migrations');
let database: TestDatabase;
test.before.each(async () => {
  database = await makeEmptyDatabase();
});
test.after.each(() => database.drop());

async function listTables(): Promise<string[]> {
  const { db, close } = openDatabase(database.config);
  const tables = await db.introspection.getTables();
  await close();
  return tables.map(({ name }) => name);
}

test('migrations run once, even when several processes start together', async () => {
  const together = () => Promise.all(Array.from({ length: 4 }, () => migrate(database.config)));
  await together();
  const tables = await listTables();
  for (const table of ['users', 'deliveries', 'rate_limits'])
    assert.ok(tables.includes(table), table);
  await together();
});

test('migrations take as long as they need, whatever limit there is for statements', async () => {
  await migrate({ ...database.config, statementLimit: 1 });
  assert.ok((await listTables()).includes('users'));
});

test.run();
