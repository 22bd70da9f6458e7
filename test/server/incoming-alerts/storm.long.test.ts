import * as assert from 'uvu/assert';
import {
  createAlertsBody,
  firingAlert,
  createAlertHelpers,
} from '../../support/incoming-alerts/alert-helpers';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('alert storms');
const ALERT_COUNT = 500;
const longText = { annotations: { description: 'x'.repeat(900) } };
const storm = Array.from({ length: ALERT_COUNT }, (_, nth) => firingAlert(`pump-${nth}`, longText));

test('notifies once for each of five hundred alerts in one body', async () => {
  const alertHelpers = createAlertHelpers(server);
  const topic = await server.createTopic();
  const [key, person] = [
    await alertHelpers.createKey(topic),
    await alertHelpers.createMember(1, topic),
  ];
  const body = JSON.stringify(createAlertsBody(...storm));
  assert.ok(body.length > 500_000 && body.length < 1024 * 1024);
  assert.equal((await alertHelpers.post(key, body)).body, {
    sent: ALERT_COUNT,
    resolved: 0,
    unchanged: 0,
  });
  assert.equal((await alertHelpers.post(key, body)).body, {
    sent: 0,
    resolved: 0,
    unchanged: ALERT_COUNT,
  });
  const { body: reply } = await server.call('GET /api/notifications/messages', { as: person });
  assert.is(reply.newest, ALERT_COUNT);
});

test('notifies and resolves once per alert when three Alertmanagers send a storm', async () => {
  const alertHelpers = createAlertHelpers(server);
  const topic = await server.createTopic();
  const [person, ...keys] = await Promise.all([
    alertHelpers.createMember(1, topic),
    ...[1, 2, 3].map(() => alertHelpers.createKey(topic)),
  ]);
  const over = storm.map((alert) => ({ ...alert, status: 'resolved' }));
  const sendAlerts = async (alerts: object[], counter: 'sent' | 'resolved'): Promise<number> => {
    const orders = [alerts, [...alerts].reverse(), [...alerts.slice(250), ...alerts.slice(0, 250)]];
    const outcomes = await Promise.all(
      keys.map((key, nth) => alertHelpers.sendAlerts(key, ...(orders[nth] ?? []))),
    );
    return outcomes.reduce((sum, one) => sum + one[counter], 0);
  };
  assert.is(await sendAlerts(storm, 'sent'), ALERT_COUNT);
  assert.is(await sendAlerts(over, 'resolved'), ALERT_COUNT);
  const { body } = await server.call('GET /api/notifications/messages', { as: person });
  assert.equal([body.newest, body.closed], [ALERT_COUNT, 20]);
});

test.run();
