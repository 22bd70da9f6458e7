import * as assert from 'uvu/assert';
import {
  MINUTE_MS,
  createEscalationHelpers,
  notifyAgainAfter,
} from '../../support/server/escalation';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('escalation planning');
let escalation: ReturnType<typeof createEscalationHelpers>;
let admin: Person;
test.before.each(async () => {
  escalation = createEscalationHelpers(server);
  admin = await escalation.asAdmin();
});

const plannedMinutes = async (id: string): Promise<number[]> =>
  (await escalation.readSteps(id)).map(({ due_at }) => (due_at - server.clock.now) / MINUTE_MS);

test('uses the named policy, or that of the first topic which has one', async () => {
  const [first, second] = [
    (await escalation.addPolicy({ steps: [notifyAgainAfter(1)] })).body,
    (await escalation.addPolicy({ steps: [notifyAgainAfter(2)] })).body,
  ];
  const [without, one, two] = [
    await server.createTopic(),
    await server.createTopic(),
    await server.createTopic(),
  ];
  const person = await escalation.createMember(1, without, one, two);
  const set = (id: number, policy_id: number) =>
    server.services.db.updateTable('topics').set({ policy_id }).where('id', '=', id).execute();
  await set(one, first.id);
  await set(two, second.id);
  const policyOf = async (body: Parameters<typeof escalation.send>[0]) =>
    (await escalation.readEscalation((await escalation.send(body)).body.messageId)).policy?.name;
  assert.equal(
    [
      await policyOf({ topicIds: [without, two, one] }),
      await policyOf({ topicIds: [one], policyId: second.id }),
      await policyOf({ topicIds: [one], policyId: null }),
      await policyOf({ topicIds: [without] }),
      await policyOf({ userIds: [person.id] }),
      await policyOf({ userIds: [person.id], policyId: first.id }),
    ],
    [second.name, second.name, undefined, undefined, undefined, first.name],
  );
  const { body: reply } = await server.sendToTopic(admin, two, { message: 'Hello' });
  assert.equal(await plannedMinutes(reply.messageId), [2]);
});

test('gives each step its own webhook and topic', async () => {
  const { db } = server.services;
  const url = (name: string) => `https://${name}.example/`;
  const webhooks = await db
    .insertInto('webhooks')
    .values(['b', 'a'].map((name) => ({ url: url(name), events: '[]', secret: '' })))
    .returning(['id', 'url'])
    .execute();
  const idOf = (name: string) => webhooks.find((one) => one.url === url(name))?.id;
  const topics = [await server.createTopic(), await server.createTopic()];
  const person = await escalation.createMember(1);
  const id = await escalation.sendEscalating(
    [
      { after: 60, action: 'webhook', url: url('a') },
      { after: 120, action: 'notify', topicId: topics[1]! },
      { after: 180, action: 'webhook', url: url('b') },
      { after: 240, action: 'notify', topicId: topics[0]! },
    ],
    { userIds: [person.id] },
  );
  assert.equal(
    (await escalation.readSteps(id)).map(({ webhook_id, topic_id }) => [webhook_id, topic_id]),
    [
      [idOf('a'), null],
      [null, topics[1]],
      [idOf('b'), null],
      [null, topics[0]],
    ],
  );
});

test('keeps the steps of a sent message when its policy changes or is deleted', async () => {
  const person = await escalation.createMember(1);
  const id = await escalation.sendEscalating([notifyAgainAfter(1)], { userIds: [person.id] });
  await escalation.acceptAll();
  const { policy } = await escalation.readEscalation(id);
  const params = { id: policy!.id };
  const body = { name: 'Other', steps: [notifyAgainAfter(9)] };
  await server.call('PUT /api/admin/policies/:id', { as: admin, params, body });
  await server.call('DELETE /api/admin/policies/:id', { as: admin, params });
  assert.equal((await escalation.readEscalation(id)).policy, policy);
  await escalation.advance(1);
  assert.equal(await escalation.readRounds(id), [[person.id]]);
});

test('counts the steps of a scheduled message from when it is sent, even late', async () => {
  const person = await escalation.createMember(1);
  const other = await escalation.sendEscalating([notifyAgainAfter(60)], { userIds: [person.id] });
  const dueAtOf = async (subject: string) =>
    (await escalation.readJobs('escalation')).find((job) => job.subject === subject)?.due_at;
  const before = await dueAtOf(other);
  const sendAt = new Date(server.clock.now + 10 * MINUTE_MS).toISOString();
  const id = await escalation.sendEscalating([notifyAgainAfter(1), notifyAgainAfter(3)], {
    userIds: [person.id],
    sendAt,
  });
  assert.equal(await plannedMinutes(id), [11, 13]);
  // Two minutes late: the first step runs a minute after sending, not at once.
  await escalation.advance(12);
  assert.equal(await plannedMinutes(id), [1, 3]);
  assert.equal(await escalation.readRounds(id), []);
  assert.equal(
    [await plannedMinutes(other), await dueAtOf(other)],
    [[48], before],
    'it alone is late',
  );
  await escalation.advance(1);
  assert.equal(await escalation.readRounds(id), [[person.id]]);
  const dueAt = (await escalation.readEscalation(id)).steps[1]?.dueAt;
  assert.is(dueAt, new Date(server.clock.now + 2 * MINUTE_MS).toISOString());
});

test('runs no step while a message is still being written', async () => {
  const person = await escalation.createMember(1);
  const id = await escalation.sendEscalating([notifyAgainAfter(1)], { userIds: [person.id] });
  await escalation.acceptAll();
  const { db } = server.services;
  const setState = (state: 'writing' | 'sent') =>
    db.updateTable('messages').set({ state }).execute();
  await setState('writing');
  await escalation.advance(1);
  // Others may still be added who have to answer.
  await escalation.answer(person, id);
  const { stopped } = await escalation.readEscalation(id);
  assert.equal([stopped, await escalation.readRounds(id)], [null, []]);
  await setState('sent');
  await escalation.advance(1);
  assert.equal(
    [(await escalation.readEscalation(id)).stopped, await escalation.readRounds(id)],
    ['acknowledged', []],
  );
});

test('runs late steps in their planned distance, a minute apart at most', async () => {
  const person = await escalation.createMember(1);
  const steps = [
    notifyAgainAfter(1),
    { after: 90, action: 'mail' } as const,
    notifyAgainAfter(5),
    { after: 300, action: 'mail' } as const,
  ];
  const id = await escalation.sendEscalating(steps, { userIds: [person.id] });
  await escalation.acceptAll();
  await escalation.advance(60);
  const start = server.clock.now;
  for (let nth = 0; nth < 8; nth += 1) await escalation.advance(0.25);
  assert.equal(
    (await escalation.readSteps(id)).map(({ done_at }) => ((done_at ?? 0) - start) / 1000),
    [0, 30, 90, 90],
  );
});

test('runs no step after an outage that outlasts the message', async () => {
  const person = await server.createPerson('TECHNICIAN', { email: 'a@mail.example' });
  const expiresAt = new Date(server.clock.now + 30 * MINUTE_MS).toISOString();
  const steps = [notifyAgainAfter(1), { after: 120, action: 'mail' } as const];
  const id = await escalation.sendEscalating(steps, { userIds: [person.id], expiresAt });
  await escalation.acceptAll();
  await escalation.advance(30);
  assert.equal(
    [
      await escalation.readRounds(id),
      await escalation.readJobs('mail-message'),
      (await escalation.readMessageRow(id)).rounds,
    ],
    [[], [], 0],
  );
  assert.is((await escalation.readEscalation(id)).stopped, 'expired');
  await escalation.answer(person, id);
  assert.equal(
    [
      (await escalation.readEscalation(id)).stopped,
      (await escalation.readEscalation(id)).stoppedBy,
    ],
    ['expired', null],
    'a late answer is no end',
  );
});

test('stops at the next step once all have answered, and names the last person', async () => {
  const [firstPerson, lastPerson] = [
    await escalation.createMember(1),
    await escalation.createMember(1),
  ];
  const id = await escalation.sendEscalating([notifyAgainAfter(1)], {
    userIds: [firstPerson.id, lastPerson.id],
  });
  await escalation.acceptAll();
  for (const [nth, { id: userId }] of [lastPerson, firstPerson].entries())
    await server.services.db
      .updateTable('recipients')
      .set({ acknowledged_at: 10 - nth })
      .where('user_id', '=', userId)
      .execute();
  await escalation.advance(1);
  const { stopped, stoppedBy, steps } = await escalation.readEscalation(id);
  assert.equal([stopped, stoppedBy, steps[0]?.doneAt], ['acknowledged', lastPerson.username, null]);
});

for (const [quorum, help, translation] of [
  [1, '“POTRZEBUJĘ POMOCY!”', undefined],
  [null, 'Trouble', 'Brauche Hilfe'],
] as const)
  test(`never stops for a call for help, with ${quorum ?? 'all'} answers needed`, async () => {
    const control = await server.createTopic('Control room');
    await escalation.createMember(1, control);
    const [caller, other] = [await escalation.createMember(1), await escalation.createMember(1)];
    const { body: policy } = await escalation.addPolicy({
      quorum,
      steps: [notifyAgainAfter(1), { after: 120, action: 'notify', topicId: control }],
    });
    const { body: sent } = await escalation.send({
      userIds: quorum === null ? [caller.id] : [caller.id, other.id],
      answers: ['On my way', help],
      ...(translation && {
        translations: { de: { message: 'Sturm', answers: ['Unterwegs', translation] } },
      }),
      policyId: policy.id,
    });
    const id = sent.messageId;
    await escalation.acceptAll();
    const receipt = { messageId: id, kind: 'acknowledged', answer: help } as const;
    await server.sendReceipts(caller, [receipt]);
    await escalation.advance(1);
    await escalation.advance(1);
    const { stopped, steps } = await escalation.readEscalation(id);
    assert.equal([stopped, steps.filter(({ doneAt }) => doneAt).length], [null, 2]);
    const titles = await server.services.db.selectFrom('messages').select('title').execute();
    const expected =
      quorum === null ? '1 of 1 person needs help' : '1 of 2 people needs help, 1 has not answered';
    assert.ok(titles.some(({ title }) => title === expected));
    // The same person, now safe.
    const changed = {
      ...receipt,
      answer: 'On my way',
      changes: true,
      at: new Date(server.clock.now).toISOString(),
    };
    await server.sendReceipts(caller, [changed]);
    const after = await escalation.readEscalation(id);
    assert.equal(
      [after.stopped, after.stoppedBy],
      [quorum === null ? 'acknowledged' : 'quorum', caller.username],
    );
  });

test('skips a person in a pending repeat who has answered meanwhile', async () => {
  const [silent, latePerson] = [await escalation.createMember(1), await escalation.createMember(1)];
  const id = await escalation.sendEscalating([notifyAgainAfter(1)], {
    userIds: [silent.id, latePerson.id],
  });
  await escalation.acceptAll();
  server.clock.now += MINUTE_MS;
  await server.jobs.runDue();
  await escalation.answer(latePerson, id);
  assert.equal(
    (await escalation.claimAll()).map(
      ({ recipient, skipReason }) => recipient?.userId ?? skipReason,
    ),
    [silent.id, 'answered'],
  );
});

test.run();
