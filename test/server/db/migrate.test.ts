import { statSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { migrate } from '../../../server/db/migrate';
import { openDatabase } from '../../../server/db/open';
import { makeEmptyDatabase, onPostgres } from '../../support/database';

const test = suite('migrations');

test('run once, even when several processes start together', async () => {
  const database = await makeEmptyDatabase();
  const opened = Array.from({ length: 4 }, () => openDatabase(database.config));
  await Promise.all(opened.map(({ db, engine }) => migrate(db, engine)));
  const [first] = opened;
  const tables = (await first!.db.introspection.getTables()).map(({ name }) => name);
  for (const table of ['users', 'deliveries', 'rate_limits']) assert.ok(tables.includes(table), table);
  await Promise.all(opened.map(({ db, engine }) => migrate(db, engine)));
  for (const { close } of opened) await close();
  await database.drop();
});

if (!onPostgres) {
  test('the embedded database is readable by its owner only, with the files beside it', async () => {
    const database = await makeEmptyDatabase();
    const { db, engine, close } = openDatabase(database.config);
    await migrate(db, engine);
    for (const file of ['fieldbell.db', 'fieldbell.db-wal']) assert.is(statSync(join(database.config.dataDir, file)).mode & 0o777, 0o600, file);
    await close();
    await database.drop();
  });
}

test('an id is never used again', async () => {
  const database = await makeEmptyDatabase();
  const { db, engine, close } = openDatabase(database.config);
  await migrate(db, engine);
  const add = () => db.insertInto('topics').values({ title: 'T', description: 'D', created_at: 0, updated_at: 0 }).returning('id').executeTakeFirstOrThrow();
  const { id } = await add();
  await db.deleteFrom('topics').execute();
  assert.ok((await add()).id > id);
  await close();
  await database.drop();
});

test('times of this century come back as the numbers that they are', async () => {
  const database = await makeEmptyDatabase();
  const { db, engine, close } = openDatabase(database.config);
  await migrate(db, engine);
  const created_at = Date.UTC(2099, 11, 31, 23, 59, 59, 999);
  await db.insertInto('topics').values({ title: 'T', description: 'D', created_at, updated_at: 0 }).execute();
  const row = await db.selectFrom('topics').selectAll().executeTakeFirstOrThrow();
  assert.is(row.created_at, created_at);
  const { total } = await db.selectFrom('topics').select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  assert.is(total, 1);
  await close();
  await database.drop();
});

if (onPostgres) {
  test('a search inside text can use an index', async () => {
    const database = await makeEmptyDatabase();
    const { db, engine, close } = openDatabase(database.config);
    await migrate(db, engine);
    await db.connection().execute(async (connection) => {
      await sql`set enable_seqscan = off`.execute(connection);
      for (const query of [
        sql`explain select * from users where username_key like ${'%ana%'} escape '\\' or email_key like ${'%ana%'} escape '\\'`,
        sql`explain select * from topics where search_key like ${'%ana%'} escape '\\'`,
      ]) {
        assert.match(JSON.stringify((await query.execute(connection)).rows), /_key_trigrams/);
      }
    });
    await close();
    await database.drop();
  });
}

test.run();
