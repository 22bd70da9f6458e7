import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SentMessage } from '../../../src/shared/contract';
import { readConfig } from '../../../server/config/config';
import { createLog } from '../../../server/lib/log';
import { startServer } from '../../../server/start';
import type { RunningServer } from '../../../server/start';
import { eventually } from '../../support/eventually';
import {
  isAlertmanagerInstalled,
  startAlertmanager,
} from '../../support/incoming-alerts/alertmanager';
import type { Alertmanager } from '../../support/incoming-alerts/alertmanager';
import { createEmptyDatabase } from '../../support/database/database';
import type { TestDatabase } from '../../support/database/database';

const test = suite('a real Alertmanager');
const PASSWORD = 'correct-horse-battery';

let database: TestDatabase;
let app: string;
let server: RunningServer;
let admin: string;
let key: string;
let managers: Alertmanager[];

async function call<Body>(method: string, path: string, body?: object): Promise<Body> {
  const response = await fetch(`${server.address}/api${path}`, {
    method,
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${admin}` },
    ...(body && { body: JSON.stringify(body) }),
  });
  return (await response.json()) as Body;
}

/** Configured by the recipe of the README, except for the times. */
function configure(): string {
  const [, recipe = ''] =
    /### Alertmanager\n[^`]+```\n([\s\S]*?)```/.exec(
      readFileSync('server/deploy/integrate.md', 'utf8'),
    ) ?? [];
  const receivers = recipe.replace('https://bell.example', server.address).replace('fbk_KEY', key);
  const often = 'group_wait: 0s, group_interval: 1s, repeat_interval: 1s';
  return `route: {receiver: fieldbell, group_by: [alertname], ${often}}\n${receivers}`;
}

async function setUp(): Promise<void> {
  database = await createEmptyDatabase();
  app = mkdtempSync(join(tmpdir(), 'fieldbell-app-'));
  const environment = {
    PORT: '0',
    HOST: '127.0.0.1',
    ADMIN_PASSWORD: PASSWORD,
    DATA_DIR: database.config.dataDir,
    DATABASE_URL: database.config.databaseUrl,
  };
  const log = createLog(() => undefined);
  server = await startServer(readConfig(environment), log, app, async () => undefined);
  const credentials = { username: 'admin', password: PASSWORD };
  ({ token: admin } = await call<{ token: string }>('POST', '/auth/login', credentials));
  const topic = await call<{ id: number }>('POST', '/admin/topics', {
    title: 'Pumps',
    description: 'Of the waterworks',
  });
  const made = await call<{ key: string }>('POST', `/admin/topics/${topic.id}/keys`, {
    name: 'Alertmanager',
  });
  key = made.key;
  managers = await Promise.all([startAlertmanager(configure()), startAlertmanager(configure())]);
}
async function tearDown(): Promise<void> {
  for (const manager of managers ?? []) await manager.stop();
  await server.stop();
  await database.drop();
  rmSync(app, { recursive: true });
}

const readSent = async (): Promise<SentMessage[]> =>
  (await call<{ messages: SentMessage[] }>('GET', '/admin/messages')).messages;

const alertOf = (startsAt: number, endsAt?: number): object => ({
  labels: { alertname: 'PumpDown', severity: 'critical', instance: 'pump-7' },
  annotations: { summary: 'Pump 7 is down', description: 'No flow for five minutes' },
  generatorURL: 'https://prometheus.example/graph?g0.expr=up+%3D%3D+0',
  startsAt: new Date(startsAt).toISOString(),
  ...(endsAt !== undefined && { endsAt: new Date(endsAt).toISOString() }),
});

/** Waits until each Alertmanager has notified that many times more. */
async function waitForNotifications(more: number): Promise<void> {
  for (const manager of managers) {
    const wantedCount = (await manager.countNotifications()) + more;
    await eventually(
      async () => (await manager.countNotifications()) >= wantedCount,
      'Alertmanager to send the alert again',
    );
  }
}

const isThere = isAlertmanagerInstalled();
const run = isThere ? test : test.skip;
if (isThere) {
  test.before(setUp);
  test.after(tearDown);
} else
  console.log(
    'Skipped: prometheus-alertmanager is not installed. Debian has a package of that name.',
  );

run(
  'sends one message for two Alertmanagers, resolves it, and sends another next time',
  async () => {
    const began = Date.now() - 60_000;
    for (const manager of managers) await manager.sendAlerts(alertOf(began));
    await eventually(async () => (await readSent()).length > 0, 'the alert to be sent');
    await waitForNotifications(2);
    const [message, ...othersMessages] = await readSent();
    assert.equal(othersMessages, [], 'once, however often it is reported');
    assert.equal(
      [message?.title, message?.message, message?.priority, message?.link, message?.sender],
      [
        'Pump 7 is down',
        'No flow for five minutes',
        'urgent',
        'https://prometheus.example/graph?g0.expr=up+%3D%3D+0',
        'key: Alertmanager',
      ],
    );
    for (const manager of managers) await manager.sendAlerts(alertOf(began, Date.now()));
    await eventually(async () => (await readSent())[0]?.state === 'resolved', 'the alert to end');
    const againAt = Date.now();
    for (const manager of managers) await manager.sendAlerts(alertOf(againAt));
    await eventually(async () => (await readSent()).length > 1, 'the alert to notify again');
    await waitForNotifications(1);
    const states = (await readSent()).map(({ state }) => state);
    assert.equal([states.length, states[1]], [2, 'resolved']);
    for (const manager of managers)
      assert.is(await manager.countFailed(), 0, `none was rejected:\n${manager.output()}`);
  },
);

test.run();
