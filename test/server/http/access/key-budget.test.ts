import * as assert from 'uvu/assert';
import { KEY_BUDGET, consumeKeyBudgetUpTo } from '../../../../server/http/access/key-budget';
import { listKeysOverBudget, listKeys } from '../../../../server/topics/keys';
import {
  createAlertsBody,
  firingAlert,
  createAlertHelpers,
  resolvedAlert,
} from '../../../support/incoming-alerts/alert-helpers';
import type { Person } from '../../../support/server/server';
import { serverSuite } from '../../../support/server/server';

const { test, server } = serverSuite('budgets of topic keys');
const alertHelpers = createAlertHelpers(server);
let admin: Person;
let topic: number;
let key: string;
let keyId: number;

test.before.each(async () => {
  admin = await server.createPerson('ADMIN');
  topic = await server.createTopic('Grid outages');
  const { body } = await server.call('POST /api/admin/topics/:id/keys', {
    as: admin,
    params: { id: topic },
    body: { name: 'Alertmanager' },
  });
  ({ key, id: keyId } = body);
});

const useUpBudget = (messages: number, endings = 0) =>
  consumeKeyBudgetUpTo(keyId, { messages, endings }, server.services.db, server.clock.now);
const readKey = async () =>
  (await server.call('GET /api/admin/topics/:id/keys', { as: admin, params: { id: topic } })).body
    .keys[0];
const readEntries = () =>
  server.services.db
    .selectFrom('audit_entries')
    .select(['actor', 'target', 'detail'])
    .where('action', '=', 'key.limit')
    .execute();
const postAlerts = (...alerts: object[]) =>
  alertHelpers.post(key, JSON.stringify(createAlertsBody(...alerts)));

test('holds back alerts beyond the budget, tells administrators, and sends them later', async () => {
  await useUpBudget(KEY_BUDGET.messages - 1, KEY_BUDGET.endings);
  const alerts = [firingAlert('a'), firingAlert('b'), firingAlert('c'), resolvedAlert('d')];
  assert.is((await postAlerts(...alerts)).status, 503);
  const since = new Date(server.clock.now).toISOString();
  assert.equal((await readKey())?.heldBack, { alerts: 3, since });
  const { health } = (await server.call('GET /api/admin/overview', { as: admin })).body;
  assert.equal(health.heldBack, [{ key: 'Alertmanager', topic: 'Grid outages', alerts: 3, since }]);
  server.clock.now += 60_000;
  assert.is((await postAlerts(...alerts)).status, 202);
  assert.is((await alertHelpers.readSent()).length, 3);
  const entry = { actor: 'key: Alertmanager', target: 'Grid outages' };
  assert.equal(await readEntries(), [
    { ...entry, detail: 'Alertmanager: at least 3 messages rejected' },
  ]);
  const [later] = await listKeys(topic, server.services.db, server.clock.now + 24 * 3_600_000);
  assert.is(later?.heldBack, undefined);
  const day = server.clock.now + 24 * 3_600_000;
  assert.equal(await listKeysOverBudget(server.services.db, day), []);
});

test('reports further held alerts of the hour only in the list of keys', async () => {
  await useUpBudget(KEY_BUDGET.messages);
  await postAlerts(firingAlert('a'));
  await postAlerts(firingAlert('a'), firingAlert('b'));
  const since = (await readKey())?.heldBack?.since;
  server.clock.now += 1000;
  await postAlerts(firingAlert('c'));
  assert.equal((await readKey())?.heldBack, { alerts: 3, since });
  assert.is((await readEntries()).length, 1);
});

test('tells administrators when a key publishes too fast', async () => {
  const publish = () =>
    server.request('/api/publish', { method: 'POST', headers: { Authorization: `Bearer ${key}` } });
  while ((await publish()).status !== 429);
  assert.is((await readKey())?.heldBack?.alerts, 1);
});

test('rejects messages beyond the budget with Retry-After, and tells administrators', async () => {
  await useUpBudget(KEY_BUDGET.messages);
  const publish = (body = 'Feeder 12 tripped') =>
    server.request('/api/publish', {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}` },
      body,
    });
  await publish('Feeder 11 tripped');
  await publish();
  const rejectedResponse = await publish();
  assert.equal([rejectedResponse.status, rejectedResponse.headers.get('retry-after')], [429, '2']);
  assert.is((await readKey())?.heldBack?.alerts, 2);
  server.clock.now += 2000;
  assert.is((await publish()).status, 202);
});

test('shares the budget between processes', async () => {
  const wanted = KEY_BUDGET.messages * 0.4;
  const grants = await Promise.all([useUpBudget(wanted), useUpBudget(wanted), useUpBudget(wanted)]);
  assert.is(
    grants.reduce((sum, { messages }) => sum + messages, 0),
    KEY_BUDGET.messages,
  );
});

test.run();
