import * as assert from 'uvu/assert';
import { noteSettings } from '../../../server/audit/settings';
import { readConfig } from '../../../server/config/config';
import { readSetting, writeSetting } from '../../../server/db/settings';
import { readLines } from '../../support/server/audit';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('settings in the audit log');

const SECRET = 'x'.repeat(32);
const KEPT = 'settings-fingerprints';
const start = (environment: Record<string, string> = {}): Promise<void> =>
  noteSettings(
    readConfig({
      DATA_DIR: server.services.config.dataDir,
      PUBLIC_URL: 'https://bell.example',
      JWT_SECRET: SECRET,
      ...environment,
    }),
    server.services.db,
    server.clock.now,
  );

test('a start with other settings names the variables, and never their values', async () => {
  const ana = await server.makePerson('ADMIN');
  await start();
  await start();
  assert.equal(await readLines(server, ana), []);
  const token = 'a-token-of-metrics';
  const changed = { METRICS_TOKEN: token, TRUSTED_PROXIES: '10.0.0.0/8', PORT: '4000' };
  await start(changed);
  await start(changed);
  assert.equal(await readLines(server, ana), [
    'Fieldbell settings.change METRICS_TOKEN, TRUSTED_PROXIES',
  ]);
  const kept = await server.services.db.selectFrom('settings').selectAll().execute();
  assert.not(JSON.stringify(kept).includes(token));
  assert.not(JSON.stringify(kept).includes('10.0.0.0'));
});

test('what each process has of its own, and what counts at the first start alone, is no change', async () => {
  const ana = await server.makePerson('ADMIN');
  await start();
  await start({
    PORT: '4000',
    HOST: '127.0.0.1',
    ADMIN_USERNAME: 'keeper',
    ADMIN_PASSWORD: 'correct horse battery',
    DATA_DIR: `${server.services.config.dataDir}/other`,
  });
  assert.equal(await readLines(server, ana), []);
});

test('an address that is only guessed is no change; of one that is set nothing is told that only follows from it', async () => {
  const ana = await server.makePerson('ADMIN');
  await start({ PUBLIC_URL: '', PORT: '4000' });
  await start({ PUBLIC_URL: '', PORT: '4001' });
  assert.equal(await readLines(server, ana), []);
  const told = ['Fieldbell settings.change PUBLIC_URL'];
  await start({ PUBLIC_URL: 'https://one.example' });
  assert.equal(await readLines(server, ana), told, 'set for the first time');
  await start({ PUBLIC_URL: 'https://two.example' });
  assert.equal(await readLines(server, ana), [...told, ...told]);
  const two = { PUBLIC_URL: 'https://two.example', MAIL_FROM: 'bell@two.example' };
  await start(two);
  await start({ ...two, PUBLIC_URL: '' });
  await start({ PUBLIC_URL: '' });
  assert.equal((await readLines(server, ana)).slice(0, -2), [
    'Fieldbell settings.change MAIL_FROM',
    ...told,
    'Fieldbell settings.change MAIL_FROM',
  ]);
});

test('a variable that a later version knows is no change, and each change is told once', async () => {
  const ana = await server.makePerson('ADMIN');
  await start();
  const { db } = server.services;
  const { AUDIT_DAYS: _, ...before } = JSON.parse((await readSetting(KEPT, db)) ?? '');
  await writeSetting(KEPT, JSON.stringify(before), db);
  await start({ AUDIT_DAYS: '500' });
  assert.equal(await readLines(server, ana), []);
  await start({ AUDIT_DAYS: '600' });
  await start({ AUDIT_DAYS: '500' });
  assert.equal(await readLines(server, ana), [
    'Fieldbell settings.change AUDIT_DAYS',
    'Fieldbell settings.change AUDIT_DAYS',
  ]);
});

test('another secret is one change, whatever else cannot be compared then', async () => {
  const ana = await server.makePerson('ADMIN');
  await start({ AUDIT_DAYS: '400' });
  await start({ JWT_SECRET: 'y'.repeat(32) });
  assert.equal(await readLines(server, ana), ['Fieldbell settings.change JWT_SECRET']);
});

test.run();
