import * as assert from 'uvu/assert';
import {
  createAlertsBody,
  firingAlert,
  createAlertHelpers,
} from '../../support/incoming-alerts/alert-helpers';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('alert storms');
const ALERTS = 500;
const longText = { annotations: { description: 'x'.repeat(900) } };
const storm = Array.from({ length: ALERTS }, (_, nth) => firingAlert(`pump-${nth}`, longText));

test('notifies once for each of five hundred alerts in one body', async () => {
  const alertHelpers = createAlertHelpers(server);
  const topic = await server.makeTopic();
  const [key, person] = [
    await alertHelpers.makeKey(topic),
    await alertHelpers.makeMember(1, topic),
  ];
  const body = JSON.stringify(createAlertsBody(...storm));
  assert.ok(body.length > 500_000 && body.length < 1024 * 1024);
  assert.equal((await alertHelpers.post(key, body)).body, {
    sent: ALERTS,
    resolved: 0,
    unchanged: 0,
  });
  assert.equal((await alertHelpers.post(key, body)).body, {
    sent: 0,
    resolved: 0,
    unchanged: ALERTS,
  });
  const { body: reply } = await server.call('GET /api/notifications/messages', { as: person });
  assert.is(reply.newest, ALERTS);
});

test('notifies and resolves once per alert when three Alertmanagers send a storm', async () => {
  const alertHelpers = createAlertHelpers(server);
  const topic = await server.makeTopic();
  const [person, ...keys] = await Promise.all([
    alertHelpers.makeMember(1, topic),
    ...[1, 2, 3].map(() => alertHelpers.makeKey(topic)),
  ]);
  const over = storm.map((alert) => ({ ...alert, status: 'resolved' }));
  const sendAlerts = async (alerts: object[], counter: 'sent' | 'resolved'): Promise<number> => {
    const orders = [alerts, [...alerts].reverse(), [...alerts.slice(250), ...alerts.slice(0, 250)]];
    const taken = await Promise.all(
      keys.map((key, nth) => alertHelpers.sendAlerts(key, ...(orders[nth] ?? []))),
    );
    return taken.reduce((sum, one) => sum + one[counter], 0);
  };
  assert.is(await sendAlerts(storm, 'sent'), ALERTS);
  assert.is(await sendAlerts(over, 'resolved'), ALERTS);
  const { body } = await server.call('GET /api/notifications/messages', { as: person });
  assert.equal([body.newest, body.closed], [ALERTS, 20]);
});

test.run();
