import * as assert from 'uvu/assert';
import type { PolicyStep } from '../../../src/shared/contract';
import { createEscalationHelpers, notifyAgainAfter } from '../../support/server/escalation';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('escalation actions', {
  environment: { SMTP_URL: 'smtp://mail.example' },
});
let escalation: ReturnType<typeof createEscalationHelpers>;
test.before.each(() => void (escalation = createEscalationHelpers(server)));

const URL = 'https://sms.example/hook';
const addWebhook = async (): Promise<number> =>
  (
    await server.services.db
      .insertInto('webhooks')
      .values({ url: URL, events: '[]', secret: '' })
      .returning('id')
      .executeTakeFirstOrThrow()
  ).id;
const readCalls = async () =>
  (await server.services.db.selectFrom('webhook_calls').select('body').orderBy('id').execute()).map(
    ({ body }) => JSON.parse(body),
  );

test('mails each person with an email who has not answered', async () => {
  const [donePerson, open, otherPerson, gonePerson] = [
    await server.createPerson('TECHNICIAN', { email: 'done@mail.example', isVerified: true }),
    await server.createPerson('TECHNICIAN', { email: 'open@mail.example', isVerified: true }),
    await server.createPerson('TECHNICIAN'),
    await server.createPerson('TECHNICIAN', { email: 'gone@mail.example', isVerified: true }),
  ];
  const userIds = [donePerson.id, open.id, otherPerson.id, gonePerson.id];
  const id = await escalation.sendEscalating([{ after: 60, action: 'mail' }], { userIds });
  await escalation.answer(donePerson, id);
  // A person without an active account gets no mail.
  await server.services.db
    .updateTable('users')
    .set({ status: 'PENDING' })
    .where('id', '=', gonePerson.id)
    .execute();
  await escalation.advance(1);
  assert.equal(await escalation.readJobs('mail-message'), [
    { subject: `${open.id} ${id} 0`, due_at: server.clock.now },
  ]);
  await server.sendMails();
  assert.equal(
    server.mails.map(({ to }) => to),
    ['open@mail.example'],
    'it leaves as soon as it is asked for',
  );
  assert.equal(
    (await escalation.readEscalation(id)).steps.map(({ action, people }) => [action, people]),
    [['mail', 1]],
  );
});

test('calls a webhook for people who have not answered, a hundred per call', async () => {
  await addWebhook();
  const topic = await escalation.createCrowd(250);
  const person = await escalation.createMember(1, topic);
  const step: PolicyStep = { after: 60, action: 'webhook', url: URL };
  const id = await escalation.sendEscalating([step], { topicIds: [topic] });
  await escalation.answer(person, id);
  const woken = server.wakeCounts.webhooks;
  await escalation.advance(1);
  assert.ok(server.wakeCounts.webhooks > woken, 'they are called as soon as they are written');
  const calls = await readCalls();
  assert.equal([...new Set(calls.map(({ type }) => type))], ['message.escalated']);
  assert.equal(calls.map(({ data }) => data.waitingFor.length).sort(), [100, 100, 50]);
  const reported = calls.flatMap(({ data }) =>
    data.waitingFor.map((one: { id: number }) => one.id),
  );
  assert.equal([new Set(reported).size, reported.includes(person.id)], [250, false]);
  assert.equal([calls[0].data.people, calls[0].data.message.id], [250, id]);
  assert.match(JSON.stringify(calls[0].data.waitingFor[0]), /^{"id":\d+,"username":"crowd \d+"}$/);
  assert.is((await escalation.readSteps(id))[0]?.people, 250);
});

test('runs a step only for the people of its message', async () => {
  await addWebhook();
  const email = (name: string) => ({ email: `${name}@mail.example`, isVerified: true });
  const [ownPerson, otherPerson] = [
    await server.createPerson('TECHNICIAN', email('own')),
    await server.createPerson('TECHNICIAN', email('other')),
  ];
  const topicId = await server.createTopic();
  await escalation.sendEscalating([notifyAgainAfter(9)], { userIds: [otherPerson.id] });
  const steps: PolicyStep[] = [
    { after: 60, action: 'mail' },
    { after: 60, action: 'webhook', url: URL },
    { after: 60, action: 'notify', topicId },
  ];
  const id = await escalation.sendEscalating(steps, { userIds: [ownPerson.id] });
  for (let step = 0; step < 3; step += 1) await escalation.advance(1);
  assert.equal(
    (await escalation.readJobs('mail-message')).map(({ subject }) => subject),
    [`${ownPerson.id} ${id} 0`],
  );
  const [call] = await readCalls();
  assert.equal(
    call.data.waitingFor.map((one: { id: number }) => one.id),
    [ownPerson.id],
  );
  assert.equal(
    (await escalation.readSteps(id)).map(({ people }) => people),
    [1, 1, 0],
  );
});

test('skips a deleted or disabled webhook, and runs the next step', async () => {
  const webhook = await addWebhook();
  const person = await escalation.createMember(1);
  const step: PolicyStep = { after: 60, action: 'webhook', url: URL };
  const steps = [step, { ...step, after: 120 }, notifyAgainAfter(3)];
  const id = await escalation.sendEscalating(steps, { userIds: [person.id] });
  const { db } = server.services;
  await escalation.acceptAll();
  await db.updateTable('webhooks').set({ off_since: 1 }).execute();
  await escalation.advance(1);
  await db.deleteFrom('webhooks').where('id', '=', webhook).execute();
  await escalation.advance(1);
  await escalation.advance(1);
  assert.equal(
    (await escalation.readSteps(id)).map(({ people }) => people),
    [0, 0, 1],
  );
  assert.equal(await readCalls(), []);
});

test('notifies another topic how many have not answered, as the sender', async () => {
  const control = await server.createTopic('Control room');
  const [chief, off] = [
    await escalation.createMember(1, control),
    await escalation.createMember(1, control),
  ];
  await escalation.muteTopic(off, control);
  const { db } = server.services;
  // The other topic's own policy does not apply here.
  const { body: policy } = await escalation.addPolicy({});
  await db.updateTable('topics').set({ policy_id: policy.id }).execute();
  const people = [
    await escalation.createMember(1),
    await escalation.createMember(1),
    await escalation.createMember(1),
  ];
  const id = await escalation.sendEscalating([{ after: 60, action: 'notify', topicId: control }], {
    userIds: people.map((person) => person.id),
    title: 'Storm',
    message: 'x'.repeat(1000),
    priority: 'urgent',
  });
  await escalation.answer(people[0]!, id);
  await escalation.advance(1);
  const [sent] = await db.selectFrom('messages').selectAll().where('id', '<>', id).execute();
  const original = await escalation.readMessageRow(id);
  assert.equal(
    [sent?.title, sent?.priority, sent?.answers, sent?.policy, sent?.sender_id, sent?.expires_at],
    [
      '2 of 3 people have not answered',
      'urgent',
      '[]',
      null,
      original.sender_id,
      original.expires_at,
    ],
  );
  assert.is(sent?.text, `Storm: ${'x'.repeat(992)}…`);
  assert.equal(
    (await escalation.readLedger(sent!.id)).map(({ user_id, state }) => [user_id, state]),
    [
      [chief.id, 'accepted'],
      [off.id, 'muted'],
    ],
  );
  const { steps } = await escalation.readEscalation(id);
  assert.equal([steps[0]?.people, steps[0]?.topic], [1, 'Control room']);
});

test('continues when another topic or the sender is deleted', async () => {
  const [deletedTopic, existingTopic] = [
    await server.createTopic(),
    await server.createTopic('There'),
  ];
  await escalation.createMember(1, existingTopic);
  const person = await escalation.createMember(1);
  const steps: PolicyStep[] = [deletedTopic, existingTopic].map((topicId, nth) => ({
    after: 60 * (nth + 1),
    action: 'notify',
    topicId,
  }));
  const id = await escalation.sendEscalating(steps, { userIds: [person.id] });
  const { db } = server.services;
  await db.deleteFrom('topics').where('id', '=', deletedTopic).execute();
  await db.updateTable('messages').set({ sender_id: null }).execute();
  await escalation.advance(1);
  await escalation.advance(1);
  assert.equal(
    (await escalation.readEscalation(id)).steps.map(({ people, topic }) => [people, topic]),
    [
      [0, null],
      [1, 'There'],
    ],
  );
});

test('does nothing for a message without people, and does not call it answered', async () => {
  const topic = await server.createTopic();
  const control = await server.createTopic();
  await escalation.createMember(1, control);
  const id = await escalation.sendEscalating(
    [notifyAgainAfter(1), { after: 120, action: 'notify', topicId: control }],
    { topicIds: [topic], sendAt: new Date(server.clock.now + 1).toISOString() },
  );
  await escalation.advance(1);
  await escalation.advance(1);
  await escalation.advance(1);
  const { stopped, steps } = await escalation.readEscalation(id);
  assert.equal([stopped, steps.map(({ people }) => people)], [null, [0, 0]]);
});

test.run();
