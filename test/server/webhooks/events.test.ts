import * as assert from 'uvu/assert';
import type { WebhookEvent } from '../../../src/shared/contract';
import { createEscalationHelpers, notifyAgainAfter } from '../../support/server/escalation';
import { type Person, serverSuite } from '../../support/server/server';
import { isCallStillWanted } from '../../../server/webhooks/webhook-jobs';

const { test, server } = serverSuite('webhook events', {
  environment: { SMTP_URL: 'smtp://mail.example' },
});
let admin: Person;
let ana: Person;
test.before.each(async () => {
  admin = await server.createPerson('ADMIN', { username: 'ada' });
  ana = await server.createPerson('TECHNICIAN', { username: 'ana', email: 'ana@mail.example' });
});

const addWebhook = (...events: WebhookEvent[]) =>
  server.services.db
    .insertInto('webhooks')
    .values({
      url: `https://hooks.example/${crypto.randomUUID()}`,
      events: JSON.stringify(events),
      secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    })
    .execute();

interface ReceivedCall {
  type: WebhookEvent;
  timestamp: string;
  // biome-ignore lint/suspicious/noExplicitAny: of any event
  data: any;
}
const readCalls = async (): Promise<ReceivedCall[]> =>
  (
    await server.services.db
      .selectFrom('webhook_calls')
      .select('body')
      .orderBy('created_at')
      .execute()
  ).map(({ body }) => JSON.parse(body) as ReceivedCall);

const send = async (body: object) => {
  const { status, body: reply } = await server.sendMessage(admin, {
    message: 'Stop all work.',
    userIds: [ana.id],
    ...body,
  });
  assert.is(status, 202);
  return reply.messageId;
};

test('sends text, topics, sender and number of people of a message, and no email', async () => {
  await addWebhook('message.sent');
  const topic = await server.createTopic('Storms');
  const id = await send({ topicIds: [topic], answers: ['Got it'], priority: 'urgent' });
  assert.ok(server.wakeCounts.webhooks > 0, 'at once');
  const [call, ...otherCalls] = await readCalls();
  assert.equal(otherCalls, []);
  assert.is(call?.type, 'message.sent');
  const { sentAt, expiresAt, ...message } = call?.data?.message ?? {};
  assert.equal(message, {
    id,
    title: 'Storms',
    text: 'Stop all work.',
    priority: 'urgent',
    answers: ['Got it'],
    topics: [{ id: topic, title: 'Storms' }],
    sender: 'ada',
    people: 1,
    revision: 1,
  });
  assert.is(Date.parse(expiresAt) - Date.parse(sentAt), 24 * 3600_000);
  assert.not.match(JSON.stringify(call), /@/);
});

test('sends the event of a scheduled message when it is sent, once', async () => {
  await addWebhook('message.sent');
  const sendAt = new Date(server.clock.now + 3600_000).toISOString();
  await send({ sendAt });
  assert.equal(await readCalls(), []);
  server.clock.now += 3600_000;
  await server.jobs.runDue();
  await server.jobs.runDue();
  assert.equal(
    (await readCalls()).map(({ type, data }) => [type, data.message.people, data.message.sentAt]),
    [['message.sent', 1, sendAt]],
  );
});

const keyOf = async (as: Person): Promise<{ token: string }> => {
  const { body } = await server.registerDevice(as, `token of ${as.username}`);
  return { token: body.deviceKey };
};
const answerWith = (as: { token: string }, messageId: string, answer: string, comment?: string) =>
  server.sendReceipts(as, [
    { messageId, kind: 'acknowledged', answer, ...(comment !== undefined && { comment }) },
  ]);

test('sends who answered, once, and no answer that was not offered', async () => {
  await addWebhook('message.acknowledged');
  const id = await send({ answers: ['Got it', 'Later'] });
  await answerWith(ana, id, 'Never');
  await answerWith(ana, id, 'Got it');
  await answerWith(await keyOf(ana), id, 'Later');
  const [call, ...otherCalls] = await readCalls();
  assert.equal(otherCalls, []);
  assert.is(call?.type, 'message.acknowledged');
  assert.is(call?.data.message.id, id);
  const at = new Date(server.clock.now).toISOString();
  assert.equal(call?.data.answers, [
    { user: { id: ana.id, username: 'ana' }, answer: 'Got it', at, late: false, revision: 1 },
  ]);
});

test('sends whether a correction asks again, and the words and time of an all-clear', async () => {
  await addWebhook('message.corrected', 'message.all-clear');
  const call = { as: admin, params: { id: await send({ answers: ['Got it'] }) } };
  const expected: [WebhookEvent, object][] = [];
  const tick = (): string => new Date((server.clock.now += 1000)).toISOString();
  for (const ask of [true, false]) {
    expected.push(['message.corrected', { revisedAt: tick(), ask }]);
    const body = { message: ask ? 'Stop.' : 'Stop at once.', ask };
    await server.call('POST /api/admin/messages/:id/correct', { ...call, body });
  }
  const words = 'The wind is down.';
  expected.push(['message.all-clear', { allClearAt: tick(), allClear: words }]);
  await server.call('POST /api/admin/messages/:id/all-clear', {
    ...call,
    body: { message: words },
  });
  const other = { as: admin, params: { id: await send({}) }, body: {} };
  expected.push(['message.all-clear', { allClearAt: tick() }]);
  await server.call('POST /api/admin/messages/:id/all-clear', other);
  assert.equal(
    (await readCalls()).map(({ type, data: { message: _message, ...more } }) => [type, more]),
    expected,
  );
});

test('sends a changed comment with its answer', async () => {
  await addWebhook('message.acknowledged');
  const id = await send({ answers: ['Got it'] });
  for (const comment of ['Two of us', 'Two of us', 'Three of us']) {
    server.clock.now += 1;
    await answerWith(ana, id, 'Got it', comment);
  }
  const calls = await readCalls();
  assert.equal(
    calls.flatMap(({ data }) => data.answers.map((one: { comment: string }) => one.comment)),
    ['Two of us', 'Three of us'],
  );
});

test('sends up to a hundred answers per call', async () => {
  await addWebhook('message.acknowledged');
  const people: Person[] = [];
  for (let index = 0; index < 101; index += 1) people.push(await server.createPerson('CUSTOMER'));
  const id = await send({ userIds: people.map((one) => one.id), answers: ['Got it'] });
  await Promise.all(people.map((one) => answerWith(one, id, 'Got it')));
  const calls = await readCalls();
  assert.ok(calls.length >= 2 && calls.length < 20, String(calls.length));
  const nameOf = ({ id: who, username }: { id: number; username: string }) => `${who} ${username}`;
  const names = calls.flatMap(({ data }) =>
    data.answers.map((one: { user: { id: number; username: string } }) => nameOf(one.user)),
  );
  assert.equal(names.sort(), people.map(nameOf).sort());
  for (const { data } of calls) assert.ok(data.answers.length <= 100);
});

test('sends no event for a message that is only displayed or read', async () => {
  await addWebhook('message.acknowledged');
  const id = await send({ answers: ['Got it'] });
  await server.sendReceipts(ana, [
    { messageId: id, kind: 'displayed' },
    { messageId: id, kind: 'read' },
  ]);
  assert.equal(await readCalls(), []);
});

test('sends each escalation step once to each listening webhook', async () => {
  await addWebhook('message.escalated');
  await addWebhook('message.sent');
  const url = 'https://hooks.example/named';
  const named = { url, secret: '', events: '["message.escalated"]' };
  await server.services.db.insertInto('webhooks').values(named).execute();
  const escalation = createEscalationHelpers(server);
  const topicId = await server.createTopic();
  await escalation.createMember(1, topicId);
  const people = [ana, await escalation.createMember(1)];
  const id = await escalation.sendEscalating(
    [
      notifyAgainAfter(1),
      { after: 120, action: 'mail' },
      { after: 180, action: 'notify', topicId },
      { after: 240, action: 'webhook', url },
    ],
    { userIds: people.map((person) => person.id) },
  );
  await escalation.acceptAll();
  for (let step = 0; step < 4; step += 1) await escalation.advance(1);
  const rows = await server.services.db
    .selectFrom('webhook_calls')
    .innerJoin('webhooks', 'webhooks.id', 'webhook_calls.webhook_id')
    .where('webhooks.events', 'like', '%escalated%')
    .select(['webhooks.url', 'body', 'message_id'])
    .orderBy('webhook_calls.created_at')
    .execute();
  const calls = rows.map(({ body }) => JSON.parse(body));
  assert.equal(
    calls.map(({ data: { step } }) => `${step.position} ${step.action}`).sort(),
    ['0 repeat', '1 mail', '2 notify', '3 webhook'].flatMap((step) => [step, step]),
  );
  assert.equal(rows.filter((row) => row.url === url).length, 4, 'the named one hears once of each');
  for (const { type, data } of calls)
    assert.equal(
      [type, data.message.id, data.people, data.waitingFor.length],
      ['message.escalated', id, 2, 2],
    );
  for (const person of people) await escalation.answer(person, id);
  const wanted = await Promise.all(
    rows.map((row) => isCallStillWanted(row, server.services.db, server.clock.now)),
  );
  assert.is(wanted.filter(Boolean).length, 7, 'only the call that wakes someone ends with it');
});

test.run();
