import * as assert from 'uvu/assert';
import {
  MINUTE_MS,
  createEscalationHelpers,
  notifyAgainAfter,
} from '../../support/server/escalation';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('escalation steps');
let escalation: ReturnType<typeof createEscalationHelpers>;
test.before.each(() => void (escalation = createEscalationHelpers(server)));

test('notifies people who have not answered again at each step', async () => {
  const { createMember, sendEscalating, acceptAll, answer, advance, readRounds, readEscalation } =
    escalation;
  const [quick, slow, never] = [
    await createMember(1),
    await createMember(1),
    await createMember(2),
  ];
  const userIds = [quick.id, slow.id, never.id];
  const id = await sendEscalating([notifyAgainAfter(3), notifyAgainAfter(6)], { userIds });
  const sentAt = server.clock.now;
  await acceptAll();
  await answer(quick, id);
  await advance(2.9);
  assert.equal(await readRounds(id), []);
  await advance(0.1);
  assert.equal(await readRounds(id), [[slow.id, never.id, never.id]]);
  await answer(slow, id);
  await advance(3);
  assert.equal((await readRounds(id))[1], [never.id, never.id]);
  const time = (minutes: number): string => new Date(sentAt + minutes * MINUTE_MS).toISOString();
  const ring = { action: 'repeat', topic: null, by: null, messageId: null } as const;
  const accepted = (people: number) => ({
    ...{ people, done: people, failed: 0, notPossible: 0, notNeeded: 0, waiting: 0, unknown: 0 },
    reasons: [],
  });
  const { policy, ...rest } = await readEscalation(id);
  assert.equal(policy?.steps, [notifyAgainAfter(3), notifyAgainAfter(6)]);
  assert.equal(rest, {
    stopped: null,
    stoppedAt: null,
    stoppedBy: null,
    steps: [
      { ...ring, dueAt: time(3), doneAt: time(3), people: 2, outcome: accepted(2) },
      { ...ring, dueAt: time(6), doneAt: time(6), people: 1, outcome: accepted(1) },
    ],
  });
  assert.equal(await escalation.readJobs('escalation'), [], 'nothing is left to do');
});

test('stops at the last answer, and names its person', async () => {
  const { createMember, sendEscalating, acceptAll, answer, advance, readRounds, readEscalation } =
    escalation;
  const [firstPerson, lastPerson] = [await createMember(1), await createMember(1)];
  const expiresAt = new Date(server.clock.now + 90 * MINUTE_MS).toISOString();
  const id = await sendEscalating([notifyAgainAfter(3)], {
    userIds: [firstPerson.id, lastPerson.id],
    expiresAt,
  });
  await acceptAll();
  assert.is(await answer(firstPerson, id), 200);
  assert.is((await readEscalation(id)).stopped, null);
  await answer(lastPerson, id, 'read');
  assert.is((await readEscalation(id)).stopped, null, 'an answer is asked for');
  server.clock.now += MINUTE_MS;
  await answer(lastPerson, id);
  const { stopped, stoppedAt, stoppedBy, steps } = await readEscalation(id);
  assert.equal(
    [stopped, stoppedAt, stoppedBy],
    ['acknowledged', new Date(server.clock.now).toISOString(), lastPerson.username],
  );
  assert.equal([steps[0]?.doneAt, steps[0]?.people], [null, null]);
  assert.equal(await escalation.readJobs('escalation'), []);
  await advance(60);
  assert.equal(await readRounds(id), []);
  await advance(60);
  const ended = await readEscalation(id);
  assert.equal([ended.stopped, ended.stoppedAt], [stopped, stoppedAt], 'its end is no news');
});

test('marks a message that will notify again, until it stops', async () => {
  const { createMember, sendEscalating, answer } = escalation;
  const [quick, slow] = [await createMember(1), await createMember(1)];
  const userIds = [quick.id, slow.id];
  const mail = { after: 600, action: 'mail' } as const;
  await sendEscalating([mail], { userIds });
  const id = await sendEscalating([mail, notifyAgainAfter(3)], { userIds }, 1);
  const readRingsAgain = async () => {
    const { body: inbox } = await server.call('GET /api/notifications/messages', { as: slow });
    return inbox.messages.map(({ notifiesAgain }) => notifiesAgain);
  };
  assert.equal(await readRingsAgain(), [true, undefined], 'a mail does not ring');
  await answer(quick, id);
  assert.equal(await readRingsAgain(), [undefined, undefined], 'one answer was enough');
});

test('stops when enough people have answered', async () => {
  const { createMember, sendEscalating, acceptAll, answer, advance, readRounds, readEscalation } =
    escalation;
  const people = [await createMember(1), await createMember(1), await createMember(1)] as const;
  const userIds = people.map((person) => person.id);
  const id = await sendEscalating([notifyAgainAfter(3)], { userIds }, 2);
  await acceptAll();
  await answer(people[2], id);
  assert.is((await readEscalation(id)).stopped, null);
  await answer(people[0], id);
  const { stopped, stoppedBy } = await readEscalation(id);
  assert.equal([stopped, stoppedBy], ['quorum', people[0].username]);
  await answer(people[1], id);
  assert.is((await readEscalation(id)).stopped, 'quorum', 'what stopped it stays');
  await advance(3);
  assert.equal(await readRounds(id), []);
});

for (const when of ['before the last answer', 'after it'])
  test(`does not wait for a person who was deleted ${when}`, async () => {
    const { createMember, sendEscalating, acceptAll, answer, advance, readEscalation } = escalation;
    const [firstPerson, gonePerson] = [await createMember(1), await createMember(1)];
    const id = await sendEscalating([notifyAgainAfter(3)], {
      userIds: [firstPerson.id, gonePerson.id],
    });
    const otherPerson = await createMember(1);
    const another = await sendEscalating([notifyAgainAfter(3)], { userIds: [otherPerson.id] });
    await acceptAll();
    const remove = () =>
      server.services.db.deleteFrom('users').where('id', '=', gonePerson.id).execute();
    if (when === 'after it') {
      await answer(firstPerson, id);
      await advance(1);
      await answer(otherPerson, another); // the last answer of all, to another message
      await remove();
      await advance(2);
    } else {
      await remove();
      await answer(firstPerson, id);
    }
    const { stopped, stoppedBy, steps } = await readEscalation(id);
    assert.equal(
      [stopped, stoppedBy, steps[0]?.doneAt],
      ['acknowledged', firstPerson.username, null],
    );
  });

test('stops no message without a policy', async () => {
  const { createMember, send, answer, readEscalation } = escalation;
  const person = await createMember(1);
  const sentResponse = await send({ userIds: [person.id], answers: ['Got it'] });
  await answer(person, sentResponse.body.messageId);
  assert.equal(await readEscalation(sentResponse.body.messageId), {
    ...{ policy: null, stopped: null, stoppedAt: null, stoppedBy: null },
    steps: [],
  });
});

test('counts reading as an answer when no answers are offered', async () => {
  const { createMember, sendEscalating, acceptAll, answer, advance, readRounds, readEscalation } =
    escalation;
  const [reader, otherPerson] = [await createMember(1), await createMember(1)];
  const id = await sendEscalating([notifyAgainAfter(3)], {
    userIds: [reader.id, otherPerson.id],
    answers: [],
  });
  await acceptAll();
  await answer(reader, id, 'read');
  await answer(otherPerson, id, 'displayed');
  await advance(3);
  assert.equal(await readRounds(id), [[otherPerson.id]]);
  await answer(otherPerson, id, 'read');
  assert.equal(
    [(await readEscalation(id)).stopped, (await readEscalation(id)).stoppedBy],
    ['acknowledged', otherPerson.username],
  );
});

test('stops when the message is canceled, and names who did', async () => {
  const { createMember, sendEscalating, acceptAll, advance, cancel, readRounds, readEscalation } =
    escalation;
  const person = await createMember(1);
  const id = await sendEscalating([notifyAgainAfter(3)], { userIds: [person.id] });
  await acceptAll();
  assert.is((await cancel(id)).status, 200);
  const { stopped, stoppedAt, stoppedBy } = await readEscalation(id);
  assert.equal([stopped, stoppedAt], ['cancelled', new Date(server.clock.now).toISOString()]);
  assert.ok(stoppedBy?.startsWith('admin'));
  assert.equal(await escalation.readJobs('escalation'), []);
  await advance(3);
  assert.equal(await readRounds(id), []);
  assert.is((await cancel(id)).status, 409);
});

test('ends with the message, and runs no step in its last five seconds', async () => {
  const { createMember, sendEscalating, acceptAll, readRounds, readEscalation, readSteps } =
    escalation;
  const person = await createMember(1);
  const expiresAt = new Date(server.clock.now + 6 * MINUTE_MS).toISOString();
  const id = await sendEscalating([notifyAgainAfter(3), notifyAgainAfter(6), notifyAgainAfter(9)], {
    userIds: [person.id],
    expiresAt,
  });
  assert.is((await readSteps(id)).length, 1, 'what would come at its end is not planned');
  await acceptAll();
  server.clock.now += 6 * MINUTE_MS - 5000;
  await server.jobs.runDue();
  assert.equal(await readRounds(id), []);
  assert.equal(await escalation.readJobs('escalation'), []);
  assert.is((await readEscalation(id)).stopped, null);
  server.clock.now += 5000;
  const { stopped, stoppedAt, stoppedBy } = await readEscalation(id);
  assert.equal([stopped, stoppedAt, stoppedBy], ['expired', expiresAt, null]);
});

test('shows manual repeats in the timeline, even without a policy', async () => {
  const { createMember, send, notifyAgain, acceptAll, readEscalation } = escalation;
  const [ana, ben] = [await createMember(1), await createMember(1)];
  const { body } = await send({ userIds: [ana.id, ben.id] });
  await acceptAll();
  server.clock.now += MINUTE_MS;
  await notifyAgain(body.messageId, { userIds: [ana.id] });
  await notifyAgain(body.messageId, { userIds: [ana.id] });
  await acceptAll();
  server.clock.now += MINUTE_MS;
  await notifyAgain(body.messageId);
  const { policy, stopped, steps } = await readEscalation(body.messageId);
  assert.equal([policy, stopped], [null, null]);
  assert.equal(
    steps.map(({ action, people, by, doneAt }) => [action, people, by?.slice(0, 5), doneAt]),
    [
      ['repeat', 1, 'admin', new Date(server.clock.now - MINUTE_MS).toISOString()],
      ['repeat', 2, 'admin', new Date(server.clock.now).toISOString()],
    ],
  );
});

test('stops each message separately for answers in one request', async () => {
  const { createMember, sendEscalating, answer, readEscalation } = escalation;
  const [personWithBoth, otherPerson] = [await createMember(1), await createMember(1)];
  const personIds = [personWithBoth.id, otherPerson.id];
  const ids = [
    await sendEscalating([notifyAgainAfter(3)], { userIds: personIds }),
    await sendEscalating([notifyAgainAfter(3)], { userIds: personIds, answers: [] }),
    await sendEscalating([notifyAgainAfter(3)], { userIds: personIds, answers: [] }),
    await sendEscalating([notifyAgainAfter(3)], { userIds: personIds }, 1),
  ];
  await answer(otherPerson, ids[1]!, 'read');
  const receipts = ids.map((messageId, nth) =>
    nth % 3 === 0
      ? { messageId, kind: 'acknowledged' as const, answer: 'Got it' }
      : { messageId, kind: 'read' as const },
  );
  await server.sendReceipts(personWithBoth, receipts);
  const stopped = (await Promise.all(ids.map(readEscalation))).map((one) => [
    one.stopped,
    one.stoppedBy,
  ]);
  assert.equal(stopped, [
    [null, null],
    ['acknowledged', personWithBoth.username],
    [null, null],
    ['quorum', personWithBoth.username],
  ]);
});

test.run();
