import { decodeJwt } from 'jose';
import { sql } from 'kysely';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Endpoint } from '../../../src/shared/contract';
import type { Document } from '../../../server/openapi/document';
import { permissions } from '../../../server/permissions';
import { makeTopicKey } from '../../support/server/topic-keys';
import type { Person, TestServer } from '../../support/server/server';
import { makeServer } from '../../support/server/server';

const test = suite('access');

interface Row {
  /** Who may call. Others get 401 without a session, and 403 with one. */
  who: 'anyone' | 'signed in' | 'sender' | 'admin or sender' | 'admin or auditor' | 'admin';
  /** The answer to permitted callers. */
  status: number;
  statusForAdmins?: number;
  body?: Given;
  csv?: string;
  /** Changes nothing despite its body. */
  onlyReads?: true;
  /** The answer for another person's or unknown things. */
  foreign?: [status: number, body: Given];
  /** The answer for senders of another topic, if it differs. */
  otherSender?: number;
}
type Given = object | ((world: World) => object);

interface World {
  topic: number;
  otherTopic: number;
  /** To the first topic, scheduled by the caller if they may send to it, else by someone else. */
  message: string;
  other: Person;
  otherDevice: number;
  otherToken: string;
  /** The caller's device, if there is a caller. */
  device: number;
}

const open = (status: number, body?: Given): Row => ({
  who: 'anyone',
  status,
  ...(body && { body }),
});
const own = (status: number, body?: Given, more?: Partial<Row>): Row => ({
  ...open(status, body),
  who: 'signed in',
  ...more,
});
const admin = (status: number, body?: Given, more?: Partial<Row>): Row => ({
  ...open(status, body),
  who: 'admin',
  ...more,
});

const adminOrAuditor = (status: number): Row => ({ ...open(status), who: 'admin or auditor' });
const sender = (status: number, body?: Given, more?: Partial<Row>): Row => ({
  ...open(status, body),
  who: 'sender',
  ...more,
});

const READS = { onlyReads: true } as const;
const LATER = new Date(Date.now() + 60 * 60_000).toISOString();
const [NOBODY, UNKNOWN] = [999_999, '00000000-0000-4000-8000-000000000000'];
const CODE = { code: '123456' };
const USED = { id: 'x', clientDataJSON: 'x', authenticatorData: 'x', signature: 'x' };
const MADE = { name: 'x', id: 'x', clientDataJSON: 'x', attestationObject: 'x' };
const [PASSWORD, EMAIL] = ['a good password', 'a@mail.example'];
const MESSAGE = { message: 'Hello' };
const STEPS = { steps: [{ after: 60, action: 'repeat' }] };
const TOPIC = { title: 'T', description: 'D' };
const named = () => ({ name: crypto.randomUUID() });
const people = ({ other }: World) => ({ userIds: [other.id] });
const pair = admin(200, ({ other, topic }: World) => ({ userId: other.id, topicId: topic }), {
  foreign: [404, ({ topic }: World) => ({ userId: NOBODY, topicId: topic })],
});

/** Every call of the contract; the type requires all. */
const table: Record<Endpoint, Row> = {
  'POST /api/auth/login': open(401, () => ({
    username: crypto.randomUUID(),
    password: 'nothing',
  })),
  'POST /api/auth/refresh': own(200, undefined, READS),
  'POST /api/auth/second-factor': open(400, { challenge: 'x', ...CODE }),
  'POST /api/auth/second-factor/begin': open(400, { challenge: 'x' }),
  'POST /api/auth/second-factor/confirm': open(400, { challenge: 'x', begun: 'x', ...CODE }),
  'POST /api/auth/passkey/begin': open(200),
  'POST /api/auth/passkey': open(400, USED),
  'POST /api/auth/phone-link': open(400, { token: 'x' }),
  'POST /api/auth/phone-link/owner': open(400, { token: 'x' }),
  'POST /api/auth/oidc/handover': open(400, { code: 'x', secret: 'x' }),
  'POST /api/auth/complete-registration': open(400, {
    token: 'x',
    password: PASSWORD,
    email: EMAIL,
  }),
  'POST /api/auth/request-password-reset': open(200, { email: EMAIL }),
  'POST /api/auth/reset-password': open(400, { token: 'x', password: PASSWORD }),
  'GET /api/auth/verify-email/:token': open(400),
  'GET /api/auth/registration/:token': open(400),
  'GET /api/auth/password-rules': open(200),
  'POST /api/auth/resend-verification': open(200, { email: EMAIL }),
  'GET /api/health': open(200),
  'GET /api/openapi.json': open(200),

  // No one here has a password, and everyone has just signed in.
  'GET /api/account/passkeys': own(200),
  'POST /api/account/passkeys/begin': own(409, { password: PASSWORD }, READS),
  'POST /api/account/passkeys': own(400, MADE, READS),
  'DELETE /api/account/passkeys/:id': own(404),
  'GET /api/account/second-factor': admin(200),
  'POST /api/account/second-factor/begin': admin(200, {}, READS),
  'POST /api/account/second-factor/confirm': admin(400, { begun: 'x', ...CODE }),
  'POST /api/account/second-factor/recovery-codes': admin(409, CODE),
  'DELETE /api/account/second-factor': admin(409, CODE),
  'GET /api/account': own(200),
  // accounts/own tests what a right password changes.
  'PUT /api/account/password': own(403, { current: 'not mine', password: PASSWORD }, READS),
  'PUT /api/account/email': own(200, { email: EMAIL }, READS),
  'PUT /api/account/language': own(200, { language: 'de' }),
  'POST /api/account/phone-link': own(200, undefined, { statusForAdmins: 409 }),
  'POST /api/account/sign-out-everywhere': own(200),
  'GET /api/account/export': own(200),

  'GET /api/notifications/vapid-key': open(200),
  'GET /api/notifications/my-subscriptions': own(200),
  'GET /notifications/subscriptions': own(200),
  'GET /api/notifications/preferences': own(200),
  'GET /api/notifications/devices': own(200),
  'GET /api/notifications/preferences/:id': own(200),
  'PUT /api/notifications/preferences/:id': own(200, ({ topic }: World) => ({
    topicId: topic,
    enabled: false,
  })),
  'PUT /api/notifications/preferences/global/:topicId': own(200, { enabled: true }),
  'POST /api/notifications/register-device': own(200, {
    deviceToken: 'fcm',
    deviceType: 'web',
    userAgent: '',
  }),
  // Requires a device key: see the end of this file.
  'PUT /api/notifications/device-token': open(401, { deviceToken: 'fcm' }),
  'POST /api/notifications/receipts': own(200, { receipts: [] }),
  'GET /api/notifications/messages': own(200),
  'GET /api/notifications/messages/:id': own(404),
  'GET /api/notifications/quiet-hours': own(200),
  'PUT /api/notifications/quiet-hours': own(200, {
    timeZone: 'UTC',
    rules: [{ days: [1], from: '22:00', to: '06:00' }],
  }),
  'DELETE /api/notifications/unregister-device': own(
    200,
    { deviceToken: 'fcm' },
    {
      foreign: [200, ({ otherToken }: World) => ({ deviceToken: otherToken })],
    },
  ),
  'DELETE /api/notifications/devices/:id': own(200),
  'POST /api/notifications/tests': own(201, ({ device }: World) => ({ deviceId: device }), {
    foreign: [404, ({ otherDevice }: World) => ({ deviceId: otherDevice })],
  }),
  'GET /api/notifications/tests/:id': own(404),
  'POST /api/notifications/tests/:id/heard': own(404, { heard: true }),

  'GET /api/check-ins': own(200),
  'POST /api/check-ins': own(409, { minutes: 60 }),
  'GET /api/check-ins/current': own(204),
  'POST /api/check-ins/:id/ok': own(404, {}),
  'POST /api/check-ins/:id/help': own(404, {}),
  'POST /api/check-ins/:id/end': own(404, {}),
  'GET /api/admin/check-ins': { ...open(200), who: 'admin or sender' },
  'GET /api/admin/check-ins/settings': admin(200),
  'PUT /api/admin/check-ins/settings': admin(200, {
    enabled: false,
    graceMinutes: 5,
    alarmTopicId: null,
    policyId: null,
  }),
  'GET /api/admin/overview': admin(200),
  'GET /api/admin/insights': adminOrAuditor(200),
  'GET /api/admin/insights.csv': adminOrAuditor(200),
  'GET /api/admin/reach': adminOrAuditor(200),
  'GET /api/admin/reach/tests': adminOrAuditor(200),
  'POST /api/admin/reach/tests': admin(202, people, { foreign: [400, { userIds: [NOBODY] }] }),
  'DELETE /api/admin/devices/:id': admin(200),
  'GET /api/admin/topics': admin(200),
  'POST /api/admin/topics': admin(201, TOPIC),
  'GET /api/admin/topics/:id': admin(200),
  'PUT /api/admin/topics/:id': admin(200, TOPIC),
  'DELETE /api/admin/topics/:id': admin(200),
  'GET /api/admin/topics/:id/subscribers': admin(200),
  'POST /api/admin/topics/:id/subscribers': admin(200, people),
  'DELETE /api/admin/topics/:id/subscribers': admin(200, people),
  'GET /api/admin/topics/:id/keys': admin(200),
  'POST /api/admin/topics/:id/keys': admin(201, { name: 'SCADA north' }),
  'DELETE /api/admin/keys/:id': admin(404),
  'GET /api/admin/topics/:id/heartbeats': admin(200),
  'PUT /api/admin/heartbeats/:id': admin(404, { paused: true }),
  'DELETE /api/admin/heartbeats/:id': admin(404),
  // Requires a topic key: see topic-key.test.ts.
  'POST /api/heartbeat/:name': open(401, { every: 60 }),
  'GET /api/heartbeat/:name': open(401),
  'POST /api/publish': open(401, MESSAGE),
  'PUT /api/publish': open(401, MESSAGE),
  'POST /api/publish/:topic': open(401, MESSAGE),
  'PUT /api/publish/:topic': open(401, MESSAGE),
  'POST /api/hooks/alertmanager': open(401, { alerts: [] }),
  'POST /api/hooks/grafana': open(401, { alerts: [] }),
  'POST /api/admin/notifications/send-topic/:topicId': admin(202, MESSAGE),
  'POST /api/admin/messages/audience': admin(200, ({ topic }: World) => ({ topicIds: [topic] }), {
    ...READS,
    foreign: [400, { userIds: [NOBODY] }],
  }),
  'POST /api/admin/messages': admin(202, (world: World) => ({ ...people(world), ...MESSAGE }), {
    foreign: [400, { userIds: [NOBODY], ...MESSAGE }],
  }),
  'POST /api/admin/messages/:id/repeat': admin(404, { userIds: [1] }),
  'POST /api/admin/messages/:id/cancel': admin(404),
  'POST /api/admin/messages/:id/correct': admin(404, { message: 'New text', ask: true }),
  'POST /api/admin/messages/:id/all-clear': admin(404, {}),
  'POST /api/admin/messages/:id/release': admin(404),
  'GET /api/admin/messages': adminOrAuditor(200),
  'GET /api/admin/messages/:id': adminOrAuditor(404),
  'GET /api/admin/messages/:id/recipients': adminOrAuditor(404),
  'GET /api/admin/messages/:id/languages': adminOrAuditor(404),
  'GET /api/admin/messages/:id/recipients.csv': adminOrAuditor(404),
  'GET /api/admin/messages/:id/escalation': adminOrAuditor(404),
  'GET /api/admin/templates': admin(200),
  'POST /api/admin/templates': admin(201, () => ({ ...named(), ...MESSAGE })),
  'PUT /api/admin/templates/:id': admin(404, { name: 'Weekly', ...MESSAGE }),
  'DELETE /api/admin/templates/:id': admin(404),
  'GET /api/admin/policies': admin(200),
  'POST /api/admin/policies': admin(201, () => ({ ...named(), ...STEPS })),
  'PUT /api/admin/policies/:id': admin(404, { name: 'Storm', ...STEPS }),
  'DELETE /api/admin/policies/:id': admin(404),
  'GET /api/admin/audit': adminOrAuditor(200),
  'GET /api/admin/audit.csv': adminOrAuditor(200),
  'GET /api/admin/webhooks': admin(200),
  'POST /api/admin/webhooks': admin(
    201,
    () => ({ url: `https://hooks.example/${crypto.randomUUID()}`, events: [] }),
    { foreign: [400, { url: 'https://127.0.0.1/', events: [] }] },
  ),
  'POST /api/admin/webhooks/:id/test': admin(404),
  'DELETE /api/admin/webhooks/:id': admin(404),
  'GET /api/admin/teams': admin(200),
  'POST /api/admin/teams': admin(201, named),
  'GET /api/admin/teams/:id': admin(404),
  'PUT /api/admin/teams/:id': admin(404, named),
  'DELETE /api/admin/teams/:id': admin(404),
  'GET /api/admin/teams/:id/members': admin(404),
  'POST /api/admin/teams/:id/members': admin(404, people),
  'DELETE /api/admin/teams/:id/members': admin(404, people),
  'GET /api/admin/topics/:id/teams': admin(200),
  'POST /api/admin/topics/:id/teams': admin(200, { teamIds: [] }),
  'DELETE /api/admin/topics/:id/teams': admin(200, { teamIds: [] }),
  'GET /api/admin/topics/:id/senders': admin(200),
  'PUT /api/admin/topics/:id/senders': admin(200, { userIds: [], teamIds: [] }),
  'GET /api/sending/topics': sender(200),
  'POST /api/sending/messages': sender(
    202,
    ({ topic }: World) => ({ topicIds: [topic], ...MESSAGE }),
    { otherSender: 403 },
  ),
  'POST /api/sending/audience': sender(200, ({ topic }: World) => ({ topicIds: [topic] }), {
    ...READS,
    otherSender: 403,
  }),
  'GET /api/sending/messages': sender(200),
  'GET /api/sending/messages/:id': sender(200, undefined, { otherSender: 404 }),
  'GET /api/sending/messages/:id/recipients': sender(200, undefined, { otherSender: 404 }),
  'GET /api/sending/messages/:id/languages': sender(200, undefined, { otherSender: 404 }),
  'GET /api/sending/messages/:id/recipients.csv': sender(200, undefined, { otherSender: 404 }),
  'POST /api/sending/messages/:id/repeat': sender(409, {}, { otherSender: 404 }),
  'POST /api/sending/messages/:id/correct': sender(
    200,
    { message: 'New text', ask: true },
    { otherSender: 404 },
  ),
  'POST /api/sending/messages/:id/all-clear': sender(409, {}, { otherSender: 404 }),
  'POST /api/sending/messages/:id/cancel': sender(200, undefined, { otherSender: 404 }),
  'GET /api/admin/users': admin(200),
  'POST /api/admin/users': admin(201, () => ({ username: crypto.randomUUID(), role: 'ADMIN' })),
  'POST /api/admin/import': admin(200, undefined, { csv: 'username\nsomebody new\n' }),
  'GET /api/admin/invitations': admin(200),
  'GET /api/admin/users/:id': admin(200),
  'DELETE /api/admin/users/:id': admin(200),
  'PUT /api/admin/users/:id': admin(200, () => ({ username: crypto.randomUUID() })),
  'PUT /api/admin/users/:id/role': admin(200, { role: 'CUSTOMER' }),
  'PUT /api/admin/users/:id/auditor': admin(200, { isAuditor: true }),
  'PUT /api/admin/users/:id/language': admin(409, { language: 'de' }),
  'POST /api/admin/users/:id/suspend': admin(200),
  'POST /api/admin/users/:id/reinstate': admin(200),
  'POST /api/admin/users/:id/phone-link': admin(200),
  'GET /api/admin/users/:id/subscriptions': admin(200),
  'GET /api/admin/users/:id/available-topics': admin(200),
  'POST /api/admin/subscriptions': pair,
  'DELETE /api/admin/subscriptions': pair,
};

/** Ids for the parameter: a permitted one, and a forbidden or unknown one where that differs. */
function idsOf(pattern: string, world: World): (number | string)[] {
  if (/^.api.notifications.(preferences|devices)\/:id/.test(pattern))
    return [world.device, world.otherDevice];
  if (pattern.includes('/global/')) return [world.topic, world.otherTopic];
  if (pattern.startsWith('/api/admin/devices/')) return [world.otherDevice, NOBODY];
  if (/\/(topics\/:id|send-topic)/.test(pattern)) return [world.topic, NOBODY];
  if (pattern.startsWith('/api/sending/')) return [world.message, UNKNOWN];
  if (pattern.includes('/users/')) return [world.other.id, NOBODY];
  return [/\/(messages|tests)\/:id/.test(pattern) ? UNKNOWN : NOBODY];
}
const pathOf = (pattern: string, world: World, id = idsOf(pattern, world)[0]): string =>
  pattern.replace(/:\w+/, String(id));

let server: TestServer;
/** Keeps the others from ever being the last administrator. */
let spare: Person;
test.before(async () => {
  server = await makeServer({ environment: { ADMIN_TOTP: 'optional', PASSKEYS: 'true' } });
  await viewAll(server);
  spare = await server.makePerson('ADMIN');
});
test.after(() => server.close());

/** Everyone who is signed in is subscribed to the first topic, so its recipients are among them. */
const callers = {
  'someone who is not signed in': undefined,
  'a customer': 'CUSTOMER',
  'a technician': 'TECHNICIAN',
  'a former sender': 'TECHNICIAN',
  'a sender of the topic': 'TECHNICIAN',
  'a member of a team of senders': 'CUSTOMER',
  'a sender of another topic': 'TECHNICIAN',
  'an auditor': 'TECHNICIAN',
  'an administrator': 'ADMIN',
} as const;
type CallerName = keyof typeof callers;

/** Besides administrators, whom senders' calls do not admit. */
const ADMITTED: Record<Row['who'], (caller: CallerName) => boolean> = {
  anyone: () => true,
  'signed in': (caller) => callers[caller] !== undefined,
  sender: (caller) =>
    [
      'a sender of the topic',
      'a member of a team of senders',
      'a sender of another topic',
    ].includes(caller),
  // No topic gets the alarm here, so its senders are in check-ins.test.ts.
  'admin or sender': (caller) => caller === 'an administrator',
  'admin or auditor': (caller) => caller === 'an auditor' || caller === 'an administrator',
  admin: (caller) => caller === 'an administrator',
};

async function register(person: Person, deviceToken: string): Promise<number> {
  const { body } = await server.call('POST /api/notifications/register-device', {
    as: person,
    body: { deviceToken, deviceType: 'web', userAgent: '' },
  });
  assert.type(body.id, 'number');
  return body.id;
}

for (const [endpoint, row] of Object.entries(table)) {
  test(`allows ${endpoint} for the right people only`, async () => {
    for (const caller of Object.keys(callers) as CallerName[])
      await expectStatuses(endpoint, row, caller);
  });
}

test('uses every permission, and gives every call one', async () => {
  const { paths } = (await server.call('GET /api/openapi.json')).body as unknown as Document;
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  const used = operations.map((operation) => operation['x-permission']);
  assert.equal([...new Set([...used, 'metrics.read'])].sort(), Object.keys(permissions).sort());
});

/** Topics, and a person unrelated to the callers. */
async function makeWorld(): Promise<World> {
  const otherPerson = await server.makePerson('CUSTOMER');
  const otherToken = `other-${crypto.randomUUID()}`;
  const otherDevice = await register(otherPerson, otherToken);
  const [topic, otherTopic] = [await server.makeTopic(), await server.makeTopic()];
  const { body } = await server.call('POST /api/admin/messages', {
    as: spare,
    body: { topicIds: [topic], message: 'Tomorrow', sendAt: LATER },
  });
  const message = body.messageId;
  return { topic, otherTopic, other: otherPerson, otherDevice, otherToken, message, device: 0 };
}

/** A caller with a subscription and a device. @returns the world from their view */
async function enter(
  world: World,
  caller: CallerName,
): Promise<{ person: Person | undefined; world: World }> {
  const role = callers[caller];
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
  await giveRights(person, world, caller);
  return { person, world: { ...world, device: id } };
}

async function giveRights(person: Person, world: World, caller: CallerName): Promise<void> {
  const { db } = server.services;
  const topic_id = caller === 'a sender of another topic' ? world.otherTopic : world.topic;
  if (caller === 'an auditor')
    await db.updateTable('users').set({ is_auditor: 1 }).where('id', '=', person.id).execute();
  if (caller === 'a member of a team of senders') {
    const { id: team_id } = await db
      .insertInto('teams')
      .values({
        name: 'Crew',
        name_key: crypto.randomUUID(),
        description: '',
        search_key: '',
        created_at: 0,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await db.insertInto('team_members').values({ team_id, user_id: person.id }).execute();
    await db.insertInto('topic_sender_teams').values({ topic_id, team_id }).execute();
  } else if (caller.includes('sender'))
    await db.insertInto('topic_senders').values({ topic_id, user_id: person.id }).execute();
  if (/former|of the topic|team/.test(caller))
    await db
      .updateTable('messages')
      .set({ sender_id: person.id, as_sender: 1 })
      .where('id', '=', world.message)
      .execute();
  if (caller === 'a former sender')
    await db.deleteFrom('topic_senders').where('user_id', '=', person.id).execute();
}

const textOf = ({ csv, body }: Row, world: World, given = body): string | null =>
  csv ?? (given ? JSON.stringify(typeof given === 'function' ? given(world) : given) : null);
const headersOf = (
  person: { token: string } | undefined,
  { csv }: Row,
): Record<string, string> => ({
  'Content-Type': csv === undefined ? 'application/json' : 'text/csv',
  ...(person && { Authorization: `Bearer ${person.token}` }),
});

async function expectStatuses(endpoint: string, row: Row, caller: CallerName): Promise<void> {
  const [method = '', pattern = ''] = endpoint.split(' ');
  const { person, world } = await enter(await makeWorld(), caller);
  const expectResponse = async (path: string, body: string | null, status: number) => {
    const refused = person === undefined ? 401 : 403;
    const isLetIn = ADMITTED[row.who](caller);
    const response = await server.request(path, { method, headers: headersOf(person, row), body });
    const expected = (caller === 'an administrator' && row.statusForAdmins) || status;
    assert.is(response.status, isLetIn ? expected : refused, `${caller}: ${path}`);
  };
  const [, foreignId] = idsOf(pattern, world);
  if (pattern.includes('/:') && foreignId !== undefined)
    await expectResponse(pathOf(pattern, world, foreignId), textOf(row, world), 404);
  if (row.foreign)
    await expectResponse(
      pathOf(pattern, world),
      textOf(row, world, row.foreign[1]),
      row.foreign[0],
    );
  const kept = await server.services.db
    .selectFrom('devices')
    .select('user_id')
    .where('id', '=', world.otherDevice)
    .executeTakeFirst();
  assert.is(kept?.user_id, world.other.id, 'the device of someone else stays theirs');
  const isOther = caller === 'a sender of another topic';
  const usual = (isOther ? row.otherSender : undefined) ?? row.status;
  await expectResponse(pathOf(pattern, world), textOf(row, world), usual);
}

const change = (what: string) => (id: number) =>
  sql`update users set ${sql.raw(what)} where id = ${id}`.execute(server.services.db);
/** What can happen to an account during its request. */
const losses: Record<string, (id: number, token: string) => Promise<unknown>> = {
  'was deleted': (id) => server.services.db.deleteFrom('users').where('id', '=', id).execute(),
  'got another role': change(`role = 'CUSTOMER', session_version = session_version + 1`),
  'got another role by a word that ends no session': change(`role = 'CUSTOMER'`),
  'got another password': change('session_version = session_version + 1'),
  'had its device signed out, and this session with it': (user_id, token) =>
    server.services.db
      .insertInto('ended_sessions')
      .values({ session_id: String(decodeJwt(token).sid), user_id, ends_at: 2 ** 50 })
      .execute(),
  'is pending again': change(`status = 'PENDING'`),
};
/** Changes of a right that is not a role: the session continues, and the call is rejected. */
const RIGHT_LOSSES: Partial<Record<Row['who'], string>> = {
  sender: 'may not send to the topic any more',
  'admin or auditor': 'is no auditor any more',
};
Object.assign(losses, {
  'may not send to the topic any more': (id: number) =>
    server.services.db.deleteFrom('topic_senders').where('user_id', '=', id).execute(),
  'is no auditor any more': change('is_auditor = 0'),
});

/** A view of every row of every table. */
async function viewAll({ services: { db }, engine }: TestServer): Promise<void> {
  const tables = (await db.introspection.getTables()).map(({ name, columns }) => {
    const values = columns.map((column) => `quote("${column.name}")`).join(` || ',' || `);
    return `select '${name} ' || ${engine === 'sqlite' ? values : 'of::text'} as text from "${name}" as of`;
  });
  await sql`create view all_rows as ${sql.raw(tables.join(' union all '))}`.execute(db);
}

async function readAll(): Promise<string> {
  const { rows } = await sql<{ text: string }>`select text from all_rows order by text`.execute(
    server.services.db,
  );
  return rows.map(({ text }) => text).join('\n');
}

/** @param lose runs after half of the body; a caller who is asked for the rest was let in */
function slowly(text: string, lose: () => Promise<unknown>): ReadableStream {
  const half = text.length >> 1;
  const parts = [text.slice(0, half), text.slice(half)];
  let requestCount = 0;
  const pull = async (controller: ReadableStreamDefaultController): Promise<void> => {
    if ((requestCount += 1) === 2) await lose();
    controller.enqueue(new TextEncoder().encode(parts.shift()));
    if (parts.length === 0) controller.close();
  };
  return new ReadableStream({ pull }, { highWaterMark: 0 });
}

/** Runs `happen` just before the next transaction begins. */
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

const guarded = Object.entries(table).filter(([, { who }]) => who !== 'anyone');
const all = Object.keys(losses).filter((loss) => !Object.values(RIGHT_LOSSES).includes(loss));
for (const [index, [endpoint, row]] of guarded.entries()) {
  const [method = '', pattern = ''] = endpoint.split(' ');
  const who = (
    {
      'signed in': 'a technician',
      sender: 'a sender of the topic',
      'admin or sender': 'an administrator',
      'admin or auditor': 'an auditor',
      admin: 'an administrator',
    } as const
  )[row.who as Exclude<Row['who'], 'anyone'>];
  /** Tests one loss. `send` makes the call and triggers `lost` in time. */
  const tryLoss = async (
    loss: string,
    send: (
      path: string,
      init: RequestInit,
      text: string | null,
      lost: () => Promise<void>,
    ) => Promise<Response>,
  ): Promise<void> => {
    const { person, world } = await enter(await makeWorld(), who);
    let before = '';
    const lost = async (): Promise<void> => {
      await losses[loss]?.(person?.id ?? 0, person?.token ?? '');
      if (method !== 'GET') before = await readAll();
    };
    const woken = server.woken();
    const text = textOf(row, world);
    const response = await send(
      pathOf(pattern, world),
      { method, headers: headersOf(person, row) },
      text,
      lost,
    );
    assert.is(response.status, all.includes(loss) ? 401 : 403, `the account ${loss}`);
    if (method !== 'GET')
      assert.is(await readAll(), before, `nothing changed after the account ${loss}`);
    assert.is(server.woken(), woken);
    // Leaves little for the next comparison, and the spare administrator.
    for (const name of ['deliveries', 'messages', 'topics'] as const)
      await server.services.db.deleteFrom(name).execute();
    await server.services.db.deleteFrom('users').where('id', '!=', spare.id).execute();
  };

  const whileItArrives = (loss: string) => (): Promise<void> =>
    tryLoss(loss, async (path, init, text, lost) => {
      if (text === null) await lost();
      const body = text === null ? null : slowly(text, lost);
      return server.request(path, { ...init, body, duplex: 'half' } as RequestInit);
    });
  const beforeTheChange = (loss: string) => (): Promise<void> =>
    tryLoss(loss, (path, init, text, lost) => {
      beforeTransaction(lost);
      return server.request(path, { ...init, body: text });
    });
  // One statement checks all of them, so each call tries another.
  const lossOf = (nth: number): string => all[(index + nth) % all.length] ?? '';
  const lostRight = RIGHT_LOSSES[row.who];

  test(
    `changes nothing when the caller loses access while the body arrives: ${endpoint}`,
    whileItArrives(lossOf(0)),
  );
  if (lostRight !== undefined)
    test(
      `changes nothing when the account ${lostRight} while the body arrives: ${endpoint}`,
      whileItArrives(lostRight),
    );
  if (method === 'GET' || row.onlyReads) continue;
  test(
    `changes nothing when the caller loses access just before the change: ${endpoint}`,
    beforeTheChange(lossOf(3)),
  );
  if (lostRight !== undefined)
    test(
      `changes nothing when the account ${lostRight} just before the change: ${endpoint}`,
      beforeTheChange(lostRight),
    );
}

/** The calls that a device key opens, and their answers. */
const BY_KEY: Partial<Record<Endpoint, number>> = {
  'PUT /api/notifications/device-token': 200,
  'POST /api/notifications/receipts': 200,
  'POST /api/check-ins/:id/ok': 404,
  'POST /api/check-ins/:id/help': 404,
};

test('opens only receipts, check-ins and token renewal to a device key', async () => {
  for (const role of ['CUSTOMER', 'ADMIN'] as const) {
    const person = await server.makePerson(role);
    const enterByKey = async () => {
      const { body } = await server.call('POST /api/notifications/register-device', {
        as: person,
        body: { deviceToken: `of-${person.id}`, deviceType: 'web', userAgent: '' },
      });
      return { key: body.deviceKey, world: { ...(await makeWorld()), device: body.id } };
    };
    let { key, world } = await enterByKey();
    for (const [endpoint, row] of Object.entries(table)) {
      const [method = '', pattern = ''] = endpoint.split(' ');
      const response = await server.request(pathOf(pattern, world), {
        method,
        headers: headersOf({ ...person, token: key }, row),
        body: textOf(row, world),
      });
      const opened = BY_KEY[endpoint as Endpoint];
      assert.is(
        response.status,
        opened ?? (row.who === 'anyone' ? row.status : 401),
        `${endpoint} for ${role}`,
      );
      // Another token is another device.
      if (opened !== undefined) ({ key, world } = await enterByKey());
    }
  }
});

/** The second part of a path. */
const BY_TOPIC_KEY: Partial<Record<string, number>> = { publish: 202, hooks: 202, heartbeat: 200 };

test('opens only publishing, hooks and heartbeats to a topic key', async () => {
  const world = await makeWorld();
  for (const [endpoint, row] of Object.entries(table)) {
    const [method = '', pattern = ''] = endpoint.split(' ');
    const response = await server.request(pathOf(pattern, world), {
      method,
      headers: {
        ...headersOf(undefined, row),
        // A fresh key each time, because keys are limited.
        Authorization: `Bearer ${await makeTopicKey(server, world.topic)}`,
      },
      body: textOf(row, world),
    });
    const opened = BY_TOPIC_KEY[endpoint.split('/')[2] ?? ''];
    assert.is(response.status, opened ?? (row.who === 'anyone' ? row.status : 401), endpoint);
  }
});

test('reveals nothing to strangers at an admin call, and does not read the body', async () => {
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
