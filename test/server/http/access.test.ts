import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Endpoint } from '../../../src/contract';
import type { Person, TestServer } from '../../support/server';
import { makeServer } from '../../support/server';

const test = suite('access');

/** Answers for: nobody signed in, CUSTOMER, TECHNICIAN, ADMIN. What belongs to somebody else is as if it were not there. */
type Statuses = readonly [anyone: number, customer: number, technician: number, admin: number];
const open = (status: number): Statuses => [status, status, status, status];
const signedIn = (status: number): Statuses => [401, status, status, status];
const adminsOnly = (status: number): Statuses => [401, 403, 403, status];

interface Row {
  statuses: Statuses;
  /** The path with its parameters filled in; the pattern itself if it has none. */
  path?: (world: World) => string;
  body?: (world: World) => object;
  /** The same call for things of somebody else, or things that do not exist. */
  foreign?: { path?: (world: World) => string; body?: (world: World) => object; statuses: Statuses };
}

interface World {
  server: TestServer;
  topic: number;
  otherTopic: number;
  other: Person;
  otherDevice: number;
  otherToken: string;
  /** Of the one who asks, if anybody does. */
  device: number;
}

/** Every call of the contract: the type demands that none is missing. */
const table: Record<Endpoint, Row> = {
  'POST /api/auth/login': { statuses: open(401), body: () => ({ username: 'nobody', password: 'nothing' }) },
  'POST /api/auth/complete-registration': { statuses: open(400), body: () => ({ token: 'x', password: 'a good password', email: 'a@mail.example' }) },
  'POST /api/auth/request-password-reset': { statuses: open(200), body: () => ({ email: 'a@mail.example' }) },
  'POST /api/auth/reset-password': { statuses: open(400), body: () => ({ token: 'x', password: 'a good password' }) },
  'GET /api/auth/verify-email/:token': { statuses: open(400), path: () => '/api/auth/verify-email/x' },
  'POST /api/auth/resend-verification': { statuses: open(200), body: () => ({ email: 'a@mail.example' }) },
  'GET /api/health': { statuses: open(200) },
  'GET /api/notifications/vapid-key': { statuses: open(200) },

  'GET /api/notifications/my-subscriptions': { statuses: signedIn(200) },
  'GET /notifications/subscriptions': { statuses: signedIn(200) },
  'GET /api/notifications/preferences': { statuses: signedIn(200) },
  'GET /api/notifications/devices': { statuses: signedIn(200) },
  'GET /api/notifications/preferences/:id': {
    statuses: signedIn(200),
    path: ({ device }) => `/api/notifications/preferences/${device}`,
    foreign: { statuses: signedIn(404), path: ({ otherDevice }) => `/api/notifications/preferences/${otherDevice}` },
  },
  'PUT /api/notifications/preferences/:id': {
    statuses: signedIn(200),
    path: ({ device }) => `/api/notifications/preferences/${device}`,
    body: ({ topic }) => ({ topicId: topic, enabled: false }),
    foreign: { statuses: signedIn(404), path: ({ otherDevice }) => `/api/notifications/preferences/${otherDevice}` },
  },
  'PUT /api/notifications/preferences/global/:topicId': {
    statuses: signedIn(200),
    path: ({ topic }) => `/api/notifications/preferences/global/${topic}`,
    body: () => ({ enabled: true }),
    foreign: { statuses: signedIn(404), path: ({ otherTopic }) => `/api/notifications/preferences/global/${otherTopic}` },
  },
  'POST /api/notifications/register-device': { statuses: signedIn(200), body: () => ({ deviceToken: 'fcm', deviceType: 'web', userAgent: '' }) },
  'DELETE /api/notifications/unregister-device': {
    statuses: signedIn(200),
    body: () => ({ deviceToken: 'fcm' }),
    foreign: { statuses: signedIn(200), body: ({ otherToken }) => ({ deviceToken: otherToken }) },
  },

  'GET /api/admin/topics': { statuses: adminsOnly(200) },
  'POST /api/admin/topics': { statuses: adminsOnly(201), body: () => ({ title: 'T', description: 'D' }) },
  'PUT /api/admin/topics/:id': onTopic('', { title: 'T', description: 'D' }),
  'DELETE /api/admin/topics/:id': onTopic(''),
  'GET /api/admin/topics/:id/subscribers': onTopic('/subscribers'),
  'POST /api/admin/notifications/send-topic/:topicId': {
    statuses: adminsOnly(202),
    path: ({ topic }) => `/api/admin/notifications/send-topic/${topic}`,
    body: () => ({ message: 'Hello' }),
    foreign: { statuses: adminsOnly(404), path: () => '/api/admin/notifications/send-topic/999999' },
  },
  'GET /api/admin/messages': { statuses: adminsOnly(200) },
  'GET /api/admin/messages/:id': { statuses: adminsOnly(404), path: () => '/api/admin/messages/00000000-0000-4000-8000-000000000000' },
  'GET /api/admin/users': { statuses: adminsOnly(200) },
  'POST /api/admin/users': { statuses: adminsOnly(201), body: () => ({ username: crypto.randomUUID(), role: 'ADMIN' }) },
  'GET /api/admin/users/:id': onUser(''),
  'DELETE /api/admin/users/:id': onUser(''),
  'PUT /api/admin/users/:id/role': onUser('/role', { role: 'CUSTOMER' }),
  'GET /api/admin/users/:id/subscriptions': onUser('/subscriptions'),
  'GET /api/admin/users/:id/available-topics': onUser('/available-topics'),
  'POST /api/admin/subscriptions': onPair(),
  'DELETE /api/admin/subscriptions': onPair(),
};

function onTopic(rest: string, body?: object): Row {
  const foreign = { statuses: adminsOnly(404), path: () => `/api/admin/topics/999999${rest}` };
  return { statuses: adminsOnly(200), path: ({ topic }) => `/api/admin/topics/${topic}${rest}`, ...(body && { body: () => body }), foreign };
}
function onUser(rest: string, body?: object): Row {
  const foreign = { statuses: adminsOnly(404), path: () => `/api/admin/users/999999${rest}` };
  return { statuses: adminsOnly(200), path: ({ other }) => `/api/admin/users/${other.id}${rest}`, ...(body && { body: () => body }), foreign };
}
function onPair(): Row {
  return {
    statuses: adminsOnly(200),
    body: ({ other, topic }) => ({ userId: other.id, topicId: topic }),
    foreign: { statuses: adminsOnly(404), body: ({ topic }) => ({ userId: 999999, topicId: topic }) },
  };
}

let server: TestServer;
test.before(async () => {
  server = await makeServer();
  // So that none of those who come and go is ever the last.
  await server.makePerson('ADMIN');
});
test.after(() => server.close());

const roles = [undefined, 'CUSTOMER', 'TECHNICIAN', 'ADMIN'] as const;

async function register(server: TestServer, person: Person, deviceToken: string): Promise<number> {
  const { answer } = await server.call('POST /api/notifications/register-device', { as: person, body: { deviceToken, deviceType: 'web', userAgent: '' } });
  assert.type(answer.id, 'number');
  return answer.id;
}

for (const [endpoint, row] of Object.entries(table)) {
  test(`${endpoint} lets in whom it should, and nobody else`, async () => {
    for (const [index, role] of roles.entries()) await expectStatuses(server, endpoint, row, index, role);
  });
}

async function expectStatuses(server: TestServer, endpoint: string, row: Row, index: number, role: (typeof roles)[number]): Promise<void> {
  const [method = '', pattern = ''] = endpoint.split(' ');
  const other = await server.makePerson('CUSTOMER');
  const otherToken = `other-${crypto.randomUUID()}`;
  const otherDevice = await register(server, other, otherToken);
  const person = role && (await server.makePerson(role));
  const [topic, otherTopic] = [await server.makeTopic(), await server.makeTopic()];
  if (person) await server.services.db.insertInto('subscriptions').values({ user_id: person.id, topic_id: topic, created_at: 0 }).execute();
  const device = person ? await register(server, person, `own-${crypto.randomUUID()}`) : 0;
  const world: World = { server, topic, otherTopic, other, otherDevice, otherToken, device };
  const ask = async (path = row.path, body = row.body): Promise<number> => {
    const headers: Record<string, string> = { 'Content-Type': 'application/json' };
    if (person) headers.Authorization = `Bearer ${person.token}`;
    const response = await server.request(path?.(world) ?? pattern, { method, headers, body: body ? JSON.stringify(body(world)) : null });
    return response.status;
  };
  if (row.foreign) {
    assert.is(await ask(row.foreign.path, row.foreign.body), row.foreign.statuses[index], `${role ?? 'anyone'}, what is not theirs`);
    const kept = await server.services.db.selectFrom('devices').select('user_id').where('id', '=', otherDevice).executeTakeFirst();
    assert.is(kept?.user_id, other.id, 'the device of somebody else stays theirs');
  }
  assert.is(await ask(), row.statuses[index], role ?? 'anyone');
}

test('an admin call tells a stranger nothing of what exists, and does not read the body', async () => {
  const person = await server.makePerson('TECHNICIAN');
  const broken = { method: 'PUT', headers: { Authorization: `Bearer ${person.token}`, 'Content-Type': 'text/plain' }, body: '{' };
  const response = await server.request('/api/admin/topics/999999', broken);
  assert.equal([response.status, await response.json()], [403, { error: 'You might not have the required permissions.' }]);
});

test.run();
