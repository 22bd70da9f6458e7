import { sql } from 'kysely';
import * as assert from 'uvu/assert';
import { QUIET_JOB } from '../../../../server/db/jobs/kinds';
import { claimJobs } from '../../../../server/db/jobs/jobs';
import { recordOutcomes } from '../../../../server/db/outbox/outcomes';
import type { RecipientRow } from '../../../../server/db/schema';
import { createMessageJobs } from '../../../../server/messages/sending/message-jobs';
import { eventually } from '../../../support/eventually';
import {
  HOUR_MS,
  MORNING,
  NIGHT,
  daily,
  createQuietHoursHelpers,
} from '../../../support/server/quiet-hours';
import { serverSuite } from '../../../support/server/server';

const { test, server } = serverSuite('the end of quiet hours');
let quietHours: ReturnType<typeof createQuietHoursHelpers>;
test.before.each(() => {
  server.clock.now = NIGHT;
  quietHours = createQuietHoursHelpers(server);
});

const wakeUp = async (at = MORNING): Promise<void> => {
  server.clock.now = at;
  await server.jobs.runDue();
};
const stateOf = async (id: string, nth = 0): Promise<RecipientRow['state']> =>
  (await quietHours.readLedger(id))[nth]!.state;
const readDigests = () =>
  server.services.db.selectFrom('messages').selectAll().where('kind', '=', 'digest').execute();
/** Due pushes in the order of the outbox. */
const listPushes = async () =>
  (await quietHours.claimAll()).map(({ message, recipient }) => [message.id, recipient?.userId]);

test('sends a single held message itself, on all devices, exactly when quiet hours end', async () => {
  const { createSleeper, sendInfo, readDeliveries, readLedger } = quietHours;
  const person = await createSleeper(2);
  const id = await sendInfo({ userIds: [person.id], title: 'Meters' });
  await wakeUp(MORNING - 1);
  assert.is(await stateOf(id), 'held');
  const woken = server.countPushWorkerWakes();
  await wakeUp();
  assert.ok(server.countPushWorkerWakes() > woken, 'it leaves at once');
  const [row] = await readLedger(id);
  assert.equal([row!.state, row!.devices, row!.waiting, row!.digest_id], ['pending', 2, 2, null]);
  assert.equal(
    (await readDeliveries(id)).map(({ round, due_at, sort_key }) => [round, due_at, sort_key]),
    [
      [0, MORNING, MORNING],
      [0, MORNING, MORNING + 100],
    ],
  );
  assert.equal(await quietHours.readJobs(), []);
  assert.equal(await readDigests(), []);
  await quietHours.acceptAll();
  assert.is(await stateOf(id), 'accepted');
  await wakeUp(MORNING + HOUR_MS);
  assert.is((await readDeliveries(id)).length, 2);
});

test('combines several into a digest with count and topics that opens the inbox', async () => {
  const { createSleeper, sendInfo, readDeliveries, readLedger } = quietHours;
  const topic = await server.createTopic('Outages');
  const person = await createSleeper(2, topic);
  const ids = [
    await sendInfo({ topicIds: [topic] }),
    await sendInfo({ userIds: [person.id], title: 'Meters' }),
    await sendInfo({ topicIds: [topic] }),
  ];
  await wakeUp();
  const { db } = server.services;
  await db
    .updateTable('recipients')
    .set({ read_at: MORNING })
    .where('message_id', '=', ids[0]!)
    .execute();
  const claims = await quietHours.claimAll();
  const [{ message, recipient }] = claims as [(typeof claims)[0]];
  assert.equal(
    [message.title, message.text, message.link, message.priority, message.sentAt],
    ['3 messages during your quiet hours', 'Outages, Meters', '/messages', 'info', MORNING],
  );
  assert.is(message.expiresAt, NIGHT + 24 * HOUR_MS);
  assert.equal([recipient!.seq, recipient!.unread, recipient!.userId], [0, 2, person.id]);
  assert.equal([claims.length, message.isDigest, message.answers], [2, true, []]);
  for (const id of ids) {
    const [row] = await readLedger(id);
    assert.equal([row!.state, row!.devices, row!.waiting], ['pending', 2, 2]);
    assert.equal([row!.digest_id, await readDeliveries(id)], [message.id, []]);
  }
});

test('keeps a digest valid as long as its last message', async () => {
  const { createSleeper, sendInfo } = quietHours;
  const person = await createSleeper(1);
  const ends = [MORNING + 2 * HOUR_MS, MORNING + 5 * HOUR_MS, MORNING + 3 * HOUR_MS];
  for (const end of ends)
    await sendInfo({ userIds: [person.id], expiresAt: new Date(end).toISOString() });
  await wakeUp();
  assert.is((await readDigests())[0]!.expires_at, MORNING + 5 * HOUR_MS);
});

test('applies the outcome of a digest to all its messages', async () => {
  const { createSleeper, sendInfo, readLedger } = quietHours;
  const [notifiedPerson, lostPerson] = [await createSleeper(2), await createSleeper(1)];
  const audience = { userIds: [notifiedPerson.id, lostPerson.id] };
  const ids = [await sendInfo(audience), await sendInfo(audience)];
  await wakeUp();
  const { db } = server.services;
  // This device is deleted before the push service answers.
  await db.deleteFrom('devices').where('user_id', '=', lostPerson.id).execute();
  const claims = await quietHours.claimAll();
  assert.is(claims.length, 3);
  await recordOutcomes(
    db,
    claims.map((claim) => ({
      claim,
      state: claim.recipient === undefined ? ('skipped' as const) : ('accepted' as const),
      reason: null,
      attempted: true,
    })),
    server.clock.now,
  );
  for (const id of ids)
    assert.equal(
      (await readLedger(id)).map(({ state, waiting }) => [state, waiting]),
      [
        ['accepted', 0],
        ['failed', 0],
      ],
    );
});

test('drops messages that were canceled, expired or read meanwhile', async () => {
  const { createSleeper, sendInfo, cancel } = quietHours;
  const person = await createSleeper(1);
  const audience = { userIds: [person.id] };
  const ends = await sendInfo({ ...audience, expiresAt: new Date(MORNING).toISOString() });
  const read = await sendInfo(audience);
  const canceled = await sendInfo(audience);
  const notifying = await sendInfo(audience);
  assert.is((await quietHours.readHours(person)).waiting, 4);
  assert.is((await cancel(canceled)).status, 200);
  assert.is(await stateOf(canceled), 'failed', 'at once');
  await server.sendReceipts(person, [{ messageId: read, kind: 'read' }]);
  assert.is((await quietHours.readHours(person)).waiting, 2);
  await wakeUp();
  assert.equal(await Promise.all([ends, read, canceled, notifying].map((id) => stateOf(id))), [
    'failed',
    'failed',
    'failed',
    'pending',
  ]);
  assert.equal(await listPushes(), [[notifying, person.id]]);
  assert.equal((await quietHours.readMessage(ends)).people.held, 0);
});

test('does not send held messages of muted or unsubscribed topics, unless they name the person', async () => {
  const { createSleeper, sendInfo, muteTopic } = quietHours;
  const [off, left, stays] = [
    await server.createTopic(),
    await server.createTopic(),
    await server.createTopic(),
  ];
  const person = await createSleeper(1, off, left, stays);
  const quiet = await createSleeper(1, off);
  const ids = [
    await sendInfo({ topicIds: [off] }),
    await sendInfo({ topicIds: [left] }),
    await sendInfo({ topicIds: [off, stays] }),
    await sendInfo({ topicIds: [off], userIds: [person.id] }),
  ];
  await muteTopic(person, off);
  await muteTopic(quiet, off);
  const { db } = server.services;
  await db.deleteFrom('subscriptions').where('topic_id', '=', left).execute();
  await wakeUp();
  assert.equal(await Promise.all(ids.map((id) => stateOf(id))), [
    'muted',
    'muted',
    'pending',
    'pending',
  ]);
  assert.is(await stateOf(ids[0]!, 1), 'muted', 'also for a person whom nothing else notifies');
  assert.is((await readDigests())[0]!.title, '2 messages during your quiet hours');
});

test('sends to the devices of the morning, except where everything is muted', async () => {
  const { createSleeper, sendInfo } = quietHours;
  const topic = await server.createTopic();
  const person = await createSleeper(1, topic);
  const { db } = server.services;
  await sendInfo({ topicIds: [topic] });
  await sendInfo({ topicIds: [topic] });
  await db.deleteFrom('devices').execute();
  await quietHours.addDevice(person);
  const { id: device } = await db.selectFrom('devices').select('id').executeTakeFirstOrThrow();
  await db
    .insertInto('devices')
    .values({
      ...{ user_id: person.id, token: 'off', token_hash: 'off', type: 'web', user_agent: '' },
      ...{ created_at: 0, last_seen_at: 0 },
    })
    .execute();
  await sql`insert into device_preferences (device_id, topic_id, enabled)
    select id, ${topic}, 0 from devices where token = 'off'`.execute(db);
  await wakeUp();
  const claims = await quietHours.claimAll();
  assert.equal(
    claims.map(({ recipient }) => recipient?.deviceId),
    [device],
  );
});

test('moves the end when quiet hours change, and sends at once when they are removed', async () => {
  const { createSleeper, sendInfo, saveHours, readJobs } = quietHours;
  const [person, otherPerson] = [await createSleeper(1), await createSleeper(1)];
  const id = await sendInfo({ userIds: [person.id, otherPerson.id] });
  assert.is((await saveHours(person, [daily('22:00', '08:00')])).body.waiting, 1);
  assert.equal(await readJobs(), [
    [person.id, MORNING + 2 * HOUR_MS],
    [otherPerson.id, MORNING],
  ]);
  await wakeUp();
  assert.equal([await stateOf(id), await stateOf(id, 1)], ['held', 'pending']);
  const woken = server.wakeCounts.jobs;
  await saveHours(person, []);
  assert.is(server.wakeCounts.jobs, woken + 1, 'at once');
  await wakeUp();
  assert.is(await stateOf(id), 'pending');
  assert.equal(await listPushes(), [
    [id, otherPerson.id],
    [id, person.id],
  ]);
});

test('sends once despite two processes, a crash and a second attempt', async () => {
  const { createSleepers, sendInfo, readLedger } = quietHours;
  const topic = await createSleepers(120);
  const ids = [await sendInfo({ topicIds: [topic] }), await sendInfo({ topicIds: [topic] })];
  server.clock.now = MORNING;
  const { db } = server.services;
  // One process died while it held twenty jobs.
  const dead = await claimJobs(db, {
    kinds: [QUIET_JOB],
    now: MORNING,
    leaseMs: 10_000,
    limit: 20,
  });
  assert.is(dead.length, 20);
  const secondProcess = createMessageJobs(() => server.services);
  await Promise.all([server.jobs.runDue(), secondProcess.runDue()]);
  assert.is((await readDigests()).length, 100);
  server.clock.now += 10_001;
  // The process was only slow: its lease expired, and another process has the jobs, too.
  await Promise.all([server.jobs.runDue(), secondProcess.runDue(), secondProcess.runDue()]);
  assert.is((await readDigests()).length, 120);
  const rows = (await Promise.all(ids.map(readLedger))).flat();
  assert.ok(rows.every(({ state, digest_id }) => state === 'pending' && digest_id !== null));
  const pushes = await quietHours.claimAll();
  assert.is(new Set(pushes.map(({ recipient }) => recipient!.userId)).size, 120);
  assert.is(pushes.length, 120);
  assert.equal(await quietHours.readJobs(), []);
});

test('notices the end of quiet hours by itself', async () => {
  const person = await quietHours.createSleeper(1);
  const id = await quietHours.sendInfo({ userIds: [person.id] });
  server.clock.now = MORNING;
  server.jobs.start();
  await eventually(async () => (await stateOf(id)) === 'pending', 'the quiet hours to end');
  await server.jobs.stop();
});

test('hides digests from every list, search, inbox and overview', async () => {
  const { createSleeper, sendInfo, cancel, notifyAgain } = quietHours;
  const person = await createSleeper(1);
  const audience = { userIds: [person.id], answers: ['Got it'] };
  const ids = [await sendInfo(audience), await sendInfo(audience)];
  await wakeUp();
  const id = (await readDigests())[0]!.id;
  const as = await server.createPerson('ADMIN');
  const listMessages = async (query: Record<string, string>) =>
    (await server.call('GET /api/admin/messages', { as, query })).body;
  const list = await listMessages({});
  assert.equal(
    [list.total, list.messages.map((message) => message.id).sort()],
    [2, [...ids].sort()],
  );
  assert.is((await listMessages({ query: 'during your quiet hours' })).total, 0);
  assert.equal(list.messages[0]!.people.total, 1);
  const params = { id };
  const statuses = [
    await server.call('GET /api/admin/messages/:id', { as, params }),
    await server.call('GET /api/admin/messages/:id/recipients', { as, params }),
    await server.call('GET /api/admin/messages/:id/escalation', { as, params }),
    await server.call('GET /api/notifications/messages/:id', { as: person, params }),
    await cancel(id),
    await notifyAgain(id),
  ].map(({ status }) => status);
  assert.equal(statuses, Array(6).fill(404));
  const csv = await server.request(`/api/admin/messages/${id}/recipients.csv`, {
    headers: { Authorization: `Bearer ${as.token}` },
  });
  assert.is(csv.status, 404);
  const inbox = await server.call('GET /api/notifications/messages', { as: person });
  assert.equal([inbox.body.unread, inbox.body.newest, inbox.body.messages.length], [2, 2, 2]);
  const overview = (await server.call('GET /api/admin/overview', { as })).body;
  assert.equal(overview.messages.map((message) => message.id).sort(), [...ids].sort());
});

test.run();
