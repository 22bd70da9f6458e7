import * as assert from 'uvu/assert';
import {
  firingAlert,
  createAlertHelpers,
  resolvedAlert,
} from '../../support/incoming-alerts/alert-helpers';
import { MINUTE_MS, notifyAgainAfter } from '../../support/server/escalation';
import { NIGHT, createQuietHoursHelpers } from '../../support/server/quiet-hours';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('messages of resolved alerts');
let alertHelpers: ReturnType<typeof createAlertHelpers>;
let topic: number;
let key: string;
test.before.each(async () => {
  alertHelpers = createAlertHelpers(server);
  topic = await server.createTopic('Pumps');
  key = await alertHelpers.createKey(topic);
});

/** Gives the topic a policy. */
async function addEscalationPolicy(...minutes: number[]): Promise<void> {
  const { body } = await alertHelpers.addPolicy({ steps: minutes.map(notifyAgainAfter) });
  await server.services.db
    .updateTable('topics')
    .set({ policy_id: body.id })
    .where('id', '=', topic)
    .execute();
}

const readOne = async () => (await alertHelpers.readSent())[0]!;

test('shows a message as resolved everywhere, and stops notifying', async () => {
  await addEscalationPolicy(3, 6);
  const person = await alertHelpers.createMember(1, topic);
  await alertHelpers.sendAlerts(key, firingAlert('a'));
  await alertHelpers.acceptAll();
  await alertHelpers.advance(3);
  const { id } = await readOne();
  assert.equal(await alertHelpers.readRounds(id), [[person.id]]);
  server.clock.now += MINUTE_MS;
  await alertHelpers.sendAlerts(key, resolvedAlert('a'));
  assert.is((await readOne()).state, 'resolved');
  const { body } = await server.call('GET /api/admin/messages/:id', {
    as: await alertHelpers.asAdmin(),
    params: { id },
  });
  assert.equal([body.state, body.sender], ['resolved', 'key: Prometheus']);
  const { stopped, stoppedAt, stoppedBy, steps } = await alertHelpers.readEscalation(id);
  assert.equal(
    [stopped, stoppedAt, stoppedBy],
    ['resolved', new Date(server.clock.now).toISOString(), null],
  );
  assert.equal(
    steps.map(({ doneAt }) => doneAt !== null),
    [true, false],
  );
  assert.equal((await alertHelpers.readInbox(person))[0]?.state, 'resolved');
  await alertHelpers.advance(60);
  assert.equal((await alertHelpers.readRounds(id)).length, 1);
  assert.equal(await alertHelpers.readJobs('escalation'), []);
});

test('cancels unsent pushes when the alert ends, and keeps the inbox', async () => {
  const people = [
    await alertHelpers.createMember(1, topic),
    await alertHelpers.createMember(2, topic),
  ];
  await alertHelpers.sendAlerts(key, firingAlert('a'));
  const { id } = await readOne();
  await alertHelpers.sendAlerts(key, resolvedAlert('a'));
  assert.equal(
    (await alertHelpers.readDeliveries(id)).map(({ state, reason }) => [state, reason]),
    Array(3).fill(['skipped', 'cancelled']),
  );
  for (const person of people)
    assert.equal(
      (await alertHelpers.readInbox(person)).map(({ state, readAt }) => [state, readAt]),
      [['resolved', null]],
    );
});

test('drops a held push when its alert ends', async () => {
  server.clock.now = NIGHT;
  const night = createQuietHoursHelpers(server);
  await night.createSleeper(1, topic);
  await alertHelpers.sendAlerts(
    key,
    firingAlert('a', { labels: { alertname: 'Info', severity: 'info' } }),
  );
  const { id } = await readOne();
  assert.equal(
    (await alertHelpers.readLedger(id)).map(({ state }) => state),
    ['held'],
  );
  await alertHelpers.sendAlerts(
    key,
    resolvedAlert('a', { labels: { alertname: 'Info', severity: 'info' } }),
  );
  assert.equal(
    (await alertHelpers.readLedger(id)).map(({ state }) => state),
    ['failed'],
  );
});

test('rejects repeating or canceling a resolved message, and accepts late answers', async () => {
  const person = await alertHelpers.createMember(1, topic);
  await alertHelpers.sendAlerts(key, firingAlert('a'));
  const { id } = await readOne();
  await alertHelpers.sendAlerts(key, resolvedAlert('a'));
  const repeatedResponse = await alertHelpers.notifyAgain(id);
  assert.equal(
    [repeatedResponse.status, repeatedResponse.error],
    [409, 'This message is resolved.'],
  );
  assert.is((await alertHelpers.cancel(id)).status, 409);
  assert.is(await alertHelpers.answer(person, id, 'read'), 200);
  assert.ok((await alertHelpers.readInbox(person))[0]?.readAt);
});

test('stops writing a large message when its alert ends', async () => {
  const crowd = await alertHelpers.createCrowd(5001);
  const own = await alertHelpers.createKey(crowd);
  await alertHelpers.sendAlerts(own, firingAlert('a'));
  await server.jobs.runSome();
  const { id } = await readOne();
  await alertHelpers.sendAlerts(own, resolvedAlert('a'));
  await server.jobs.runDue();
  const writtenCount = (await alertHelpers.readLedger(id)).length;
  assert.ok(writtenCount > 0 && writtenCount < 5001);
  const { state, people } = await readOne();
  assert.equal([state, people.total], ['resolved', writtenCount]);
  const open = (await alertHelpers.readDeliveries(id)).filter((row) => row.state === 'pending');
  assert.is(open.length, 0, 'also of what was written before');
});

test('resolves an alert only in its own topic', async () => {
  const depotTopicId = await server.createTopic('Depot');
  const own = await alertHelpers.createKey(depotTopicId);
  await alertHelpers.sendAlerts(own, firingAlert('a'));
  await alertHelpers.sendAlerts(key, firingAlert('a'), firingAlert('b'));
  assert.is((await alertHelpers.sendAlerts(key, resolvedAlert('a'))).resolved, 1);
  const ongoingAlerts = (await alertHelpers.readAlerts()).filter(
    ({ resolved_at }) => resolved_at === null,
  );
  assert.equal(
    ongoingAlerts.map(({ fingerprint, topic_id }) => [fingerprint, topic_id]),
    [
      ['a', depotTopicId],
      ['b', topic],
    ],
  );
  const open = (await alertHelpers.readSent()).filter(({ state }) => state !== 'resolved');
  assert.equal(open.map(({ topic: of }) => of?.title).sort(), ['Depot', 'Pumps']);
});

test.run();
