import * as assert from 'uvu/assert';
import type { Receipt } from '../../../src/shared/contract';
import type { RecipientRow } from '../../../server/db/schema';
import { createAudienceHelpers } from '../../support/server/audience';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('receipts');
const DAY_MS = 24 * 60 * 60 * 1000;
let ana: Person;
let key: { token: string };
let audience: ReturnType<typeof createAudienceHelpers>;

test.before.each(async () => {
  audience = createAudienceHelpers(server);
  ana = await server.createPerson('TECHNICIAN', { username: 'ana' });
  key = await keyOf(ana, 'token');
});

async function keyOf(as: Person, deviceToken: string): Promise<{ token: string }> {
  const { body } = await server.registerDevice(as, deviceToken);
  return { token: body.deviceKey };
}

/** A message to these people, 10 s after the last. */
async function sendTo(
  people: readonly Person[],
  options: Parameters<typeof audience.send>[0] = { answers: ['Got it', 'Later'] },
): Promise<string> {
  server.clock.now += 10_000;
  const { status, body } = await audience.send({
    userIds: people.map(({ id }) => id),
    ...options,
  });
  assert.is(status, 202);
  return body.messageId;
}

const report = (as: { token: string }, ...receipts: Receipt[]) => server.sendReceipts(as, receipts);
const countRecorded = async (as: { token: string }, ...receipts: Receipt[]): Promise<number> => {
  const { status, body } = await report(as, ...receipts);
  assert.is(status, 200);
  return body.recorded;
};

type Marks = Pick<RecipientRow, 'displayed_at' | 'read_at' | 'acknowledged_at' | 'answer' | 'late'>;
const marksOf = (messageId: string, userId = ana.id): Promise<Marks> =>
  server.services.db
    .selectFrom('recipients')
    .select(['displayed_at', 'read_at', 'acknowledged_at', 'answer', 'late'])
    .where('message_id', '=', messageId)
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
const noMarks: Marks = {
  displayed_at: null,
  read_at: null,
  acknowledged_at: null,
  answer: null,
  late: 0,
};
const iso = (at: number): string => new Date(at).toISOString();

test('records displayed, read and answered with their times, once each', async () => {
  const messageId = await sendTo([ana]);
  const startedAt = server.clock.now;
  for (const [index, receipt] of (
    [
      { messageId, kind: 'displayed' },
      { messageId, kind: 'read' },
      { messageId, kind: 'acknowledged', answer: 'Got it' },
    ] as const
  ).entries()) {
    server.clock.now = startedAt + (index + 1) * 1000;
    assert.equal([await countRecorded(key, receipt), await countRecorded(ana, receipt)], [1, 0]);
  }
  assert.equal(await marksOf(messageId), {
    displayed_at: startedAt + 1000,
    read_at: startedAt + 2000,
    acknowledged_at: startedAt + 3000,
    answer: 'Got it',
    late: 0,
  });
});

test('infers read from an answer, and displayed from reading', async () => {
  const [answered, read] = [await sendTo([ana]), await sendTo([ana])];
  server.clock.now += 5000;
  const { now } = server.clock;
  assert.is(
    await countRecorded(key, { messageId: answered, kind: 'acknowledged', answer: 'Later' }),
    1,
  );
  assert.is(await countRecorded(key, { messageId: read, kind: 'read' }), 1);
  const allMarks = {
    displayed_at: now,
    read_at: now,
    acknowledged_at: now,
    answer: 'Later',
    late: 0,
  };
  assert.equal(await marksOf(answered), allMarks);
  assert.equal(await marksOf(read), { ...noMarks, displayed_at: now, read_at: now });
  server.clock.now += 1000;
  assert.is(
    await countRecorded(
      key,
      { messageId: answered, kind: 'read' },
      { messageId: answered, kind: 'displayed' },
      { messageId: read, kind: 'displayed' },
    ),
    0,
  );
  assert.equal(await marksOf(answered), allMarks);
});

test('changes the comment of an answer until the message expires', async () => {
  const messageId = await sendTo([ana]);
  const commentReceipt = (comment: string, answer = 'Got it'): Receipt => ({
    messageId,
    kind: 'acknowledged',
    answer,
    comment,
  });
  const commentNow = async () => {
    const { body } = await server.call('GET /api/notifications/messages', { as: ana });
    return body.messages.map(({ answer, comment }) => [answer, comment]);
  };
  assert.is((await report(ana, commentReceipt('x'.repeat(501)))).status, 400);
  assert.is(await countRecorded(key, commentReceipt(' \u202eevil\u2069 في الطريق\n')), 1);
  assert.equal(await commentNow(), [['Got it', 'evil في الطريق']]);
  assert.is(
    await countRecorded(ana, commentReceipt('😀'.repeat(500)), commentReceipt('Not mine', 'Later')),
    1,
  );
  assert.is(await countRecorded(ana, commentReceipt('😀'.repeat(500))), 0);
  assert.equal(await commentNow(), [['Got it', '😀'.repeat(500)]]);
  const beforeTheEnd = iso(server.clock.now);
  server.clock.now += 2 * DAY_MS;
  assert.is(await countRecorded(ana, commentReceipt('Too late')), 0);
  assert.is(await countRecorded(ana, { ...commentReceipt(''), at: beforeTheEnd }), 1);
  assert.equal(await commentNow(), [['Got it', undefined]]);
});

test('keeps the first of two answers, unless the later one says that it changes it', async () => {
  const otherSession = await keyOf(ana, 'other');
  const [firstMessage, secondMessage] = [await sendTo([ana]), await sendTo([ana])];
  const acknowledge = (messageId: string, answer: string): Receipt => ({
    messageId,
    kind: 'acknowledged',
    answer,
  });
  assert.is(
    await countRecorded(
      key,
      acknowledge(firstMessage, 'Later'),
      acknowledge(firstMessage, 'Got it'),
    ),
    1,
  );
  assert.is(await countRecorded(otherSession, acknowledge(firstMessage, 'Got it')), 0);
  assert.is((await marksOf(firstMessage)).answer, 'Later');
  const responses = await Promise.all([
    countRecorded(key, acknowledge(secondMessage, 'Got it')),
    countRecorded(otherSession, acknowledge(secondMessage, 'Later')),
  ]);
  assert.is(responses[0] + responses[1], 1);
  assert.is((await marksOf(secondMessage)).answer, responses[0] === 1 ? 'Got it' : 'Later');

  const answeredAt = server.clock.now;
  const change = (answer: string, at = server.clock.now): Receipt => ({
    ...{ ...acknowledge(firstMessage, answer), changes: true },
    at: iso(at),
  });
  server.clock.now += 5000;
  // The later press is sent first. The earlier one has waited on a phone without a network.
  assert.is(await countRecorded(key, change('Got it'), change('Got it')), 1);
  assert.is(await countRecorded(otherSession, change('Later', answeredAt + 1000)), 0);
  const marks = await marksOf(firstMessage);
  assert.equal([marks.answer, marks.acknowledged_at], ['Got it', answeredAt + 5000]);
  const commentAfter = async (...receipts: Receipt[]) => {
    assert.is(await countRecorded(key, ...receipts), 1);
    const inbox = await server.call('GET /api/notifications/messages', { as: ana });
    return inbox.body.messages.find(({ id }) => id === firstMessage)?.comment;
  };
  assert.is(await commentAfter({ ...change('Got it'), comment: 'At the gate' }), 'At the gate');
  assert.is(
    await commentAfter(change('Later')),
    undefined,
    'the words were about the other answer',
  );
  const changedReceipt = { ...change('Got it'), comment: 'Back soon' };
  assert.is(await commentAfter(changedReceipt, change('Got it')), 'Back soon', 'sent twice');
  const { body } = await server.call('POST /api/admin/messages/:id/all-clear', {
    ...{ as: await server.createPerson('ADMIN'), params: { id: firstMessage }, body: {} },
  });
  assert.equal(body.tally, { 'Got it': 1, Later: 0 });
  server.clock.now += 1000;
  assert.is(await countRecorded(key, change('Later')), 0);
});

test('ignores receipts of foreign, unknown and invalid messages', async () => {
  const ben = await server.createPerson('CUSTOMER');
  const [ownMessage, otherMessage] = [await sendTo([ana]), await sendTo([ben])];
  for (const as of [key, ana]) {
    await server.services.db.updateTable('recipients').set(noMarks).execute();
    assert.is(
      await countRecorded(
        as,
        { messageId: otherMessage, kind: 'read' },
        { messageId: crypto.randomUUID(), kind: 'read' },
        { messageId: '', kind: 'read' },
        { messageId: "' or 1=1 --", kind: 'read' },
        { messageId: 'a\0b', kind: 'read' },
        { messageId: '\ud800', kind: 'read' },
        { messageId: 'x'.repeat(5000), kind: 'read' },
        { messageId: '__proto__', kind: 'read' },
        { messageId: ownMessage.toUpperCase(), kind: 'read' },
        { messageId: ownMessage, kind: 'read' },
      ),
      1,
    );
    assert.equal(await marksOf(otherMessage, ben.id), noMarks);
    assert.is((await marksOf(ownMessage)).read_at, server.clock.now);
  }
});

test('ignores an answer that was not offered', async () => {
  const messageId = await sendTo([ana]);
  const unasked = await sendTo([ana], {});
  for (const receipt of [
    { messageId, kind: 'acknowledged', answer: 'got it' },
    { messageId, kind: 'acknowledged', answer: 'Got it ' },
    { messageId, kind: 'acknowledged', answer: '' },
    { messageId, kind: 'acknowledged', answer: 'a\0b \ud800' },
    { messageId, kind: 'acknowledged' },
    { messageId: unasked, kind: 'acknowledged', answer: 'Got it' },
    { messageId: unasked, kind: 'acknowledged' },
  ] as const)
    assert.is(await countRecorded(key, receipt), 0, JSON.stringify(receipt));
  assert.equal([await marksOf(messageId), await marksOf(unasked)], [noMarks, noMarks]);
  assert.is(await countRecorded(key, { messageId, kind: 'read', answer: 'Got it' }), 1);
  assert.is(
    (await marksOf(messageId)).answer,
    null,
    'an answer counts only with an acknowledgment',
  );
});

test('limits receipt times to between sending and now', async () => {
  const early = await sendTo([ana]);
  const sentAt = server.clock.now;
  server.clock.now += 60_000;
  const { now } = server.clock;
  const [aheadMessageId, correctMessageId] = [await sendTo([ana]), await sendTo([ana])];
  server.clock.now = now + 60_000;
  await countRecorded(
    key,
    { messageId: early, kind: 'displayed', at: iso(sentAt - 2 * DAY_MS) },
    { messageId: aheadMessageId, kind: 'displayed', at: iso(now + 2 * DAY_MS) },
    { messageId: correctMessageId, kind: 'displayed', at: iso(now + 50_000) },
    { messageId: correctMessageId, kind: 'read', at: `${iso(now + 51_000).slice(0, -1)}+00:00` },
  );
  assert.is((await marksOf(early)).displayed_at, sentAt);
  assert.is((await marksOf(aheadMessageId)).displayed_at, now + 60_000);
  assert.equal(await marksOf(correctMessageId), {
    ...noMarks,
    displayed_at: now + 50_000,
    read_at: now + 51_000,
  });
});

test('accepts a late answer, marked as late by its own time', async () => {
  const options = { answers: ['Got it'], expiresAt: iso(server.clock.now + DAY_MS) };
  const [timelyMessage, lateMessage] = [await sendTo([ana], options), await sendTo([ana], options)];
  const answeredAt = server.clock.now + 5000;
  server.clock.now += 2 * DAY_MS;
  const answer = { kind: 'acknowledged', answer: 'Got it' } as const;
  assert.is(
    await countRecorded(
      key,
      { messageId: timelyMessage, ...answer, at: iso(answeredAt) },
      { messageId: lateMessage, ...answer },
    ),
    2,
  );
  assert.equal([(await marksOf(timelyMessage)).late, (await marksOf(lateMessage)).late], [0, 1]);
});

test('accepts receipts of canceled messages and deleted topics', async () => {
  const topicId = await server.createTopic();
  await server.services.db
    .insertInto('subscriptions')
    .values({ user_id: ana.id, topic_id: topicId, created_at: 0 })
    .execute();
  const [firstMessage, secondMessage] = [
    await sendTo([], { topicIds: [topicId] }),
    await sendTo([], { topicIds: [topicId] }),
  ];
  await audience.cancel(firstMessage);
  await server.services.db.deleteFrom('topics').where('id', '=', topicId).execute();
  assert.is(
    await countRecorded(
      key,
      { messageId: firstMessage, kind: 'read' },
      { messageId: secondMessage, kind: 'read' },
    ),
    2,
  );
});

test('rejects all receipts if one has a wrong shape', async () => {
  const messageId = await sendTo([ana]);
  const good = { messageId, kind: 'read' };
  const send = async (body: unknown): Promise<[number, unknown]> => {
    const response = await server.request('/api/notifications/receipts', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key.token}` },
      body: JSON.stringify(body),
    });
    return [response.status, ((await response.json()) as { error: unknown }).error];
  };
  for (const wrong of [
    null,
    7,
    'text',
    [],
    {},
    { kind: 'read' },
    { messageId },
    { messageId: 7, kind: 'read' },
    { messageId: [messageId], kind: 'read' },
    { messageId, kind: 'seen' },
    { messageId, kind: 'queued' },
    { messageId, kind: ['read'] },
    { messageId, kind: 'acknowledged', answer: 7 },
    { messageId, kind: 'acknowledged', answer: null },
    { messageId, kind: 'acknowledged', answer: { $ne: '' } },
    { messageId, kind: 'read', at: 'yesterday' },
    { messageId, kind: 'read', at: 1_700_000_000_000 },
    { messageId, kind: 'read', at: '2026-13-45T99:99:99Z' },
    { messageId, kind: 'read', at: '2026-02-31T10:00:00Z' },
  ])
    assert.is((await send({ receipts: [good, wrong] }))[0], 400, JSON.stringify(wrong));
  for (const wrong of [{}, { receipts: good }, { receipts: 'all' }, { receipts: null }, [good]])
    assert.is((await send(wrong))[0], 400, JSON.stringify(wrong));
  assert.equal(await marksOf(messageId), noMarks);
  assert.equal(await send({ receipts: [{ messageId }] }), [
    400,
    [{ message: 'Kind is required.', path: 'receipts' }],
  ]);
});

test('accepts a hundred receipts per request', async () => {
  const messageId = await sendTo([ana]);
  const many = (count: number): Receipt[] =>
    Array.from({ length: count }, () => ({ messageId, kind: 'read' }));
  const rejectedResponse = await report(key, ...many(101));
  assert.equal(
    [rejectedResponse.status, rejectedResponse.error],
    [400, [{ message: 'At most 100 receipts can be sent at once.', path: 'receipts' }]],
  );
  const response = await server.request('/api/notifications/receipts', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key.token}` },
    body: `{"receipts":[${Array(20_000).fill('{}').join(',')}]}`,
  });
  assert.is(response.status, 400);
  assert.ok((await response.text()).length < 200);
  assert.is(await countRecorded(key, ...many(100)), 1);
  assert.is(await countRecorded(key), 0);
});

test("accepts a device's receipts only for its current person", async () => {
  const ben = await server.createPerson('CUSTOMER');
  const messageId = await sendTo([ana, ben]);
  const nextSession = await keyOf(ben, 'token');
  assert.is((await report(key, { messageId, kind: 'read' })).status, 401);
  assert.is(await countRecorded(nextSession, { messageId, kind: 'read' }), 1);
  assert.equal((await marksOf(messageId)).read_at, null);
  assert.is((await marksOf(messageId, ben.id)).read_at, server.clock.now);
});

test.run();
