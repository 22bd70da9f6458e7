import { decodeJwt } from 'jose';
import { sql } from 'kysely';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Endpoint } from '../../../src/shared/contract';
import type { Document } from '../../../server/openapi/document';
import { permissions } from '../../../server/permissions';
import { createTopicKey } from '../../support/server/topic-keys';
import type { Person, TestServer } from '../../support/server/server';
import { createServer } from '../../support/server/server';

const test = suite('access');

interface Row {
  /** Who may call. Others get 401 without a session, and 403 with one. */
  who: 'anyone' | 'signed in' | 'sender' | 'admin or sender' | 'admin or auditor' | 'admin';
  /** The answer to permitted callers. */
  status: number;
  statusForAdmins?: number;
  body?: RequestPart;
  csv?: string;
  /** Changes nothing despite its body. */
  onlyReads?: true;
  /** The answer for another person's or unknown things. */
  foreign?: [status: number, body: RequestPart];
  /** The answer for senders of another topic, if it differs. */
  otherSender?: number;
}
type RequestPart = object | ((sample: Sample) => object);

interface Sample {
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

const openRow = (status: number, body?: RequestPart): Row => ({
  who: 'anyone',
  status,
  ...(body && { body }),
});
const signedInRow = (status: number, body?: RequestPart, more?: Partial<Row>): Row => ({
  ...openRow(status, body),
  who: 'signed in',
  ...more,
});
const adminRow = (status: number, body?: RequestPart, more?: Partial<Row>): Row => ({
  ...openRow(status, body),
  who: 'admin',
  ...more,
});

const adminOrAuditorRow = (status: number): Row => ({
  ...openRow(status),
  who: 'admin or auditor',
});
const senderRow = (status: number, body?: RequestPart, more?: Partial<Row>): Row => ({
  ...openRow(status, body),
  who: 'sender',
  ...more,
});

const ONLY_READS = { onlyReads: true } as const;
const LATER = new Date(Date.now() + 60 * 60_000).toISOString();
const [NOBODY, UNKNOWN] = [999_999, '00000000-0000-4000-8000-000000000000'];
const TWO_FACTOR_CODE = { code: '123456' };
const PASSKEY_USE = { id: 'x', clientDataJSON: 'x', authenticatorData: 'x', signature: 'x' };
const PASSKEY_CREATION = { name: 'x', id: 'x', clientDataJSON: 'x', attestationObject: 'x' };
const [PASSWORD, EMAIL] = ['a good password', 'a@mail.example'];
const MESSAGE = { message: 'Hello' };
const STEPS = { steps: [{ after: 60, action: 'repeat' }] };
const TOPIC = { title: 'T', description: 'D' };
const createName = () => ({ name: crypto.randomUUID() });
const people = ({ other }: Sample) => ({ userIds: [other.id] });
const subscriptionRow = adminRow(
  200,
  ({ other, topic }: Sample) => ({ userId: other.id, topicId: topic }),
  {
    foreign: [404, ({ topic }: Sample) => ({ userId: NOBODY, topicId: topic })],
  },
);

/** Every call of the contract; the type requires all. */
const contractRows: Record<Endpoint, Row> = {
  'POST /api/auth/login': openRow(401, () => ({
    username: crypto.randomUUID(),
    password: 'nothing',
  })),
  'POST /api/auth/refresh': signedInRow(200, undefined, ONLY_READS),
  'POST /api/auth/second-factor': openRow(400, { challenge: 'x', ...TWO_FACTOR_CODE }),
  'POST /api/auth/second-factor/begin': openRow(400, { challenge: 'x' }),
  'POST /api/auth/second-factor/confirm': openRow(400, {
    challenge: 'x',
    begun: 'x',
    ...TWO_FACTOR_CODE,
  }),
  'POST /api/auth/passkey/begin': openRow(200),
  'POST /api/auth/passkey': openRow(400, PASSKEY_USE),
  'POST /api/auth/phone-link': openRow(400, { token: 'x' }),
  'POST /api/auth/phone-link/owner': openRow(400, { token: 'x' }),
  'POST /api/auth/oidc/handover': openRow(400, { code: 'x', secret: 'x' }),
  'POST /api/auth/complete-registration': openRow(400, {
    token: 'x',
    password: PASSWORD,
    email: EMAIL,
  }),
  'POST /api/auth/request-password-reset': openRow(200, { email: EMAIL }),
  'POST /api/auth/reset-password': openRow(400, { token: 'x', password: PASSWORD }),
  'GET /api/auth/verify-email/:token': openRow(400),
  'GET /api/auth/registration/:token': openRow(400),
  'GET /api/auth/password-rules': openRow(200),
  'POST /api/auth/resend-verification': openRow(200, { email: EMAIL }),
  'GET /api/health': openRow(200),
  'GET /api/openapi.json': openRow(200),

  // No one here has a password, and everyone has just signed in.
  'GET /api/account/passkeys': signedInRow(200),
  'POST /api/account/passkeys/begin': signedInRow(409, { password: PASSWORD }, ONLY_READS),
  'POST /api/account/passkeys': signedInRow(400, PASSKEY_CREATION, ONLY_READS),
  'DELETE /api/account/passkeys/:id': signedInRow(404),
  'GET /api/account/second-factor': adminRow(200),
  'POST /api/account/second-factor/begin': adminRow(200, {}, ONLY_READS),
  'POST /api/account/second-factor/confirm': adminRow(400, { begun: 'x', ...TWO_FACTOR_CODE }),
  'POST /api/account/second-factor/recovery-codes': adminRow(409, TWO_FACTOR_CODE),
  'DELETE /api/account/second-factor': adminRow(409, TWO_FACTOR_CODE),
  'GET /api/account': signedInRow(200),
  // The tests in `accounts/own-account` check what a right password changes.
  'PUT /api/account/password': signedInRow(
    403,
    { current: 'not mine', password: PASSWORD },
    ONLY_READS,
  ),
  'PUT /api/account/email': signedInRow(200, { email: EMAIL }, ONLY_READS),
  'PUT /api/account/language': signedInRow(200, { language: 'de' }),
  'POST /api/account/phone-link': signedInRow(200, undefined, { statusForAdmins: 409 }),
  'POST /api/account/sign-out-everywhere': signedInRow(200),
  'GET /api/account/export': signedInRow(200),

  'GET /api/notifications/vapid-key': openRow(200),
  'GET /api/notifications/my-subscriptions': signedInRow(200),
  'GET /notifications/subscriptions': signedInRow(200),
  'GET /api/notifications/preferences': signedInRow(200),
  'GET /api/notifications/devices': signedInRow(200),
  'GET /api/notifications/preferences/:id': signedInRow(200),
  'PUT /api/notifications/preferences/:id': signedInRow(200, ({ topic }: Sample) => ({
    topicId: topic,
    enabled: false,
  })),
  'PUT /api/notifications/preferences/global/:topicId': signedInRow(200, { enabled: true }),
  'POST /api/notifications/register-device': signedInRow(200, {
    deviceToken: 'fcm',
    deviceType: 'web',
    userAgent: '',
  }),
  // Requires a device key: see the end of this file.
  'PUT /api/notifications/device-token': openRow(401, { deviceToken: 'fcm' }),
  'POST /api/notifications/receipts': signedInRow(200, { receipts: [] }),
  'GET /api/notifications/messages': signedInRow(200),
  'GET /api/notifications/messages/:id': signedInRow(404),
  'GET /api/notifications/quiet-hours': signedInRow(200),
  'PUT /api/notifications/quiet-hours': signedInRow(200, {
    timeZone: 'UTC',
    rules: [{ days: [1], from: '22:00', to: '06:00' }],
  }),
  'DELETE /api/notifications/unregister-device': signedInRow(
    200,
    { deviceToken: 'fcm' },
    {
      foreign: [200, ({ otherToken }: Sample) => ({ deviceToken: otherToken })],
    },
  ),
  'DELETE /api/notifications/devices/:id': signedInRow(200),
  'POST /api/notifications/tests': signedInRow(
    201,
    ({ device }: Sample) => ({ deviceId: device }),
    {
      foreign: [404, ({ otherDevice }: Sample) => ({ deviceId: otherDevice })],
    },
  ),
  'GET /api/notifications/tests/:id': signedInRow(404),
  'POST /api/notifications/tests/:id/heard': signedInRow(404, { heard: true }),

  'GET /api/check-ins': signedInRow(200),
  'POST /api/check-ins': signedInRow(409, { minutes: 60 }),
  'GET /api/check-ins/current': signedInRow(204),
  'POST /api/check-ins/:id/ok': signedInRow(404, {}),
  'POST /api/check-ins/:id/help': signedInRow(404, {}),
  'POST /api/check-ins/:id/end': signedInRow(404, {}),
  'GET /api/admin/check-ins': { ...openRow(200), who: 'admin or sender' },
  'GET /api/admin/check-ins/settings': adminRow(200),
  'PUT /api/admin/check-ins/settings': adminRow(200, {
    enabled: false,
    graceMinutes: 5,
    alarmTopicId: null,
    policyId: null,
  }),
  'GET /api/admin/overview': adminRow(200),
  'GET /api/admin/insights': adminOrAuditorRow(200),
  'GET /api/admin/insights.csv': adminOrAuditorRow(200),
  'GET /api/admin/reach': adminOrAuditorRow(200),
  'GET /api/admin/reach/tests': adminOrAuditorRow(200),
  'POST /api/admin/reach/tests': adminRow(202, people, { foreign: [400, { userIds: [NOBODY] }] }),
  'DELETE /api/admin/devices/:id': adminRow(200),
  'GET /api/admin/topics': adminRow(200),
  'POST /api/admin/topics': adminRow(201, TOPIC),
  'GET /api/admin/topics/:id': adminRow(200),
  'PUT /api/admin/topics/:id': adminRow(200, TOPIC),
  'DELETE /api/admin/topics/:id': adminRow(200),
  'GET /api/admin/topics/:id/subscribers': adminRow(200),
  'POST /api/admin/topics/:id/subscribers': adminRow(200, people),
  'DELETE /api/admin/topics/:id/subscribers': adminRow(200, people),
  'GET /api/admin/topics/:id/keys': adminRow(200),
  'POST /api/admin/topics/:id/keys': adminRow(201, { name: 'SCADA north' }),
  'DELETE /api/admin/keys/:id': adminRow(404),
  'GET /api/admin/topics/:id/heartbeats': adminRow(200),
  'PUT /api/admin/heartbeats/:id': adminRow(404, { paused: true }),
  'DELETE /api/admin/heartbeats/:id': adminRow(404),
  // Requires a topic key: see topic-key.test.ts.
  'POST /api/heartbeat/:name': openRow(401, { every: 60 }),
  'GET /api/heartbeat/:name': openRow(401),
  'POST /api/publish': openRow(401, MESSAGE),
  'PUT /api/publish': openRow(401, MESSAGE),
  'POST /api/publish/:topic': openRow(401, MESSAGE),
  'PUT /api/publish/:topic': openRow(401, MESSAGE),
  'POST /api/hooks/alertmanager': openRow(401, { alerts: [] }),
  'POST /api/hooks/grafana': openRow(401, { alerts: [] }),
  'POST /api/admin/notifications/send-topic/:topicId': adminRow(202, MESSAGE),
  'POST /api/admin/messages/audience': adminRow(
    200,
    ({ topic }: Sample) => ({ topicIds: [topic] }),
    {
      ...ONLY_READS,
      foreign: [400, { userIds: [NOBODY] }],
    },
  ),
  'POST /api/admin/messages': adminRow(
    202,
    (sample: Sample) => ({ ...people(sample), ...MESSAGE }),
    {
      foreign: [400, { userIds: [NOBODY], ...MESSAGE }],
    },
  ),
  'POST /api/admin/messages/:id/repeat': adminRow(404, { userIds: [1] }),
  'POST /api/admin/messages/:id/cancel': adminRow(404),
  'POST /api/admin/messages/:id/correct': adminRow(404, { message: 'New text', ask: true }),
  'POST /api/admin/messages/:id/all-clear': adminRow(404, {}),
  'POST /api/admin/messages/:id/release': adminRow(404),
  'GET /api/admin/messages': adminOrAuditorRow(200),
  'GET /api/admin/messages/:id': adminOrAuditorRow(404),
  'GET /api/admin/messages/:id/recipients': adminOrAuditorRow(404),
  'GET /api/admin/messages/:id/languages': adminOrAuditorRow(404),
  'GET /api/admin/messages/:id/recipients.csv': adminOrAuditorRow(404),
  'GET /api/admin/messages/:id/escalation': adminOrAuditorRow(404),
  'GET /api/admin/templates': adminRow(200),
  'POST /api/admin/templates': adminRow(201, () => ({ ...createName(), ...MESSAGE })),
  'PUT /api/admin/templates/:id': adminRow(404, { name: 'Weekly', ...MESSAGE }),
  'DELETE /api/admin/templates/:id': adminRow(404),
  'GET /api/admin/policies': adminRow(200),
  'POST /api/admin/policies': adminRow(201, () => ({ ...createName(), ...STEPS })),
  'PUT /api/admin/policies/:id': adminRow(404, { name: 'Storm', ...STEPS }),
  'DELETE /api/admin/policies/:id': adminRow(404),
  'GET /api/admin/audit': adminOrAuditorRow(200),
  'GET /api/admin/audit.csv': adminOrAuditorRow(200),
  'GET /api/admin/webhooks': adminRow(200),
  'POST /api/admin/webhooks': adminRow(
    201,
    () => ({ url: `https://hooks.example/${crypto.randomUUID()}`, events: [] }),
    { foreign: [400, { url: 'https://127.0.0.1/', events: [] }] },
  ),
  'POST /api/admin/webhooks/:id/test': adminRow(404),
  'DELETE /api/admin/webhooks/:id': adminRow(404),
  'GET /api/admin/teams': adminRow(200),
  'POST /api/admin/teams': adminRow(201, createName),
  'GET /api/admin/teams/:id': adminRow(404),
  'PUT /api/admin/teams/:id': adminRow(404, createName),
  'DELETE /api/admin/teams/:id': adminRow(404),
  'GET /api/admin/teams/:id/members': adminRow(404),
  'POST /api/admin/teams/:id/members': adminRow(404, people),
  'DELETE /api/admin/teams/:id/members': adminRow(404, people),
  'GET /api/admin/topics/:id/teams': adminRow(200),
  'POST /api/admin/topics/:id/teams': adminRow(200, { teamIds: [] }),
  'DELETE /api/admin/topics/:id/teams': adminRow(200, { teamIds: [] }),
  'GET /api/admin/topics/:id/senders': adminRow(200),
  'PUT /api/admin/topics/:id/senders': adminRow(200, { userIds: [], teamIds: [] }),
  'GET /api/sending/topics': senderRow(200),
  'POST /api/sending/messages': senderRow(
    202,
    ({ topic }: Sample) => ({ topicIds: [topic], ...MESSAGE }),
    { otherSender: 403 },
  ),
  'POST /api/sending/audience': senderRow(200, ({ topic }: Sample) => ({ topicIds: [topic] }), {
    ...ONLY_READS,
    otherSender: 403,
  }),
  'GET /api/sending/messages': senderRow(200),
  'GET /api/sending/messages/:id': senderRow(200, undefined, { otherSender: 404 }),
  'GET /api/sending/messages/:id/recipients': senderRow(200, undefined, { otherSender: 404 }),
  'GET /api/sending/messages/:id/languages': senderRow(200, undefined, { otherSender: 404 }),
  'GET /api/sending/messages/:id/recipients.csv': senderRow(200, undefined, { otherSender: 404 }),
  'POST /api/sending/messages/:id/repeat': senderRow(409, {}, { otherSender: 404 }),
  'POST /api/sending/messages/:id/correct': senderRow(
    200,
    { message: 'New text', ask: true },
    { otherSender: 404 },
  ),
  'POST /api/sending/messages/:id/all-clear': senderRow(409, {}, { otherSender: 404 }),
  'POST /api/sending/messages/:id/cancel': senderRow(200, undefined, { otherSender: 404 }),
  'GET /api/admin/users': adminRow(200),
  'POST /api/admin/users': adminRow(201, () => ({ username: crypto.randomUUID(), role: 'ADMIN' })),
  'POST /api/admin/import': adminRow(200, undefined, { csv: 'username\nsomebody new\n' }),
  'GET /api/admin/invitations': adminRow(200),
  'GET /api/admin/users/:id': adminRow(200),
  'DELETE /api/admin/users/:id': adminRow(200),
  'PUT /api/admin/users/:id': adminRow(200, () => ({ username: crypto.randomUUID() })),
  'PUT /api/admin/users/:id/role': adminRow(200, { role: 'CUSTOMER' }),
  'PUT /api/admin/users/:id/auditor': adminRow(200, { isAuditor: true }),
  'PUT /api/admin/users/:id/language': adminRow(409, { language: 'de' }),
  'POST /api/admin/users/:id/suspend': adminRow(200),
  'POST /api/admin/users/:id/reinstate': adminRow(200),
  'POST /api/admin/users/:id/phone-link': adminRow(200),
  'GET /api/admin/users/:id/subscriptions': adminRow(200),
  'GET /api/admin/users/:id/available-topics': adminRow(200),
  'POST /api/admin/subscriptions': subscriptionRow,
  'DELETE /api/admin/subscriptions': subscriptionRow,
};

/** Ids for the parameter: a permitted one, and a forbidden or unknown one where that differs. */
function idsOf(pattern: string, sample: Sample): (number | string)[] {
  if (/^.api.notifications.(preferences|devices)\/:id/.test(pattern))
    return [sample.device, sample.otherDevice];
  if (pattern.includes('/global/')) return [sample.topic, sample.otherTopic];
  if (pattern.startsWith('/api/admin/devices/')) return [sample.otherDevice, NOBODY];
  if (/\/(topics\/:id|send-topic)/.test(pattern)) return [sample.topic, NOBODY];
  if (pattern.startsWith('/api/sending/')) return [sample.message, UNKNOWN];
  if (pattern.includes('/users/')) return [sample.other.id, NOBODY];
  return [/\/(messages|tests)\/:id/.test(pattern) ? UNKNOWN : NOBODY];
}
const pathOf = (pattern: string, sample: Sample, id = idsOf(pattern, sample)[0]): string =>
  pattern.replace(/:\w+/, String(id));

let server: TestServer;
/** Keeps the others from ever being the last administrator. */
let spareAdmin: Person;
test.before(async () => {
  server = await createServer({ environment: { ADMIN_TOTP: 'optional', PASSKEYS: 'true' } });
  await viewAll(server);
  spareAdmin = await server.createPerson('ADMIN');
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

for (const [endpoint, row] of Object.entries(contractRows)) {
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
async function createSample(): Promise<Sample> {
  const otherPerson = await server.createPerson('CUSTOMER');
  const otherToken = `other-${crypto.randomUUID()}`;
  const otherDevice = await register(otherPerson, otherToken);
  const [topic, otherTopic] = [await server.createTopic(), await server.createTopic()];
  const { body } = await server.call('POST /api/admin/messages', {
    as: spareAdmin,
    body: { topicIds: [topic], message: 'Tomorrow', sendAt: LATER },
  });
  const message = body.messageId;
  return { topic, otherTopic, other: otherPerson, otherDevice, otherToken, message, device: 0 };
}

/**
 * A caller with a subscription and a device.
 * @returns the world from their view
 */
async function signInAs(
  sample: Sample,
  caller: CallerName,
): Promise<{ person: Person | undefined; sample: Sample }> {
  const role = callers[caller];
  const person = role && (await server.createPerson(role));
  if (person === undefined) return { person, sample };
  await server.services.db
    .insertInto('subscriptions')
    .values({ user_id: person.id, topic_id: sample.topic, created_at: 0 })
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
  await giveRights(person, sample, caller);
  return { person, sample: { ...sample, device: id } };
}

async function giveRights(person: Person, sample: Sample, caller: CallerName): Promise<void> {
  const { db } = server.services;
  const topic_id = caller === 'a sender of another topic' ? sample.otherTopic : sample.topic;
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
      .where('id', '=', sample.message)
      .execute();
  if (caller === 'a former sender')
    await db.deleteFrom('topic_senders').where('user_id', '=', person.id).execute();
}

const textOf = ({ csv, body }: Row, sample: Sample, given = body): string | null =>
  csv ?? (given ? JSON.stringify(typeof given === 'function' ? given(sample) : given) : null);
const headersOf = (
  person: { token: string } | undefined,
  { csv }: Row,
): Record<string, string> => ({
  'Content-Type': csv === undefined ? 'application/json' : 'text/csv',
  ...(person && { Authorization: `Bearer ${person.token}` }),
});

async function expectStatuses(endpoint: string, row: Row, caller: CallerName): Promise<void> {
  const [method = '', pattern = ''] = endpoint.split(' ');
  const { person, sample } = await signInAs(await createSample(), caller);
  const expectResponse = async (path: string, body: string | null, status: number) => {
    const rejectedStatus = person === undefined ? 401 : 403;
    const isLetIn = ADMITTED[row.who](caller);
    const response = await server.request(path, { method, headers: headersOf(person, row), body });
    const expected = (caller === 'an administrator' && row.statusForAdmins) || status;
    assert.is(response.status, isLetIn ? expected : rejectedStatus, `${caller}: ${path}`);
  };
  const [, foreignId] = idsOf(pattern, sample);
  if (pattern.includes('/:') && foreignId !== undefined)
    await expectResponse(pathOf(pattern, sample, foreignId), textOf(row, sample), 404);
  if (row.foreign)
    await expectResponse(
      pathOf(pattern, sample),
      textOf(row, sample, row.foreign[1]),
      row.foreign[0],
    );
  const otherDevice = await server.services.db
    .selectFrom('devices')
    .select('user_id')
    .where('id', '=', sample.otherDevice)
    .executeTakeFirst();
  assert.is(otherDevice?.user_id, sample.other.id, 'the device of someone else stays theirs');
  const isOther = caller === 'a sender of another topic';
  const usual = (isOther ? row.otherSender : undefined) ?? row.status;
  await expectResponse(pathOf(pattern, sample), textOf(row, sample), usual);
}

const change = (what: string) => (id: number) =>
  sql`update users set ${sql.raw(what)} where id = ${id}`.execute(server.services.db);
/** What can happen to an account during its request. */
const rightLosses: Record<string, (id: number, token: string) => Promise<unknown>> = {
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
Object.assign(rightLosses, {
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

/** @param lose runs after half of the body was read: the server let the caller in */
function streamInTwoParts(text: string, lose: () => Promise<unknown>): ReadableStream {
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

/** Runs `interrupt` just before the next transaction begins. */
function beforeTransaction(interrupt: () => Promise<unknown>): void {
  const { db } = server.services;
  db.transaction = () => {
    Reflect.deleteProperty(db, 'transaction');
    const builder = db.transaction();
    const { execute } = builder;
    builder.execute = async (work) => {
      await interrupt();
      return execute.call(builder, work) as never;
    };
    return builder;
  };
}

const guardedRows = Object.entries(contractRows).filter(
  ([, { who: callerName }]) => callerName !== 'anyone',
);
const lossesForAll = Object.keys(rightLosses).filter(
  (loss) => !Object.values(RIGHT_LOSSES).includes(loss),
);
for (const [index, [endpoint, row]] of guardedRows.entries()) {
  const [method = '', pattern = ''] = endpoint.split(' ');
  const callerName = (
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
    const { person, sample } = await signInAs(await createSample(), callerName);
    let before = '';
    const lost = async (): Promise<void> => {
      await rightLosses[loss]?.(person?.id ?? 0, person?.token ?? '');
      if (method !== 'GET') before = await readAll();
    };
    const woken = server.countPushWorkerWakes();
    const text = textOf(row, sample);
    const response = await send(
      pathOf(pattern, sample),
      { method, headers: headersOf(person, row) },
      text,
      lost,
    );
    assert.is(response.status, lossesForAll.includes(loss) ? 401 : 403, `the account ${loss}`);
    if (method !== 'GET')
      assert.is(await readAll(), before, `nothing changed after the account ${loss}`);
    assert.is(server.countPushWorkerWakes(), woken);
    // Leaves little for the next comparison, and the spare administrator.
    for (const name of ['deliveries', 'messages', 'topics'] as const)
      await server.services.db.deleteFrom(name).execute();
    await server.services.db.deleteFrom('users').where('id', '!=', spareAdmin.id).execute();
  };

  const whileItArrives = (loss: string) => (): Promise<void> =>
    tryLoss(loss, async (path, init, text, lost) => {
      if (text === null) await lost();
      const body = text === null ? null : streamInTwoParts(text, lost);
      return server.request(path, { ...init, body, duplex: 'half' } as RequestInit);
    });
  const beforeTheChange = (loss: string) => (): Promise<void> =>
    tryLoss(loss, (path, init, text, lost) => {
      beforeTransaction(lost);
      return server.request(path, { ...init, body: text });
    });
  // One statement checks all rights, so each call tries another right.
  const lossOf = (nth: number): string => lossesForAll[(index + nth) % lossesForAll.length] ?? '';
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
    const person = await server.createPerson(role);
    const enterByKey = async () => {
      const { body } = await server.call('POST /api/notifications/register-device', {
        as: person,
        body: { deviceToken: `of-${person.id}`, deviceType: 'web', userAgent: '' },
      });
      return { key: body.deviceKey, sample: { ...(await createSample()), device: body.id } };
    };
    let { key, sample } = await enterByKey();
    for (const [endpoint, row] of Object.entries(contractRows)) {
      const [method = '', pattern = ''] = endpoint.split(' ');
      const response = await server.request(pathOf(pattern, sample), {
        method,
        headers: headersOf({ ...person, token: key }, row),
        body: textOf(row, sample),
      });
      const opened = BY_KEY[endpoint as Endpoint];
      assert.is(
        response.status,
        opened ?? (row.who === 'anyone' ? row.status : 401),
        `${endpoint} for ${role}`,
      );
      // Another token is another device.
      if (opened !== undefined) ({ key, sample } = await enterByKey());
    }
  }
});

/** The second part of a path. */
const BY_TOPIC_KEY: Partial<Record<string, number>> = { publish: 202, hooks: 202, heartbeat: 200 };

test('opens only publishing, hooks and heartbeats to a topic key', async () => {
  const sample = await createSample();
  for (const [endpoint, row] of Object.entries(contractRows)) {
    const [method = '', pattern = ''] = endpoint.split(' ');
    const response = await server.request(pathOf(pattern, sample), {
      method,
      headers: {
        ...headersOf(undefined, row),
        // A fresh key each time, because keys are limited.
        Authorization: `Bearer ${await createTopicKey(server, sample.topic)}`,
      },
      body: textOf(row, sample),
    });
    const opened = BY_TOPIC_KEY[endpoint.split('/')[2] ?? ''];
    assert.is(response.status, opened ?? (row.who === 'anyone' ? row.status : 401), endpoint);
  }
});

test('reveals nothing to strangers at an admin call, and does not read the body', async () => {
  const person = await server.createPerson('TECHNICIAN');
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
