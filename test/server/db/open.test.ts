import { execFileSync } from 'node:child_process';
import { copyFileSync, statSync } from 'node:fs';
import { createServer, connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { sql } from 'kysely';
import Embedded from 'libsql';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { databaseFault } from '../../../server/db/errors';
import { openDatabase, queryInReadThread } from '../../../server/db/open';
import type { OpenDatabase } from '../../../server/db/open';
import { createDatabase, onPostgres } from '../../support/database/database';
import type { TestDatabase } from '../../support/database/database';

const test = suite('the database');
let database: TestDatabase;
let openedDatabase: OpenDatabase;
test.before.each(async () => {
  database = await createDatabase();
  openedDatabase = openDatabase(database.config);
});
test.after.each(async () => {
  await openedDatabase.close();
  await database.drop();
});

const addTopic = (created_at = 0) =>
  openedDatabase.db
    .insertInto('topics')
    .values({ title: 'T', description: 'D', created_at, updated_at: 0 })
    .returning(['id', 'created_at'])
    .executeTakeFirstOrThrow();

test('never uses an id again', async () => {
  const { id } = await addTopic();
  await openedDatabase.db.deleteFrom('topics').execute();
  assert.ok((await addTopic()).id > id);
});

test('runs a long read in a thread, with all committed rows, and falls back to the main one', async () => {
  const { id } = await addTopic();
  const idsOf = (name: string) =>
    sql<{ id: number }>`select id from ${sql.table(name)}`.compile(openedDatabase.db);
  assert.equal(await queryInReadThread(idsOf('topics'), openedDatabase.db), [{ id }]);
  await addTopic();
  assert.is((await queryInReadThread(idsOf('topics'), openedDatabase.db)).length, 2);
  await queryInReadThread(idsOf('nothing'), openedDatabase.db).then(
    () => assert.unreachable(),
    (error: unknown) => assert.match(String(error), /nothing/),
  );
});

/**
 * Opens, reads and closes the file in another process, as a command does.
 * @returns the topics seen
 */
function countElsewhere(): number {
  const code = `const database = new (require('libsql'))(process.argv[1]); database.exec('create temp table seen as select * from topics'); const seen = database.prepare('select count(*) as topics from seen').get([]); database.close(); console.log(seen.topics)`;
  return Number(
    execFileSync(process.execPath, ['-e', code, join(database.config.dataDir, 'fieldbell.db')], {
      encoding: 'utf8',
    }),
  );
}

if (!onPostgres) {
  test('loses no data when another process closes the same file', async () => {
    const earlierDatabase = openDatabase(database.config);
    await earlierDatabase.db.selectFrom('topics').select('id').execute();
    await addTopic();
    countElsewhere();
    await addTopic();
    assert.is(countElsewhere(), 2);
    await earlierDatabase.close();
  });

  test('writes everything to the main file when it closes the database', async () => {
    const other = await createDatabase();
    const { db, close } = openDatabase(other.config);
    const write = (title: string) =>
      db
        .insertInto('topics')
        .values({ title, description: 'D', created_at: 0, updated_at: 0 })
        .execute();
    await write('first');
    await db.selectFrom('topics').selectAll().execute();
    await write('last');
    await close();
    copyFileSync(join(other.config.dataDir, 'fieldbell.db'), join(other.config.dataDir, 'copy.db'));
    const copy = new Embedded(join(other.config.dataDir, 'copy.db'));
    assert.equal(copy.prepare('select title from topics order by id').all([]), [
      { title: 'first' },
      { title: 'last' },
    ]);
    copy.close();
    await other.drop();
  });

  test('makes the database files readable by their owner only', async () => {
    await addTopic();
    for (const file of ['fieldbell.db', 'fieldbell.db-wal'])
      assert.is(statSync(join(database.config.dataDir, file)).mode & 0o777, 0o600, file);
  });
}

/**
 * Forwards connections to PostgreSQL. After `silence`, all open ones hang like those of a lost
 * machine.
 */
async function startRelay(target: URL) {
  const pairs: Socket[][] = [];
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    client.pipe(upstream).pipe(client);
    pairs.push([client, upstream]);
    for (const socket of [client, upstream]) socket.on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(target);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    silence(): void {
      for (const [client, upstream] of pairs)
        client?.unpipe().pause() && upstream?.unpipe().pause();
    },
    stop(): void {
      for (const socket of pairs.flat()) socket.destroy();
      server.close();
    },
  };
}

if (onPostgres) {
  /** Milliseconds: much less than the real ten seconds, and enough for a busy machine. */
  const statementLimit = 2000;

  test('replaces connections that fall silent', async () => {
    const relay = await startRelay(new URL(database.config.databaseUrl ?? ''));
    const { db, close } = openDatabase({
      ...database.config,
      databaseUrl: relay.url,
      statementLimit,
    });
    const selectOne = () =>
      db.transaction().execute((transaction) => sql`select 1 as one`.execute(transaction));
    await Promise.all([selectOne(), selectOne(), selectOne()]);
    relay.silence();
    const failures = await Promise.all(
      [selectOne(), selectOne(), selectOne()].map((asked) =>
        asked.then(() => undefined, databaseFault),
      ),
    );
    assert.equal(failures, ['unavailable', 'unavailable', 'unavailable']);
    assert.is((await selectOne()).rows.length, 1);
    await close();
    relay.stop();
  });

  /** Terminates connections as an operator or a stopping PostgreSQL does. */
  const terminate = (db: OpenDatabase['db'], pids: number[]) =>
    sql`select pg_terminate_backend(pid) from unnest(${pids}::integer[]) as pid`.execute(db);
  const readPid = async (db: OpenDatabase['db']): Promise<number> =>
    (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)).rows[0]?.pid ?? 0;

  test('replaces connections that PostgreSQL terminates, at the cost of one error each', async () => {
    const { db, close } = openDatabase(database.config);
    const working = (work: (transaction: OpenDatabase['db']) => Promise<unknown>) =>
      db
        .transaction()
        .execute(work)
        .then(() => undefined, databaseFault);
    const busy: number[] = [];
    // A connection ends during a statement, or between two. Replacements may be terminated, too.
    for (let round = 0; round < 2; round += 1) {
      let resume = (): void => undefined;
      const waiting = new Promise<void>((resolve) => (resume = resolve));
      const failures = [
        working(async (transaction) => {
          busy.push(await readPid(transaction));
          await sql`select pg_sleep(8)`.execute(transaction);
        }),
        working(async (transaction) => {
          busy.push(await readPid(transaction));
          await waiting;
          await readPid(transaction);
        }),
      ];
      while (busy.length < 2) await new Promise((resolve) => setImmediate(resolve));
      await terminate(openedDatabase.db, busy.splice(0));
      // An idle connection learns of its end a moment after the answer above.
      while (
        (
          await sql`select 1 from pg_stat_activity where query like '%pg_sleep(8)%' and pid <> pg_backend_pid()`.execute(
            openedDatabase.db,
          )
        ).rows.length > 0
      );
      resume();
      assert.equal(await Promise.all(failures), ['unavailable', 'unavailable']);
      assert.ok(
        (await Promise.all([readPid(db), readPid(db), readPid(db)])).every((pid) => pid > 0),
      );
    }
    await close();
  });

  test('cancels a slow statement and uses the connection again', async () => {
    const { db, close } = openDatabase({ ...database.config, statementLimit });
    const failure = await sql`select pg_sleep(10)`.execute(db).then(() => undefined, databaseFault);
    assert.is(failure, 'unavailable');
    assert.is((await sql`select 1 as one`.execute(db)).rows.length, 1);
    await close();
  });
}

test.run();
