import { sql } from 'kysely';
import * as assert from 'uvu/assert';
import { recordOutcomes } from '../../../../server/db/outbox/outcomes';
import { findUnwanted } from '../../../../server/db/outbox/unwanted-pushes';
import { deleteOldMessages } from '../../../../server/messages/delete-old-messages';
import { createAudienceHelpers } from '../../../support/server/audience';
import { serverSuite } from '../../../support/server/server';

const { test, server } = serverSuite('ledger of recipients');
let audience: ReturnType<typeof createAudienceHelpers>;
test.before.each(() => void (audience = createAudienceHelpers(server)));

test('keeps one row per person with topic, state and devices', async () => {
  const { send, createMember, muteTopic, readLedger, readDeliveries } = audience;
  const [first, second] = [await server.createTopic('First'), await server.createTopic('Second')];
  const subscriberOfBoth = await createMember(2, second, first);
  const otherPerson = await createMember(1, second);
  const mutedPerson = await createMember(1, first);
  await muteTopic(mutedPerson, first);
  const without = await createMember(0, first);
  const namedPerson = await createMember(1, second);
  await muteTopic(namedPerson, second);
  await createMember(1);
  const { status, body } = await send({
    topicIds: [first, second, first],
    userIds: [namedPerson.id, subscriberOfBoth.id, namedPerson.id],
  });
  assert.equal(
    [status, body.message, body.notified],
    [202, 'Sent to 3 of 5 people. 2 are not reachable.', true],
  );
  assert.equal(
    (await readLedger(body.messageId)).map(
      ({ user_id, seq, topic_id, named: isNamed, state, devices, waiting }) => [
        user_id,
        seq,
        topic_id,
        isNamed,
        state,
        devices,
        waiting,
      ],
    ),
    [
      [subscriberOfBoth.id, 1, first, 1, 'pending', 2, 2],
      [otherPerson.id, 1, second, 0, 'pending', 1, 1],
      [mutedPerson.id, 1, first, 0, 'muted', 0, 0],
      [without.id, 1, first, 0, 'unreachable', 0, 0],
      [namedPerson.id, 1, second, 1, 'pending', 1, 1],
    ],
  );
  assert.equal(
    (await readDeliveries(body.messageId)).map(({ user_id, sort_key, round }) => [
      user_id,
      sort_key - server.clock.now,
      round,
    ]),
    [
      [subscriberOfBoth.id, 0, 0],
      [subscriberOfBoth.id, 100, 0],
      [otherPerson.id, 200, 0],
      [namedPerson.id, 300, 0],
    ],
  );
});

test('sends an urgent message before those of the last ten minutes', async () => {
  const { send, createMember, readDeliveries } = audience;
  const topic = await server.createTopic();
  await createMember(1, topic);
  const keys: number[] = [];
  for (const priority of ['normal', 'normal', 'urgent'] as const) {
    const { body } = await send({ topicIds: [topic], priority });
    keys.push((await readDeliveries(body.messageId))[0]!.sort_key);
    server.clock.now += 6 * 60_000;
  }
  const [old = 0, recent = 0, urgent = 0] = keys;
  assert.ok(old < urgent && urgent < recent);
});

test("numbers each person's messages consecutively, even for parallel sends", async () => {
  const { send, createMember } = audience;
  const topic = await server.createTopic();
  const [ana, ben] = [await createMember(1, topic), await createMember(0, topic)];
  await Promise.all(
    Array.from({ length: 20 }, (_, nth) =>
      send(nth % 2 === 0 ? { topicIds: [topic] } : { userIds: [ben.id, ana.id] }),
    ),
  );
  for (const { id } of [ana, ben]) {
    const rows = await server.services.db
      .selectFrom('recipients')
      .select('seq')
      .where('user_id', '=', id)
      .orderBy('seq')
      .execute();
    assert.equal(
      rows.map(({ seq }) => seq),
      Array.from({ length: 20 }, (_, nth) => nth + 1),
    );
  }
});

test('marks a recipient as accepted with the first push, as failed with the last', async () => {
  const { send, createMember, readLedger, claimAll } = audience;
  const [lucky, unlucky, mixedPerson] = [
    await createMember(2),
    await createMember(2),
    await createMember(2),
  ];
  const { body } = await send({ userIds: [lucky.id, unlucky.id, mixedPerson.id] });
  const { db, now } = server.services;
  const claims = await claimAll();
  const end = (index: number, state: 'accepted' | 'failed' | 'gone') =>
    recordOutcomes(db, [{ claim: claims[index]!, state, reason: null, attempted: true }], now());
  const ledger = async () =>
    (await readLedger(body.messageId)).map(
      ({ state, waiting, devices }) => `${state} ${waiting}/${devices}`,
    );
  const later = { state: 'pending', dueAt: now() + 1000 } as const;
  for (const claim of [claims[2]!, claims[4]!])
    await recordOutcomes(db, [{ claim, reason: null, attempted: true, ...later }], now());
  assert.equal(
    await ledger(),
    ['pending 2/2', 'pending 2/2', 'pending 2/2'],
    'one that is tried again has not ended',
  );
  await end(0, 'accepted');
  await end(2, 'failed');
  await end(4, 'gone');
  assert.equal(await ledger(), ['accepted 1/2', 'pending 1/2', 'pending 1/2']);
  await end(1, 'failed');
  await end(3, 'gone');
  await end(5, 'accepted');
  await end(5, 'accepted');
  assert.equal(await ledger(), ['accepted 0/2', 'failed 0/2', 'accepted 0/2'], 'twice counts once');
});

test('marks a recipient as accepted when one device accepts and the other fails at once', async () => {
  const { send, createMember, readLedger, claimAll } = audience;
  const people = [await createMember(2), await createMember(2), await createMember(2)];
  const { body } = await send({ userIds: people.map(({ id }) => id) });
  const { db, now } = server.services;
  const claims = await claimAll();
  const states = ['accepted', 'failed', 'failed', 'accepted', 'failed', 'gone'] as const;
  await recordOutcomes(
    db,
    states.map((state, index) => ({
      claim: claims[index]!,
      state,
      reason: null,
      attempted: true,
    })),
    now(),
  );
  assert.equal(
    (await readLedger(body.messageId)).map(({ state, waiting }) => `${state} ${waiting}`),
    ['accepted 0', 'accepted 0', 'failed 0'],
  );
});

test('sends a push while one of the topics still wants it, or the person is named', async () => {
  const { send, createMember, muteTopic, claimAll } = audience;
  const [first, second] = [await server.createTopic('First'), await server.createTopic('Second')];
  const person = await createMember(1, first, second);
  const namedPerson = await createMember(1);
  const { db } = server.services;
  await send({ topicIds: [first, second], userIds: [namedPerson.id] });
  const claims = await claimAll();
  assert.equal(
    claims.map(({ recipient, message }) => [recipient?.topicId, message.title]),
    [
      [first, 'First'],
      [null, 'First'],
    ],
  );
  const fallen = async () =>
    [...(await findUnwanted(db, claims)).keys()].map(({ recipient }) => recipient?.userId);
  await muteTopic(person, first);
  assert.equal(await fallen(), []);
  await db.deleteFrom('topics').where('id', '=', first).execute();
  assert.equal(await fallen(), []);
  await muteTopic(person, second);
  assert.equal(await fallen(), [person.id]);
  await db.deleteFrom('devices').execute();
  assert.equal(await fallen(), [person.id, namedPerson.id]);
});

test('keeps rows of deleted people, and ends their pushes', async () => {
  const { send, createMember, readLedger, claimAll } = audience;
  const person = await createMember(1);
  const { body } = await send({ userIds: [person.id] });
  assert.is((await server.deleteUser(await server.createPerson('ADMIN'), person.id)).status, 200);
  assert.equal(
    (await readLedger(body.messageId)).map(({ user_id, seq }) => [user_id, seq]),
    [[person.id, 1]],
  );
  const { db } = server.services;
  const [claim] = await claimAll();
  assert.equal([claim?.recipient, claim?.skipReason], [undefined, 'unsubscribed']);
  assert.equal(await db.selectFrom('inboxes').selectAll().execute(), [], 'and their counter goes');
});

test('deletes messages with all recipients after the configured days', async () => {
  const { send, createCrowd } = audience;
  const topic = await createCrowd(1500);
  await send({ topicIds: [topic] });
  const laterResponse = await send({
    topicIds: [topic],
    sendAt: new Date(server.clock.now + 86_400_000).toISOString(),
  });
  server.clock.now += 86_400_000;
  await server.jobs.runDue();
  const { db } = server.services;
  const deleteOld = (days: number) =>
    deleteOldMessages(db, server.clock.now + days * 86_400_000, new AbortController().signal, 400);
  await deleteOld(398);
  assert.is((await db.selectFrom('messages').select('id').execute()).length, 2);
  await deleteOld(399.5);
  assert.equal(
    (await db.selectFrom('messages').select('id').execute()).map(({ id }) => id),
    [laterResponse.body.messageId],
  );
  const { rows } = await sql<{
    message_id: string;
    n: number;
  }>`select message_id, count(*) as n from recipients group by message_id`.execute(db);
  assert.equal(
    rows.map(({ message_id, n }) => [message_id, n]),
    [[laterResponse.body.messageId, 1500]],
  );
  await deleteOld(401);
  assert.equal(await db.selectFrom('recipients').select('seq').execute(), []);
  assert.equal(await db.selectFrom('deliveries').select('id').execute(), []);
});

test.run();
