import type { KyselyPlugin } from 'kysely';
import { sql } from 'kysely';
import * as assert from 'uvu/assert';
import type { AccountExport } from '../../../src/shared/contract';
import { EXPORT_PAGE_SIZE } from '../../../server/account-export/lists';
import { createCheckInHelpers } from '../../support/server/check-ins';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

/** Most rows that one statement returned. */
let maxRows = 0;
const plugin: KyselyPlugin = {
  transformQuery: ({ node }) => node,
  transformResult: async ({ result }) => {
    maxRows = Math.max(maxRows, result.rows.length);
    return result;
  },
};
const { test, server } = serverSuite('account export', { plugin });
const SECRET = 'https://push.example/send/f4Yk';
const KEYS = {
  p256dh: 'BIPUL12DLfytvTajnryr2PRdAgXS3HGKiLqndGcJGabyhHheJYlNGCeXl1dn18gSJ1WAkAPIxr4gK0_dQds4yiI',
  auth: 'FPssNDTKnInHVndSTdbKFw',
};
let ana: Person;
let admin: Person;
test.before.each(async () => {
  ana = await server.createPerson('TECHNICIAN', {
    username: 'ana',
    email: 'ana@mail.example',
    password: 'correct horse battery',
  });
  admin = await server.createPerson('ADMIN', { username: 'boss' });
});

const requestExport = (as: { token: string } = ana): Promise<Response> =>
  server.request('/api/account/export', { headers: { Authorization: `Bearer ${as.token}` } });
const readExport = async (as?: { token: string }): Promise<AccountExport> =>
  (await requestExport(as)).json();

test('exports everything kept on a person, and no secret', async () => {
  const topicId = await server.createTopic('Storm warnings');
  const body = { userId: ana.id, topicId };
  await server.call('POST /api/admin/subscriptions', { as: admin, body });
  const token = JSON.stringify({
    endpoint: SECRET,
    keys: KEYS,
  });
  const { body: device } = await server.call('POST /api/notifications/register-device', {
    as: ana,
    body: { deviceToken: token, deviceType: 'android', userAgent: 'Chrome', model: 'SM-A047F' },
  });
  await server.setDevicePreference(ana, device.id, topicId, false);
  const hours = { timeZone: 'Europe/Oslo', rules: [{ days: [6, 7], from: '20:00', to: '09:00' }] };
  await server.call('PUT /api/notifications/quiet-hours', { as: ana, body: hours });
  const checkIns = createCheckInHelpers(server);
  await checkIns.enable(topicId);
  const { id: checkIn } = await checkIns.startCheckIn(ana, { minutes: 60, note: 'Mill Lane' });
  await server.call('POST /api/check-ins/:id/ok', { as: ana, params: { id: checkIn }, body: {} });
  const { body: tried } = await server.call('POST /api/notifications/tests', {
    as: ana,
    body: { deviceId: device.id },
  });
  const { body: sent } = await server.sendMessage(admin, {
    topicIds: [topicId],
    message: 'Stop all work.',
    answers: ['On my way'],
  });
  const receipt = { messageId: sent.messageId, kind: 'acknowledged', answer: 'On my way' } as const;
  await server.sendReceipts(ana, [receipt]);
  await server.signIn('ana', 'correct horse battery');

  const response = await requestExport();
  assert.is(response.status, 200);
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
  assert.match(response.headers.get('content-disposition') ?? '', /^attachment; filename=/);
  const text = await response.text();
  const accountExport = JSON.parse(text) as AccountExport;
  assert.equal(
    [accountExport.account.id, accountExport.account.username, accountExport.account.email],
    [ana.id, 'ana', 'ana@mail.example'],
  );
  assert.is(accountExport.account.knownBrowsers.length, 1);
  assert.equal(accountExport.quietHours, hours);
  assert.equal(
    accountExport.checkIns.map(({ id, minutes, note, state, answers, alarms }) => [
      ...[id, minutes, note, state, answers, alarms.length],
    ]),
    [[checkIn, 60, 'Mill Lane', 'running', 1, 0]],
  );
  assert.equal(
    accountExport.topics.map(({ id, title, enabled }) => [id, title, enabled]),
    [[topicId, 'Storm warnings', true]],
  );
  assert.equal(
    accountExport.devices.map(({ id, model, pushService, topics }) => [
      id,
      model,
      pushService,
      topics,
    ]),
    [[device.id, 'SM-A047F', 'https://push.example', [{ id: topicId, enabled: false }]]],
  );
  assert.equal(
    accountExport.tests.map(({ id }) => id),
    [tried.id],
  );
  assert.equal(
    accountExport.messages.map(({ id, seq, message, answer }) => [id, seq, message, answer]),
    [[sent.messageId, 1, 'Stop all work.', 'On my way']],
  );
  assert.ok(accountExport.messages[0]?.readAt);
  const answeredAt = new Date(server.clock.now).toISOString();
  server.clock.now += 60_000;
  const correctedResponse = await server.call('POST /api/admin/messages/:id/correct', {
    as: admin,
    params: { id: sent.messageId },
    body: { message: 'Stop all work on poles.', ask: true },
  });
  assert.is(correctedResponse.status, 200);
  assert.equal((await readExport()).messages[0]?.formerAnswers, [
    { revision: 1, answer: 'On my way', at: answeredAt, late: false },
  ]);
  assert.equal(
    accountExport.audit.map(({ action }) => action),
    ['export', 'login', 'check-in.ok', 'check-in.start', 'subscription.add'],
  );
  assert.is(accountExport.audit.at(-1)?.network, null, 'not from where someone else did it');
  const adminExport = await readExport(admin);
  assert.equal(
    adminExport.sent.map(({ id, people }) => [id, people]),
    [[sent.messageId, 1]],
  );
  assert.equal([adminExport.messages, adminExport.devices], [[], []], 'and nothing of others');
  const { password_hash } = await server.services.db
    .selectFrom('users')
    .select('password_hash')
    .where('id', '=', ana.id)
    .executeTakeFirstOrThrow();
  for (const secret of [SECRET, device.deviceKey, String(password_hash), 'FPssNDTKnInHVndSTdbKFw'])
    assert.not.ok(text.includes(secret), secret);
});

test('exports empty lists for a person who has nothing, and titles unescaped', async () => {
  const accountExport = await readExport();
  assert.equal(
    [
      accountExport.topics,
      accountExport.devices,
      accountExport.tests,
      accountExport.messages,
      accountExport.sent,
    ],
    [[], [], [], [], []],
  );
  const topicId = await server.createTopic('“Storm”\n\\ \u2028 </script>');
  const body = { userId: ana.id, topicId };
  await server.call('POST /api/admin/subscriptions', { as: admin, body });
  assert.is((await readExport()).topics[0]?.title, '“Storm”\n\\ \u2028 </script>');
});

test('reads many messages page by page, each once and in order', async () => {
  const { db } = server.services;
  const last = 2 * EXPORT_PAGE_SIZE + 1;
  const numbers = sql`(with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(last)}) select i from n) as n`;
  await sql`insert into messages (id, topic_title, sender_id, text, created_at, expires_at)
    select 'message ' || i, '', cast(${ana.id} as bigint), 'Text ' || i, 1, 2 from ${numbers}`.execute(
    db,
  );
  await sql`insert into recipients (message_id, user_id, seq, state)
    select 'message ' || i, cast(${ana.id} as bigint), i, 'accepted' from ${numbers}`.execute(db);
  maxRows = 0;
  const { messages, sent } = await readExport();
  assert.equal(
    messages.map(({ seq }) => seq),
    Array.from({ length: last }, (_, index) => index + 1),
  );
  assert.is(new Set(sent.map(({ id }) => id)).size, last);
  assert.is(maxRows, EXPORT_PAGE_SIZE, 'and no more are in memory');
});

test('breaks off the download when the session ends', async () => {
  const response = await requestExport();
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  await server.services.db
    .updateTable('users')
    .set((row) => ({ session_version: row('session_version', '+', 1) }))
    .where('id', '=', ana.id)
    .execute();
  await reader.read().then(
    () => assert.unreachable('it went on'),
    (error: unknown) => assert.match(String(error), 'interrupted'),
  );
  assert.ok(server.log.some((line) => line.includes('download interrupted')));
});

test("keeps every list of a person's file free of other people's data", async () => {
  const { db } = server.services;
  const ben = await server.createPerson('ADMIN', {
    username: 'ben',
    email: 'ben@mail.example',
    password: 'correct horse battery',
  });
  const topicId = await server.createTopic('Storms');
  const own = await server.createTopic('Outages');
  for (const [person, topic] of [
    [ben, topicId],
    [ana, own],
  ] as const) {
    await server.subscribe(admin, person.id, topic);
    const deviceToken = JSON.stringify({
      endpoint: `https://push.example/${person.id}`,
      keys: KEYS,
    });
    const { body: device } = await server.call('POST /api/notifications/register-device', {
      as: person,
      body: { deviceToken, deviceType: 'web', userAgent: person.username },
    });
    // The order matters: the setting covers all devices until one has its own.
    await server.setPreference(person, topic, person === ana);
    await server.setDevicePreference(person, device.id, topic, true);
    await server.call('POST /api/notifications/tests', {
      as: person,
      body: { deviceId: device.id },
    });
  }
  const rules = [{ days: [1], from: '22:00', to: '06:00' }];
  await server.call('PUT /api/notifications/quiet-hours', {
    as: ben,
    body: { timeZone: 'Europe/Oslo', rules },
  });
  await server.signIn('ben', 'correct horse battery');
  await server.sendMessage(ben, { userIds: [ben.id], message: 'Only for Ben.' });
  await db.updateTable('users').set({ email_verified_at: 1000 }).where('id', '=', ben.id).execute();
  const [anas, bens] = [await readExport(ana), await readExport(ben)];
  const lists = ({
    account,
    topics,
    devices,
    tests,
    messages,
    sent,
    quietHours,
  }: AccountExport) => ({
    browsers: account.knownBrowsers.length,
    verified: account.emailVerifiedAt,
    topics: topics.map(({ title, enabled }) => [title, enabled]),
    devices: devices.map((device) => [device.userAgent, device.topics.length]),
    tests: tests.length,
    messages: messages.map(({ message }) => message),
    sent: sent.map(({ message }) => message),
    rules: quietHours.rules.length,
  });
  assert.equal(lists(anas), {
    browsers: 0,
    verified: null,
    topics: [['Outages', true]],
    devices: [['ana', 1]],
    tests: 1,
    messages: [],
    sent: [],
    rules: 0,
  });
  assert.equal(lists(bens), {
    browsers: 1,
    verified: new Date(1000).toISOString(),
    topics: [['Storms', false]],
    devices: [['ben', 1]],
    tests: 1,
    messages: ['Only for Ben.'],
    sent: ['Only for Ben.'],
    rules: 1,
  });
});

test('allows each person five exports an hour', async () => {
  const statuses: number[] = [];
  for (let time = 0; time < 6; time += 1) {
    const response = await requestExport();
    await response.text();
    statuses.push(response.status);
  }
  assert.equal(statuses, [200, 200, 200, 200, 200, 429]);
  assert.is((await requestExport(admin)).status, 200);
  server.clock.now += 60 * 60_000;
  assert.is((await requestExport()).status, 200, 'an hour later');
});

test.run();
