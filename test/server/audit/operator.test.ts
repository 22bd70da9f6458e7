import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { createFirstAdmin } from '../../../server/accounts/operator';
import { runCommand } from '../../../server/cli/commands';
import { readAuditLines, writeAuditEntries } from '../../support/server/audit';
import { onPostgres } from '../../support/database/database';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('the operator in the audit log');

const run = (...commandWords: string[]) => runCommand(commandWords, server.services.config);

test('records commands that change something, without the password, and no rejected ones', async () => {
  const ana = await server.createPerson('ADMIN', { username: 'ana' });
  const { output } = await run('create', 'ben');
  await run('create', 'ben');
  await run('reset-password', 'ben');
  await run('reset-password', 'nobody');
  await run('new-secret');
  assert.equal(await readAuditLines(server, ana), [
    'command line secret.change',
    'command line password.reset ben',
    'command line user.add ben: Admin',
  ]);
  const password = /Password: (\S+)/.exec(output)?.[1] ?? 'none';
  const rows = await server.services.db.selectFrom('audit_entries').selectAll().execute();
  assert.not(JSON.stringify(rows).includes(password));
});

test('records the first administrator', async () => {
  const { db, config, now } = server.services;
  await createFirstAdmin({ db, config, now }, async () => {})();
  const ana = await server.createPerson('ADMIN');
  assert.equal(await readAuditLines(server, ana), [
    'Fieldbell user.add admin: First administrator',
  ]);
});

if (!onPostgres) {
  const file = (name: string): string => join(server.services.config.dataDir, name);

  test('keeps entries written since the backup through a restore', async () => {
    await server.createPerson('ADMIN', { username: 'ana' });
    await writeAuditEntries(server, { action: 'topic.add', on: 'Before' });
    assert.ok((await run('backup', file('copy.db'))).done);
    await writeAuditEntries(server, { action: 'topic.delete', on: 'After' });
    const { id } = await server.createPerson('CUSTOMER', { username: 'new' });
    await writeAuditEntries(server, { action: 'user.add', person: id });
    assert.ok((await run('restore', file('copy.db'))).done);
    const newAdmin = await server.createPerson('ADMIN');
    assert.equal(await readAuditLines(server, newAdmin), [
      'command line backup.restore',
      // The person added since the backup no longer exists.
      `key: test user.add deleted user ${id}`,
      'key: test topic.delete After',
      'command line backup.make',
      'key: test topic.add Before',
    ]);
    assert.ok(newAdmin.id > id, 'an id in the log is never reused');
  });
}

test.run();
