import { rmSync } from 'node:fs';
import { Kysely, sql } from 'kysely';
import Database from 'libsql';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { EmbeddedDialect, openFile } from '../../../../server/db/engines/embedded';
import { createEmptyDatabase } from '../../../support/database/database';

const test = suite('prepared statements');

let file: string;
let db: Kysely<{ notes: { id: number; text: string } }>;
let preparedStatements: string[];
const { prepare } = Database.prototype;

test.before.each(async () => {
  const { config } = await createEmptyDatabase();
  file = config.dataDir;
  preparedStatements = [];
  Database.prototype.prepare = function (this: Database.Database, text: string) {
    preparedStatements.push(text);
    return prepare.call(this, text);
  } as typeof prepare;
  db = new Kysely({ dialect: new EmbeddedDialect(openFile(`${file}/fieldbell.db`, 0)) });
  await sql`create table notes (id integer primary key, text text not null)`.execute(db);
});
test.after.each(async () => {
  Database.prototype.prepare = prepare;
  await db.destroy();
  rmSync(file, { recursive: true });
});

const add = (text: string | null): Promise<unknown> =>
  sql`insert into notes (text) values (${text})`.execute(db);
const read = async (id: number): Promise<unknown> =>
  (await sql`select * from notes where id = ${id}`.execute(db)).rows;
const rejectionReason = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error: Error) => error.message,
  );
const countPrepared = (part: string): number =>
  preparedStatements.filter((text) => text.includes(part)).length;

test('prepares a statement once and runs it with new values', async () => {
  for (const text of ['one', 'two', 'three']) await add(text);
  assert.equal(await read(1), [{ id: 1, text: 'one' }]);
  assert.equal(await read(9), []);
  assert.equal(await read(3), [{ id: 3, text: 'three' }]);
  assert.is(countPrepared('insert'), 1);
  assert.is(countPrepared('where id'), 1);
});

test('shares prepared statements between transactions and single queries', async () => {
  await add('alone');
  const undone = db.transaction().execute(async (at) => {
    await sql`insert into notes (text) values (${'within'})`.execute(at);
    throw new Error('changed my mind');
  });
  assert.is(await rejectionReason(undone), 'changed my mind');
  await add('after');
  const { rows } = await sql<{ text: string }>`select text from notes order by id`.execute(db);
  assert.equal(
    rows.map(({ text }) => text),
    ['alone', 'after'],
  );
  assert.is(countPrepared('insert'), 1);
});

test('prepares a failed statement again', async () => {
  await add('good');
  assert.match(await rejectionReason(add(null)), 'NOT NULL');
  await add('good again');
  assert.is(countPrepared('insert'), 2);
  assert.equal(await read(2), [{ id: 2, text: 'good again' }]);
});

test('continues reading rows one by one while the same query runs', async () => {
  // libsql reads a hundred at a time.
  const texts = Array.from({ length: 250 }, (_, index) => `note ${index}`);
  await db
    .insertInto('notes')
    .values(texts.map((text, index) => ({ id: index, text })))
    .execute();
  const driver = new EmbeddedDialect(openFile(`${file}/fieldbell.db`, 0)).createDriver();
  await driver.init();
  const connection = await driver.acquireConnection();
  const query = db.selectFrom('notes').selectAll().orderBy('id').compile();
  await connection.executeQuery(query);
  const streamedTexts: string[] = [];
  for await (const { rows } of connection.streamQuery<{ text: string }>(query, 1)) {
    streamedTexts.push(...rows.map(({ text }) => text));
    if (streamedTexts.length === 120) await connection.executeQuery(query);
  }
  assert.equal(streamedTexts, texts);
  await driver.destroy();
});

test.run();
