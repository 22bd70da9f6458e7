import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SentMessage } from '../../src/shared/contract';
import { startDemo } from '../../server/demo/run';
import { DEMO_ADMIN, DEMO_PASSWORD } from '../../server/demo/sample';
import { createLog } from '../../server/lib/log';
import { eventually } from '../support/eventually';
import { makeSample } from '../support/server/sample';
import { makeServer } from '../support/server/server';
import type { TestServer } from '../support/server/server';

const test = suite('the demo');

async function makeDemo(): Promise<TestServer> {
  const server = await makeServer();
  await makeSample(server.services, server.clock.now);
  return server;
}

test('the demo shows sixty users of all roles and states, a dozen topics, subscriptions of every kind, devices in every state and sent messages', async () => {
  const server = await makeDemo();
  const { answer: as, status } = await server.call('POST /api/auth/login', {
    body: { username: DEMO_ADMIN, password: DEMO_PASSWORD },
  });
  assert.is(status, 200);

  const { answer: users } = await server.call('GET /api/admin/users', {
    as,
    query: { limit: 100 },
  });
  assert.is(users.total, 60);
  const kinds = new Set(users.users.map(({ role, status: state }) => `${role} ${state}`));
  for (const kind of [
    'ADMIN ACTIVE',
    'TECHNICIAN ACTIVE',
    'TECHNICIAN PENDING',
    'CUSTOMER ACTIVE',
    'CUSTOMER PENDING',
  ])
    assert.ok(kinds.has(kind), kind);
  const firstPage = users.users.slice(0, 10);
  assert.ok(firstPage.some(({ registrationToken }) => registrationToken !== undefined));
  assert.is(new Set(firstPage.map(({ role }) => role)).size, 3);

  const { answer: log } = await server.call('GET /api/admin/audit', { as });
  assert.ok(log.total > 12);

  const { answer: topics } = await server.call('GET /api/admin/topics', {
    as,
    query: { limit: 100 },
  });
  assert.is(topics.total, 12);
  const states = new Set<string>();
  for (const { id } of topics.topics) {
    const { answer } = await server.call('GET /api/admin/topics/:id/subscribers', {
      as,
      params: { id },
    });
    assert.ok(answer.length > 3);
    for (const { notificationStatus } of answer) states.add(notificationStatus);
  }
  assert.equal([...states].sort(), ['disabled', 'enabled', 'no_devices', 'partial']);
  const { answer: reach } = await server.call('GET /api/admin/reach', {
    as,
    query: { limit: 100 },
  });
  for (const [state, people] of Object.entries(reach.summary))
    assert.ok(people > 0, `somebody is ${state}`);
  assert.ok(reach.summary.reachable > 30);
  assert.ok(
    reach.people.some(({ devices }) => devices.some(({ browser }) => browser === 'Firefox')),
  );
  assert.ok(reach.people.some(({ lost }) => lost?.why === 'blocked'));
  const grid = topics.topics.find(({ title }) => title === 'Grid outages');
  const { answer: listed } = await server.call('GET /api/admin/topics/:id/keys', {
    as,
    params: { id: grid?.id ?? 0 },
  });
  assert.equal(
    listed.keys.map(({ name, lastUsedAt }) => [name, lastUsedAt === null]),
    [
      ['SCADA north', false],
      ['Grafana', true],
    ],
  );
  const { answer: messages } = await server.call('GET /api/admin/messages', { as });
  assert.ok(messages.messages.some(({ sender }) => sender === 'key: Depot scanner'));
  assert.ok(messages.messages.every(({ total, pending }) => total > 0 && pending === 0));
  assert.ok(messages.messages.some(({ sender }) => sender === 'ada.lindqvist'));
  const recipients = await server.services.db.selectFrom('recipients').selectAll().execute();
  assert.equal([...new Set(recipients.map(({ state }) => state))].sort(), [
    'accepted',
    'failed',
    'held',
    'muted',
    'unreachable',
  ]);
  assert.ok(recipients.some(({ answer }) => answer === 'Got it'));
  assert.ok(recipients.some(({ state, read_at }) => state === 'accepted' && read_at === null));
  await server.close();
});

test('the demo shows policies, a message that went on until enough had answered, a webhook that fails and somebody’s quiet hours', async () => {
  const server = await makeDemo();
  const logIn = async (username: string) =>
    (await server.call('POST /api/auth/login', { body: { username, password: DEMO_PASSWORD } }))
      .answer;
  const as = await logIn(DEMO_ADMIN);
  const { answer: list } = await server.call('GET /api/admin/policies', { as });
  assert.equal(
    list.policies.map(({ name, topics }) => [name, topics]),
    [
      ['Storm', 1],
      ['Until everybody has answered', 2],
    ],
  );
  for (const { id: _, topics: __, ...body } of list.policies.map((policy) => ({
    ...policy,
    name: `${policy.name}, once more`,
  })))
    assert.is((await server.call('POST /api/admin/policies', { as, body })).status, 201, body.name);

  const { answer: sent } = await server.call('GET /api/admin/messages', { as });
  const id = sent.messages.find(({ message }) => message.includes('gusts'))?.id ?? '';
  const { answer: course } = await server.call('GET /api/admin/messages/:id/escalation', {
    as,
    params: { id },
  });
  assert.is(course.stopped, 'quorum');
  assert.ok(course.stoppedBy);
  const people = course.steps.flatMap(({ people: open }) => open ?? []);
  assert.ok(people.length >= 2, 'it rang again, and once more');
  assert.equal(
    people,
    [...people].sort((one, other) => other - one),
    'of whom fewer and fewer had not answered',
  );
  const after = course.steps.filter(({ doneAt }) => doneAt === null);
  assert.equal(
    after.map(({ action, topic }) => [action, topic]),
    [
      ['webhook', null],
      ['notify', 'On-call changes'],
    ],
    'what would have come next',
  );

  const failing = await server.services.db
    .selectFrom('webhooks')
    .where('failing_since', 'is not', null)
    .selectAll()
    .execute();
  assert.is(failing.length, 1);
  const { answer: hours } = await server.call('GET /api/notifications/quiet-hours', {
    as: await logIn('m.okafor'),
  });
  assert.is(hours.rules.length, 2);
  await server.close();
});

/** Rows that contradict others, by what is wrong with them. */
const CONTRADICTIONS = {
  'a device from before its person registered': `select devices.id from devices
    inner join audit_entries on action = 'user.register' and target_id = user_id where created_at < at`,
  'a message from before its topic': `select messages.id from messages
    inner join topics on topics.id = messages.topic_id where messages.created_at < topics.created_at`,
  'a message whose sender or key is not there': `select id from messages
    where (sender_id is null and key_id not in (select id from topic_keys)) or
    (sender_id is not null and sender_id not in (select id from users where created_at < messages.created_at))`,
  'a message that the audit log does not name': `select id from messages where not exists (select 1 from audit_entries
    where action = 'message.send' and at = messages.created_at and target like messages.topic_title || '%'
    and detail like messages.people || ' pe%' and (actor_id = sender_id or actor = 'key: ' || key_name))`,
  'a sending of which there is no message': `select id from audit_entries
    where action = 'message.send' and at not in (select created_at from messages)`,
  'an entry by somebody who is not there yet': `select audit_entries.id from audit_entries
    left join users on users.id = actor_id where actor_id is not null and (users.id is null or users.created_at > at)`,
  'entries that are not in the order of time': `select one.id from audit_entries as one
    inner join audit_entries as next on next.id = one.id + 1 where next.at < one.at`,
  'a receipt from before its message': `select seq from recipients inner join messages on messages.id = message_id
    where min(coalesce(displayed_at, created_at), coalesce(read_at, created_at), coalesce(acknowledged_at, created_at)) < created_at`,
  'an answer that nobody asked for, or that came before it was read': `select seq from recipients
    inner join messages on messages.id = message_id
    where acknowledged_at is not null and (answers = '[]' or read_at is null or acknowledged_at < read_at)`,
  'a person who read on a device that displays nothing': `select seq from recipients where read_at is not null
    and user_id in (select id from users where username in ('b.oduya', 's.kim', 'r.singh', 'p.dubois'))`,
  'a device that displayed, of which its reach knows nothing': `select user_id from recipients
    where displayed_at is not null and user_id in (select user_id from devices)
    and user_id not in (select devices.user_id from devices
      inner join device_reach on device_id = devices.id where device_reach.displayed_at is not null)`,
  'something that is yet to come': `select id from audit_entries where at > :now union all
    select seq from recipients where max(coalesce(displayed_at, 0), coalesce(read_at, 0), coalesce(acknowledged_at, 0)) > :now`,
};

test('the sample contradicts itself nowhere, and its past goes over weeks', async () => {
  const server = await makeDemo();
  const { db } = server.services;
  for (const [what, query] of Object.entries(CONTRADICTIONS)) {
    const text = query
      .replaceAll(':now', String(server.clock.now))
      .replaceAll(/\b(min|max)\(coalesce/g, onEngine(server));
    assert.equal((await sql.raw(text).execute(db)).rows, [], what);
  }
  const times = await db.selectFrom('messages').select('created_at').execute();
  const days = new Set(
    times.map(({ created_at }) => Math.floor((server.clock.now - created_at) / 86_400_000)),
  );
  assert.ok(days.size >= 8 && Math.max(...days) >= 18, [...days].join(' '));
  assert.ok(days.has(0), 'something was sent today');
  await server.close();
});

/** PostgreSQL calls the least of several values otherwise than SQLite does. */
function onEngine({ engine }: TestServer): (found: string, name: string) => string {
  return (found, name) =>
    engine === 'sqlite' ? found : `${name === 'min' ? 'least' : 'greatest'}(coalesce`;
}

test('in a running demo phones display, read and answer what is sent, and nothing is left of it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fieldbell-test-'));
  const { TMPDIR } = process.env;
  process.env.TMPDIR = folder;
  const lines: string[] = [];
  const log = createLog((line) => void lines.push(line));
  const demo = await startDemo({ PORT: '0' }, log, folder, 0.02);
  const call = async (method: string, path: string, body?: object, by = '') => {
    const response = await fetch(`${demo.address}/api${path}`, {
      method,
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${by}` },
      ...(body && { body: JSON.stringify(body) }),
    });
    return response.json();
  };
  const { token } = await call('POST', '/auth/login', {
    username: DEMO_ADMIN,
    password: DEMO_PASSWORD,
  });
  const { users } = await call('GET', '/admin/users?limit=100', undefined, token);
  const everybody = users.map(({ id }: { id: number }) => id);
  const asked = { message: 'Hello', userIds: everybody, answers: ['Yes', 'No'] };
  const { messageId } = await call('POST', '/admin/messages', asked, token);
  const seen = await eventually(async () => {
    const message: SentMessage = await call(
      'GET',
      `/admin/messages/${messageId}`,
      undefined,
      token,
    );
    const { displayed, read, acknowledged } = message.people;
    return message.pending === 0 && displayed > 30 && read > 15 && acknowledged > 10 && message;
  }, 'answers of phones');
  assert.ok(seen.accepted > 50 && seen.failed > 0 && seen.gone > 0);
  assert.ok(seen.people.displayed < seen.people.total - seen.people.unreachable, 'one is silent');
  const hooks = await eventually(async () => {
    const { webhooks } = await call('GET', '/admin/webhooks', undefined, token);
    return webhooks.every(
      ({ failingSince }: { failingSince: string | null }) => failingSince === null,
    )
      ? undefined
      : webhooks;
  }, 'a webhook that fails');
  assert.ok(hooks.some(({ lastStatus }: { lastStatus: number }) => lastStatus === 500));
  const { port } = new URL(demo.address);
  const [other] = Object.values(networkInterfaces()).flatMap((each) =>
    (each ?? []).filter(({ internal, family }) => !internal && family === 'IPv4'),
  );
  if (other)
    await fetch(`http://${other.address}:${port}/`).then(
      () => assert.unreachable('another machine gets in'),
      () => undefined,
    );
  await demo.stop();
  if (TMPDIR === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = TMPDIR;
  assert.equal(readdirSync(folder), []);
  rmSync(folder, { recursive: true });
  assert.equal(
    lines.filter((line) => line.includes('"level":"error"')),
    [],
  );
});

test.run();
