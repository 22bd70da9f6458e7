import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { helpFor, runCommand } from '../../../server/cli/commands';
import { openDatabase } from '../../../server/db/open';
import { openFile } from '../../../server/db/engines/embedded';
import { readAuditLines } from '../../support/server/audit';
import { createEmptyDatabase, onPostgres } from '../../support/database/database';
import { addAuthenticatorApp } from '../../support/server/two-factor';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('admin commands');

const run = (...commandWords: string[]) => runCommand(commandWords, server.services.config);
const passwordIn = (output: string): string => /Password: (\S+)/.exec(output)?.[1] ?? '';

test('creates an administrator who can sign in with the printed password', async () => {
  const { done, output } = await run('create', ' Ana ');
  assert.ok(done);
  const { status, body } = await server.signIn('ana', passwordIn(output));
  assert.equal([status, body.user.username, body.user.role], [200, 'Ana', 'ADMIN']);
});

test('rejects a taken name in any case, and one that is too long', async () => {
  await server.createPerson('CUSTOMER', { username: 'ana' });
  assert.equal(await run('create', 'ANA'), {
    done: false,
    output: 'This username is already taken.',
  });
  assert.equal(await run('create', 'x'.repeat(65)), {
    done: false,
    output: 'Username is too long. Use 64 characters or fewer.',
  });
  assert.not((await run('create', 'two\nlines')).done);
});

test('resets a password and ends all sessions', async () => {
  const person = await server.createPerson('ADMIN', {
    username: 'ana',
    password: 'the old password',
  });
  const { done, output } = await run('reset-password', 'Ana');
  assert.ok(done);
  assert.is((await server.call('GET /api/admin/users', { as: person })).status, 401);
  assert.is((await server.signIn('ana', 'the old password')).status, 401);
  assert.is((await server.signIn('ana', passwordIn(output))).status, 200);
});

test('says why it cannot reset a password', async () => {
  const admin = await server.createPerson('ADMIN');
  await server.addUser(admin, 'waiting', 'CUSTOMER');
  assert.equal(await run('reset-password', 'nobody'), {
    done: false,
    output: 'There is no account with this username.',
  });
  assert.match((await run('reset-password', 'waiting')).output, /is not registered yet/);
});

test('removes a second factor, company link or passkeys from one account only', async () => {
  const [ana, ben] = [
    await server.createPerson('ADMIN', { username: 'ana' }),
    await server.createPerson('ADMIN', { username: 'ben' }),
  ];
  const { db } = server.services;
  for (const person of [ana, ben]) {
    await addAuthenticatorApp(person, server.services);
    await db
      .insertInto('passkeys')
      .values({
        ...{
          id: person.username,
          user_id: person.id,
          credential_id: person.username,
          public_key: '',
        },
        ...{ sign_count: 0, name: 'Phone', created_at: 0, last_used_at: null },
      })
      .execute();
    await db
      .insertInto('identities')
      .values({ issuer: 'https://x', subject: person.username, user_id: person.id, linked_at: 0 })
      .execute();
  }
  const readRemaining = async () => {
    const apps = await db.selectFrom('second_factors').select('user_id').execute();
    const linked = await db.selectFrom('identities').select('user_id').execute();
    const passkeys = await db.selectFrom('passkeys').select('user_id').execute();
    return [apps, linked, passkeys].map((rows) => rows.map(({ user_id }) => user_id));
  };
  const personIds = [ana.id, ben.id];
  assert.match(
    (await run('remove-totp', 'ANA')).output,
    /^ANA no longer has an authenticator app\. A new one/,
  );
  assert.equal(await readRemaining(), [[ben.id], personIds, personIds]);
  assert.match(
    (await run('unlink', 'ana')).output,
    /^ana is no longer linked to the company sign-in/,
  );
  assert.equal(await readRemaining(), [[ben.id], [ben.id], personIds]);
  assert.match((await run('remove-passkeys', 'ana')).output, /^ana no longer has a passkey\./);
  assert.equal(await readRemaining(), [[ben.id], [ben.id], [ben.id]]);
  assert.equal(
    [await run('remove-totp', 'ana'), await run('unlink', 'ana'), await run('unlink', 'nobody')],
    [
      { done: false, output: 'ana has no authenticator app.' },
      { done: false, output: 'ana is not linked to the company sign-in.' },
      { done: false, output: 'There is no account with this username.' },
    ],
  );
  assert.equal(await readAuditLines(server, ben), [
    'command line passkey.reset ana',
    'command line account.unlink ana',
    'command line totp.reset ana',
  ]);
});

test('shows a backup of another tool on dashboard and metrics', async () => {
  const admin = await server.createPerson('ADMIN');
  const readCounts = async () => {
    const { body } = await server.call('GET /api/admin/overview', { as: admin });
    const metrics = await server.services.metrics.read();
    return [
      body.health.lastBackupAt,
      Number(/^fieldbell_last_backup_timestamp_seconds (\S+)$/m.exec(metrics)?.[1]),
    ] as const;
  };
  assert.equal(await readCounts(), [onPostgres ? undefined : null, 0]);
  const timeBefore = Date.now();
  for (let times = 1; times <= 2; times += 1) assert.ok((await run('backup-made')).done);
  const [backupTime, seconds] = await readCounts();
  assert.ok(
    Date.parse(backupTime ?? '') >= timeBefore && Date.parse(backupTime ?? '') <= Date.now(),
    String(backupTime),
  );
  assert.is(seconds * 1000, Date.parse(backupTime ?? ''));
});

test('never creates a database, and names the folder it looked in', async () => {
  const empty = await createEmptyDatabase();
  for (const command of ['create', 'reset-password']) {
    const { done, output } = await runCommand([command, 'ana'], {
      ...server.services.config,
      ...empty.config,
    });
    assert.not(done);
    assert.match(
      output,
      onPostgres
        ? /database in DATABASE_URL has no Fieldbell tables/
        : `There is no database in ${empty.config.dataDir}. Start the server once, or set DATA_DIR`,
    );
  }
  assert.equal(readdirSync(empty.config.dataDir), []);
  await empty.drop();
});

test('names an unknown command, and lists all for help', async () => {
  for (const commandWords of [['drop', 'everything'], ['constructor', 'x'], ['bakcup']]) {
    const { done, output } = await run(...commandWords);
    assert.not(done);
    assert.match(
      output,
      `Unknown command "${commandWords[0]}".\n\nUsage: node dist/server/admin.js COMMAND`,
    );
  }
  for (const word of ['--help', '-h', 'help'])
    assert.match(helpFor([word]) ?? '', /^Usage: node dist\/server\/admin\.js COMMAND/);
});

test('prints the usage for a command with wrong arguments', async () => {
  for (const commandWords of [
    [],
    ['create'],
    ['create', ' '],
    ['create', 'one', 'two'],
    ['backup', '--keep'],
    ['backup', '--keep', '7'],
    ['backup', '--keep', '0', '/x'],
    ['backup', '--keep', 'all', '/x'],
    ['backup', '--keep', '1001', '/x'],
    ['backup-made', 'x'],
  ]) {
    const { done, output } = await run(...commandWords);
    assert.not(done, commandWords.join(' '));
    assert.match(output, /^Usage: node dist\/server\/admin\.js COMMAND\n/);
    assert.ok(output.includes(`\n  ${commandWords[0] ?? 'create'} `), commandWords.join(' '));
  }
});

if (onPostgres) {
  test('refers to pg_dump and pg_restore on PostgreSQL', async () => {
    for (const command of [['backup'], ['restore'], ['backup', '--keep', '2']])
      assert.match((await run(...command, '/nowhere')).output, /use pg_dump and pg_restore/);
  });
} else {
  const file = (name: string): string => join(server.services.config.dataDir, name);
  const topicTitles = async (): Promise<string[]> =>
    (await server.services.db.selectFrom('topics').select('title').orderBy('id').execute()).map(
      ({ title }) => title,
    );

  test('restores a backup while the server runs', async () => {
    const admin = await server.createPerson('ADMIN', {
      username: 'ana',
      password: 'a good password',
    });
    const keptTopic = await server.createTopic('Kept');
    await server.subscribe(admin, admin.id, keptTopic);
    assert.match(
      (await run('backup', file('copy.db'))).output,
      `All data was copied to ${file('copy.db')}.`,
    );
    const later = await server.createTopic('Later');
    await server.call('DELETE /api/admin/topics/:id', { as: admin, params: { id: keptTopic } });

    assert.ok((await run('restore', file('copy.db'))).done);
    assert.equal(await topicTitles(), ['Kept']);
    const { body } = await server.signIn('ana', 'a good password');
    const { body: subscriptions } = await server.call('GET /api/notifications/my-subscriptions', {
      as: body,
    });
    assert.equal(
      subscriptions.map(({ topic }) => topic.id),
      [keptTopic],
    );
    assert.ok((await server.createTopic('After')) > later, 'an id is never used again');
  });

  test('creates a database only to restore a valid backup', async () => {
    await server.createTopic('Kept');
    await run('backup', file('copy.db'));
    const empty = await createEmptyDatabase();
    const otherConfig = { ...server.services.config, ...empty.config };
    writeFileSync(file('broken.db'), 'SQLite format 3\0 and then nothing');
    assert.ok((await runCommand(['restore', '--list', file('copy.db')], otherConfig)).done);
    assert.not((await runCommand(['restore', file('broken.db')], otherConfig)).done);
    assert.equal(readdirSync(otherConfig.dataDir), []);
    assert.ok((await runCommand(['restore', file('copy.db')], otherConfig)).done);
    const { db, close } = openDatabase(otherConfig);
    const topics = await db.selectFrom('topics').select('title').execute();
    await close();
    assert.equal(topics, [{ title: 'Kept' }]);
    await empty.drop();
  });

  test('rejects a recovery code after a restore that was used since the backup', async () => {
    const services = server.services;
    const password = 'a good password';
    const ana = await server.createPerson('ADMIN', { username: 'ana', password });
    const {
      codes: [used = '', spare = ''],
    } = await addAuthenticatorApp(ana, services);
    const enter = async (code: string) => {
      const rejectedResponse = await server.request('/api/auth/login', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ username: 'ana', password }),
      });
      const { challenge } = (await rejectedResponse.json()) as { challenge: string };
      return (await server.call('POST /api/auth/second-factor', { body: { challenge, code } }))
        .status;
    };
    assert.ok((await run('backup', file('copy.db'))).done);
    assert.is(await enter(used), 200);
    assert.ok((await run('restore', file('copy.db'))).done);
    assert.is(await enter(used), 400);
    assert.is(await enter(spare), 200);
  });

  test('restores no session and no mailed link', async () => {
    const person = await server.createPerson('ADMIN', {
      username: 'ana',
      email: 'ana@mail.example',
      password: 'a good password',
    });
    await server.requestPasswordReset('ana@mail.example');
    await server.sendMails();
    const token = new URL(server.mails[0]?.link ?? '').pathname.split('/').pop() ?? '';
    await run('backup', file('copy.db'));
    await server.resetPassword(token, 'another password');

    await run('restore', file('copy.db'));
    assert.is((await server.call('GET /api/admin/users', { as: person })).status, 401);
    assert.is((await server.resetPassword(token, 'a third password')).status, 400);
    assert.is((await server.signIn('ana', 'another password')).status, 200);
  });

  test('reports the last backup, also after a restore', async () => {
    const lastBackup = async (): Promise<string | null | undefined> => {
      const admin = await server.createPerson('ADMIN');
      const { body } = await server.call('GET /api/admin/overview', { as: admin });
      return body.health.lastBackupAt;
    };
    assert.is(await lastBackup(), null);
    const timeBefore = Date.now();
    assert.ok((await run('backup', file('copy.db'))).done);
    const backupTime = await lastBackup();
    assert.ok(
      Date.parse(backupTime ?? '') >= timeBefore && Date.parse(backupTime ?? '') <= Date.now(),
      String(backupTime),
    );
    assert.not((await run('backup', file('copy.db'))).done);
    assert.is(await lastBackup(), backupTime, 'one that failed is none');
    await run('restore', file('copy.db'));
    assert.is(await lastBackup(), backupTime);
  });

  test('makes a backup readable by its owner only, and overwrites no file', async () => {
    await run('backup', file('copy.db'));
    assert.is(statSync(file('copy.db')).mode & 0o777, 0o600);
    await server.createTopic('Later');
    assert.match((await run('backup', file('copy.db'))).output, /already exists/);
    const copy = openFile(file('copy.db'), 0);
    assert.equal(copy.prepare('select count(*) as topics from topics').all([]), [{ topics: 0 }]);
    copy.close();
  });
}

test.run();
