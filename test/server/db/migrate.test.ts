import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { migrate, migrations } from '../../../server/db/migrate';
import { openDatabase } from '../../../server/db/open';
import { createEmptyDatabase } from '../../support/database/database';
import type { TestDatabase } from '../../support/database/database';

const test = suite('migrations');
let database: TestDatabase;
test.before.each(async () => {
  database = await createEmptyDatabase();
});
test.after.each(() => database.drop());

async function withDatabase<Result>(
  work: (db: Kysely<unknown>) => Promise<Result>,
): Promise<Result> {
  const { db, close } = openDatabase(database.config);
  return work(db as unknown as Kysely<unknown>).finally(close);
}
const listTables = (): Promise<string[]> =>
  withDatabase(async (db) => (await db.introspection.getTables()).map(({ name }) => name));
const listSteps = () =>
  withDatabase(async (db) => (await sql`select * from kysely_migration`.execute(db)).rows);

test('migrates an empty database once, by several processes at the same time', async () => {
  await Promise.all(Array.from({ length: 4 }, () => migrate(database.config)));
  const tables = await listTables();
  for (const table of ['users', 'deliveries', 'rate_limits'])
    assert.ok(tables.includes(table), table);
});

test('changes nothing at a second start', async () => {
  await migrate(database.config);
  const stepsBefore = await listSteps();
  await migrate(database.config);
  assert.equal(await listSteps(), stepsBefore);
});

test('runs migrations without a statement limit', async () => {
  await migrate({ ...database.config, statementLimit: 1 });
  assert.ok((await listTables()).includes('users'));
});

/** A step that this version does not know. */
const laterMigration = {
  up: (db: Kysely<unknown>) => db.schema.createTable('later').addColumn('id', 'integer').execute(),
};
const withLater = { ...migrations, '999-later': laterMigration };

test('starts on a database of a later version, which starts there again', async () => {
  await migrate(database.config, withLater);
  await migrate(database.config);
  assert.ok((await listTables()).includes('later'));
  await migrate(database.config, withLater);
});

test('starts while a later version migrates', async () => {
  await Promise.all([migrate(database.config, withLater), migrate(database.config)]);
  assert.ok((await listTables()).includes('later'));
});

test('leaves nothing behind after a failed step', async () => {
  const failing = {
    up: async (db: Kysely<unknown>) => {
      await laterMigration.up(db);
      throw new Error('not this time');
    },
  };
  const error = await migrate(database.config, { ...migrations, '999-later': failing }).then(
    String,
    String,
  );
  assert.is(error, 'Error: not this time');
  assert.equal(await listTables(), []);
});

test('finds the calls for help among the answers of earlier messages', async () => {
  const isEarlier = ([name]: [string, unknown]) => name < '023';
  await migrate(database.config, Object.fromEntries(Object.entries(migrations).filter(isEarlier)));
  await withDatabase(async (db) => {
    for (const [id, answers] of Object.entries({ a: ['Safe', 'Notfall'], b: ['Safe'] }))
      await sql`insert into messages (id, topic_title, text, answers, created_at, expires_at)
        values (${id}, '', '', ${JSON.stringify(answers)}, 0, 0)`.execute(db);
  });
  await migrate(database.config);
  const { rows } = await withDatabase((db) =>
    sql`select id, help_answers from messages order by id`.execute(db),
  );
  assert.equal(rows, [
    { id: 'a', help_answers: '\nNotfall\n' },
    { id: 'b', help_answers: '' },
  ]);
});

test('rejects a database of an unreleased version and leaves it unchanged', async () => {
  await withDatabase(async (db) => {
    await sql`create table kysely_migration (name text)`.execute(db);
    await sql`insert into kysely_migration values ('001-tables')`.execute(db);
  });
  const error = await migrate(database.config).then(String, String);
  assert.match(
    error,
    /An unreleased version of Fieldbell wrote this database\..* start with an empty DATA_DIR/,
  );
  assert.equal(await listTables(), []);
  assert.equal(await listSteps(), [{ name: '001-tables' }]);
});

test.run();
