import { decodeJwt } from 'jose';
import { sql } from 'kysely';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Endpoint } from '../../../src/shared/contract';
import type { Document } from '../../../server/openapi/document';
import { permissions } from '../../../server/permissions';
import { makeKey } from '../../support/server/keys';
import type { Person, TestServer } from '../../support/server/server';
import { makeServer } from '../../support/server/server';

const test = suite('access');

/**
 * Answers for: no session, CUSTOMER, TECHNICIAN, ADMIN. What belongs to somebody else is as if it
 * were not there.
 */
type Statuses = readonly [anyone: number, customer: number, technician: number, admin: number];
const open = (status: number): Statuses => [status, status, status, status];
const signedIn = (status: number): Statuses => [401, status, status, status];
const adminsOnly = (status: number): Statuses => [401, 403, 403, status];

interface Row {
  statuses: Statuses;
  /** The path with its parameters filled in; the pattern itself if it has none. */
  path?: (world: World) => string;
  body?: (world: World) => object;
  /** Its body, where that is CSV. */
  csv?: string;
  /** It changes nothing, though it takes a body. */
  onlyReads?: true;
  /** The same call for things of somebody else, or things that do not exist. */
  foreign?: {
    path?: (world: World) => string;
    body?: (world: World) => object;
    statuses: Statuses;
  };
}

interface World {
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
  'POST /api/auth/login': {
    statuses: open(401),
    body: () => ({ username: 'nobody', password: 'nothing' }),
  },
  'POST /api/auth/refresh': { statuses: signedIn(200), onlyReads: true },
  'POST /api/auth/second-factor': {
    statuses: open(400),
    body: () => ({ challenge: 'x', code: '123456' }),
  },
  'POST /api/auth/second-factor/begin': { statuses: open(400), body: () => ({ challenge: 'x' }) },
  'POST /api/auth/second-factor/confirm': {
    statuses: open(400),
    body: () => ({ challenge: 'x', begun: 'x', code: '123456' }),
  },
  'POST /api/auth/oidc/handover': {
    statuses: open(400),
    body: () => ({ code: 'x', secret: 'x' }),
  },
  'GET /api/account/second-factor': { statuses: adminsOnly(200) },
  // Nobody there has a password, and all have just signed in.
  'POST /api/account/second-factor/begin': {
    statuses: adminsOnly(200),
    body: () => ({}),
    onlyReads: true,
  },
  'POST /api/account/second-factor/confirm': {
    statuses: adminsOnly(400),
    body: () => ({ begun: 'x', code: '123456' }),
  },
  'POST /api/account/second-factor/recovery-codes': {
    statuses: adminsOnly(409),
    body: () => ({ code: '123456' }),
  },
  'DELETE /api/account/second-factor': {
    statuses: adminsOnly(409),
    body: () => ({ code: '123456' }),
  },
  'POST /api/auth/complete-registration': {
    statuses: open(400),
    body: () => ({ token: 'x', password: 'a good password', email: 'a@mail.example' }),
  },
  'POST /api/auth/request-password-reset': {
    statuses: open(200),
    body: () => ({ email: 'a@mail.example' }),
  },
  'POST /api/auth/reset-password': {
    statuses: open(400),
    body: () => ({ token: 'x', password: 'a good password' }),
  },
  'GET /api/auth/verify-email/:token': {
    statuses: open(400),
    path: () => '/api/auth/verify-email/x',
  },
  'GET /api/auth/registration/:token': {
    statuses: open(400),
    path: () => '/api/auth/registration/x',
  },
  'GET /api/auth/password-rules': { statuses: open(200) },
  'POST /api/auth/resend-verification': {
    statuses: open(200),
    body: () => ({ email: 'a@mail.example' }),
  },
  'GET /api/account': { statuses: signedIn(200) },
  'PUT /api/account/password': {
    statuses: signedIn(403),
    body: () => ({ current: 'not mine', password: 'a good password' }),
    // A wrong password changes nothing: what a right one does is in accounts/own.
    onlyReads: true,
  },
  'PUT /api/account/email': {
    // Nobody there has a password, and all have just signed in.
    statuses: signedIn(200),
    body: () => ({ email: 'a@mail.example' }),
    // It is counted first: that nothing else changes then is in accounts/own.
    onlyReads: true,
  },
  'POST /api/account/sign-out-everywhere': { statuses: signedIn(200) },
  'GET /api/account/export': { statuses: signedIn(200) },
  'GET /api/health': { statuses: open(200) },
  'GET /api/openapi.json': { statuses: open(200) },
  'GET /api/notifications/vapid-key': { statuses: open(200) },

  'GET /api/notifications/my-subscriptions': { statuses: signedIn(200) },
  'GET /notifications/subscriptions': { statuses: signedIn(200) },
  'GET /api/notifications/preferences': { statuses: signedIn(200) },
  'GET /api/notifications/devices': { statuses: signedIn(200) },
  'GET /api/notifications/preferences/:id': {
    statuses: signedIn(200),
    path: ({ device }) => `/api/notifications/preferences/${device}`,
    foreign: {
      statuses: signedIn(404),
      path: ({ otherDevice }) => `/api/notifications/preferences/${otherDevice}`,
    },
  },
  'PUT /api/notifications/preferences/:id': {
    statuses: signedIn(200),
    path: ({ device }) => `/api/notifications/preferences/${device}`,
    body: ({ topic }) => ({ topicId: topic, enabled: false }),
    foreign: {
      statuses: signedIn(404),
      path: ({ otherDevice }) => `/api/notifications/preferences/${otherDevice}`,
    },
  },
  'PUT /api/notifications/preferences/global/:topicId': {
    statuses: signedIn(200),
    path: ({ topic }) => `/api/notifications/preferences/global/${topic}`,
    body: () => ({ enabled: true }),
    foreign: {
      statuses: signedIn(404),
      path: ({ otherTopic }) => `/api/notifications/preferences/global/${otherTopic}`,
    },
  },
  'POST /api/notifications/register-device': {
    statuses: signedIn(200),
    body: () => ({ deviceToken: 'fcm', deviceType: 'web', userAgent: '' }),
  },
  // By a device's key alone: see the end of this file.
  'PUT /api/notifications/device-token': {
    statuses: open(401),
    body: () => ({ deviceToken: 'fcm' }),
  },
  'POST /api/notifications/receipts': {
    statuses: signedIn(200),
    body: () => ({ receipts: [] }),
  },
  'GET /api/notifications/messages': { statuses: signedIn(200) },
  'GET /api/notifications/quiet-hours': { statuses: signedIn(200) },
  'PUT /api/notifications/quiet-hours': {
    statuses: signedIn(200),
    body: () => ({ timeZone: 'UTC', rules: [{ days: [1], from: '22:00', to: '06:00' }] }),
  },
  'GET /api/notifications/messages/:id': {
    statuses: signedIn(404),
    path: () => '/api/notifications/messages/00000000-0000-4000-8000-000000000000',
  },
  'DELETE /api/notifications/unregister-device': {
    statuses: signedIn(200),
    body: () => ({ deviceToken: 'fcm' }),
    foreign: { statuses: signedIn(200), body: ({ otherToken }) => ({ deviceToken: otherToken }) },
  },
  'DELETE /api/notifications/devices/:id': {
    statuses: signedIn(200),
    path: ({ device }) => `/api/notifications/devices/${device}`,
    foreign: {
      statuses: signedIn(404),
      path: ({ otherDevice }) => `/api/notifications/devices/${otherDevice}`,
    },
  },
  'POST /api/notifications/tests': {
    statuses: signedIn(201),
    body: ({ device }) => ({ deviceId: device }),
    foreign: { statuses: signedIn(404), body: ({ otherDevice }) => ({ deviceId: otherDevice }) },
  },
  'GET /api/notifications/tests/:id': {
    statuses: signedIn(404),
    path: () => '/api/notifications/tests/00000000-0000-4000-8000-000000000000',
  },
  'POST /api/notifications/tests/:id/heard': {
    statuses: signedIn(404),
    path: () => '/api/notifications/tests/00000000-0000-4000-8000-000000000000/heard',
    body: () => ({ heard: true }),
  },

  'GET /api/admin/overview': { statuses: adminsOnly(200) },
  'GET /api/admin/reach': { statuses: adminsOnly(200) },
  'GET /api/admin/reach/tests': { statuses: adminsOnly(200) },
  'POST /api/admin/reach/tests': {
    statuses: adminsOnly(202),
    body: ({ other }) => ({ userIds: [other.id] }),
    foreign: { statuses: adminsOnly(400), body: () => ({ userIds: [999_999] }) },
  },
  'DELETE /api/admin/devices/:id': {
    statuses: adminsOnly(200),
    path: ({ otherDevice }) => `/api/admin/devices/${otherDevice}`,
    foreign: { statuses: adminsOnly(404), path: () => '/api/admin/devices/999999' },
  },
  'GET /api/admin/topics': { statuses: adminsOnly(200) },
  'POST /api/admin/topics': {
    statuses: adminsOnly(201),
    body: () => ({ title: 'T', description: 'D' }),
  },
  'PUT /api/admin/topics/:id': onTopic('', { title: 'T', description: 'D' }),
  'DELETE /api/admin/topics/:id': onTopic(''),
  'GET /api/admin/topics/:id/subscribers': onTopic('/subscribers'),
  'POST /api/admin/topics/:id/subscribers': onSubscribers(),
  'DELETE /api/admin/topics/:id/subscribers': onSubscribers(),
  'GET /api/admin/topics/:id/keys': onTopic('/keys'),
  'POST /api/admin/topics/:id/keys': {
    ...onTopic('/keys', { name: 'SCADA north' }),
    statuses: adminsOnly(201),
  },
  'DELETE /api/admin/keys/:id': {
    statuses: adminsOnly(404),
    path: () => '/api/admin/keys/999999',
  },
  // By a topic's key alone: see topic-key.test.ts.
  'POST /api/publish': { statuses: open(401), body: () => ({ message: 'Hello' }) },
  'PUT /api/publish': { statuses: open(401), body: () => ({ message: 'Hello' }) },
  'POST /api/publish/:topic': { statuses: open(401), body: () => ({ message: 'Hello' }) },
  'PUT /api/publish/:topic': { statuses: open(401), body: () => ({ message: 'Hello' }) },
  'POST /api/hooks/alertmanager': { statuses: open(401), body: () => ({ alerts: [] }) },
  'POST /api/hooks/grafana': { statuses: open(401), body: () => ({ alerts: [] }) },
  'POST /api/admin/notifications/send-topic/:topicId': {
    statuses: adminsOnly(202),
    path: ({ topic }) => `/api/admin/notifications/send-topic/${topic}`,
    body: () => ({ message: 'Hello' }),
    foreign: {
      statuses: adminsOnly(404),
      path: () => '/api/admin/notifications/send-topic/999999',
    },
  },
  'POST /api/admin/messages/audience': {
    statuses: adminsOnly(200),
    body: ({ topic }) => ({ topicIds: [topic] }),
    onlyReads: true,
    foreign: { statuses: adminsOnly(400), body: () => ({ userIds: [999_999] }) },
  },
  'POST /api/admin/messages': {
    statuses: adminsOnly(202),
    body: ({ other }) => ({ userIds: [other.id], message: 'Hello' }),
    foreign: {
      statuses: adminsOnly(400),
      body: () => ({ userIds: [999_999], message: 'Hello' }),
    },
  },
  'POST /api/admin/messages/:id/repeat': {
    statuses: adminsOnly(404),
    path: () => '/api/admin/messages/00000000-0000-4000-8000-000000000000/repeat',
    body: () => ({ userIds: [1] }),
  },
  'POST /api/admin/messages/:id/cancel': {
    statuses: adminsOnly(404),
    path: () => '/api/admin/messages/00000000-0000-4000-8000-000000000000/cancel',
  },
  'GET /api/admin/messages': { statuses: adminsOnly(200) },
  'GET /api/admin/messages/:id': {
    statuses: adminsOnly(404),
    path: () => '/api/admin/messages/00000000-0000-4000-8000-000000000000',
  },
  'GET /api/admin/messages/:id/recipients': {
    statuses: adminsOnly(404),
    path: () => '/api/admin/messages/00000000-0000-4000-8000-000000000000/recipients',
  },
  'GET /api/admin/messages/:id/recipients.csv': {
    statuses: adminsOnly(404),
    path: () => '/api/admin/messages/00000000-0000-4000-8000-000000000000/recipients.csv',
  },
  'GET /api/admin/templates': { statuses: adminsOnly(200) },
  'POST /api/admin/templates': {
    statuses: adminsOnly(201),
    body: () => ({ name: crypto.randomUUID(), message: 'Hello' }),
  },
  'PUT /api/admin/templates/:id': {
    statuses: adminsOnly(404),
    path: () => '/api/admin/templates/999999',
    body: () => ({ name: 'Weekly', message: 'Hello' }),
  },
  'DELETE /api/admin/templates/:id': {
    statuses: adminsOnly(404),
    path: () => '/api/admin/templates/999999',
  },
  'GET /api/admin/messages/:id/escalation': {
    statuses: adminsOnly(404),
    path: () => '/api/admin/messages/00000000-0000-4000-8000-000000000000/escalation',
  },
  'GET /api/admin/policies': { statuses: adminsOnly(200) },
  'POST /api/admin/policies': {
    statuses: adminsOnly(201),
    body: () => ({ name: crypto.randomUUID(), steps: [{ after: 60, action: 'repeat' }] }),
  },
  'PUT /api/admin/policies/:id': {
    statuses: adminsOnly(404),
    path: () => '/api/admin/policies/999999',
    body: () => ({ name: 'Storm', steps: [{ after: 60, action: 'repeat' }] }),
  },
  'DELETE /api/admin/policies/:id': {
    statuses: adminsOnly(404),
    path: () => '/api/admin/policies/999999',
  },
  'GET /api/admin/audit': { statuses: adminsOnly(200) },
  'GET /api/admin/audit.csv': { statuses: adminsOnly(200) },
  'GET /api/admin/webhooks': { statuses: adminsOnly(200) },
  'POST /api/admin/webhooks': {
    statuses: adminsOnly(201),
    body: () => ({ url: `https://hooks.example/${crypto.randomUUID()}`, events: [] }),
    foreign: {
      statuses: adminsOnly(400),
      body: () => ({ url: 'https://127.0.0.1/', events: [] }),
    },
  },
  'POST /api/admin/webhooks/:id/test': {
    statuses: adminsOnly(404),
    path: () => '/api/admin/webhooks/999999/test',
  },
  'DELETE /api/admin/webhooks/:id': {
    statuses: adminsOnly(404),
    path: () => '/api/admin/webhooks/999999',
  },
  'GET /api/admin/users': { statuses: adminsOnly(200) },
  'POST /api/admin/users': {
    statuses: adminsOnly(201),
    body: () => ({ username: crypto.randomUUID(), role: 'ADMIN' }),
  },
  'POST /api/admin/import': {
    statuses: adminsOnly(200),
    csv: 'username\nsomebody new\n',
  },
  'GET /api/admin/invitations': { statuses: adminsOnly(200) },
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
  return {
    statuses: adminsOnly(200),
    path: ({ topic }) => `/api/admin/topics/${topic}${rest}`,
    ...(body && { body: () => body }),
    foreign,
  };
}
function onSubscribers(): Row {
  const row = onTopic('/subscribers');
  return { ...row, body: ({ other }) => ({ userIds: [other.id] }) };
}
function onUser(rest: string, body?: object): Row {
  const foreign = { statuses: adminsOnly(404), path: () => `/api/admin/users/999999${rest}` };
  return {
    statuses: adminsOnly(200),
    path: ({ other }) => `/api/admin/users/${other.id}${rest}`,
    ...(body && { body: () => body }),
    foreign,
  };
}
function onPair(): Row {
  return {
    statuses: adminsOnly(200),
    body: ({ other, topic }) => ({ userId: other.id, topicId: topic }),
    foreign: {
      statuses: adminsOnly(404),
      body: ({ topic }) => ({ userId: 999999, topicId: topic }),
    },
  };
}

let server: TestServer;
/** So that none of those who come and go is ever the last. */
let spare: Person;
test.before(async () => {
  server = await makeServer({ environment: { ADMIN_TOTP: 'optional' } });
  await viewAll(server);
  spare = await server.makePerson('ADMIN');
});
test.after(() => server.close());

const roles = [undefined, 'CUSTOMER', 'TECHNICIAN', 'ADMIN'] as const;

async function register(person: Person, deviceToken: string): Promise<number> {
  const { answer } = await server.call('POST /api/notifications/register-device', {
    as: person,
    body: { deviceToken, deviceType: 'web', userAgent: '' },
  });
  assert.type(answer.id, 'number');
  return answer.id;
}

for (const [endpoint, row] of Object.entries(table)) {
  test(`${endpoint} lets in whom it should, and no one else`, async () => {
    for (const [index, role] of roles.entries()) await expectStatuses(endpoint, row, index, role);
  });
}

test('every call has an action of the table, and every action a call', async () => {
  const { paths } = (await server.call('GET /api/openapi.json')).answer as unknown as Document;
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  const used = operations.map((operation) => operation['x-permission']);
  assert.equal([...new Set([...used, 'metrics.read'])].sort(), Object.keys(permissions).sort());
});

/** Topics, and somebody who has nothing to do with those who ask. */
async function makeWorld(): Promise<World> {
  const other = await server.makePerson('CUSTOMER');
  const otherToken = `other-${crypto.randomUUID()}`;
  const otherDevice = await register(other, otherToken);
  const [topic, otherTopic] = [await server.makeTopic(), await server.makeTopic()];
  return { topic, otherTopic, other, otherDevice, otherToken, device: 0 };
}

/** Somebody who asks, with a subscription and a device; @returns the world as it is for them */
async function enter(
  world: World,
  role: (typeof roles)[number],
): Promise<{ person: Person | undefined; world: World }> {
  const person = role && (await server.makePerson(role));
  if (person === undefined) return { person, world };
  await server.services.db
    .insertInto('subscriptions')
    .values({ user_id: person.id, topic_id: world.topic, created_at: 0 })
    .execute();
  const token = `own-${crypto.randomUUID()}`;
  const device = {
    user_id: person.id,
    token,
    token_hash: token,
    type: 'web',
    user_agent: '',
    created_at: 0,
    last_seen_at: 0,
  } as const;
  const { id } = await server.services.db
    .insertInto('devices')
    .values(device)
    .returning('id')
    .executeTakeFirstOrThrow();
  return { person, world: { ...world, device: id } };
}

const textOf = ({ csv, body }: Row, world: World): string | undefined =>
  csv ?? (body && JSON.stringify(body(world)));
const headersOf = (person: Person | undefined, { csv }: Row): Record<string, string> => ({
  'Content-Type': csv === undefined ? 'application/json' : 'text/csv',
  ...(person && { Authorization: `Bearer ${person.token}` }),
});

async function expectStatuses(
  endpoint: string,
  row: Row,
  index: number,
  role: (typeof roles)[number],
): Promise<void> {
  const [method = '', pattern = ''] = endpoint.split(' ');
  const { person, world } = await enter(await makeWorld(), role);
  const ask = async (path = row.path, body = row.body): Promise<number> => {
    const response = await server.request(path?.(world) ?? pattern, {
      method,
      headers: headersOf(person, row),
      body: textOf({ ...row, ...(body && { body }) }, world) ?? null,
    });
    return response.status;
  };
  if (row.foreign) {
    assert.is(
      await ask(row.foreign.path, row.foreign.body),
      row.foreign.statuses[index],
      `${role ?? 'anyone'}, what is not theirs`,
    );
    const kept = await server.services.db
      .selectFrom('devices')
      .select('user_id')
      .where('id', '=', world.otherDevice)
      .executeTakeFirst();
    assert.is(kept?.user_id, world.other.id, 'the device of somebody else stays theirs');
  }
  assert.is(await ask(), row.statuses[index], role ?? 'anyone');
}

/** What can happen to an account while a request of it is under way. */
const losses: Record<string, (id: number, token: string) => Promise<unknown>> = {
  'was deleted': (id) => server.services.db.deleteFrom('users').where('id', '=', id).execute(),
  'got another role': (id) =>
    server.services.db
      .updateTable('users')
      .set((row) => ({ role: 'CUSTOMER', session_version: row('session_version', '+', 1) }))
      .where('id', '=', id)
      .execute(),
  'got another role by a word that ends no session': (id) =>
    server.services.db
      .updateTable('users')
      .set({ role: 'CUSTOMER' })
      .where('id', '=', id)
      .execute(),
  'got another password': (id) =>
    server.services.db
      .updateTable('users')
      .set((row) => ({ session_version: row('session_version', '+', 1) }))
      .where('id', '=', id)
      .execute(),
  'had its device signed out, and this session with it': (user_id, token) =>
    server.services.db
      .insertInto('ended_sessions')
      .values({
        session_id: String(decodeJwt(token).sid),
        user_id,
        ends_at: Number.MAX_SAFE_INTEGER,
      })
      .execute(),
  'is pending again': (id) =>
    server.services.db
      .updateTable('users')
      .set({ status: 'PENDING' })
      .where('id', '=', id)
      .execute(),
};

/** A view of every row of every table. */
async function viewAll({ services: { db }, engine }: TestServer): Promise<void> {
  const tables = (await db.introspection.getTables()).map(({ name, columns }) => {
    const values = columns.map((column) => `quote("${column.name}")`).join(` || ',' || `);
    return `select '${name} ' || ${engine === 'sqlite' ? values : 'of::text'} as text from "${name}" as of`;
  });
  await sql`create view all_rows as ${sql.raw(tables.join(' union all '))}`.execute(db);
}

/** So that no change goes unnoticed. */
async function readAll(): Promise<string> {
  const { rows } = await sql<{ text: string }>`select text from all_rows order by text`.execute(
    server.services.db,
  );
  return rows.map(({ text }) => text).join('\n');
}

/**
 * @param lose happens when half of the body was read: a caller who is asked for the rest was let in
 */
function slowly(text: string, lose: () => Promise<unknown>): ReadableStream {
  const half = text.length >> 1;
  const parts = [text.slice(0, half), text.slice(half)];
  let asked = 0;
  const pull = async (controller: ReadableStreamDefaultController): Promise<void> => {
    if ((asked += 1) === 2) await lose();
    controller.enqueue(new TextEncoder().encode(parts.shift()));
    if (parts.length === 0) controller.close();
  };
  return new ReadableStream({ pull }, { highWaterMark: 0 });
}

/**
 * Lets something happen when the next transaction is about to begin, after all that was asked
 * before it.
 */
function beforeTransaction(happen: () => Promise<unknown>): void {
  const { db } = server.services;
  db.transaction = () => {
    Reflect.deleteProperty(db, 'transaction');
    const builder = db.transaction();
    const { execute } = builder;
    builder.execute = async (work) => {
      await happen();
      return execute.call(builder, work) as never;
    };
    return builder;
  };
}

const guarded = Object.entries(table).filter(
  ([, row]) => row.statuses[0] === 401 && row.statuses[3] !== 401,
);
const all = Object.keys(losses);
for (const [index, [endpoint, row]] of guarded.entries()) {
  const [method = '', pattern = ''] = endpoint.split(' ');
  const who = row.statuses[2] === 403 ? 'ADMIN' : 'TECHNICIAN';
  /**
   * Tries it with each loss, by an account of its own. `send` makes the call, and lets `lost`
   * happen when it is time.
   */
  const tryEach = async (
    chosen: string[],
    send: (
      path: string,
      init: RequestInit,
      text: string | undefined,
      lost: () => Promise<void>,
    ) => Promise<Response>,
  ): Promise<void> => {
    const common = await makeWorld();
    for (const loss of chosen) {
      const { person, world } = await enter(common, who);
      let before = '';
      const lost = async (): Promise<void> => {
        await losses[loss]?.(person?.id ?? 0, person?.token ?? '');
        if (method !== 'GET') before = await readAll();
      };
      const woken = server.woken();
      const text = textOf(row, world);
      const response = await send(
        row.path?.(world) ?? pattern,
        { method, headers: headersOf(person, row) },
        text,
        lost,
      );
      assert.is(response.status, 401, `the account ${loss}`);
      if (method !== 'GET')
        assert.is(await readAll(), before, `nothing changed after the account ${loss}`);
      assert.is(server.woken(), woken);
    }
    // Little to compare for the next: only the spare administrator stays.
    for (const name of ['deliveries', 'messages', 'topics'] as const)
      await server.services.db.deleteFrom(name).execute();
    await server.services.db.deleteFrom('users').where('id', '!=', spare.id).execute();
  };

  test(`${endpoint} changes nothing for an account that loses its authority before the body is there`, () =>
    tryEach(all, async (path, init, text, lost) => {
      if (text === undefined) await lost();
      const body = text === undefined ? null : slowly(text, lost);
      return server.request(path, { ...init, body, duplex: 'half' } as RequestInit);
    }));

  if (method === 'GET' || row.onlyReads) continue;
  test(`${endpoint} changes nothing for an account that loses its authority just before the change`, () =>
    // One statement asks for all of them: each call tries another.
    tryEach(all.slice(index % all.length).slice(0, 1), (path, init, text, lost) => {
      beforeTransaction(lost);
      return server.request(path, { ...init, body: text ?? null });
    }));
}

/** The calls that a device's key opens, and what they answer. */
const BY_KEY: Partial<Record<Endpoint, number>> = {
  'PUT /api/notifications/device-token': 200,
  'POST /api/notifications/receipts': 200,
};

test('a device key opens receipts and the renewal of its token, whatever its person’s role, and nothing else', async () => {
  for (const role of ['CUSTOMER', 'ADMIN'] as const) {
    const person = await server.makePerson(role);
    const enterByKey = async () => {
      const { answer } = await server.call('POST /api/notifications/register-device', {
        as: person,
        body: { deviceToken: `of-${person.id}`, deviceType: 'web', userAgent: '' },
      });
      return { key: answer.deviceKey, world: { ...(await makeWorld()), device: answer.id } };
    };
    let { key, world } = await enterByKey();
    for (const [endpoint, row] of Object.entries(table)) {
      const [method = '', pattern = ''] = endpoint.split(' ');
      const response = await server.request(row.path?.(world) ?? pattern, {
        method,
        headers: headersOf({ ...person, token: key }, row),
        body: textOf(row, world) ?? null,
      });
      const opened = BY_KEY[endpoint as Endpoint];
      assert.is(response.status, opened ?? row.statuses[0], `${endpoint} for ${role}`);
      // Another token is another device.
      if (opened !== undefined) ({ key, world } = await enterByKey());
    }
  }
});

test('a topic’s key opens publishing and hooks, and nothing else', async () => {
  const world = await makeWorld();
  for (const [endpoint, row] of Object.entries(table)) {
    const [method = '', pattern = ''] = endpoint.split(' ');
    const response = await server.request(row.path?.(world) ?? pattern, {
      method,
      headers: {
        ...headersOf(undefined, row),
        // One for each: how often a key is used is limited.
        Authorization: `Bearer ${await makeKey(server, world.topic)}`,
      },
      body: textOf(row, world) ?? null,
    });
    const isOpened = /\/api\/(publish|hooks)/.test(pattern);
    assert.is(response.status, isOpened ? 202 : row.statuses[0], endpoint);
  }
});

test('an admin call tells a stranger nothing of what exists, and does not read the body', async () => {
  const person = await server.makePerson('TECHNICIAN');
  const broken = {
    method: 'PUT',
    headers: { Authorization: `Bearer ${person.token}`, 'Content-Type': 'text/plain' },
    body: '{',
  };
  const response = await server.request('/api/admin/topics/999999', broken);
  assert.equal(
    [response.status, await response.json()],
    [403, { error: 'You might not have the required permissions.' }],
  );
});

test.run();
