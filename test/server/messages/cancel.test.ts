import * as assert from 'uvu/assert';
import { releaseClaims } from '../../../server/db/outbox/claim-pushes';
import { recordOutcomes } from '../../../server/db/outbox/outcomes';
import { findUnwanted } from '../../../server/db/outbox/unwanted-pushes';
import { createAudienceHelpers } from '../../support/server/audience';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('canceling');
let audience: ReturnType<typeof createAudienceHelpers>;
test.before.each(() => void (audience = createAudienceHelpers(server)));

test('never sends a canceled scheduled message', async () => {
  const { send, cancel, createMember, readLedger, readDeliveries } = audience;
  const person = await createMember(1);
  const sendAt = new Date(server.clock.now + 60_000).toISOString();
  const { body } = await send({ userIds: [person.id], sendAt });
  assert.is((await cancel(body.messageId)).status, 200);
  server.clock.now += 120_000;
  await server.jobs.runDue();
  assert.equal([await readLedger(body.messageId), await readDeliveries(body.messageId)], [[], []]);
  const repeatedResponse = await cancel(body.messageId);
  assert.is(repeatedResponse.status, 409);
  assert.match(String(repeatedResponse.error), 'You can no longer cancel this message.');
  assert.is((await cancel('00000000-0000-4000-8000-000000000000')).status, 404);
});

test('sends a message after its undo seconds, unless it is canceled', async () => {
  const { send, cancel, createMember, readDeliveries } = audience;
  const as = await server.createPerson('ADMIN', { username: 'chief' });
  const person = await createMember(1);
  const body = { userIds: [person.id], priority: 'urgent' as const, undoSeconds: 5 };
  const [undone, sentResult] = [(await send(body)).body, (await send(body)).body];
  assert.is(sentResult.message, 'Sending in 5 seconds. To undo this, cancel the message.');
  const pushes = async () => {
    await server.jobs.runDue();
    return (
      await Promise.all([undone, sentResult].map(({ messageId }) => readDeliveries(messageId)))
    ).map(({ length }) => length);
  };
  server.clock.now += 4999;
  assert.equal(await pushes(), [0, 0]);
  const { body: reply } = await cancel(undone.messageId);
  assert.equal([reply.state, reply.people.total], ['cancelled', 0], 'it reached no one');
  server.clock.now += 1;
  assert.equal(await pushes(), [0, 1]);
  const lateMessage = (await cancel(sentResult.messageId)).body;
  assert.equal(
    [lateMessage.state, lateMessage.people.total],
    ['cancelled', 1],
    'it had gone to one',
  );
  const { entries } = (await server.call('GET /api/admin/audit', { as })).body;
  const logged = entries.filter(({ action }) => action.startsWith('message.'));
  assert.equal(
    logged.map(({ action, detail }) => [action, detail]),
    [
      ['message.cancel', ''],
      ['message.cancel', 'Before the message was sent'],
      ['message.send', '1 person, urgent'],
      ['message.send', '1 person, urgent'],
    ],
  );
  for (const undoSeconds of [0, 61, 1.5])
    assert.is((await send({ ...body, undoSeconds })).status, 400, String(undoSeconds));
});

test('cancels unsent pushes, and keeps the inbox', async () => {
  const { send, cancel, notifyAgain, createMember, readLedger, readDeliveries, claimAll } =
    audience;
  const [donePerson, open, flying] = [
    await createMember(1),
    await createMember(2),
    await createMember(1),
  ];
  const { body } = await send({ userIds: [donePerson.id, open.id, flying.id] });
  const { db, now } = server.services;
  const claims = await claimAll();
  const ofPerson = (person: Person) =>
    claims.filter(({ recipient }) => recipient?.userId === person.id);
  await recordOutcomes(
    db,
    ofPerson(donePerson).map((claim) => ({
      claim,
      state: 'accepted',
      reason: null,
      attempted: true,
    })),
    now(),
  );
  await releaseClaims(db, ofPerson(open));
  assert.is((await cancel(body.messageId)).status, 200);
  const ends = async () =>
    (await readDeliveries(body.messageId)).map(({ state, reason }) => reason ?? state);
  assert.equal(await ends(), ['accepted', 'cancelled', 'cancelled', 'pending']);
  // A push in flight comes back for a retry, and gets none.
  const [flown] = ofPerson(flying);
  await recordOutcomes(
    db,
    [{ claim: flown!, state: 'pending', reason: '500', dueAt: now(), attempted: true }],
    now(),
  );
  const [repeatedPush] = await claimAll();
  assert.equal([repeatedPush?.recipient, repeatedPush?.skipReason], [undefined, 'cancelled']);
  assert.is((await findUnwanted(db, [flown!])).get(flown!), 'cancelled');
  await releaseClaims(db, [repeatedPush!]);
  await server.jobs.runDue();
  assert.is((await ends())[3], 'cancelled');
  assert.equal(
    (await readLedger(body.messageId)).map(({ state, waiting }) => [state, waiting]),
    [
      ['accepted', 0],
      ['failed', 0],
      ['failed', 0],
    ],
  );
  assert.is((await cancel(body.messageId)).status, 409);
  assert.equal((await notifyAgain(body.messageId)).status, 409);
});

test.run();
