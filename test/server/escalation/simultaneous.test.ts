import * as assert from 'uvu/assert';
import type { PolicyStep } from '../../../src/shared/contract';
import { ESCALATION_JOB } from '../../../server/db/jobs/kinds';
import { claimJobs } from '../../../server/db/jobs/jobs';
import { inTransaction } from '../../../server/db/transaction';
import { notifyManyAgain } from '../../../server/messages/escalation-steps/notify-many-again';
import { NO_ROUND } from '../../../server/messages/notify-again';
import {
  MINUTE_MS,
  createEscalationHelpers,
  notifyAgainAfter,
} from '../../support/server/escalation';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('several escalations at once');
let escalation: ReturnType<typeof createEscalationHelpers>;
let people: Person[];
test.before.each(async () => {
  escalation = createEscalationHelpers(server);
  people = [
    await escalation.createMember(1),
    await escalation.createMember(1),
    await escalation.createMember(2),
  ];
});

const idsOf = (some: readonly Person[]): number[] => some.map(({ id }) => id);
const send = (steps: PolicyStep[] = [notifyAgainAfter(1)], quorum: number | null = null) =>
  escalation.sendEscalating(steps, { userIds: idsOf(people) }, quorum);
const errorLines = () => server.log.filter((line) => line.includes('"level":"error"'));

/**
 * Runs everything due a minute later in one transaction.
 * @returns the next due times by id
 */
async function notifyAllAgain(): Promise<Map<string, number | undefined>> {
  server.clock.now += MINUTE_MS;
  const { db, now } = server.services;
  const jobs = await claimJobs(db, {
    kinds: [ESCALATION_JOB],
    now: now(),
    leaseMs: 10_000,
    limit: 30,
  });
  const nextDueTimes = await inTransaction(db, (transaction) =>
    notifyManyAgain(jobs, transaction, server.services),
  );
  return new Map([...nextDueTimes].map(([{ subject }, dueAt]) => [subject, dueAt]));
}

test('runs due steps in one transaction, each for people who have not answered', async () => {
  const [once, twice, other] = [
    await send(),
    await send([notifyAgainAfter(1), notifyAgainAfter(3)]),
    await escalation.sendEscalating([notifyAgainAfter(1), notifyAgainAfter(2)], {
      userIds: [people[2]!.id],
    }),
  ];
  await escalation.acceptAll();
  await escalation.answer(people[0]!, once);
  await escalation.answer(people[1]!, twice);
  const sentAt = server.clock.now;
  const nextDueTimes = await notifyAllAgain();
  assert.equal(
    [nextDueTimes.size, nextDueTimes.get(once), nextDueTimes.get(twice), nextDueTimes.get(other)],
    [3, undefined, sentAt + 3 * MINUTE_MS, sentAt + 2 * MINUTE_MS],
  );
  const [one, two, three] = idsOf(people);
  assert.equal(await escalation.readRounds(once), [[two, three, three]]);
  assert.equal(await escalation.readRounds(twice), [[one, three, three]]);
  assert.equal(await escalation.readRounds(other), [[three, three]]);
  for (const [id, count] of [[once, 2] as const, [twice, 2] as const, [other, 1] as const]) {
    const [step, next] = await escalation.readSteps(id);
    assert.equal([step?.done_at, step?.people], [server.clock.now, count]);
    assert.is(next?.done_at ?? null, null);
    const { rounds, written_to } = await escalation.readMessageRow(id);
    assert.equal([rounds, written_to], [1, NO_ROUND]);
  }
  const timelines = [once, twice, other].map(escalation.readEscalation);
  assert.equal(
    (await Promise.all(timelines)).map(({ steps }) => steps.map(({ people: some }) => some)),
    [[2], [2, null], [1, null]],
    'each has its own timeline',
  );
});

test('skips answered, canceled and ended messages among due ones', async () => {
  const ends = new Date(server.clock.now + MINUTE_MS + 4000).toISOString();
  const [answered, enough, canceled, ended, unanswered] = [
    await send(),
    await send([notifyAgainAfter(1)], 1),
    await send(),
    await escalation.sendEscalating([notifyAgainAfter(1)], {
      userIds: idsOf(people),
      expiresAt: ends,
    }),
    await send(),
  ];
  await escalation.acceptAll();
  const { db } = server.services;
  // As people answer whose message stops at its next step.
  const answer = (message_id: string, some: Person[]) =>
    db
      .updateTable('recipients')
      .set({ acknowledged_at: server.clock.now })
      .where('message_id', '=', message_id)
      .where('user_id', 'in', idsOf(some))
      .execute();
  await answer(answered, people);
  await answer(enough, people.slice(1, 2));
  // This acts as if the message was canceled just after its job was leased.
  await db.updateTable('messages').set({ state: 'cancelled' }).where('id', '=', canceled).execute();
  await escalation.advance(1);
  for (const id of [answered, enough, canceled, ended])
    assert.equal(
      [await escalation.readRounds(id), (await escalation.readMessageRow(id)).rounds],
      [[], 0],
    );
  assert.is((await escalation.readRounds(unanswered))[0]?.length, 4);
  assert.equal(
    [
      (await escalation.readMessageRow(answered)).stopped,
      (await escalation.readMessageRow(enough)).stopped,
    ],
    ['acknowledged', 'quorum'],
  );
  assert.equal([await escalation.readJobs(ESCALATION_JOB), errorLines()], [[], []]);
});

test('runs steps of other kinds alone, in the same turn', async () => {
  const control = await server.createTopic('Control room');
  await escalation.createMember(1, control);
  const [pushes, mails, topics] = [
    await send(),
    await send([{ after: 60, action: 'mail' }]),
    await send([{ after: 60, action: 'notify', topicId: control }]),
  ];
  await escalation.acceptAll();
  assert.equal([...(await notifyAllAgain()).keys()], [pushes]);
  assert.equal(await Promise.all([mails, topics].map(escalation.readRounds)), [[], []]);
  server.clock.now += MINUTE_MS;
  await server.jobs.runDue();
  for (const id of [pushes, mails, topics])
    assert.ok((await escalation.readSteps(id))[0]?.done_at, 'is done');
  assert.equal([await escalation.readJobs(ESCALATION_JOB), errorLines()], [[], []]);
});

test.run();
