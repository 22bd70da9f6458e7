import { readFileSync } from 'node:fs';
import * as assert from 'uvu/assert';
import { inTransaction } from '../../../server/db/transaction';
import { acceptAlerts } from '../../../server/incoming-alerts/accept-alerts';
import type { AlertReceiver } from '../../../server/incoming-alerts/accept-alerts';
import { sendInTransaction } from '../../../server/messages/sending/send';
import {
  STARTS_AT,
  firingAlert,
  createAlertHelpers,
  resolvedAlert,
} from '../../support/incoming-alerts/alert-helpers';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('incoming alerts');
let alertHelpers: ReturnType<typeof createAlertHelpers>;
let topic: number;
let key: string;
test.before.each(async () => {
  alertHelpers = createAlertHelpers(server);
  topic = await server.createTopic('Pumps');
  key = await alertHelpers.createKey(topic);
});

test('sends a message for a firing alert, and ignores its repeats', async () => {
  const person = await alertHelpers.createMember(2, topic);
  assert.equal(await alertHelpers.sendAlerts(key, firingAlert('pump-7')), {
    sent: 1,
    resolved: 0,
    unchanged: 0,
  });
  const [message, ...others] = await alertHelpers.readInbox(person);
  assert.equal(others, []);
  assert.equal(
    [
      message?.title,
      message?.message,
      message?.priority,
      message?.link,
      message?.topic,
      message?.state,
    ],
    [
      'Pump pump-7 is down',
      'Pump pump-7 is down',
      'urgent',
      null,
      { id: topic, title: 'Pumps' },
      'sent',
    ],
  );
  assert.is((await alertHelpers.claimAll()).length, 2, 'it notifies each device');
  const [sentMessage] = await alertHelpers.readSent();
  assert.equal([sentMessage?.sender, sentMessage?.people.total], ['key: Prometheus', 1]);
  for (const written of [STARTS_AT, '2026-11-20T15:02:00.123456789+01:00']) {
    const repeatedResult = await alertHelpers.sendAlerts(
      key,
      firingAlert('pump-7', { startsAt: written }),
    );
    assert.equal(repeatedResult, { sent: 0, resolved: 0, unchanged: 1 });
  }
  assert.is((await alertHelpers.readInbox(person)).length, 1);
});

test('wakes delivery for a new or resolved alert, not for a repeat', async () => {
  await alertHelpers.createMember(1, topic);
  const wakes = () => [
    server.countPushWorkerWakes(),
    server.wakeCounts.jobs,
    server.wakeCounts.webhooks,
  ];
  let before = wakes();
  for (const alert of [firingAlert('a'), resolvedAlert('a')]) {
    await alertHelpers.sendAlerts(key, alert);
    const after = wakes();
    assert.ok(
      after.every((count, which) => count > before[which]!),
      `${before} ${after}`,
    );
    await alertHelpers.sendAlerts(key, alert);
    assert.equal(wakes(), after);
    before = after;
  }
});

test('sends separate messages for a new start, another alert and another topic', async () => {
  const person = await alertHelpers.createMember(1, topic);
  const later = { startsAt: '2026-11-20T14:02:00.123456790Z' };
  const outcomes = await alertHelpers.sendAlerts(
    key,
    firingAlert('a'),
    firingAlert('a', later),
    firingAlert('b'),
    firingAlert('a'),
  );
  assert.equal(outcomes, { sent: 3, resolved: 0, unchanged: 1 });
  assert.is((await alertHelpers.readInbox(person)).length, 3);
  const otherKey = await alertHelpers.createKey(await server.createTopic());
  assert.is((await alertHelpers.sendAlerts(otherKey, firingAlert('a'))).sent, 1);
});

test('ignores known alerts from a second Alertmanager with its own key', async () => {
  const second = await alertHelpers.createKey(topic, 'Prometheus B');
  await alertHelpers.sendAlerts(key, firingAlert('a'));
  assert.equal(await alertHelpers.sendAlerts(second, firingAlert('a'), firingAlert('b')), {
    sent: 1,
    resolved: 0,
    unchanged: 1,
  });
  assert.equal(await alertHelpers.sendAlerts(second, resolvedAlert('a')), {
    sent: 0,
    resolved: 1,
    unchanged: 0,
  });
  assert.equal(await alertHelpers.sendAlerts(key, resolvedAlert('a')), {
    sent: 0,
    resolved: 0,
    unchanged: 1,
  });
});

test('notifies once for alerts that several Alertmanagers send at the same moment', async () => {
  const keys = [key, await alertHelpers.createKey(topic), await alertHelpers.createKey(topic)];
  const alerts = Array.from({ length: 20 }, (_, nth) => firingAlert(`pump-${nth}`));
  const outcomes = await Promise.all(
    keys.map((one, nth) =>
      alertHelpers.sendAlerts(one, ...(nth === 1 ? [...alerts].reverse() : alerts)),
    ),
  );
  assert.is(
    outcomes.reduce((sum, { sent }) => sum + sent, 0),
    20,
  );
  assert.is((await alertHelpers.readSent()).length, 20);
  const over = alerts.map((alert) => ({ ...alert, status: 'resolved' }));
  const closed = await Promise.all(
    keys.map((one, nth) =>
      alertHelpers.sendAlerts(one, ...(nth === 1 ? [...over].reverse() : over)),
    ),
  );
  assert.is(
    closed.reduce((sum, { resolved: count }) => sum + count, 0),
    20,
  );
  assert.ok((await alertHelpers.readSent()).every(({ state }) => state === 'resolved'));
});

test('ignores an alert that was resolved before it arrived', async () => {
  const person = await alertHelpers.createMember(1, topic);
  assert.equal(await alertHelpers.sendAlerts(key, resolvedAlert('a')), {
    sent: 0,
    resolved: 0,
    unchanged: 1,
  });
  assert.equal(await alertHelpers.sendAlerts(key, firingAlert('a')), {
    sent: 0,
    resolved: 0,
    unchanged: 1,
  });
  assert.equal(await alertHelpers.readInbox(person), []);
  const later = { startsAt: '2026-11-20T15:00:00Z' };
  assert.is(
    (await alertHelpers.sendAlerts(key, firingAlert('a', later))).sent,
    1,
    'the next time it does',
  );
});

test('resolves what an alert started earlier, not later', async () => {
  const timeAt = (hour: number) => `2026-11-20T${hour}:00:00Z`;
  for (const hour of [10, 12, 14])
    await alertHelpers.sendAlerts(key, firingAlert('a', { startsAt: timeAt(hour) }));
  const over = resolvedAlert('a', { startsAt: timeAt(12), endsAt: timeAt(13) });
  assert.is((await alertHelpers.sendAlerts(key, over)).resolved, 1);
  const states = (await alertHelpers.readSent()).map(({ state }) => state === 'resolved');
  assert.equal(
    (await alertHelpers.readAlerts()).map(({ resolved_at }) => resolved_at !== null),
    [true, true, false],
  );
  assert.is(states.filter(Boolean).length, 2);
});

test('notifies once for an alert without a start, until it is resolved', async () => {
  const startsAt = '0001-01-01T00:00:00Z';
  const counts = async (...alerts: object[]) => {
    const { sent, resolved: closed, unchanged } = await alertHelpers.sendAlerts(key, ...alerts);
    return [sent, closed, unchanged];
  };
  for (const _ of [1, 2]) {
    assert.equal(await counts(firingAlert('a', { startsAt })), [1, 0, 0]);
    assert.equal(await counts(firingAlert('a', { startsAt: undefined })), [0, 0, 1]);
    assert.equal(await counts(firingAlert('a', { startsAt: '2027-02-31T10:00:00Z' })), [0, 0, 1]);
    assert.equal(await counts(resolvedAlert('a', { startsAt })), [0, 1, 0]);
  }
});

test("accepts Grafana's documented body byte for byte", async () => {
  const person = await alertHelpers.createMember(1, topic);
  const body = readFileSync('test/support/incoming-alerts/grafana.json', 'utf8');
  const hook = 'POST /api/hooks/grafana';
  const { status, body: reply } = await alertHelpers.post(key, body, hook);
  assert.equal([status, reply], [202, { sent: 2, resolved: 0, unchanged: 0 }]);
  assert.equal(
    (await alertHelpers.readInbox(person)).map(({ title, message, link }) => [
      title,
      message,
      link,
    ]),
    [
      [
        'This alert was triggered for zone eu-1',
        'The system has high CPU usage',
        'https://play.grafana.org/alerting/d1rdpdv7k/edit',
      ],
      [
        'This alert was triggered for zone us-1',
        'The system has high memory usage',
        'https://play.grafana.org/alerting/1afz29v7z/edit',
      ],
    ],
  );
  assert.equal((await alertHelpers.post(key, body, hook)).body, {
    sent: 0,
    resolved: 0,
    unchanged: 2,
  });
  const over = body.replaceAll('"firing"', '"resolved"');
  assert.equal((await alertHelpers.post(key, over, hook)).body, {
    sent: 0,
    resolved: 2,
    unchanged: 0,
  });
  assert.equal(
    (await alertHelpers.readInbox(person)).map(({ state }) => state),
    ['resolved', 'resolved'],
  );
});

test("accepts a real Alertmanager's bodies byte for byte, and resolves the alert", async () => {
  const person = await alertHelpers.createMember(1, topic);
  const [began, ended] = ['firing', 'resolved'].map((name) =>
    readFileSync(`test/support/incoming-alerts/alertmanager-${name}.txt`, 'utf8'),
  ) as [string, string];
  assert.equal((await alertHelpers.post(key, began)).body, { sent: 1, resolved: 0, unchanged: 0 });
  assert.equal((await alertHelpers.post(key, began)).body, { sent: 0, resolved: 0, unchanged: 1 });
  assert.equal((await alertHelpers.post(key, ended)).body, { sent: 0, resolved: 1, unchanged: 0 });
  assert.equal(
    (await alertHelpers.readInbox(person)).map(({ title, priority, link, state }) => [
      title,
      priority,
      link,
      state,
    ]),
    [['Pump 7 is down', 'urgent', 'https://prometheus.example/graph', 'resolved']],
  );
});

test('returns 503 with Retry-After to a key that sends too often, as Alertmanager expects', async () => {
  for (let nth = 0; nth < 60; nth += 1) await alertHelpers.post(key, '{"alerts":[]}');
  const { status, headers } = await alertHelpers.post(key, '{"alerts":[]}');
  assert.equal([status, headers.get('retry-after')], [503, '1']);
  server.clock.now += 1000;
  assert.is((await alertHelpers.post(key, '{"alerts":[]}')).status, 202);
});

test('accepts the contact point of our Grafana recipe', async () => {
  const [recipe = ''] =
    /^contactPoints:[\s\S]*?^```/m.exec(readFileSync('server/deploy/integrate.md', 'utf8')) ?? [];
  const setting = (name: string) => new RegExp(`\\b${name}: (.+)`).exec(recipe)?.[1] ?? '';
  assert.is(setting('type'), 'webhook');
  const { pathname } = new URL(setting('url'));
  const credentials = setting('authorization_credentials').replace('fbk_KEY', key);
  const response = await server.request(pathname, {
    method: 'POST',
    headers: {
      Authorization: `${setting('authorization_scheme')} ${credentials}`,
      'Content-Type': 'application/json',
    },
    body: readFileSync('test/support/incoming-alerts/grafana.json', 'utf8'),
  });
  assert.is(response.status, 202);
  assert.is((await alertHelpers.readSent()).length, 2);
});

test('accepts the first thousand alerts of a body, and logs the cut', async () => {
  await alertHelpers.sendAlerts(key, firingAlert('known'));
  const knownAlerts = Array.from({ length: 1000 }, () => firingAlert('known', { annotations: {} }));
  const body = JSON.stringify({ alerts: [...knownAlerts, firingAlert('beyond')] });
  const { status, body: reply } = await alertHelpers.post(key, body);
  assert.equal([status, reply], [202, { sent: 0, resolved: 0, unchanged: 1000 }]);
  assert.match(server.log.join('\n'), /too many alerts, dropping the rest.*1001/);
});

test('rejects an invalid body of alerts, and keeps nothing of it', async () => {
  const deep = `{"alerts":[],"x":${'['.repeat(9)}${']'.repeat(9)}}`;
  for (const [body, status] of [
    ['', 400],
    ['{', 400],
    ['[]', 400],
    ['{}', 400],
    ['{"alerts":{}}', 400],
    ['{"alerts":[7]}', 400],
    [`{"alerts":[${'0,'.repeat(500_000)}0]}`, 400],
    [`{"alerts":[${'{},'.repeat(349_000)}{}]}`, 400],
    [deep, 400],
    [`{"alerts":${'['.repeat(200_000)}`, 400],
    [new Uint8Array([0x7b, 0xff, 0x7d]), 400],
    [JSON.stringify({ alerts: [], x: 'x'.repeat(1024 * 1024) }), 413],
  ] as const)
    assert.is((await alertHelpers.post(key, body)).status, status, String(body).slice(0, 40));
  const { status } = await alertHelpers.post(key, '{"alerts":[]}', undefined, 'text/plain');
  assert.is(status, 415);
  assert.equal(await alertHelpers.readAlerts(), []);
  assert.equal((await alertHelpers.post(key, '{"alerts":[]}')).status, 202);
});

test('sends the other alerts when one fails, and lets the sender retry', async () => {
  const { services } = server;
  const alerts = ['a', 'b', 'c'].map((fingerprint) => ({
    ...{ fingerprint, startsAt: '', endsAt: '', isResolved: false, title: fingerprint },
    ...{ message: 'It is down', link: undefined, priority: 'normal' as const },
  }));
  const goneMeanwhile = Object.assign(new Error('a person was deleted'), { code: '23503' });
  const failures = new Map([
    ['a', [new Error('no room for a')]],
    ['b', [goneMeanwhile]],
  ]);
  const receiver: AlertReceiver = {
    topicId: topic,
    transact: (work) => inTransaction(services.db, work),
    allow: async (wanted) => ({ messages: 0, endings: 0, ...wanted }),
    wakeWorkers: () => undefined,
    async sendAlert({ fingerprint, title = '', message }, transaction, now) {
      const failure = failures.get(fingerprint)?.shift();
      if (failure) throw failure;
      const author = { senderId: null, idempotencyKey: undefined };
      const audience = { topicId: topic };
      return (
        await sendInTransaction({ to: audience, title, message, ...author }, transaction, now)
      ).messageId;
    },
  };
  const thrown = await acceptAlerts(alerts, receiver, services).catch((error: unknown) => error);
  assert.is((thrown as Error).message, 'no room for a');
  const noted = (await alertHelpers.readAlerts()).map(({ fingerprint }) => fingerprint);
  assert.equal(noted, ['b', 'c'], 'only sent alerts are stored');
  assert.equal(await acceptAlerts(alerts, receiver, services), {
    sent: 1,
    resolved: 0,
    unchanged: 2,
    rateLimited: [],
  });
});

test.run();
