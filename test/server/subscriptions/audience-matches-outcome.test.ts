/** The audience before a message must match its recipients afterwards. */
import * as assert from 'uvu/assert';
import { recordOutcomes } from '../../../server/db/outbox/outcomes';
import { createAudienceHelpers } from '../../support/server/audience';
import { createReachHelpers } from '../../support/server/device-reach';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('audience and outcome');
const { claimAll, readLedger, readDeliveries } = createAudienceHelpers(server);
const { addDevice, addPerson, readReach: reach } = createReachHelpers(server);
let admin: Person;
let topic: number;
let names = 0;

test.before.each(async () => {
  admin = await server.createPerson('ADMIN', { username: 'boss' });
  topic = await server.createTopic();
});

async function subscribe(userId: number): Promise<number> {
  const body = { userId, topicId: topic };
  await server.call('POST /api/admin/subscriptions', { as: admin, body });
  return userId;
}
const muteTopic = (user_id: number) =>
  server.services.db
    .insertInto('account_preferences')
    .values({ user_id, topic_id: topic, enabled: 0 })
    .execute();
const remove = (id: number) =>
  server.call('DELETE /api/admin/devices/:id', { as: admin, params: { id } });

/** Everyone whose two results could differ. */
async function createEveryKindOfPerson(): Promise<{ named: number }> {
  const { reachable, silent, failing } = reach();
  for (const state of [reachable, silent, failing])
    await subscribe(await addPerson(`with a device ${names++}`, state));
  await muteTopic(await subscribe(await addPerson('muted', reachable)));
  await subscribe(await addPerson('no device'));
  const named = await addPerson('named, and muted', reachable);
  await muteTopic(await subscribe(named));
  const signedOut = await subscribe(await addPerson('signed out'));
  assert.is((await remove(await addDevice(signedOut))).status, 200);
  const oneOfTwo = await subscribe(await addPerson('one of two'));
  await addDevice(oneOfTwo);
  await remove(await addDevice(oneOfTwo));
  await findGone(await subscribe(await addPerson('gone', reachable)));
  const body = { username: 'pending', role: 'CUSTOMER' } as const;
  const { body: reply } = await server.call('POST /api/admin/users', { as: admin, body });
  await subscribe(reply.user.id);
  return { named };
}

async function findGone(userId: number): Promise<void> {
  await server.sendMessage(admin, { userIds: [userId], message: 'Hello' });
  const settlements = (await claimAll()).map((claim) => ({
    claim,
    state: 'gone' as const,
    reason: 'http-410',
    attempted: true,
  }));
  assert.is(settlements.length, 1);
  await recordOutcomes(server.services.db, settlements, server.clock.now);
}

test('reaches as many people as the audience counts, like the board', async () => {
  const { named } = await createEveryKindOfPerson();
  const body = { topicIds: [topic], userIds: [named] };
  const { body: promised } = await server.call('POST /api/admin/messages/audience', {
    as: admin,
    body,
  });
  assert.equal(promised, {
    people: 10,
    reachable: 5,
    muted: 1,
    unreachable: 4,
    held: 0,
    heldUntil: null,
    canUndo: true,
  });
  const { body: reply } = await server.sendMessage(admin, { ...body, message: 'Power is off' });
  const ledger = await readLedger(reply.messageId);
  const count = (state: string) => ledger.filter((row) => row.state === state).length;
  assert.equal(
    { people: ledger.length, reachable: count('pending'), muted: count('muted') },
    { people: promised.people, reachable: promised.reachable, muted: promised.muted },
  );
  assert.is(count('unreachable'), promised.unreachable);
  assert.is((await readDeliveries(reply.messageId)).length, 5, 'one device each');
  const board = await server.call('GET /api/admin/reach', { as: admin, query: { topic } });
  const { no_device, pending } = board.body.summary;
  assert.is(no_device + pending, promised.unreachable, 'everyone else has a device');
  assert.is(
    Object.values(board.body.summary).reduce((sum, people) => sum + people, 0),
    promised.people,
  );
});

test.run();
