import * as assert from 'uvu/assert';
import { readToken } from '../../../server/http/access/session';
import { createReceiptQueue } from '../../../server/inbox/receipt-queue';
import { createMessageJobs } from '../../../server/messages/sending/message-jobs';
import {
  MINUTE_MS,
  createEscalationHelpers,
  notifyAgainAfter,
} from '../../support/server/escalation';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('escalation races');

test('neither misses a person nor notifies one after their answer, in any order', async () => {
  const escalation = createEscalationHelpers(server);
  const { db } = server.services;
  const people = await Promise.all(Array.from({ length: 12 }, () => escalation.createMember(1)));
  const userIds = people.map(({ id }) => id);
  const ids: string[] = [];
  for (let nth = 0; nth < 24; nth += 1)
    ids.push(
      await escalation.sendEscalating([notifyAgainAfter(1)], { userIds }, nth % 3 === 0 ? 6 : null),
    );
  await escalation.acceptAll();
  server.clock.now += MINUTE_MS;
  const otherWriters = [1, 2].map(() => createMessageJobs(() => server.services));
  /** The newest push of each person when their answer was recorded. */
  const lastPushAtAnswer = new Map<string, number>();
  const lastPush = async (messageId: string, userId: number): Promise<number> =>
    (
      await db
        .selectFrom('deliveries')
        .where('message_id', '=', messageId)
        .where('user_id', '=', userId)
        .select(({ fn }) => fn.max<number>('id').as('last'))
        .executeTakeFirstOrThrow()
    ).last;
  await Promise.all([
    ...otherWriters.map((jobs) => jobs.runDue()),
    ...ids.flatMap((id) =>
      people.slice(0, 8).map(async (person) => {
        assert.is(await escalation.answer(person, id), 200);
        lastPushAtAnswer.set(`${id} ${person.id}`, await lastPush(id, person.id));
      }),
    ),
  ]);
  await Promise.all(otherWriters.map((jobs) => jobs.runDue()));
  for (const id of ids) {
    const [step] = await escalation.readSteps(id);
    const [notified = []] = await escalation.readRounds(id);
    const { stopped } = await escalation.readMessageRow(id);
    assert.is(notified.length, new Set(notified).size, 'twice');
    assert.is(
      step?.done_at === null,
      stopped === 'quorum' && notified.length === 0,
      'done or stopped',
    );
    if (step?.done_at !== null)
      for (const { id: userId } of people.slice(8)) assert.ok(notified.includes(userId), 'missed');
    assert.is(step?.people ?? 0, notified.length);
    for (const { id: userId } of people.slice(0, 8))
      assert.is(
        await lastPush(id, userId),
        lastPushAtAnswer.get(`${id} ${userId}`),
        'after the answer',
      );
  }
  assert.equal(await escalation.readJobs('escalation'), []);
  assert.equal(
    server.log.filter((line) => line.includes('"level":"error"')),
    [],
  );
});

test('stops once when two processes record the last two answers', async () => {
  const escalation = createEscalationHelpers(server);
  const people = [await escalation.createMember(1), await escalation.createMember(1)];
  const records = people.map(() => createReceiptQueue(server.services));
  const userIds = people.map(({ id }) => id);
  for (let nth = 0; nth < 20; nth += 1) {
    const messageId = await escalation.sendEscalating([notifyAgainAfter(1)], { userIds });
    const receipts = [{ messageId, kind: 'acknowledged', answer: 'Got it' } as const];
    await Promise.all(
      people.map(async ({ token }, index) =>
        records[index]!({
          claimed: { session: await readToken(`Bearer ${token}`, server.services) },
          receipts,
          at: server.clock.now,
        }),
      ),
    );
    assert.is(
      (await escalation.readMessageRow(messageId)).stopped,
      'acknowledged',
      `message ${nth}`,
    );
  }
});

test('runs a step once although its lease expired', async () => {
  const escalation = createEscalationHelpers(server);
  const person = await escalation.createMember(1);
  const id = await escalation.sendEscalating([notifyAgainAfter(1), notifyAgainAfter(2)], {
    userIds: [person.id],
  });
  await escalation.acceptAll();
  server.clock.now += MINUTE_MS;
  await server.jobs.runDue();
  // The job as another process knows it that had leased it before.
  await server.services.db.updateTable('jobs').set({ due_at: 0, claimed_until: null }).execute();
  await escalation.acceptAll();
  await server.jobs.runDue();
  assert.equal(await escalation.readRounds(id), [[person.id]]);
  assert.equal(
    (await escalation.readJobs('escalation')).map(({ due_at }) => due_at),
    [server.clock.now + MINUTE_MS],
  );
});

test.run();
