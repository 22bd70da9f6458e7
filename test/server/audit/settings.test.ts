import * as assert from 'uvu/assert';
import { recordSettingChanges } from '../../../server/audit/settings';
import { readConfig } from '../../../server/config/config';
import { readAuditLines } from '../../support/server/audit';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('settings in the audit log');

const SECRET = 'x'.repeat(32);
const recordSettings = (environment: Record<string, string> = {}): Promise<void> =>
  recordSettingChanges(
    {
      ...readConfig({
        DATA_DIR: server.services.config.dataDir,
        PUBLIC_URL: 'https://bell.example',
        ...environment,
      }),
      jwtSecret: environment.JWT_SECRET ?? SECRET,
    },
    server.services.db,
    server.clock.now,
  );

test('names changed variables at start, never their values', async () => {
  const ana = await server.createPerson('ADMIN');
  await recordSettings();
  await recordSettings();
  assert.equal(await readAuditLines(server, ana), []);
  const token = 'a-token-of-metrics';
  const changed = { METRICS_TOKEN: token, TRUSTED_PROXIES: '10.0.0.0/8', PORT: '4000' };
  await recordSettings(changed);
  await recordSettings(changed);
  assert.equal(await readAuditLines(server, ana), [
    'Fieldbell settings.change METRICS_TOKEN, TRUSTED_PROXIES',
  ]);
  const storedSettings = await server.services.db.selectFrom('settings').selectAll().execute();
  assert.not(JSON.stringify(storedSettings).includes(token));
  assert.not(JSON.stringify(storedSettings).includes('10.0.0.0'));
});

test('ignores per-process settings and those of the first start', async () => {
  const ana = await server.createPerson('ADMIN');
  await recordSettings();
  await recordSettings({
    PORT: '4000',
    HOST: '127.0.0.1',
    ADMIN_USERNAME: 'keeper',
    ADMIN_PASSWORD: 'correct horse battery',
    DATA_DIR: `${server.services.config.dataDir}/other`,
  });
  assert.equal(await readAuditLines(server, ana), []);
});

test('records a new JWT_SECRET as a single change', async () => {
  const ana = await server.createPerson('ADMIN');
  await recordSettings({ AUDIT_DAYS: '400' });
  await recordSettings({ JWT_SECRET: 'y'.repeat(32) });
  assert.equal(await readAuditLines(server, ana), ['Fieldbell settings.change JWT_SECRET']);
});

test.run();
