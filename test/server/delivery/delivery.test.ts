import type { ServerResponse } from 'node:http';
import * as assert from 'uvu/assert';
import type { Resolve } from '../../../server/delivery/https/resolver';
import { createResolver } from '../../../server/delivery/https/resolver';
import { readPushMessage } from '../../../src/shared/push-message';
import { sha256 } from '../../../server/lib/sha256';
import { deliverySuite, vapid } from '../../support/delivery/delivery';
import { startDnsServer } from '../../support/network/dns-server.mjs';
import { replyNever, replyWithStatus } from '../../support/push-services/push-sink';
import { redirectHosts } from '../../support/network/redirect-hosts.mjs';
import { occupyThreads } from '../../support/delivery/threads';

const { test, stage } = deliverySuite('delivery over Web Push');

test('sends a push that the browser can decrypt, with text and link', async () => {
  const { token, subscriber } = stage.sink.subscribe('phone');
  await stage.outbox.addDevice(token);
  const messageId = await stage.outbox.send({ now: stage.clock.now, text: 'Grüße 👷🏽' });
  stage.start();
  const [push] = await stage.sink.arrived(1);
  assert.equal(subscriber.read(push!.body), {
    from: 'fieldbell',
    fcmMessageId: messageId,
    data: {
      title: 'Outages',
      body: 'Grüße 👷🏽',
      topicId: String(stage.outbox.topicId),
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
  const [row] = await stage.settled();
  assert.is(row!.state, 'accepted');
  assert.is(row!.attempts, 1);
  assert.is(row!.reason, null);
});

test('sends the headers of the RFCs, with the remaining lifetime as TTL', async () => {
  await stage.outbox.addDevice(stage.sink.subscribe('phone').token);
  await stage.outbox.send({ now: stage.clock.now, lifetime: 3600_000 });
  stage.clock.now += 600_000;
  stage.start();
  const [push] = await stage.sink.arrived(1);
  assert.is(push!.headers.ttl, '3000');
  assert.is(push!.headers.urgency, 'high');
  assert.is(push!.headers['content-encoding'], 'aes128gcm');
  assert.is(push!.headers['content-length'], String(push!.body.length));
  assert.is(push!.headers.topic, undefined);
  assert.match(push!.headers.authorization!, new RegExp(`^vapid t=[^,]+, k=${vapid.publicKey}$`));
});

test('lets only info messages wait until the phone wakes up, and sets no push topic', async () => {
  const { token, subscriber } = stage.sink.subscribe('phone');
  await stage.outbox.addDevice(token);
  for (const priority of ['info', 'normal', 'urgent'] as const)
    await stage.outbox.send({ now: stage.clock.now, text: priority, more: { priority } });
  stage.start();
  const pushes = await stage.sink.arrived(3);
  const seen = pushes.map(({ body, headers }) => {
    const { data } = subscriber.read(body) as { data: Record<string, string> };
    assert.is(data.priority, data.body);
    return [data.priority, headers.urgency, headers.topic];
  });
  assert.equal(seen.sort(), [
    ['info', 'normal', undefined],
    ['normal', 'high', undefined],
    ['urgent', 'high', undefined],
  ]);
});

test("sends Apple's push services a push that Safari can show without the worker", async () => {
  const undo = redirectHosts({ 'web.push.apple.com': stage.sink.port });
  try {
    const { subscriber } = stage.sink.subscribe('iphone');
    await stage.outbox.addDevice(
      JSON.stringify({ endpoint: 'https://web.push.apple.com/QGx', keys: subscriber.keys }),
    );
    const more = { answers: '["Got it"]', link: '/map', priority: 'urgent' as const };
    const first = await stage.outbox.send({ now: stage.clock.now, text: 'ü'.repeat(4000), more });
    stage.start({ resolve: async () => ['17.188.143.1'] });
    const [push] = await stage.sink.arrived(1);
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
    const undo = redirectHosts({ 'web.push.apple.com': stage.sink.port });
    try {
      const { token, subscriber } = stage.sink.subscribe('phone');
      const { userId } = await stage.outbox.addDevice(
        origin === undefined
          ? token
          : JSON.stringify({ endpoint: `${origin}/QGx`, keys: subscriber.keys }),
      );
      const title = '3 messages during your quiet hours';
      const more = {
        ...{ kind: 'digest' as const, topic_id: null, topic_title: '', title },
        ...{ link: '/messages', priority: 'info' as const },
      };
      const id = await stage.outbox.send({ now: stage.clock.now, text: 'Outages, Meters', more });
      await stage.outbox.db.updateTable('deliveries').set({ user_id: userId }).execute();
      stage.start(origin === undefined ? {} : { resolve: async () => ['17.188.143.1'] });
      const [push] = await stage.sink.arrived(1);
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
  test(`deletes only the device that answers ${code}`, async () => {
    const dead = await stage.outbox.addDevice(stage.sink.subscribe('dead').token);
    const alive = await stage.outbox.addDevice(stage.sink.subscribe('alive').token);
    stage.sink.replies.set('/dead', replyWithStatus(code));
    await stage.outbox.send({ now: stage.clock.now });
    stage.start();
    assert.equal(
      (await stage.settled()).map(({ state }) => state),
      ['gone', 'accepted'],
    );
    assert.not(await stage.outbox.hasDevice(dead.deviceId));
    assert.ok(await stage.outbox.hasDevice(alive.deviceId));
  });
}

test('keeps a device that registered a new token while its old one was found gone', async () => {
  const { deviceId } = await stage.outbox.addDevice(stage.sink.subscribe('old').token);
  let reply: ServerResponse | undefined;
  stage.sink.replies.set('/old', (response) => (reply = response));
  await stage.outbox.send({ now: stage.clock.now });
  stage.start();
  await stage.sink.arrived(1);
  const token = stage.sink.subscribe('new').token;
  await stage.outbox.db
    .updateTable('devices')
    .set({ token, token_hash: sha256(token) })
    .where('id', '=', deviceId)
    .execute();
  reply!.writeHead(410).end();
  assert.is((await stage.settled())[0]!.state, 'gone');
  assert.ok(await stage.outbox.hasDevice(deviceId));
});

test('delays no other push for endpoints that hang or trickle', async () => {
  for (const name of ['hanging', 'trickling', 'good'])
    await stage.outbox.addDevice(stage.sink.subscribe(name).token);
  stage.sink.replies.set('/hanging', replyNever);
  stage.sink.replies.set('/trickling', (response) => {
    response.writeHead(201);
    response.write('a');
  });
  await stage.outbox.send({ now: stage.clock.now });
  stage.start({ limits: { timeout: 2500 } }); // long enough for a busy machine to get the good one through
  const rows = await stage.settled();
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
    await stage.outbox.addDevice(stage.sink.subscribe(name).token);
  const { keys } = stage.sink.subscribe('x').subscriber;
  await stage.outbox.addDevice(
    JSON.stringify({ endpoint: 'https://169.254.169.254/latest/meta-data', keys }),
  );
  await stage.outbox.addDevice(JSON.stringify({ endpoint: 'https://rebind.example/', keys }));
  await stage.outbox.addDevice(JSON.stringify({ endpoint: 'no address', keys }));
  await stage.outbox.addDevice(
    JSON.stringify({
      endpoint: `https://${stage.sink.host}/bad-keys`,
      keys: { p256dh: 'AAAA', auth: 'AAAA' },
    }),
  );
  stage.sink.replies.set(
    '/redirecting',
    replyWithStatus(307, { Location: `https://${stage.sink.host}/elsewhere` }),
  );
  stage.sink.replies.set('/huge', (response) => {
    response.writeHead(201);
    response.on('error', () => undefined);
    response.end(Buffer.alloc(10_000_000));
  });
  await stage.outbox.send({ now: stage.clock.now });
  const resolve: Resolve = (host, _, done) =>
    done(null, [{ address: host === 'localhost' ? '127.0.0.1' : '10.0.0.1', family: 4 }]);
  stage.start({ resolve });
  const rows = await stage.settled();
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
  assert.not(stage.sink.received.some(({ path }) => path === '/elsewhere'));
});

test('delays no other push for silent host names, even with all threads busy', async () => {
  const dns = await startDnsServer();
  const names = Array.from({ length: 60 }, (_, index) => `silent.example-${index}`);
  const { keys } = stage.sink.subscribe('x').subscriber;
  for (const name of names) {
    dns.names.set(name, { kind: 'silent' });
    await stage.outbox.addDevice(JSON.stringify({ endpoint: `https://${name}/`, keys }));
  }
  for (const name of ['one', 'two']) await stage.outbox.addDevice(stage.sink.subscribe(name).token);
  await stage.outbox.send({ now: stage.clock.now });
  const resolve = createResolver({
    servers: [dns.address],
    limits: { timeout: 1000, retryAfter: 500 },
  });
  const threads = occupyThreads();
  try {
    stage.start({ resolve });
    assert.equal((await stage.sink.arrived(2)).map(({ path }) => path).sort(), ['/one', '/two']);
    assert.is(threads.free(), 0);
  } finally {
    await threads.release();
  }
  const rows = await stage.settled();
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
    people.push(await stage.outbox.addDevice(stage.sink.subscribe(name).token));
  }
  await stage.outbox.send({ now: stage.clock.now });
  const [unsubscribed, offDevice, offAccount, deleted, onDevice] = people.map(
    ({ userId, deviceId }) => ({ user_id: userId, device_id: deviceId }),
  );
  const { db, topicId: topic_id } = stage.outbox;
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
  stage.start();
  assert.equal(
    (await stage.settled()).map(({ state }) => state),
    ['skipped', 'skipped', 'skipped', 'skipped', 'accepted', 'accepted'],
  );
  assert.equal(stage.sink.received.map(({ path }) => path).sort(), ['/on-device', '/untouched']);
});

test('logs counts, never an endpoint, key or text', async () => {
  const { token, subscriber } = stage.sink.subscribe('secret-path');
  await stage.outbox.addDevice(token);
  await stage.outbox.addDevice(stage.sink.subscribe('refused').token);
  stage.sink.replies.set('/refused', replyWithStatus(401));
  await stage.outbox.send({ now: stage.clock.now });
  const delivery = stage.start();
  await stage.settled();
  await delivery.stop();
  const text = stage.log.join('\n');
  assert.match(
    text,
    /"event":"pushes attempted",("accepted":1,"postponed":1|"postponed":1,"accepted":1)/,
  );
  for (const secret of [
    'secret-path',
    stage.sink.host,
    subscriber.keys.auth,
    vapid.privateKey,
    'Line 4',
  ])
    assert.not.ok(text.includes(secret), secret);
});

test.run();
