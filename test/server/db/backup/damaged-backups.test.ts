import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import * as assert from 'uvu/assert';
import { runCommand } from '../../../../server/cli/commands';
import { openFile } from '../../../../server/db/engines/embedded';
import { removeLeftovers, unfinishedPath } from '../../../../server/db/backup/leftovers';
import { onPostgres } from '../../../support/database/database';
import { serverSuite } from '../../../support/server/server';

const { test, server } = serverSuite('damaged backups');

const run = (...commandWords: string[]) => runCommand(commandWords, server.services.config);
const folder = (): string => server.services.config.dataDir;
const file = (name: string): string => join(folder(), name);
const topicTitles = async (): Promise<string[]> =>
  (await server.services.db.selectFrom('topics').select('title').orderBy('id').execute()).map(
    ({ title }) => title,
  );

let builtBackup: { backup: Uint8Array; checksum: Uint8Array } | undefined;

/**
 * A backup of several pages: one person with fifty topics, built once and written for each test.
 */
async function createBackup(): Promise<string> {
  const copy = file('copy.db');
  if (builtBackup === undefined) {
    const admin = await server.createPerson('ADMIN', { username: 'ana' });
    for (let number = 0; number < 50; number += 1) {
      const topicId = await server.createTopic(`Topic ${number}`);
      await server.subscribe(admin, admin.id, topicId);
    }
    assert.ok((await run('backup', copy)).done);
    builtBackup = { backup: readFileSync(copy), checksum: readFileSync(`${copy}.sha256`) };
  }
  writeFileSync(copy, builtBackup.backup);
  writeFileSync(`${copy}.sha256`, builtBackup.checksum);
  return copy;
}

/** Runs SQL on the backup, and leaves only its main file. */
function change(copy: string, ...statements: string[]): void {
  const database = new Database(copy);
  database.pragma('foreign_keys=OFF');
  for (const statement of statements) database.exec(statement);
  database.close();
}

function overwrite(copy: string, at: number, bytes: Uint8Array): void {
  const content = readFileSync(copy);
  content.set(bytes, at);
  writeFileSync(copy, content);
}

const placeOf = (copy: string, text: string): number => readFileSync(copy).indexOf(text);

/** The offset of the first page of a table or an index. */
function pageOf(copy: string, name: string): number {
  const database = new Database(copy);
  const [{ rootpage }] = database
    .prepare('select rootpage from sqlite_master where name = ?')
    .all([name]) as [{ rootpage: number }];
  const [{ page_size: size }] = database.prepare('pragma page_size').all([]) as [
    { page_size: number },
  ];
  database.close();
  return (rootpage - 1) * size;
}

/** Makes an index disagree with its table: its page stays while a row is deleted. */
function separateIndex(copy: string): void {
  const database = new Database(copy);
  const [{ name }] = database
    .prepare(
      `select name from sqlite_master where type = 'index' and tbl_name = 'subscriptions' limit 1`,
    )
    .all([]) as [{ name: string }];
  database.close();
  const at = pageOf(copy, name);
  const page = readFileSync(copy).subarray(at, at + 4096);
  change(copy, 'delete from subscriptions where topic_id = 7');
  overwrite(copy, at, page);
}

/** Each damages a whole backup. */
const damages: Record<string, [damage: (copy: string) => void, sentence: RegExp]> = {
  'was cut off in the middle of a page': [
    (copy) => truncateSync(copy, Math.floor(readFileSync(copy).length * 0.6) + 100),
    /is damaged: /,
  ],
  'was cut off behind a page': [(copy) => truncateSync(copy, 4096 * 5), /is damaged: /],
  'was copied as far as its header': [(copy) => truncateSync(copy, 100), /is damaged: /],
  'has a page of zeros': [
    (copy) => overwrite(copy, pageOf(copy, 'users'), new Uint8Array(4096)),
    /is damaged: /,
  ],
  'has a page of garbage': [
    (copy) => overwrite(copy, pageOf(copy, 'subscriptions'), new Uint8Array(4096).fill(0xa5)),
    /is damaged: /,
  ],
  'has a header of garbage': [
    (copy) => overwrite(copy, 20, new Uint8Array(80).fill(0xff)),
    /is damaged: |is no backup/,
  ],
  'has an index that does not agree with its table': [separateIndex, /is damaged: .*index/],
  'has a subscription to a topic that is not there': [
    (copy) => change(copy, 'delete from topics where id = 3'),
    /is damaged: a row of subscriptions refers to a missing row of topics/,
  ],
  'lacks a table': [
    (copy) => change(copy, 'drop table settings'),
    /is damaged: missing table settings/,
  ],
  'lacks a column': [
    (copy) => change(copy, 'alter table messages drop column answer'),
    /is damaged: missing columns of messages: answer/,
  ],
  'has tables and no step': [
    (copy) => change(copy, 'delete from kysely_migration'),
    /is not a Fieldbell backup/,
  ],
  'is empty': [(copy) => truncateSync(copy, 0), /is not a Fieldbell backup/],
  'is a text': [
    (copy) => writeFileSync(copy, 'This is no database, however long it may be. '.repeat(200)),
    /is not a Fieldbell backup/,
  ],
  'is of another application': [
    (copy) => (
      rmSync(copy),
      change(copy, 'create table users (id integer primary key)', `insert into users values (1)`)
    ),
    /is not a Fieldbell backup/,
  ],
  'is of a later version': [
    (copy) => change(copy, `insert into kysely_migration values ('999-future', 'now')`),
    /A later version of Fieldbell wrote/,
  ],
  'is of an unreleased version': [
    (copy) =>
      change(copy, `update kysely_migration set name = '001-tables' where name = '001-first'`),
    /An unreleased version of Fieldbell wrote/,
  ],
  'is a folder': [(copy) => (rmSync(copy), mkdirSync(copy)), /is not a file/],
  'is not there': [(copy) => rmSync(copy), /The file .* does not exist/],
  'has the log of another database beside it': [
    (copy) => {
      const otherDatabase = openFile(file('other.db'), 0);
      otherDatabase.exec('create table t (x); insert into t values (1)');
      copyFileSync(file('other.db-wal'), `${copy}-wal`);
      otherDatabase.close();
    },
    /has no checksum, so .* whether .*copy\.db-wal belongs to this backup/,
  ],
};

if (!onPostgres) {
  for (const [name, [damage, sentence]] of Object.entries(damages)) {
    test(`rejects a backup that ${name} in one sentence, and changes nothing`, async () => {
      const copy = await createBackup();
      rmSync(`${copy}.sha256`);
      damage(copy);
      await server.createTopic('Later');
      const before = [readdirSync(folder()).sort(), await topicTitles()];
      // The first attempt must leave nothing in the way of the second.
      for (let attempt = 0; attempt < 2; attempt += 1) {
        const { done, output } = await run('restore', copy);
        assert.not(done);
        assert.match(output, sentence);
        assert.match(output, / The database was not changed\.$/);
        assert.not.match(output, /\n/);
      }
      assert.equal([readdirSync(folder()).sort(), await topicTitles()], before);
    });
  }

  test('detects a single changed letter by the checksum', async () => {
    const copy = await createBackup();
    const at = placeOf(copy, 'Topic 17');
    overwrite(copy, at, Buffer.from('Tonic'));
    assert.match(
      (await run('restore', copy)).output,
      `${copy} was changed after the backup was created: it does not match its checksum in ${copy}.sha256. The database was not changed.`,
    );
    overwrite(copy, at, Buffer.from('Topic'));
    writeFileSync(`${copy}.sha256`, '');
    assert.match((await run('restore', copy)).output, /does not match its checksum/);
  });

  test('warns about a missing checksum, and ignores a stray log beside a checked backup', async () => {
    const copy = await createBackup();
    writeFileSync(`${copy}-wal`, 'of something else');
    const first = await run('restore', copy);
    assert.ok(first.done);
    assert.not.match(first.output, /Warning/);
    rmSync(`${copy}-wal`);
    rmSync(`${copy}.sha256`);
    assert.match((await run('restore', copy)).output, `Warning: ${copy}.sha256 is missing`);
  });

  test('writes a checksum that sha256sum accepts, for the owner only, and no other file', async () => {
    assert.ok((await run('backup', file('copy.db'))).done);
    assert.match(readFileSync(file('copy.db.sha256'), 'utf8'), /^[0-9a-f]{64} {2}copy\.db\n$/);
    for (const name of ['copy.db', 'copy.db.sha256'])
      assert.is(statSync(file(name)).mode & 0o777, 0o600);
    assert.equal(
      readdirSync(folder())
        .filter((name) => name.startsWith('copy'))
        .sort(),
      ['copy.db', 'copy.db.sha256'],
    );
  });

  test('keeps the data from before a restore, and restores it on request', async () => {
    const copy = await createBackup();
    await server.createTopic('Later');
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const { output } = await run('restore', copy);
      assert.is((await topicTitles()).length, 50);
      const [, kept] = /The data from before the restore is in (.+)\.$/m.exec(output) ?? [];
      assert.ok((await run('restore', kept ?? '')).done, output);
      assert.is((await topicTitles()).at(-1), 'Later');
    }
    assert.is(
      readdirSync(folder()).filter((name) => /^before-restore\..*\.db$/.test(name)).length,
      6,
    );
  });

  test('leaves a newer or damaged database untouched', async () => {
    const copy = await createBackup();
    const config = { ...server.services.config, dataDir: file('other') };
    await runCommand(['restore', copy], config);
    const main = join(config.dataDir, 'fieldbell.db');
    change(main, `insert into kysely_migration values ('999-future', 'now')`);
    assert.match(
      (await runCommand(['restore', copy], config)).output,
      /A later version of Fieldbell wrote the database in .*other\./,
    );
    change(
      main,
      `delete from kysely_migration where name = '999-future'`,
      'pragma wal_checkpoint(truncate)',
    );
    overwrite(main, pageOf(main, 'users'), new Uint8Array(4096).fill(0xa5));
    const damaged = readFileSync(main);
    const { done, output } = await runCommand(['restore', copy], config);
    assert.not(done);
    assert.match(
      output,
      /The database in .*other is damaged: .* Stop the server, move fieldbell\.db/,
    );
    assert.ok(readFileSync(main).equals(damaged));
  });

  test('leaves no file after a failed backup, and does not report it as the last one', async () => {
    const config = { ...server.services.config, dataDir: file('other') };
    await runCommand(['restore', await createBackup()], config);
    const main = join(config.dataDir, 'fieldbell.db');
    change(main, 'pragma wal_checkpoint(truncate)');
    overwrite(main, pageOf(main, 'users'), new Uint8Array(4096).fill(0xa5));
    const { done, output } = await runCommand(['backup', file('broken.db')], config);
    assert.not(done);
    assert.match(output, /The database in .*other is damaged: .* The database was not changed\.$/);
    assert.equal(
      readdirSync(folder()).filter((name) => name.startsWith('broken')),
      [],
    );
    const remainingDatabase = openFile(main, 0);
    assert.equal(
      remainingDatabase.prepare(`select value from settings where name = 'last-backup'`).all([]),
      [],
    );
    remainingDatabase.close();
  });

  test('removes leftovers of killed commands, and keeps files of running ones', () => {
    const names = ['restore', 'before-restore.2026.db'].map((name) => unfinishedPath(file(name)));
    mkdirSync(names[0] ?? '');
    writeFileSync(names[1] ?? '', '');
    // No process has this id: Linux gives lower ones.
    const dead = names.map((name) => name.replace(`-${process.pid}-`, '-4194999-'));
    mkdirSync(dead[0] ?? '');
    for (const name of [
      `${dead[0]}/fieldbell.db`,
      dead[1] ?? '',
      `${dead[1]}-journal`,
      file('restore.notes'),
    ])
      writeFileSync(name, '');
    // The clock may have been set back since.
    utimesSync(dead[1] ?? '', Date.now() / 1000 + 3600, Date.now() / 1000 + 3600);
    removeLeftovers(folder());
    assert.equal([...names, file('restore.notes')].map(existsSync), [true, true, true]);
    assert.equal([...dead, `${dead[1]}-journal`].map(existsSync), [false, false, false]);
  });
} else {
  test('neither replaces PostgreSQL by a file nor exports it to one', async () => {
    await server.createTopic('Grid outages');
    mkdirSync(folder(), { recursive: true });
    writeFileSync(file('copy.db'), 'SQLite format 3\0');
    const before = [readdirSync(folder()).sort(), await topicTitles()];
    for (const commandWords of [
      ['restore', file('copy.db')],
      ['backup', file('another.db')],
    ]) {
      assert.not.ok((await run(...commandWords)).done);
      assert.equal([readdirSync(folder()).sort(), await topicTitles()], before);
    }
  });
}

test.run();
