import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { runCommand } from '../../../../server/cli/commands';
import { openFile } from '../../../../server/db/engines/embedded';
import { rotateBackups } from '../../../../server/db/backup/backup';
import { onPostgres } from '../../../support/database/database';
import { fillDemoSample } from '../../../support/server/demo-sample';
import { serverSuite } from '../../../support/server/server';

const { test, server } = serverSuite('verifying and rotating backups');
const run = (...commandWords: string[]) => runCommand(commandWords, server.services.config);
const file = (name: string): string => join(server.services.config.dataDir, name);
const leftovers = () => readdirSync(tmpdir()).filter((name) => /^fieldbell-verify-/.test(name));

if (!onPostgres) {
  test('verifies a backup in memory and counts its rows, without changing any file', async () => {
    const { db } = server.services;
    await fillDemoSample(server.services, server.clock.now);
    const counts = new Map<string, number>();
    for (const table of [
      'users',
      'topics',
      'subscriptions',
      'recipients',
      'audit_entries',
    ] as const) {
      const { rows } = await db
        .selectFrom(table)
        .select(({ fn }) => fn.countAll<number>().as('rows'))
        .executeTakeFirstOrThrow();
      counts.set(table, rows);
    }
    assert.ok((await run('backup', file('copy.db'))).done);
    const fileNames = readdirSync(file('.')).sort();
    const before = leftovers();
    const { done, output } = await run('verify', file('copy.db'));
    assert.ok(done, output);
    assert.match(output, `${file('copy.db')} is complete. A test restore in memory worked`);
    for (const [table, rows] of counts) {
      assert.ok(rows > 0, table);
      assert.match(output, new RegExp(`^  ${table} +${rows.toLocaleString('en')}$`, 'm'));
    }
    assert.not.match(output, 'Warning');
    assert.equal(readdirSync(file('.')).sort(), fileNames);
    assert.equal(leftovers(), before);
    rmSync(file('copy.db.sha256'));
    assert.match((await run('verify', file('copy.db'))).output, /Warning: .*\.sha256 is missing/);
  });

  test('verifies a backup without an installation', async () => {
    await run('backup', file('copy.db'));
    const elsewhere = { ...server.services.config, dataDir: file('nowhere') };
    assert.ok((await runCommand(['verify', file('copy.db')], elsewhere)).done);
    assert.not(readdirSync(file('.')).includes('nowhere'));
  });

  test('says what is wrong with a file, and leaves nothing behind', async () => {
    const before = leftovers();
    await server.createPerson('ADMIN');
    await run('backup', file('copy.db'));
    const spoil = (name: string, statement: string): string => {
      copyFileSync(file('copy.db'), file(name));
      const spoilt = openFile(file(name), 0);
      spoilt.pragma('foreign_keys=OFF');
      spoilt.exec(statement);
      spoilt.exec('pragma wal_checkpoint(truncate)');
      spoilt.pragma('journal_mode=DELETE');
      spoilt.close();
      return file(name);
    };
    writeFileSync(file('text.db'), 'no database');
    const rejections: [string, RegExp][] = [
      [file('missing.db'), /The file .* does not exist/],
      [file('text.db'), /is not a Fieldbell backup/],
      [file('fieldbell.db'), /is the database itself/],
      [
        spoil(
          'dangling.db',
          `insert into known_clients (token_hash, user_id, last_seen_at) values ('x', 99, 1)`,
        ),
        /is damaged: a row of known_clients refers to a missing row of users/,
      ],
      [spoil('bare.db', 'drop table inboxes'), /is damaged: missing table inboxes/],
    ];
    copyFileSync(file('copy.db.sha256'), file('altered.db.sha256'));
    rejections.push([
      spoil('altered.db', `update users set username = 'other'`),
      /does not match its checksum/,
    ]);
    for (const [name, output] of rejections) {
      const result = await run('verify', name);
      assert.not(result.done, name);
      assert.match(result.output, output);
    }
    assert.equal(leftovers(), before);
  });

  test('keeps the newest backups of a folder with their checksums, and touches no other file', async () => {
    const { dataDir } = server.services.config;
    mkdirSync(file('backups'));
    const others = [
      'fieldbell.2020-01-01.db',
      'fieldbell.2020-01-01T00-00-00.000Z.db.txt',
      'notes',
    ];
    for (const name of others) writeFileSync(join(file('backups'), name), 'mine');
    const names: string[] = [];
    for (let night = 1; night <= 5; night += 1) {
      const { file: backupFile, removed } = rotateBackups(
        dataDir,
        file('backups'),
        2,
        Date.UTC(2026, 10, night),
      );
      names.push(backupFile.split('/').pop() ?? '');
      assert.equal(removed, night > 2 ? [names[night - 3]] : []);
    }
    assert.equal(
      readdirSync(file('backups')).sort(),
      [...names.slice(-2).flatMap((name) => [name, `${name}.sha256`]), ...others].sort(),
    );
    const { done, output } = await run('backup', '--keep', '1', file('backups'));
    assert.ok(done, output);
    assert.match(output, 'Removed older backups: fieldbell.2026-11-04T00-00-00.000Z.db');
    assert.is(readdirSync(file('backups')).filter((name) => name.endsWith('.db')).length, 2);
    const copyPath = /copied to (\S+)\. /.exec(output)?.[1] ?? '';
    assert.ok((await run('verify', copyPath)).done);
  });

  test("removes no backup when it can't create a new one", async () => {
    const { dataDir } = server.services.config;
    mkdirSync(file('backups'));
    rotateBackups(dataDir, file('backups'), 1, Date.UTC(2026, 10, 1));
    const before = readdirSync(file('backups'));
    const nowhere = { ...server.services.config, dataDir: file('nowhere') };
    const { done, output } = await runCommand(['backup', '--keep', '1', file('backups')], nowhere);
    assert.equal([done, /There is no database/.test(output)], [false, true]);
    assert.match(
      (await run('backup', '--keep', '1', file('no folder'))).output,
      /The folder .* does not exist/,
    );
    // A second backup of the same moment overwrites nothing.
    assert.throws(() => rotateBackups(dataDir, file('backups'), 1, Date.UTC(2026, 10, 1)));
    assert.equal(readdirSync(file('backups')), before);
  });

  test('removes no backup when the new one is incomplete', () => {
    const { dataDir } = server.services.config;
    mkdirSync(file('backups'));
    const { file: backupFile } = rotateBackups(dataDir, file('backups'), 1, Date.UTC(2026, 10, 1));
    const database = openFile(file('fieldbell.db'), 0);
    database.exec('pragma foreign_keys = off');
    database.exec('insert into subscriptions (user_id, topic_id, created_at) values (999, 999, 0)');
    database.close();
    assert.throws(() => rotateBackups(dataDir, file('backups'), 1, Date.UTC(2026, 10, 2)));
    assert.ok(existsSync(backupFile));
  });
} else {
  test('refers to pg_dump on PostgreSQL, and starts no backup folder', async () => {
    mkdirSync(file('backups'));
    const { done, output } = await run('backup', '--keep', '2', file('backups'));
    assert.equal([done, /use pg_dump/.test(output)], [false, true]);
    assert.equal(readdirSync(file('backups')), []);
  });
}

test.run();
