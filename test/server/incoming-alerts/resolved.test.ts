import * as assert from 'uvu/assert';
import { firing, createHookCalls, resolved } from '../../support/hooks/hooks';
import { MINUTE_MS, notifyAgainAfter } from '../../support/server/escalating';
import { NIGHT, createQuietHoursHelpers } from '../../support/server/quiet';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('messages of resolved alerts');
let stage: ReturnType<typeof createHookCalls>;
let topic: number;
let key: string;
test.before.each(async () => {
  stage = createHookCalls(server);
  topic = await server.makeTopic('Pumps');
  key = await stage.makeKey(topic);
});

/** Gives the topic a policy. */
async function escalate(...minutes: number[]): Promise<void> {
  const { body } = await stage.addPolicy({ steps: minutes.map(notifyAgainAfter) });
  await server.services.db
    .updateTable('topics')
    .set({ policy_id: body.id })
    .where('id', '=', topic)
    .execute();
}

const readOne = async () => (await stage.readSent())[0]!;

test('shows a message as resolved everywhere, and stops notifying', async () => {
  await escalate(3, 6);
  const person = await stage.makeMember(1, topic);
  await stage.tell(key, firing('a'));
  await stage.acceptAll();
  await stage.pass(3);
  const { id } = await readOne();
  assert.equal(await stage.readRounds(id), [[person.id]]);
  server.clock.now += MINUTE_MS;
  await stage.tell(key, resolved('a'));
  assert.is((await readOne()).state, 'resolved');
  const { body } = await server.call('GET /api/admin/messages/:id', {
    as: await stage.asAdmin(),
    params: { id },
  });
  assert.equal([body.state, body.sender], ['resolved', 'key: Prometheus']);
  const { stopped, stoppedAt, stoppedBy, steps } = await stage.readEscalation(id);
  assert.equal(
    [stopped, stoppedAt, stoppedBy],
    ['resolved', new Date(server.clock.now).toISOString(), null],
  );
  assert.equal(
    steps.map(({ doneAt }) => doneAt !== null),
    [true, false],
  );
  assert.equal((await stage.readInbox(person))[0]?.state, 'resolved');
  await stage.pass(60);
  assert.equal((await stage.readRounds(id)).length, 1);
  assert.equal(await stage.readJobs('escalation'), []);
});

test('cancels unsent pushes when the alert ends, and keeps the inbox', async () => {
  const people = [await stage.makeMember(1, topic), await stage.makeMember(2, topic)];
  await stage.tell(key, firing('a'));
  const { id } = await readOne();
  await stage.tell(key, resolved('a'));
  assert.equal(
    (await stage.readDeliveries(id)).map(({ state, reason }) => [state, reason]),
    Array(3).fill(['skipped', 'cancelled']),
  );
  for (const person of people)
    assert.equal(
      (await stage.readInbox(person)).map(({ state, readAt }) => [state, readAt]),
      [['resolved', null]],
    );
});

test('drops a held push when its alert ends', async () => {
  server.clock.now = NIGHT;
  const night = createQuietHoursHelpers(server);
  await night.makeSleeper(1, topic);
  await stage.tell(key, firing('a', { labels: { alertname: 'Info', severity: 'info' } }));
  const { id } = await readOne();
  assert.equal(
    (await stage.readLedger(id)).map(({ state }) => state),
    ['held'],
  );
  await stage.tell(key, resolved('a', { labels: { alertname: 'Info', severity: 'info' } }));
  assert.equal(
    (await stage.readLedger(id)).map(({ state }) => state),
    ['failed'],
  );
});

test('rejects repeating or canceling a resolved message, and accepts late answers', async () => {
  const person = await stage.makeMember(1, topic);
  await stage.tell(key, firing('a'));
  const { id } = await readOne();
  await stage.tell(key, resolved('a'));
  const repeatedResponse = await stage.repeat(id);
  assert.equal(
    [repeatedResponse.status, repeatedResponse.error],
    [409, 'This message is resolved.'],
  );
  assert.is((await stage.cancel(id)).status, 409);
  assert.is(await stage.answer(person, id, 'read'), 200);
  assert.ok((await stage.readInbox(person))[0]?.readAt);
});

test('stops writing a large message when its alert ends', async () => {
  const crowd = await stage.makeCrowd(5001);
  const own = await stage.makeKey(crowd);
  await stage.tell(own, firing('a'));
  await server.writing.runSome();
  const { id } = await readOne();
  await stage.tell(own, resolved('a'));
  await server.writing.runDue();
  const writtenCount = (await stage.readLedger(id)).length;
  assert.ok(writtenCount > 0 && writtenCount < 5001);
  const { state, people } = await readOne();
  assert.equal([state, people.total], ['resolved', writtenCount]);
  const open = (await stage.readDeliveries(id)).filter((row) => row.state === 'pending');
  assert.is(open.length, 0, 'also of what was written before');
});

test('resolves an alert only in its own topic', async () => {
  const other = await server.makeTopic('Depot');
  const own = await stage.makeKey(other);
  await stage.tell(own, firing('a'));
  await stage.tell(key, firing('a'), firing('b'));
  assert.is((await stage.tell(key, resolved('a'))).resolved, 1);
  const ongoingAlerts = (await stage.readAlerts()).filter(
    ({ resolved_at }) => resolved_at === null,
  );
  assert.equal(
    ongoingAlerts.map(({ fingerprint, topic_id }) => [fingerprint, topic_id]),
    [
      ['a', other],
      ['b', topic],
    ],
  );
  const open = (await stage.readSent()).filter(({ state }) => state !== 'resolved');
  assert.equal(open.map(({ topic: of }) => of?.title).sort(), ['Depot', 'Pumps']);
});

test.run();
