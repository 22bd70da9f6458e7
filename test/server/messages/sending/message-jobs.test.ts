import { sql } from 'kysely';
import * as assert from 'uvu/assert';
import { createMessageJobs } from '../../../../server/messages/sending/message-jobs';
import { createAudienceHelpers } from '../../../support/server/audience';
import { eventually } from '../../../support/eventually';
import { onPostgres } from '../../../support/database/database';
import { serverSuite } from '../../../support/server/server';

const { test, server } = serverSuite('writing messages in the background');
let audience: ReturnType<typeof createAudienceHelpers>;
test.before.each(() => void (audience = createAudienceHelpers(server)));

test('writes 12,001 people in the background, in chunks, each once', async () => {
  const { send, createCrowd, readLedger } = audience;
  const topic = await createCrowd(12_001);
  const { body } = await send({ topicIds: [topic] });
  assert.is(
    body.message,
    'Sent to 12001 people. Everyone who enabled notifications on a device is notified now.',
  );
  assert.ok(body.notified);
  const { db } = server.services;
  const read = () => db.selectFrom('messages').selectAll().executeTakeFirstOrThrow();
  const written = async () => (await readLedger(body.messageId)).length;
  assert.equal(
    [(await read()).state, (await read()).people, await written()],
    ['writing', 12_001, 0],
  );
  const steps: unknown[] = [];
  while (await server.jobs.runSome()) steps.push([(await read()).state, await written()]);
  const chunks = Array.from({ length: 12 }, (_, nth) => ['writing', 1000 * (nth + 1)]);
  assert.equal(steps, [...chunks, ['sent', 12_001]]);
  const { rows } = await sql<{ n: number; people: number; least: number; most: number }>`
    select count(*) as n, count(distinct user_id) as people, min(sort_key) as least, max(sort_key) as most from deliveries`.execute(
    db,
  );
  assert.equal(
    [rows[0]!.n, rows[0]!.people, rows[0]!.most - rows[0]!.least],
    [12_001, 12_001, 1_200_000],
    'one push each, in one order',
  );
});

test('writes each person once despite two processes and a crash', async () => {
  const { send, createCrowd, readLedger, readDeliveries } = audience;
  const topic = await createCrowd(5001);
  const { body } = await send({ topicIds: [topic] });
  const secondProcess = createMessageJobs(() => server.services);
  assert.ok(await server.jobs.runSome());
  // Another process died holding the job.
  const { db } = server.services;
  await db
    .updateTable('jobs')
    .set({ claimed_until: server.clock.now + 60_000 })
    .execute();
  assert.not(await secondProcess.runSome(), 'a leased job is not taken twice');
  server.clock.now += 60_001;
  await Promise.all([server.jobs.runDue(), secondProcess.runDue()]);
  await Promise.all([server.jobs.runDue(), secondProcess.runDue()]);
  const rows = await readLedger(body.messageId);
  assert.equal([rows.length, new Set(rows.map(({ user_id }) => user_id)).size], [5001, 5001]);
  assert.ok(rows.every(({ seq, waiting }) => seq === 1 && waiting === 1));
  assert.is((await readDeliveries(body.messageId)).length, 5001);
  assert.equal(await db.selectFrom('jobs').selectAll().execute(), []);
});

test('leaves nothing of a failed chunk, and writes it later', async () => {
  const { send, createCrowd, readLedger } = audience;
  const topic = await createCrowd(5001);
  const { body } = await send({ topicIds: [topic] });
  const { db } = server.services;
  await db.schema.alterTable('deliveries').renameTo('away').execute();
  assert.ok(await server.jobs.runSome());
  await db.schema.alterTable('away').renameTo('deliveries').execute();
  assert.equal(
    [(await readLedger(body.messageId)).length, await server.jobs.runSome()],
    [0, false],
  );
  assert.equal(await db.selectFrom('inboxes').selectAll().execute(), []);
  assert.ok(server.log.some((line) => line.includes('job failed, retrying')));
  server.clock.now += 10_000;
  await server.jobs.runDue();
  assert.is((await readLedger(body.messageId)).length, 5001);
});

test('finds the audience of a scheduled message when it is sent', async () => {
  const { send, createMember, readLedger, readDeliveries } = audience;
  const [first, second] = [await server.createTopic(), await server.createTopic()];
  const leaves = await createMember(1, first);
  const namedPerson = await createMember(1);
  const deletedPerson = await createMember(1);
  const sendAt = new Date(server.clock.now + 3600_000).toISOString();
  const { body } = await send({
    topicIds: [first, second],
    userIds: [namedPerson.id, deletedPerson.id],
    sendAt,
  });
  assert.equal(body.notified, true);
  assert.match(body.message, /^Scheduled\./);
  const { db } = server.services;
  await db.deleteFrom('subscriptions').where('user_id', '=', leaves.id).execute();
  await db.deleteFrom('users').where('id', '=', deletedPerson.id).execute();
  await db.deleteFrom('topics').where('id', '=', first).execute();
  const joins = await createMember(1, second);
  server.clock.now += 3599_999;
  assert.not(await server.jobs.runSome());
  assert.equal(await readLedger(body.messageId), []);
  server.clock.now += 1;
  await server.jobs.runDue();
  assert.equal(
    (await readLedger(body.messageId)).map(({ user_id }) => user_id),
    [namedPerson.id, joins.id],
  );
  const message = await db.selectFrom('messages').selectAll().executeTakeFirstOrThrow();
  assert.equal(
    [message.state, message.people, message.send_at, message.expires_at],
    ['sent', 2, Date.parse(sendAt), Date.parse(sendAt) + 24 * 3600_000],
  );
  assert.equal(
    (await readDeliveries(body.messageId)).map(({ due_at, sort_key }) => [due_at, sort_key]),
    [
      [server.clock.now, server.clock.now],
      [server.clock.now, server.clock.now + 100],
    ],
  );
});

test('keeps a message that is canceled while written for the people it reached', async () => {
  const { send, cancel, createCrowd, readLedger, readDeliveries } = audience;
  const topic = await createCrowd(5001);
  const { body } = await send({ topicIds: [topic] });
  await server.jobs.runSome();
  assert.is((await cancel(body.messageId)).status, 200);
  await server.jobs.runDue();
  const message = await server.services.db
    .selectFrom('messages')
    .selectAll()
    .executeTakeFirstOrThrow();
  assert.equal(
    [message.state, message.people, (await readLedger(body.messageId)).length],
    ['cancelled', 1000, 1000],
  );
  assert.ok((await readDeliveries(body.messageId)).every(({ reason }) => reason === 'cancelled'));
  assert.ok((await readLedger(body.messageId)).every(({ waiting }) => waiting === 0));
  assert.equal(await server.services.db.selectFrom('jobs').selectAll().execute(), []);
});

test('writes due messages by itself until stopped', async () => {
  const { send, createMember, readLedger } = audience;
  const person = await createMember(1);
  const sendAt = new Date(server.clock.now + 60_000).toISOString();
  const { body } = await send({ userIds: [person.id], sendAt });
  server.jobs.start();
  server.clock.now += 60_000;
  server.jobs.wake();
  await eventually(
    async () => (await readLedger(body.messageId)).length === 1,
    'the message to be written',
  );
  await server.jobs.stop();
  const laterResponse = await send({
    userIds: [person.id],
    sendAt: new Date(server.clock.now + 1).toISOString(),
  });
  server.clock.now += 60_000;
  server.jobs.wake();
  assert.equal(await readLedger(laterResponse.body.messageId), []);
});

// SQLite has one writer, so no user is deleted during a send.
if (onPostgres)
  test('retries a send or chunk when a person is deleted during it', async () => {
    const { send, createMember, readLedger, createCrowd } = audience;
    const { db } = server.services;
    await sql`create sequence tries`.execute(db);
    await sql`create function fail_at_odd() returns trigger language plpgsql as $$ begin
      if nextval('tries') % 2 = 1 then raise foreign_key_violation; end if; return null; end $$`.execute(
      db,
    );
    await sql`create trigger fail before insert on inboxes for each statement execute function fail_at_odd()`.execute(
      db,
    );
    const person = await createMember(1);
    const { status, body } = await send({ userIds: [person.id] });
    assert.equal([status, (await readLedger(body.messageId)).length], [202, 1]);
    const crowd = await send({ topicIds: [await createCrowd(5001)] });
    await server.jobs.runDue();
    assert.is((await readLedger(crowd.body.messageId)).length, 5001);
    assert.not(server.log.some((line) => line.includes('job failed')));
  });

test.run();
