import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { addSubscribers, openServerDatabase } from '../people.mjs';
import { signIn } from '../process.mjs';

const SUBSCRIBERS = 3;
const ALERT_COUNT = 500;
const FIRST_USER_ID = 1_000_000;
const alerts = (status) =>
  Array.from({ length: ALERT_COUNT }, (_, nth) => ({
    status,
    labels: { alertname: 'PumpDown', instance: `pump-${nth}` },
    annotations: { summary: `Pump ${nth} is down` },
    startsAt: '2026-11-20T14:02:00.123456789Z',
    endsAt: status === 'firing' ? '0001-01-01T00:00:00Z' : '2026-11-20T14:30:00Z',
    fingerprint: `pump-${nth}`,
  }));

/**
 * F36: Each of 500 alerts notifies exactly once and is resolved, although the server is killed
 * repeatedly.
 */
export async function testKilledStorm({ start, sink, environment, quick }) {
  let server = await start();
  const call = await signIn(server.address);
  const { id: topic } = await call('POST', '/admin/topics', { title: 'Pumps', description: '-' });
  const { key } = await call('POST', `/admin/topics/${topic}/keys`, { name: 'Alertmanager' });
  const database = await openServerDatabase(environment);
  await addSubscribers(database, topic, SUBSCRIBERS, sink.origin, FIRST_USER_ID);
  const countOf = async (query) => Number((await database.all(query))[0].n);

  const kills = quick ? 2 : 6;
  /**
   * Repeats the alerts until the server responds. Kills the server in the middle of each attempt
   * except the last.
   */
  async function sendAlerts(status, done) {
    const killedAt = [];
    for (let kill = 1; kill <= kills; kill += 1) {
      const goal = Math.round((kill * ALERT_COUNT) / (kills + 2));
      const response = post(server.address, key, status).catch(() => undefined);
      while ((await countOf(done)) < goal) await wait(2);
      await server.end('SIGKILL');
      assert.equal(await response, undefined, 'the server responded before it was killed');
      killedAt.push(await countOf(done));
      server = await start();
    }
    return { killedAt, accepted: await post(server.address, key, status) };
  }

  const MESSAGES = 'select count(*) as n from messages';
  const began = await sendAlerts('firing', MESSAGES);
  assert.equal(began.accepted.sent + began.killedAt.at(-1), ALERT_COUNT);
  assert.equal(await countOf(MESSAGES), ALERT_COUNT, 'one message for each alert');
  const ALERT_MESSAGES =
    'select count(*) as n from alerts inner join messages on messages.id = message_id';
  assert.equal(await countOf(ALERT_MESSAGES), ALERT_COUNT, 'each alert is stored with its message');
  assert.equal(await countOf('select count(*) as n from recipients'), ALERT_COUNT * SUBSCRIBERS);
  assert.deepEqual(await post(server.address, key, 'firing'), {
    sent: 0,
    resolved: 0,
    unchanged: ALERT_COUNT,
  });

  const ended = await sendAlerts(
    'resolved',
    `${ALERT_MESSAGES} where messages.resolved_at is not null`,
  );
  assert.equal(ended.accepted.resolved + ended.killedAt.at(-1), ALERT_COUNT);
  const open = `${ALERT_MESSAGES} where messages.resolved_at is null or alerts.resolved_at is null`;
  assert.equal(await countOf(open), 0, 'no alert stays open');
  await database.close();
  await server.end('SIGTERM');
  return `killed when ${began.killedAt.join(', ')} of ${ALERT_COUNT} notified and when ${ended.killedAt.join(', ')} were resolved, then sent again: one message each, all resolved`;
}

async function post(address, key, status) {
  const response = await fetch(`${address}/api/hooks/alertmanager`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ version: '4', alerts: alerts(status) }),
  });
  assert.equal(response.status, 202, await response.clone().text());
  return response.json();
}
