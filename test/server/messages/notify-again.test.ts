import { sql } from 'kysely';
import * as assert from 'uvu/assert';
import { createAudienceHelpers } from '../../support/server/audience';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('notifying again');
let audience: ReturnType<typeof createAudienceHelpers>;
test.before.each(() => void (audience = createAudienceHelpers(server)));

test('notifies people again who have not answered, except muted, waiting and unreachable ones', async () => {
  const {
    send,
    notifyAgain,
    createMember,
    addDevice,
    muteTopic,
    readLedger,
    readDeliveries,
    claimAll,
    acceptAll,
  } = audience;
  const topic = await server.createTopic();
  const [answeredPerson, silent, waiting, mutedPerson, latePerson, without] = [
    await createMember(1, topic),
    await createMember(2, topic),
    await createMember(1, topic),
    await createMember(1, topic),
    await createMember(0, topic),
    await createMember(0, topic),
  ];
  const { body } = await send({ topicIds: [topic], answers: ['Got it'] });
  const { db } = server.services;
  await acceptAll();
  await db
    .updateTable('recipients')
    .set({ acknowledged_at: 1, read_at: 1 })
    .where('user_id', '=', answeredPerson.id)
    .execute();
  await db.updateTable('recipients').set({ read_at: 1 }).where('user_id', '=', silent.id).execute();
  await db
    .updateTable('recipients')
    .set({ waiting: 1 })
    .where('user_id', '=', waiting.id)
    .execute();
  await muteTopic(mutedPerson, topic);
  await addDevice(latePerson);
  server.clock.now += 5000;
  const { status, body: repeated } = await notifyAgain(body.messageId);
  assert.equal([status, repeated], [202, { messageId: body.messageId, people: 2 }]);
  const repeatedDeliveries = (await readDeliveries(body.messageId)).filter(
    ({ round }) => round === 1,
  );
  assert.equal(
    repeatedDeliveries.map(({ user_id, due_at }) => [user_id, due_at]),
    [
      [silent.id, server.clock.now],
      [silent.id, server.clock.now],
      [latePerson.id, server.clock.now],
    ],
  );
  const row = async ({ id }: Person) =>
    (await readLedger(body.messageId)).find(({ user_id }) => user_id === id)!;
  assert.equal(
    [(await row(silent)).waiting, (await row(silent)).devices, (await row(silent)).state],
    [2, 2, 'accepted'],
  );
  assert.equal(
    [
      (await row(latePerson)).waiting,
      (await row(latePerson)).devices,
      (await row(latePerson)).state,
    ],
    [1, 1, 'pending'],
  );
  assert.is((await row(without)).state, 'unreachable');
  assert.equal(
    (await notifyAgain(body.messageId)).body.people,
    0,
    'at once again: all are on their way',
  );
  const claims = await claimAll();
  assert.equal(
    claims.map(({ message }) => message.round),
    [1, 1, 1],
  );
  assert.equal([...new Set(claims.map(({ message }) => message.id))], [body.messageId]);
  const { rounds } = await db.selectFrom('messages').select('rounds').executeTakeFirstOrThrow();
  assert.is(rounds, 1);
});

test('notifies people again who have not read a message without answers, until it expires', async () => {
  const { send, notifyAgain, createMember, acceptAll } = audience;
  const [reader, otherPerson] = [await createMember(1), await createMember(1)];
  const expiresAt = new Date(server.clock.now + 3600_000).toISOString();
  const { body } = await send({ userIds: [reader.id, otherPerson.id], expiresAt });
  await acceptAll();
  await server.services.db
    .updateTable('recipients')
    .set({ read_at: 1 })
    .where('user_id', '=', reader.id)
    .execute();
  assert.is((await notifyAgain(body.messageId)).body.people, 1);
  server.clock.now += 3600_000;
  const lateResponse = await notifyAgain(body.messageId);
  assert.equal([lateResponse.status, lateResponse.error], [409, 'This message has expired.']);
  assert.is((await notifyAgain('x')).status, 404);
  const scheduledResponse = await send({
    userIds: [otherPerson.id],
    sendAt: new Date(server.clock.now + 60_000).toISOString(),
  });
  assert.is((await notifyAgain(scheduledResponse.body.messageId)).status, 409);
});

test('notifies only named recipients again who still need to answer', async () => {
  const { send, notifyAgain, createMember, muteTopic, readLedger, readDeliveries, acceptAll } =
    audience;
  const topic = await server.createTopic();
  const [silent, otherPerson, answeredPerson, mutedPerson, waiting, without] = [
    await createMember(2, topic),
    await createMember(1, topic),
    await createMember(1, topic),
    await createMember(1, topic),
    await createMember(1, topic),
    await createMember(0, topic),
  ];
  const { body } = await send({ topicIds: [topic], answers: ['Got it'] });
  const { db } = server.services;
  await acceptAll();
  const change = (person: Person, set: object) =>
    db.updateTable('recipients').set(set).where('user_id', '=', person.id).execute();
  await change(answeredPerson, { acknowledged_at: 1, read_at: 1 });
  await change(waiting, { waiting: 1 });
  await muteTopic(mutedPerson, topic);
  // Subscribed later, so not a recipient.
  const foreign = await createMember(1, topic);
  const skipped = [answeredPerson, mutedPerson, waiting, without, foreign].map(({ id }) => id);
  const rungAt = async () =>
    (await readDeliveries(body.messageId))
      .filter(({ round }) => round > 0)
      .map(({ user_id, round }) => [user_id, round]);
  assert.equal(
    [
      (await notifyAgain(body.messageId, { userIds: [...skipped, 999_999] })).body,
      (await notifyAgain(body.messageId, { userIds: [] })).body,
    ],
    [
      { messageId: body.messageId, people: 0 },
      { messageId: body.messageId, people: 0 },
    ],
  );
  assert.equal(await rungAt(), []);
  // Named twice, notified once.
  const userIds = [...skipped, silent.id, 999_999, silent.id];
  const { status, body: repeated } = await notifyAgain(body.messageId, { userIds });
  assert.equal([status, repeated], [202, { messageId: body.messageId, people: 1 }]);
  assert.equal(await rungAt(), [
    [silent.id, 1],
    [silent.id, 1],
  ]);
  const repeatedResponse = await notifyAgain(body.messageId, { userIds });
  assert.is(repeatedResponse.body.people, 0, 'at once again: it is on its way');
  const ledger = new Map((await readLedger(body.messageId)).map((row) => [row.user_id, row]));
  assert.equal(
    [silent, otherPerson].map(({ id }) => ledger.get(id)?.waiting),
    [2, 0],
  );
  assert.is(ledger.has(foreign.id), false);
  // Then everyone left, with the next round, and the first person not twice.
  assert.is((await notifyAgain(body.messageId)).body.people, 1);
  assert.equal((await rungAt()).at(-1), [otherPerson.id, 2]);
});

test('notifies people again by state, few at once and many in chunks', async () => {
  const { send, notifyAgain, createCrowd, readDeliveries } = audience;
  const topic = await createCrowd(5003);
  const { body } = await send({ topicIds: [topic], answers: ['Got it'] });
  await server.jobs.runDue();
  const { db } = server.services;
  await sql`update deliveries set state = 'accepted'`.execute(db);
  await sql`update recipients set waiting = 0, state = 'accepted'`.execute(db);
  const [one, two] = await db.selectFrom('recipients').select('user_id').limit(2).execute();
  const failed = [one?.user_id, two?.user_id];
  await sql`update recipients set state = 'failed' where user_id in (${sql.join(failed)})`.execute(
    db,
  );
  const rungAt = async (round: number) =>
    (await readDeliveries(body.messageId))
      .filter((row) => row.round === round)
      .map(({ user_id }) => user_id);
  const state = 'not_answered';
  const selection = { userIds: [failed[0] ?? 0], state };
  assert.is((await notifyAgain(body.messageId, selection)).body.people, 0);
  assert.is((await notifyAgain(body.messageId, { state })).body.people, 5001);
  await server.jobs.runDue();
  const first = await rungAt(1);
  assert.equal([first.length, first.includes(failed[0] ?? 0)], [5001, false]);
  assert.is((await notifyAgain(body.messageId, { state: 'failed' })).body.people, 2);
  assert.equal(await rungAt(2), failed);
  for (const unknown of ['unanswered', 'failed,', ','.repeat(300)])
    assert.is((await notifyAgain(body.messageId, { state: unknown })).status, 400, unknown);
});

test('shows a message as sent after one person was notified again', async () => {
  const { send, notifyAgain, createMember, acceptAll } = audience;
  const [ana, ben] = [await createMember(1), await createMember(1)];
  const { body } = await send({ userIds: [ana.id, ben.id] });
  await acceptAll();
  assert.is((await notifyAgain(body.messageId, { userIds: [ana.id] })).body.people, 1);
  await acceptAll();
  const message = await server.call('GET /api/admin/messages/:id', {
    as: await server.createPerson('ADMIN'),
    params: { id: body.messageId },
  });
  assert.is(message.body.state, 'sent');
});

test('accepts no body, and at most 5,000 people', async () => {
  const { send, notifyAgain, createMember, acceptAll } = audience;
  const person = await createMember(1);
  const { body } = await send({ userIds: [person.id] });
  await acceptAll();
  const admin = await server.createPerson('ADMIN');
  const bare = await server.call('POST /api/admin/messages/:id/repeat', {
    as: admin,
    params: { id: body.messageId },
  } as never);
  assert.equal([bare.status, bare.body], [202, { messageId: body.messageId, people: 1 }]);
  for (const userIds of [['1'], [0], [1.5], Array(5001).fill(1)] as number[][])
    assert.is((await notifyAgain(body.messageId, { userIds })).status, 400, String(userIds[0]));
  assert.is((await notifyAgain('x', { userIds: [person.id] })).status, 404);
});

test('rejects a body that is not declared as JSON, instead of notifying everyone', async () => {
  const { send, createMember, acceptAll } = audience;
  const people = [await createMember(1), await createMember(1)];
  const { body: reply } = await send({ userIds: people.map(({ id }) => id) });
  await acceptAll();
  const admin = await server.createPerson('ADMIN');
  const body = JSON.stringify({ userIds: [people[0]?.id] });
  for (const headers of [
    { 'Content-Length': String(body.length) },
    { 'Transfer-Encoding': 'chunked' },
  ] as Record<string, string>[]) {
    const response = await server.request(`/api/admin/messages/${reply.messageId}/repeat`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${admin.token}`, ...headers },
      body: new TextEncoder().encode(body),
    });
    assert.is(response.status, 415, JSON.stringify(headers));
  }
});

test.run();
