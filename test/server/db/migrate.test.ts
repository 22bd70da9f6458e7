import { Migrator } from 'kysely';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Step, migrate, steps } from '../../../server/db/migrate';
import { openDatabase } from '../../../server/db/open';
import { makeEmptyDatabase } from '../../support/database/database';
import type { TestDatabase } from '../../support/database/database';

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

/** One that this version does not know. */
const later: Step = (db) => db.schema.createTable('later').addColumn('id', 'integer').execute();
const withLater = { ...steps, '999-later': later };

test('a database that a later version brought up to date is left as it is, and that goes on with it', async () => {
  await migrate(database.config, withLater);
  await migrate(database.config);
  assert.ok((await listTables()).includes('later'));
  await migrate(database.config, withLater);
  await migrate(database.config, { ...withLater, '999-later-still': later }).then(
    () => assert.unreachable('it takes what is new, and that table is there already'),
    () => undefined,
  );
});

test('steps after 020 are noted where versions until then do not look, which refuse what they do not know', async () => {
  await migrate(database.config, withLater);
  const known = Object.keys(steps).filter((name) => name < '021');
  const migrations = Object.fromEntries(known.map((name) => [name, { up: async () => {} }]));
  const { db, close } = openDatabase(database.config);
  const { error, results } = await new Migrator({
    db,
    provider: { getMigrations: async () => migrations },
  }).migrateToLatest();
  await close();
  assert.equal([error, results], [undefined, []]);
});

test('a step that is missing among those that were taken stops the start', async () => {
  const nothing: Step = async () => {};
  await migrate(database.config, { '001-one': nothing, '003-three': nothing });
  const all = { '001-one': nothing, '002-two': nothing, '003-three': nothing };
  await migrate(database.config, all).then(
    () => assert.unreachable(),
    (error: Error) => assert.match(error.message, /002-two is missing before 003-three/),
  );
});

test.run();
