import * as assert from 'uvu/assert';
import type { Person } from '../../../support/server/server';
import { createTopicKey } from '../../../support/server/topic-keys';
import { serverSuite } from '../../../support/server/server';

const { test, server } = serverSuite('sending');
let admin: Person;
let ana: Person;
let topic: number;

test.before.each(async () => {
  admin = await server.createPerson('ADMIN');
  ana = await server.createPerson('CUSTOMER');
  topic = await server.createTopic('Outages');
});

const send = (body: object, key?: string, as = admin) =>
  server.call('POST /api/admin/messages', {
    as,
    body: { message: 'Hi', ...body } as { message: string },
    headers: key === undefined ? {} : { 'Idempotency-Key': key },
  });
const sendTopic = (body: object, key?: string) =>
  server.call('POST /api/admin/notifications/send-topic/:topicId', {
    as: admin,
    params: { topicId: topic },
    body: { message: 'Hi', ...body },
    headers: key === undefined ? {} : { 'Idempotency-Key': key },
  });
const addDevice = (person: Person) => server.registerDevice(person, `token-${person.id}`);
const count = async () =>
  (await server.services.db.selectFrom('messages').select('id').execute()).length;
const inMilliseconds = (milliseconds: number) =>
  new Date(server.clock.now + milliseconds).toISOString();
const DAY_MS = 24 * 3600_000;

test("returns how many people it notifies, and how many it can't reach", async () => {
  const [ben, carl] = [
    await server.createPerson('CUSTOMER'),
    await server.createPerson('CUSTOMER'),
  ];
  const sendAndReadOutcome = async (...people: Person[]) => {
    const { body } = await send({ userIds: people.map(({ id }) => id) });
    return [body.message, body.notified];
  };
  assert.equal(await sendAndReadOutcome(ana), [
    'Sent, but no one is being notified: this person has no device with notifications enabled.',
    false,
  ]);
  assert.equal(await sendAndReadOutcome(ana, ben), [
    'Sent, but no one is being notified: none of the 2 people has a device with notifications enabled.',
    false,
  ]);
  await addDevice(ana);
  assert.equal(await sendAndReadOutcome(ana), ['Sent to 1 person.', true]);
  assert.equal(await sendAndReadOutcome(ana, ben, carl), [
    'Sent to 1 of 3 people. 2 are not reachable.',
    true,
  ]);
  await addDevice(ben);
  assert.equal(await sendAndReadOutcome(ana, ben), ['Sent to 2 people.', true]);
  assert.is(server.countPushWorkerWakes(), 5);
});

test('rejects a message without an audience, unless it is scheduled', async () => {
  const withoutRecipients = await send({ topicIds: [topic] });
  assert.equal(
    [withoutRecipients.status, withoutRecipients.error],
    [400, 'This message has no recipients.'],
  );
  for (const body of [{}, { topicIds: [], userIds: [] }, { sendAt: inMilliseconds(60_000) }]) {
    const empty = await send(body);
    assert.equal([empty.status, empty.error], [400, 'Add at least one recipient.']);
  }
  assert.is((await send({ topicIds: [topic], sendAt: inMilliseconds(60_000) })).status, 202);
  assert.is(await count(), 1);
});

test('rejects an invalid message by its field, and stores nothing', async () => {
  const rejectedBodies: [body: object, path: string, message: string][] = [
    [{ message: ' ' }, 'message', 'Message is required.'],
    [
      { message: '👷'.repeat(1001) },
      'message',
      'Message is too long. Use 1,000 characters or fewer.',
    ],
    [
      { message: 'a\u0000b' },
      'message',
      'Message contains control characters, which are not allowed.',
    ],
    [{ title: '🚧'.repeat(101) }, 'title', 'Title is too long. Use 100 characters or fewer.'],
    [{ title: 'two\nlines' }, 'title', 'Title must be a single line.'],
    [{ priority: 'high' }, 'priority', 'Priority must be one of info, normal, urgent.'],
    [{ answers: ['a', 'b', 'c', 'd'] }, 'answers', 'At most 3 answers can be offered.'],
    [{ answers: ['Yes', ' Yes '] }, 'answers', 'Each answer must be different.'],
    [{ answers: [' '] }, 'answers', 'Answer is required.'],
    [{ answers: ['x'.repeat(25)] }, 'answers', 'Answer is too long. Use 24 characters or fewer.'],
    [
      { sendAt: 'tomorrow' },
      'sendAt',
      'Send at must be a valid time, such as 2026-11-21T09:30:00.000Z.',
    ],
    [
      { sendAt: '2027-02-31T10:00:00Z' },
      'sendAt',
      'Send at must be a valid time, such as 2026-11-21T09:30:00.000Z.',
    ],
    [
      { expiresAt: '2027-02-29T10:00:00Z' },
      'expiresAt',
      'Expires at must be a valid time, such as 2026-11-21T09:30:00.000Z.',
    ],
    [
      { sendAt: inMilliseconds(367 * DAY_MS) },
      'sendAt',
      'A message can be scheduled at most a year ahead.',
    ],
    [
      { expiresAt: inMilliseconds(0) },
      'expiresAt',
      'The message would expire before it is sent. Choose a later expiry time.',
    ],
    [
      { sendAt: inMilliseconds(DAY_MS), expiresAt: inMilliseconds(DAY_MS) },
      'expiresAt',
      'The message would expire before it is sent. Choose a later expiry time.',
    ],
    [
      { expiresAt: inMilliseconds(367 * DAY_MS) },
      'expiresAt',
      'A message can be valid for at most a year. Choose an earlier expiry time.',
    ],
    [{ topicIds: [topic, 999_999] }, 'topicIds', 'This topic does not exist.'],
    [{ userIds: [999_999] }, 'userIds', 'This user does not exist.'],
    [{ userIds: [1.5] }, 'userIds', 'User must be a positive whole number.'],
  ];
  for (const link of [
    'http://insecure.example',
    'javascript:alert(1)',
    'subscriptions',
    '//other.example',
    '/\\other.example',
    'https://',
    'https://a b.example',
    '/a b',
    '\u0001/a',
  ])
    rejectedBodies.push([
      { link },
      'link',
      link.includes('\u0001')
        ? 'Link contains control characters, which are not allowed.'
        : 'Link must be a path in the app, such as /subscriptions, or start with https://.',
    ]);
  rejectedBodies.push([
    { link: `/${'ü'.repeat(1000)}` },
    'link',
    'Link is too long. Use 2,000 characters or fewer.',
  ]);
  for (const [body, path, message] of rejectedBodies) {
    const { status, error } = await send({ userIds: [ana.id], ...body });
    const [first] = Array.isArray(error) ? error : [];
    assert.equal(
      [status, first?.message, first?.path?.split('.')[0]],
      [400, message, path],
      JSON.stringify(body).slice(0, 80),
    );
  }
  assert.is(await count(), 0);
});

test('accepts and keeps the largest possible message', async () => {
  const longestMessage = {
    message: '👷'.repeat(1000),
    title: '🚧'.repeat(100),
    link: `/${'a'.repeat(1999)}`,
    priority: 'info',
    answers: ['👍'.repeat(24), "'; drop table jobs; --", '"}'],
    sendAt: inMilliseconds(365 * DAY_MS),
    expiresAt: inMilliseconds(730 * DAY_MS),
  };
  for (const { status } of [
    await send({ userIds: [ana.id], ...longestMessage }),
    await sendTopic(longestMessage),
  ])
    assert.is(status, 202);
  for (const row of await server.services.db.selectFrom('messages').selectAll().execute()) {
    const { text, title, link, priority, answers, send_at, expires_at } = row;
    assert.equal(
      {
        message: text,
        title,
        link,
        priority,
        answers: JSON.parse(answers),
        sendAt: new Date(send_at!).toISOString(),
        expiresAt: new Date(expires_at).toISOString(),
      },
      longestMessage,
    );
  }
});

test('treats a blank title or link as none, and a past time as now', async () => {
  await send({ userIds: [ana.id], title: ' ', link: '', sendAt: inMilliseconds(-60_000) });
  const row = await server.services.db.selectFrom('messages').selectAll().executeTakeFirstOrThrow();
  assert.equal(
    [row.title, row.link, row.state, row.send_at, row.expires_at],
    [null, null, 'sent', server.clock.now, server.clock.now + DAY_MS],
  );
});

test('rejects a repeated Idempotency-Key with any change', async () => {
  const firstResponse = await send({ userIds: [ana.id], answers: ['Got it'] }, 'abc');
  const repeatedResponse = await send({ userIds: [ana.id], answers: ['Got it'] }, 'abc');
  assert.equal([repeatedResponse.status, repeatedResponse.body], [202, firstResponse.body]);
  for (const change of [
    { userIds: [ana.id] },
    { userIds: [ana.id], answers: ['Got it', 'No'] },
    { userIds: [ana.id], answers: ['Got it'], title: 'T' },
    { userIds: [ana.id, admin.id], answers: ['Got it'] },
    { userIds: [ana.id], topicIds: [topic], answers: ['Got it'] },
    { userIds: [ana.id], answers: ['Got it'], priority: 'urgent' },
  ]) {
    const otherResponse = await send(change, 'abc');
    assert.equal(
      [otherResponse.status, otherResponse.error],
      [409, 'This Idempotency-Key was already used for another message.'],
      JSON.stringify(change),
    );
  }
  assert.is((await sendTopic({ answers: ['Got it'] }, 'abc')).status, 409);
  assert.is(await count(), 1);
});

test("returns the same sentence when a topic's send has options, and schedules it", async () => {
  await server.subscribe(admin, ana.id, topic);
  await addDevice(ana);
  const now = await sendTopic({ title: 'Storm', priority: 'urgent', answers: ['Got it'] });
  assert.equal(
    [now.body.message, now.body.notified],
    ['Sent. 1 of 1 subscriber is being notified.', true],
  );
  const laterResponse = await sendTopic({ sendAt: inMilliseconds(60_000) });
  assert.match(laterResponse.body.message, /^Scheduled\./);
  const rows = await server.services.db.selectFrom('recipients').select('message_id').execute();
  assert.equal(rows, [{ message_id: now.body.messageId }]);
});

test('lets the sender decide which answers call for help, also in templates and by key', async () => {
  const key = await createTopicKey(server, topic, 'SCADA');
  const body = { message: 'Fire', answers: ['Out', 'Inside', 'Need help'] };
  const sent = async (helpAnswers?: string[]) => {
    const fields = { ...body, ...(helpAnswers && { helpAnswers }) };
    const byAdmin = await send({ ...fields, userIds: [ana.id], sendAt: inMilliseconds(60_000) });
    const byTopic = await sendTopic(fields);
    const byKey = await server.request('/api/publish', {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(fields),
    });
    const ids = [byAdmin.body.messageId, byTopic.body.messageId];
    if (byKey.ok) ids.push(((await byKey.json()) as { id: string }).id);
    const { status, body: template } = await server.call('POST /api/admin/templates', {
      ...{ as: admin, body: { ...fields, name: `Fire ${helpAnswers}` } },
    });
    const read = ids.filter(Boolean).map(async (id) => {
      const message = await server.call('GET /api/admin/messages/:id', {
        as: admin,
        params: { id },
      });
      return message.body.helpAnswers;
    });
    const statuses = new Set([byAdmin.status, byTopic.status, byKey.status, status]);
    return [[...statuses], ...(await Promise.all(read)), template.helpAnswers];
  };
  const [given, need, none] = [['Inside'], ['Need help'], undefined];
  assert.equal(await sent(given), [[202, 201], given, given, given, given]);
  assert.equal(await sent(), [[202, 201], need, need, need, none]);
  assert.equal(await sent([]), [[202, 201], none, none, none, []]);
  for (const wrong of [['Elsewhere'], ['Out', 'Out'], ['']])
    assert.equal(await sent(wrong), [[400], none]);
});

test.run();
