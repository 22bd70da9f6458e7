import * as assert from 'uvu/assert';
import { expireRows } from '../../../../server/db/outbox/maintenance';
import { recordOutcomes } from '../../../../server/db/outbox/outcomes';
import type { SentMessage } from '../../../../src/shared/contract';
import { SHOWN_STATES, countStates, ledgerStates } from '../../../../src/shared/recipient-states';
import { HOUR_MS, NIGHT, createQuietHoursHelpers } from '../../../support/server/quiet-hours';
import type { Person } from '../../../support/server/server';
import { serverSuite } from '../../../support/server/server';

const { test, server } = serverSuite('states of recipients');
let quietHours: ReturnType<typeof createQuietHoursHelpers>;
let admin: Person;
test.before.each(async () => {
  server.clock.now = NIGHT;
  quietHours = createQuietHoursHelpers(server);
  admin = await server.createPerson('ADMIN');
});

const read = async (id: string): Promise<SentMessage> =>
  (await server.call('GET /api/admin/messages/:id', { as: admin, params: { id } })).body;
const list = async (id: string, state: string) =>
  (
    await server.call('GET /api/admin/messages/:id/recipients', {
      as: admin,
      params: { id },
      query: { state },
    })
  ).body;
const countListed = async (id: string, state: string): Promise<number> =>
  (await list(id, state)).total;
const failuresOf = async (id: string) =>
  (await list(id, 'failed')).recipients.map(({ failure }) => failure);

/** Like `answered 1, failed 2`. Fails if they don't sum to the people or differ from the lists. */
async function statesOf(id: string): Promise<string> {
  const { people, expiresAt } = await read(id);
  const hasEnded = Date.parse(expiresAt) <= server.clock.now;
  const counts = countStates(people, hasEnded);
  const sum = Object.values(counts).reduce((one, other) => one + other);
  assert.is(sum, people.total);
  for (const state of SHOWN_STATES)
    assert.is(await countListed(id, ledgerStates(state, hasEnded).join()), counts[state], state);
  return SHOWN_STATES.flatMap((state) => (counts[state] ? `${state} ${counts[state]}` : [])).join();
}
const report = (as: Person, receipt: object) => server.sendReceipts(as, [receipt as never]);

/** One person per situation: two with a phone, one asleep, one muted, one without a device. */
async function sendToAll(): Promise<[id: string, ada: Person, bo: Person]> {
  const topic = await server.createTopic();
  const [ada, bo] = [
    await quietHours.createMember(2, topic),
    await quietHours.createMember(1, topic),
  ];
  await quietHours.createSleeper(1, topic);
  await quietHours.muteTopic(await quietHours.createMember(1, topic), topic);
  await quietHours.createMember(0, topic);
  const id = await quietHours.sendInfo({
    topicIds: [topic],
    answers: ['Yes'],
    expiresAt: new Date(NIGHT + HOUR_MS).toISOString(),
  });
  return [id, ada, bo];
}

test('counts each person in exactly one state at every moment', async () => {
  const [id, ada, bo] = await sendToAll();
  const statesAfterEachStep = [await statesOf(id)];
  const [firstPush, ...othersPushes] = await quietHours.claimAll();
  const { db, now } = server.services;
  const accepted = { claim: firstPush!, state: 'accepted', reason: null, attempted: true } as const;
  await recordOutcomes(db, [accepted], now());
  statesAfterEachStep.push(await statesOf(id));
  const end = (state: 'accepted' | 'failed') =>
    recordOutcomes(
      db,
      othersPushes.map((claim) => ({ claim, state, reason: null, attempted: true })),
      now(),
    );
  await end('failed');
  statesAfterEachStep.push(await statesOf(id));
  await report(ada, { messageId: id, kind: 'displayed' });
  statesAfterEachStep.push(await statesOf(id));
  await report(ada, { messageId: id, kind: 'read' });
  await report(bo, { messageId: id, kind: 'read' });
  statesAfterEachStep.push(await statesOf(id));
  await report(ada, { messageId: id, kind: 'acknowledged', answer: 'Yes' });
  statesAfterEachStep.push(await statesOf(id));
  assert.equal(statesAfterEachStep, [
    'on_its_way 3,not_reachable 1,muted 1',
    'accepted 1,on_its_way 2,not_reachable 1,muted 1',
    'accepted 1,on_its_way 1,failed 1,not_reachable 1,muted 1',
    'displayed 1,on_its_way 1,failed 1,not_reachable 1,muted 1',
    'read 2,on_its_way 1,not_reachable 1,muted 1',
    'answered 1,read 1,on_its_way 1,not_reachable 1,muted 1',
  ]);
});

test('counts pushes as failed that were unsent at expiry or canceled', async () => {
  const [expired] = await sendToAll();
  const [canceled] = await sendToAll();
  await quietHours.cancel(canceled);
  assert.is(await statesOf(canceled), 'failed 3,not_reachable 1,muted 1');
  // A held recipient had no push that could end.
  assert.equal(await failuresOf(canceled), ['cancelled', 'cancelled', undefined]);
  server.clock.now += HOUR_MS;
  await expireRows(server.services.db, server.clock.now);
  assert.is(await statesOf(expired), 'failed 3,not_reachable 1,muted 1');
  assert.equal(await failuresOf(expired), ['expired', 'expired']);
});

test('shows why the last push of a recipient failed', async () => {
  const [id] = await sendToAll();
  const { db, now } = server.services;
  for (const [nth, claim] of (await quietHours.claimAll()).entries()) {
    const state = (['failed', 'gone', 'failed'] as const)[nth]!;
    await recordOutcomes(db, [{ claim, state, reason: '400', attempted: true }], now() + nth);
  }
  assert.equal((await failuresOf(id)).sort(), ['gone', 'refused']);
});

test('counts people of a large message as on their way while it is written', async () => {
  const topic = await quietHours.createCrowd(5001);
  const { body } = await quietHours.send({ topicIds: [topic] });
  const countOnTheirWay = async () =>
    countStates((await read(body.messageId)).people, false).on_its_way;
  assert.is(await countOnTheirWay(), 5001);
  await server.jobs.runSome();
  assert.is(await countOnTheirWay(), 5001);
  await server.jobs.runDue();
  assert.is(await statesOf(body.messageId), 'on_its_way 5001');
});

test('filters people who may still answer with not_answered, in list and export', async () => {
  const [id, ada, bo] = await sendToAll();
  await report(ada, { messageId: id, kind: 'acknowledged', answer: 'Yes' });
  assert.is(await countListed(id, 'not_answered'), 2);
  assert.is(await countListed(id, 'not_answered,acknowledged'), 3);
  const file = (state: string) =>
    server.request(`/api/admin/messages/${id}/recipients.csv?state=${state}`, {
      headers: { Authorization: `Bearer ${admin.token}` },
    });
  const lines = (await (await file('not_answered')).text()).split('\r\n');
  assert.equal(
    [lines.length, lines[1]?.split(',').slice(0, 3)],
    [4, [bo.username, 'TECHNICIAN', 'pending']],
  );
  assert.is((await file('unanswered')).status, 400);
});

test.run();
