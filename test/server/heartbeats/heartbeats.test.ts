import * as assert from 'uvu/assert';
import { readClaims } from '../../../server/db/outbox/unwanted-pushes';
import { readAuditLog } from '../../support/server/audit';
import { createAudienceHelpers } from '../../support/server/audience';
import { createHeartbeatHelpers } from '../../support/server/heartbeats';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('heartbeats');
const { createMember, readLedger } = createAudienceHelpers(server);
const heartbeats = createHeartbeatHelpers(server);
const DAY_SECONDS = 24 * 60 * 60;

let topic: number;
let admin: Person;
let watcher: Person;
test.before.each(async () => {
  topic = await server.createTopic('Server room');
  admin = await server.createPerson('ADMIN');
  watcher = await createMember(1, topic);
  await heartbeats.createKey(topic);
});

const titles = async () => (await heartbeats.readMessages()).map(({ title }) => title);
const readOnlyHeartbeat = async () => (await heartbeats.listHeartbeats(admin, topic))[0]!;
const stateOf = async () => (await readOnlyHeartbeat()).state;
const timeIn = (seconds: number) => new Date(server.clock.now + seconds * 1000).toISOString();
const change = async (paused: boolean) => {
  const params = { id: (await readOnlyHeartbeat()).id };
  await server.call('PUT /api/admin/heartbeats/:id', { as: admin, params, body: { paused } });
};

test('alerts the topic once when a machine is silent, and says once that it is back', async () => {
  const { body: policy } = await server.call('POST /api/admin/policies', {
    as: admin,
    body: { name: 'Night', steps: [{ after: 300, action: 'repeat' }] },
  });
  await server.call('PUT /api/admin/topics/:id', {
    as: admin,
    params: { id: topic },
    body: { title: 'Server room', description: 'D', policyId: policy.id },
  });
  const response = await heartbeats.sendHeartbeat('pump.4?every=600&grace=120');
  assert.equal(
    [response.status, await response.json()],
    [200, { name: 'pump.4', dueAt: timeIn(600) }],
  );
  await heartbeats.advance(500);
  assert.is((await heartbeats.sendHeartbeat('pump.4', { method: 'HEAD' })).status, 405);
  assert.is((await readOnlyHeartbeat()).lastAt, timeIn(-500), 'HEAD is no heartbeat');
  // A request without times uses the last ones. The case of the name does not matter.
  const again = await heartbeats.sendHeartbeat('Pump.4', { method: 'POST' });
  assert.equal([again.status, ((await again.json()) as { name: string }).name], [200, 'pump.4']);
  assert.is((await heartbeats.listHeartbeats(admin, topic)).length, 1);
  await heartbeats.advance(600);
  assert.is(await stateOf(), 'alive');
  await heartbeats.advance(100);
  assert.equal([await stateOf(), await titles()], ['late', []]);
  await heartbeats.advance(20);
  const { alert, state, dueAt } = await readOnlyHeartbeat();
  assert.equal([state, alert?.at, dueAt], ['silent', timeIn(0), timeIn(-120)]);
  await heartbeats.advance(240);
  const [message] = await heartbeats.readMessages();
  assert.equal([message?.id, message?.priority], [alert?.messageId, 'normal']);
  assert.match(
    message!.text,
    /^Last heartbeat: \d+ \w+ \d{4}, \d\d:\d\d UTC\nExpected interval: 10 minutes$/,
  );
  // The time, because a duration would be over when it is read.
  const [, written = ''] = message!.text.match(/: (.+)\n/) ?? [];
  assert.is(Date.parse(written), Math.floor((server.clock.now - 960_000) / 60_000) * 60_000);
  assert.ok(message?.policy, 'it escalates as its topic does');

  await heartbeats.sendHeartbeat('pump.4', { method: 'POST', body: '' });
  await heartbeats.advance(700);
  assert.equal(await titles(), ['pump.4 is silent', 'pump.4 is back']);
  const [silenceMessage, recoveryMessage] = await heartbeats.readMessages();
  assert.equal(
    [silenceMessage?.stopped, recoveryMessage?.policy, recoveryMessage?.text],
    ['resolved', null, 'Time without a heartbeat: 16 minutes'],
  );
  assert.equal(
    (await readLedger(recoveryMessage!.id)).map(({ user_id }) => user_id),
    [watcher.id],
  );
  const { db } = server.services;
  const readClosedBy = async (messageId: string) => {
    const pushes = db.selectFrom('deliveries').where('message_id', '=', messageId).select('id');
    const ids = (await pushes.execute()).map(({ id }) => id);
    return (await readClaims(db, ids, 0)).map(({ recipient }) => recipient?.withdrawnIds);
  };
  assert.equal(await readClosedBy(recoveryMessage!.id), [[silenceMessage!.id]], 'the alert');
  // The machine is silent again.
  await heartbeats.advance(20);
  assert.equal((await titles()).slice(2), ['pump.4 is silent']);
  const second = (await heartbeats.readMessages()).at(-1)!;
  assert.equal(
    await readClosedBy(second.id),
    [[recoveryMessage!.id, silenceMessage!.id]],
    'that it is back, too',
  );
  assert.is((await readOnlyHeartbeat()).alert?.messageId, second.id);
});

test('writes the alert in each language', async () => {
  await heartbeats.sendHeartbeat('nightly-backup?every=86400');
  await heartbeats.advance(DAY_SECONDS + 3600, 600);
  await server.call('PUT /api/account/language', { as: watcher, body: { language: 'pl' } });
  const { body } = await server.call('GET /api/notifications/messages', { as: watcher });
  const [alert] = body.messages;
  assert.is(alert?.title, 'Brak sygnału życia: nightly-backup');
  assert.match(alert!.message, /^Ostatni sygnał życia: .+ UTC\n/);
});

test('rejects invalid names and times, and a first call without an interval', async () => {
  const statusOf = async (path: string, init = {}) =>
    (await heartbeats.sendHeartbeat(path, init)).status;
  for (const path of [
    'a?every=59',
    'a?every=604801',
    'a?every=6e2',
    'a?every=60&grace=59',
    'a',
    '-a?every=60',
    `${'a'.repeat(65)}?every=60`,
  ])
    assert.is(await statusOf(path), 400, path);
  for (const [name, query] of [
    ['every', 'every=1h'],
    ['every', 'every=60.5'],
    ['grace', 'every=60&grace=2m'],
  ] as const) {
    const { error } = (await (await heartbeats.sendHeartbeat(`a?${query}`)).json()) as {
      error: unknown;
    };
    const message = `\`${name}\` must be a whole number of seconds from 60 to 604800.`;
    assert.equal(error, [{ message, path: name }]);
  }
  assert.is(await statusOf('a', { method: 'POST', body: '{"every":60.5}' }), 415);
  const headers = { 'content-type': 'application/json' };
  const post = (body: string) => ({ method: 'POST', body, headers });
  for (const [path, init, message] of [
    ['a?every=60&evry=90', {}, '`evry` is not a field of heartbeats. Use `every` or `grace`.'],
    ['a?every=60', post('{"grase":60}'), '`grase` is not a field of heartbeats.'],
    ['a?every=60&every=90', {}, '`every` was given more than once. Give `every` and `grace` once'],
  ] as const) {
    const response = await heartbeats.sendHeartbeat(path, init);
    assert.is(response.status, 400, path);
    assert.match(await response.text(), message);
  }
  assert.equal(await heartbeats.listHeartbeats(admin, topic), []);
  await heartbeats.sendHeartbeat('a?every=60');
  await heartbeats.sendHeartbeat('b?every=3600');
  await heartbeats.sendHeartbeat('c?every=604800');
  const graces = (await heartbeats.listHeartbeats(admin, topic)).map(({ grace }) => grace);
  assert.equal(graces, [60, 1800, 3600]);
});

test('gives every machine its interval again after an outage', async () => {
  await heartbeats.sendHeartbeat('minutely?every=60');
  await heartbeats.sendHeartbeat('daily?every=18000&grace=600');
  server.clock.now += (18_000 + 1200) * 1000;
  await server.jobs.runDue();
  assert.equal(await titles(), []);
  assert.equal(
    (await heartbeats.listHeartbeats(admin, topic)).map(({ state }) => state),
    ['waiting', 'waiting'],
  );
  await heartbeats.advance(120);
  assert.equal(await titles(), ['minutely is silent']);
  await heartbeats.advance(3600 + 600 - 120);
  assert.equal(await titles(), ['minutely is silent', 'daily is silent']);
});

test('keeps quiet while paused, and watches again from the resume', async () => {
  await heartbeats.sendHeartbeat('pump?every=60');
  await change(true);
  await heartbeats.advance(600);
  assert.equal([await stateOf(), await titles()], ['paused', []]);
  await change(false);
  assert.equal([await stateOf(), (await readOnlyHeartbeat()).dueAt], ['waiting', timeIn(60)]);
  await heartbeats.advance(120);
  assert.equal([await stateOf(), await titles()], ['silent', ['pump is silent']]);
  // A pause ends no alert, and is the cause of no other.
  await change(true);
  await change(false);
  await heartbeats.advance(600);
  assert.equal([await stateOf(), await titles()], ['silent', ['pump is silent']]);
});

test('stops the alert of a heartbeat that is deleted, and forgets those of a deleted topic', async () => {
  await heartbeats.sendHeartbeat('old?every=60');
  await heartbeats.advance(120);
  const params = { id: (await readOnlyHeartbeat()).id };
  assert.is(
    (await server.call('DELETE /api/admin/heartbeats/:id', { as: admin, params })).status,
    200,
  );
  assert.is(
    (await server.call('DELETE /api/admin/heartbeats/:id', { as: admin, params })).status,
    404,
  );
  await heartbeats.sendHeartbeat('other?every=60');
  await server.call('DELETE /api/admin/topics/:id', { as: admin, params: { id: topic } });
  const [entry] = await readAuditLog(server, admin, 'topic.delete');
  assert.is(entry?.detail, '1 subscriber, 1 heartbeat');
  await heartbeats.advance(600);
  assert.equal(await titles(), ['old is silent']);
  assert.equal(await server.services.db.selectFrom('heartbeats').select('id').execute(), []);
});

test('limits a key to 50 heartbeats, a topic to 100, and neither to its messages', async () => {
  const fill = async (name: string): Promise<number> => {
    let statuses = 0;
    for (let nth = 0; nth < 55; nth += 1) {
      if ((await heartbeats.sendHeartbeat(`${name}${nth}?every=60`)).status === 200) statuses += 1;
      server.clock.now += 1000;
    }
    return statuses;
  };
  assert.is(await fill('first'), 50);
  await heartbeats.createKey(topic);
  assert.is(await fill('second'), 50);
  await heartbeats.createKey(topic);
  assert.is((await heartbeats.sendHeartbeat('third?every=60')).status, 409);
  for (let nth = 0; nth < 60; nth += 1) await heartbeats.sendHeartbeat('first0');
  assert.is((await heartbeats.sendHeartbeat('first0')).status, 429);
  const { heldBack } = (
    await server.call('GET /api/admin/topics/:id/keys', { as: admin, params: { id: topic } })
  ).body.keys[0]!;
  assert.is(heldBack, undefined, 'heartbeats are no messages');
});

test.run();
