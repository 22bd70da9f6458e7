import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sql } from 'kysely';
import { runCommand } from '../../../../server/cli/commands';
import { readConfig } from '../../../../server/config/config';
import type { Config } from '../../../../server/config/config';
import { openDatabase } from '../../../../server/db/open';
import type { OpenDatabase } from '../../../../server/db/open';
import { copyTo } from '../../../../server/db/copy/copy-to';
import { migrate } from '../../../../server/db/migrate';
import { createEmptyDatabase, onPostgres } from '../../../support/database/database';
import type { TestDatabase } from '../../../support/database/database';
import { fillDemoSample } from '../../../support/server/demo-sample';

const test = suite('moving into PostgreSQL');

/** An installation on SQLite, whichever engine the tests use. */
let source: OpenDatabase;
let config: Config;
test.before.each(async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'fieldbell-move-'));
  config = { ...readConfig({ DATA_DIR: dataDir }), jwtSecret: 'x'.repeat(32) };
  await migrate(config);
  source = openDatabase(config);
});
test.after.each(async () => {
  await source.close();
  rmSync(config.dataDir, { recursive: true, force: true });
});
const run = (...commandWords: string[]) => runCommand(commandWords, config);

test('rejects an invalid or unreachable PostgreSQL address, and repeats no password', async () => {
  for (const address of ['mysql://x', 'fieldbell', 'postgres://x:pass word@[', '/tmp/copy.db'])
    assert.match((await run('copy-to', address)).output, /copy-to needs the URL of a database/);
  const { done, output } = await run('copy-to', 'postgres://me:hidden@127.0.0.1:1/fieldbell');
  assert.equal(
    [done, output],
    [false, 'Cannot connect to 127.0.0.1/fieldbell (ECONNREFUSED). Nothing was copied.'],
  );
});

test('copies nothing without an embedded database', async () => {
  const nowhere = { ...config, dataDir: join(config.dataDir, 'nowhere') };
  const { done, output } = await runCommand(['copy-to', 'postgres://127.0.0.1:1/x'], nowhere);
  assert.equal([done, /There is no database in/.test(output)], [false, true]);
});

if (onPostgres) {
  let empty: TestDatabase;
  let url: string;
  test.before.each(async () => {
    empty = await createEmptyDatabase();
    url = empty.config.databaseUrl ?? '';
  });
  test.after.each(() => empty.drop());

  async function inTarget<Result>(work: (at: OpenDatabase) => Promise<Result>): Promise<Result> {
    const targetDatabase = openDatabase(empty.config);
    try {
      return await work(targetDatabase);
    } finally {
      await targetDatabase.close();
    }
  }
  /** All rows of all tables, sorted. */
  async function readAll({ db }: OpenDatabase, but: readonly string[]): Promise<object> {
    const tables = await db.introspection.getTables();
    const rowsByTable: Record<string, string[]> = {};
    for (const { name, columns } of tables) {
      if (/^kysely_/.test(name) || but.includes(name)) continue;
      const names = columns.map((column) => column.name).sort();
      const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(
        db,
      );
      rowsByTable[name] = rows.map((row) => JSON.stringify(names.map((one) => row[one]))).sort();
    }
    return rowsByTable;
  }

  test('copies every row of a running installation, and counts each table', async () => {
    await fillDemoSample({ db: source.db, config }, Date.now());
    const texts = ['a "quote" \\ back', 'líne\nbreak\ttab', '👷🏽‍♀️ كتاب', '{"json": [null]}', ''];
    for (const [index, title] of texts.entries())
      await source.db
        .insertInto('topics')
        .values({ title: `${title}${index}`, description: title, created_at: 1, updated_at: 1 })
        .execute();
    const before = await readAll(source, ['audit_entries', 'settings']);
    const tables: string[] = [];
    const { done, output } = await runCommand(['copy-to', url], config, (line) =>
      tables.push(line),
    );
    assert.ok(done, output);
    assert.match(output, /Each table was compared with the original, and matches/);
    assert.equal(
      await inTarget((targetDatabase) => readAll(targetDatabase, ['audit_entries', 'settings'])),
      before,
    );
    assert.ok(
      tables.some((line) => /^ {2}users +6\d$/.test(line)),
      tables.join(),
    );
    assert.ok(
      tables.findIndex((line) => line.startsWith('  users ')) <
        tables.findIndex((line) => line.startsWith('  devices ')),
    );
    // Both databases record the move, and protect their audit entries.
    for (const db of [source.db, undefined])
      await (db ? checkAudit(db) : inTarget(({ db: target }) => checkAudit(target)));
  });

  async function checkAudit(db: OpenDatabase['db']): Promise<void> {
    const entry = await db
      .selectFrom('audit_entries')
      .select(['action', 'actor', 'target'])
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow();
    assert.equal([entry.action, entry.actor], ['backup.move', 'command line']);
    assert.match(url, entry.target.split('/')[1] ?? 'nothing');
    for (const change of [
      () => db.updateTable('audit_entries').set({ detail: 'x' }).execute(),
      () => db.deleteFrom('audit_entries').execute(),
    ])
      assert.ok(
        await change().then(
          () => false,
          () => true,
        ),
      );
  }

  test('never uses an id again, even of a deleted row', async () => {
    const { id } = await source.db
      .insertInto('topics')
      .values({ title: 'Gone', description: '', created_at: 1, updated_at: 1 })
      .returning('id')
      .executeTakeFirstOrThrow();
    await source.db.deleteFrom('topics').execute();
    assert.ok((await run('copy-to', url)).done);
    const next = await inTarget(({ db }) =>
      db
        .insertInto('topics')
        .values({ title: 'Next', description: '', created_at: 1, updated_at: 1 })
        .returning('id')
        .executeTakeFirstOrThrow(),
    );
    assert.is(next.id, id + 1);
  });

  test('copies a consistent snapshot while data changes', async () => {
    const titles = Array.from({ length: 2500 }, (_, index) => `T${index}`);
    await sql`insert into topics (title, description, created_at, updated_at)
      select value, '', 1, 1 from json_each(${JSON.stringify(titles)})`.execute(source.db);
    let lateCount = 0;
    const { tables: moved } = await copyTo({
      dataDir: config.dataDir,
      databaseUrl: url,
      onTable: () => {
        lateCount += 1;
        // Another connection writes at each table.
        void source.db
          .insertInto('topics')
          .values({ title: 'Late', description: '', created_at: 1, updated_at: 1 })
          .execute();
      },
      finish: async () => {},
    });
    assert.is(moved.find(({ name }) => name === 'topics')?.rows, 2500);
    const { rows } = await inTarget(({ db }) =>
      sql<{ many: number }>`select count(*) as many from topics`.execute(db),
    );
    assert.is(Number(rows[0]?.many), 2500);
    assert.ok(lateCount > 10);
  });

  test('rejects a target with rows, other tables or a later version, and leaves it unchanged', async () => {
    await migrate(empty.config);
    const output = async () => (await run('copy-to', url)).output;
    await inTarget(async ({ db }) => {
      await sql`insert into topics (title, description, created_at, updated_at) values ('T', '', 1, 1)`.execute(
        db,
      );
      assert.match(
        await output(),
        /is not empty: the table topics has rows. Copy into an empty database. Nothing was copied/,
      );
      await sql`delete from topics`.execute(db);
      await sql`insert into kysely_migration (name, timestamp) values ('999-later', '')`.execute(
        db,
      );
      assert.match(await output(), /A later version of Fieldbell created the tables in/);
      await sql`drop table kysely_migration`.execute(db);
      assert.match(await output(), /tables that are not Fieldbell’s/);
      const { rows } = await sql<{ many: number }>`select count(*) as many from users`.execute(db);
      assert.is(Number(rows[0]?.many), 0);
    });
  });

  test('leaves nothing after a failed copy, and succeeds at the next attempt', async () => {
    await fillDemoSample({ db: source.db, config }, Date.now());
    const move = {
      dataDir: config.dataDir,
      databaseUrl: url,
      onTable: () => {},
      finish: () => Promise.reject(new Error('the cable was pulled')),
    };
    const error = await copyTo(move).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    assert.match(String(error), 'the cable was pulled');
    await inTarget(async ({ db }) => {
      const { rows } = await sql<{ many: number }>`select count(*) as many from users`.execute(db);
      assert.is(Number(rows[0]?.many), 0);
    });
    assert.ok((await run('copy-to', url)).done);
    assert.match((await run('copy-to', url)).output, /is not empty/);
  });

  test('detects a row that arrives changed, names its table and copies nothing', async () => {
    await source.db
      .insertInto('topics')
      .values({ title: 'T', description: '', created_at: 1, updated_at: 1 })
      .execute();
    await migrate(empty.config);
    await inTarget(async ({ db }) => {
      await sql`create function spoil() returns trigger language plpgsql as $$ begin new.title := 'other'; return new; end $$`.execute(
        db,
      );
      await sql`create trigger spoil before insert on topics for each row execute function spoil()`.execute(
        db,
      );
      const { done, output } = await run('copy-to', url);
      assert.is(done, false);
      assert.match(
        output,
        /The table topics did not arrive unchanged in \S+ The copy was undone: try again. Nothing was copied/,
      );
      const { rows } = await sql`select 1 from topics`.execute(db);
      assert.equal(rows, []);
    });
  });

  test('names the table of a value that PostgreSQL rejects', async () => {
    await sql`insert into topics (title, description, created_at, updated_at) values ('T', '', 1.5, 1)`.execute(
      source.db,
    );
    assert.match((await run('copy-to', url)).output, /A row of topics has a value that/);
  });
}

test.run();
