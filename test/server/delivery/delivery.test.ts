import type { ServerResponse } from 'node:http';
import * as assert from 'uvu/assert';
import type { Resolve } from '../../../server/delivery/https/resolver';
import { createResolver } from '../../../server/delivery/https/resolver';
import { readPushMessage } from '../../../src/shared/push-message';
import { sha256 } from '../../../server/lib/sha256';
import { deliverySuite, testVapidKeys } from '../../support/delivery/delivery-suite';
import { startDnsServer } from '../../support/network/dns-server.mjs';
import { sinkReplyNever, sinkReplyWithStatus } from '../../support/push-services/push-sink';
import { redirectHosts } from '../../support/network/redirect-hosts.mjs';
import { occupyThreads } from '../../support/delivery/threads';

const { test, setup } = deliverySuite('delivery over Web Push');

test('sends a push that the browser can decrypt, with text and link', async () => {
  const { token, subscriber } = setup.sink.subscribe('phone');
  await setup.outbox.addDevice(token);
  const messageId = await setup.outbox.addMessage({ now: setup.clock.now, text: 'Grüße 👷🏽' });
  setup.start();
  const [push] = await setup.sink.waitForPushes(1);
  assert.equal(subscriber.read(push!.body), {
    from: 'fieldbell',
    fcmMessageId: messageId,
    data: {
      title: 'Outages',
      body: 'Grüße 👷🏽',
      topicId: String(setup.outbox.topicId),
      messageId,
      link: `/messages/${messageId}`,
      sentAt: '2026-11-21T09:30:00.000Z',
      priority: 'normal',
      answers: '[]',
      url: '',
      expiresAt: '2026-11-22T09:30:00.000Z',
      seq: '0',
      unread: '0',
      lang: 'en',
      round: '0',
      revision: '1',
    },
  });
  const [row] = await setup.waitUntilSettled();
  assert.is(row!.state, 'accepted');
  assert.is(row!.attempts, 1);
  assert.is(row!.reason, null);
});

test('sends the headers of the RFCs, with the remaining lifetime as TTL', async () => {
  await setup.outbox.addDevice(setup.sink.subscribe('phone').token);
  await setup.outbox.addMessage({ now: setup.clock.now, lifetime: 3600_000 });
  setup.clock.now += 600_000;
  setup.start();
  const [push] = await setup.sink.waitForPushes(1);
  assert.is(push!.headers.ttl, '3000');
  assert.is(push!.headers.urgency, 'high');
  assert.is(push!.headers['content-encoding'], 'aes128gcm');
  assert.is(push!.headers['content-length'], String(push!.body.length));
  assert.is(push!.headers.topic, undefined);
  assert.match(
    push!.headers.authorization!,
    new RegExp(`^vapid t=[^,]+, k=${testVapidKeys.publicKey}$`),
  );
});

test('lets only info messages wait until the phone wakes up, and sets no push topic', async () => {
  const { token, subscriber } = setup.sink.subscribe('phone');
  await setup.outbox.addDevice(token);
  for (const priority of ['info', 'normal', 'urgent'] as const)
    await setup.outbox.addMessage({ now: setup.clock.now, text: priority, more: { priority } });
  setup.start();
  const pushes = await setup.sink.waitForPushes(3);
  const receivedPushes = pushes.map(({ body, headers }) => {
    const { data } = subscriber.read(body) as { data: Record<string, string> };
    assert.is(data.priority, data.body);
    return [data.priority, headers.urgency, headers.topic];
  });
  assert.equal(receivedPushes.sort(), [
    ['info', 'normal', undefined],
    ['normal', 'high', undefined],
    ['urgent', 'high', undefined],
  ]);
});

test("sends Apple's push services a push that Safari can show without the worker", async () => {
  const undo = redirectHosts({ 'web.push.apple.com': setup.sink.port });
  try {
    const { subscriber } = setup.sink.subscribe('iphone');
    await setup.outbox.addDevice(
      JSON.stringify({ endpoint: 'https://web.push.apple.com/QGx', keys: subscriber.keys }),
    );
    const messageFields = { answers: '["Got it"]', link: '/map', priority: 'urgent' as const };
    const first = await setup.outbox.addMessage({
      now: setup.clock.now,
      text: 'ü'.repeat(4000),
      more: messageFields,
    });
    setup.start({ resolve: async () => ['17.188.143.1'] });
    const [push] = await setup.sink.waitForPushes(1);
    assert.ok(push!.body.length <= 4096, `${push!.body.length} bytes`);
    assert.is(push!.headers.topic, undefined);
    const sent = subscriber.read(push!.body) as Record<string, unknown> & {
      notification: Record<string, unknown> & { data: Record<string, string> };
    };
    assert.equal([sent.web_push, sent.mutable, sent.notification.mutable], [8030, true, true]);
    assert.is(sent.notification.navigate, `https://bell.example/messages/${first}`);
    assert.is(sent.notification.title, 'Urgent: Outages');
    assert.match(String(sent.notification.body), /^ü+…$/);
    const { title, id, answers, priority, link } = readPushMessage(sent);
    assert.equal(
      [title, id, answers, priority, link],
      ['Outages', first, ['Got it'], 'urgent', `/messages/${first}`],
    );
  } finally {
    undo();
  }
});

for (const [system, origin] of [
  ['a browser', undefined],
  ['Safari', 'https://web.push.apple.com'],
] as const)
  test(`opens the inbox from a digest in ${system}, outside the inbox and without a link`, async () => {
    const undo = redirectHosts({ 'web.push.apple.com': setup.sink.port });
    try {
      const { token, subscriber } = setup.sink.subscribe('phone');
      const { userId } = await setup.outbox.addDevice(
        origin === undefined
          ? token
          : JSON.stringify({ endpoint: `${origin}/QGx`, keys: subscriber.keys }),
      );
      const title = '3 messages during your quiet hours';
      const messageFields = {
        ...{ kind: 'digest' as const, topic_id: null, topic_title: '', title },
        ...{ link: '/messages', priority: 'info' as const },
      };
      const id = await setup.outbox.addMessage({
        now: setup.clock.now,
        text: 'Outages, Meters',
        more: messageFields,
      });
      await setup.outbox.db.updateTable('deliveries').set({ user_id: userId }).execute();
      setup.start(origin === undefined ? {} : { resolve: async () => ['17.188.143.1'] });
      const [push] = await setup.sink.waitForPushes(1);
      const sent = subscriber.read(push!.body) as { notification?: { navigate: string } };
      const shownNotification = readPushMessage(sent);
      const common = { id, tag: id, title, body: 'Outages, Meters', link: '/messages', url: null };
      assert.equal({ ...shownNotification, ...common }, shownNotification);
      assert.equal(
        [
          shownNotification.answers,
          shownNotification.priority,
          shownNotification.seq,
          shownNotification.isTest,
        ],
        [[], 'info', undefined, false],
      );
      if (origin !== undefined)
        assert.is(sent.notification!.navigate, 'https://bell.example/messages');
    } finally {
      undo();
    }
  });

for (const code of [404, 410]) {
  test(`deletes only the device whose push gets ${code}`, async () => {
    const dead = await setup.outbox.addDevice(setup.sink.subscribe('dead').token);
    const alive = await setup.outbox.addDevice(setup.sink.subscribe('alive').token);
    setup.sink.replies.set('/dead', sinkReplyWithStatus(code));
    await setup.outbox.addMessage({ now: setup.clock.now });
    setup.start();
    assert.equal(
      (await setup.waitUntilSettled()).map(({ state }) => state),
      ['gone', 'accepted'],
    );
    assert.not(await setup.outbox.hasDevice(dead.deviceId));
    assert.ok(await setup.outbox.hasDevice(alive.deviceId));
  });
}

test('keeps a device that registered a new token while its old one was found gone', async () => {
  const { deviceId } = await setup.outbox.addDevice(setup.sink.subscribe('old').token);
  let reply: ServerResponse | undefined;
  setup.sink.replies.set('/old', (response) => (reply = response));
  await setup.outbox.addMessage({ now: setup.clock.now });
  setup.start();
  await setup.sink.waitForPushes(1);
  const token = setup.sink.subscribe('new').token;
  await setup.outbox.db
    .updateTable('devices')
    .set({ token, token_hash: sha256(token) })
    .where('id', '=', deviceId)
    .execute();
  reply!.writeHead(410).end();
  assert.is((await setup.waitUntilSettled())[0]!.state, 'gone');
  assert.ok(await setup.outbox.hasDevice(deviceId));
});

test('delays no other push for endpoints that hang or trickle', async () => {
  for (const name of ['hanging', 'trickling', 'good'])
    await setup.outbox.addDevice(setup.sink.subscribe(name).token);
  setup.sink.replies.set('/hanging', sinkReplyNever);
  setup.sink.replies.set('/trickling', (response) => {
    response.writeHead(201);
    response.write('a');
  });
  await setup.outbox.addMessage({ now: setup.clock.now });
  setup.start({ limits: { timeout: 2500 } }); // long enough for a busy machine to get the good one through
  const rows = await setup.waitUntilSettled();
  assert.equal(
    rows.map(({ state, reason }) => [state, reason]),
    [
      ['pending', 'timeout'],
      ['accepted', null],
      ['accepted', null],
    ],
  );
});

test('delays no other push for redirecting, huge and private endpoints', async () => {
  for (const name of ['redirecting', 'huge', 'good'])
    await setup.outbox.addDevice(setup.sink.subscribe(name).token);
  const { keys } = setup.sink.subscribe('x').subscriber;
  await setup.outbox.addDevice(
    JSON.stringify({ endpoint: 'https://169.254.169.254/latest/meta-data', keys }),
  );
  await setup.outbox.addDevice(JSON.stringify({ endpoint: 'https://rebind.example/', keys }));
  await setup.outbox.addDevice(JSON.stringify({ endpoint: 'no address', keys }));
  await setup.outbox.addDevice(
    JSON.stringify({
      endpoint: `https://${setup.sink.host}/bad-keys`,
      keys: { p256dh: 'AAAA', auth: 'AAAA' },
    }),
  );
  setup.sink.replies.set(
    '/redirecting',
    sinkReplyWithStatus(307, { Location: `https://${setup.sink.host}/elsewhere` }),
  );
  setup.sink.replies.set('/huge', (response) => {
    response.writeHead(201);
    response.on('error', () => undefined);
    response.end(Buffer.alloc(10_000_000));
  });
  await setup.outbox.addMessage({ now: setup.clock.now });
  const resolve: Resolve = (host, _, done) =>
    done(null, [{ address: host === 'localhost' ? '127.0.0.1' : '10.0.0.1', family: 4 }]);
  setup.start({ resolve });
  const rows = await setup.waitUntilSettled();
  assert.equal(
    rows.map(({ state, reason }) => [state, reason]),
    [
      ['failed', 'status-307'],
      ['accepted', null],
      ['accepted', null],
      ['failed', 'endpoint-address'],
      ['failed', 'endpoint-address'],
      ['failed', 'bad-subscription'],
      ['failed', 'bad-keys'],
    ],
  );
  assert.not(setup.sink.receivedPushes.some(({ path }) => path === '/elsewhere'));
});

test('delays no other push for silent host names, even with all threads busy', async () => {
  const dns = await startDnsServer();
  const names = Array.from({ length: 60 }, (_, index) => `silent.example-${index}`);
  const { keys } = setup.sink.subscribe('x').subscriber;
  for (const name of names) {
    dns.names.set(name, { kind: 'silent' });
    await setup.outbox.addDevice(JSON.stringify({ endpoint: `https://${name}/`, keys }));
  }
  for (const name of ['one', 'two']) await setup.outbox.addDevice(setup.sink.subscribe(name).token);
  await setup.outbox.addMessage({ now: setup.clock.now });
  const resolve = createResolver({
    servers: [dns.address],
    limits: { timeout: 1000, retryAfter: 500 },
  });
  const threads = occupyThreads();
  try {
    setup.start({ resolve });
    assert.equal((await setup.sink.waitForPushes(2)).map(({ path }) => path).sort(), [
      '/one',
      '/two',
    ]);
    assert.is(threads.countBlockedThreads(), 0);
  } finally {
    await threads.releaseThreads();
  }
  const rows = await setup.waitUntilSettled();
  assert.equal(
    new Set(rows.slice(0, 60).map(({ state, reason }) => `${state} ${reason}`)),
    new Set(['pending ETIMEOUT']),
  );
  assert.equal(new Set(rows.slice(60).map(({ state }) => state)), new Set(['accepted']));
  dns.close();
});

test('sends nothing to people who unsubscribed, muted or left since', async () => {
  const people = [];
  for (const name of [
    'unsubscribed',
    'off-device',
    'off-account',
    'deleted',
    'on-device',
    'untouched',
  ]) {
    people.push(await setup.outbox.addDevice(setup.sink.subscribe(name).token));
  }
  await setup.outbox.addMessage({ now: setup.clock.now });
  const [unsubscribed, offDevice, offAccount, deleted, onDevice] = people.map(
    ({ userId, deviceId }) => ({ user_id: userId, device_id: deviceId }),
  );
  const { db, topicId: topic_id } = setup.outbox;
  await db.deleteFrom('subscriptions').where('user_id', '=', unsubscribed!.user_id).execute();
  await db
    .insertInto('device_preferences')
    .values({ device_id: offDevice!.device_id, topic_id, enabled: 0 })
    .execute();
  await db
    .insertInto('account_preferences')
    .values({ user_id: offAccount!.user_id, topic_id, enabled: 0 })
    .execute();
  await db.deleteFrom('devices').where('id', '=', deleted!.device_id).execute();
  await db
    .insertInto('account_preferences')
    .values({ user_id: onDevice!.user_id, topic_id, enabled: 0 })
    .execute();
  await db
    .insertInto('device_preferences')
    .values({ device_id: onDevice!.device_id, topic_id, enabled: 1 })
    .execute();
  setup.start();
  assert.equal(
    (await setup.waitUntilSettled()).map(({ state }) => state),
    ['skipped', 'skipped', 'skipped', 'skipped', 'accepted', 'accepted'],
  );
  assert.equal(setup.sink.receivedPushes.map(({ path }) => path).sort(), [
    '/on-device',
    '/untouched',
  ]);
});

test('logs counts, never an endpoint, key or text', async () => {
  const { token, subscriber } = setup.sink.subscribe('secret-path');
  await setup.outbox.addDevice(token);
  await setup.outbox.addDevice(setup.sink.subscribe('refused').token);
  setup.sink.replies.set('/refused', sinkReplyWithStatus(401));
  await setup.outbox.addMessage({ now: setup.clock.now });
  const delivery = setup.start();
  await setup.waitUntilSettled();
  await delivery.stop();
  const text = setup.log.join('\n');
  assert.match(
    text,
    /"event":"pushes attempted",("accepted":1,"postponed":1|"postponed":1,"accepted":1)/,
  );
  for (const secret of [
    'secret-path',
    setup.sink.host,
    subscriber.keys.auth,
    testVapidKeys.privateKey,
    'Line 4',
  ])
    assert.not.ok(text.includes(secret), secret);
});

test.run();
