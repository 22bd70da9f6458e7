import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
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
