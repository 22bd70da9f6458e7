import * as assert from 'uvu/assert';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('sending');
const MINUTE_MS = 60_000;
let admin: Person;
let lead: Person;
let [ownTopic, otherTopic]: number[] = [];

test.before.each(async () => {
  admin = await server.createPerson('ADMIN');
  lead = await server.createPerson('TECHNICIAN', { username: 'lead' });
  [ownTopic, otherTopic] = [
    await server.createTopic('Outages'),
    await server.createTopic('Board secrets'),
  ];
  await setSenders([lead.id]);
});

const setSenders = (userIds: number[], teamIds: number[] = [], id = ownTopic ?? 0) =>
  server.call('PUT /api/admin/topics/:id/senders', {
    as: admin,
    params: { id },
    body: { userIds, teamIds },
  });
interface SendBody {
  as?: Person;
  topicIds?: number[];
  key?: string;
  sendAt?: string;
  expiresAt?: string;
}
const send = ({ as = lead, topicIds = [ownTopic ?? 0], key, sendAt, expiresAt }: SendBody = {}) =>
  server.call('POST /api/sending/messages', {
    as,
    body: {
      topicIds,
      message: 'Meet at gate 2',
      answers: ['Yes'],
      ...(sendAt && { sendAt }),
      ...(expiresAt && { expiresAt }),
    },
    headers: key === undefined ? {} : { 'Idempotency-Key': key },
  });
const read = (id: string, as = lead) =>
  server.call('GET /api/sending/messages/:id', { as, params: { id } });
const countMessages = async (): Promise<number> =>
  (await server.services.db.selectFrom('messages').select('id').execute()).length;

async function createSubscriber(
  username: string,
  ...topics: (number | undefined)[]
): Promise<Person> {
  const person = await server.createPerson('CUSTOMER', {
    username,
    email: `${username}@x.example`,
  });
  for (const topic of topics) await server.subscribe(admin, person.id, topic ?? 0);
  return person;
}

async function createTeam(...members: Person[]): Promise<number> {
  const { body } = await server.call('POST /api/admin/teams', {
    as: admin,
    body: { name: `Crew ${crypto.randomUUID()}` },
  });
  await server.call('POST /api/admin/teams/:id/members', {
    as: admin,
    params: { id: body.id },
    body: { userIds: members.map(({ id }) => id) },
  });
  return body.id;
}
const leaveTeam = (id: number, person: Person) =>
  server.call('DELETE /api/admin/teams/:id/members', {
    as: admin,
    params: { id },
    body: { userIds: [person.id] },
  });

test('sends to topics of the sender only, all or nothing, and once per key', async () => {
  await createSubscriber('ana', ownTopic);
  assert.is((await send({ topicIds: [ownTopic ?? 0, otherTopic ?? 0] })).status, 403);
  assert.is((await send({ topicIds: [999] })).status, 403);
  assert.is(await countMessages(), 0);
  const [firstResponse, secondResponse] = await Promise.all([
    send({ key: 'one' }),
    send({ key: 'one' }),
  ]);
  assert.equal([firstResponse.status, firstResponse.body], [202, secondResponse.body]);
  assert.is(await countMessages(), 1);
  const { body } = await read(firstResponse.body.messageId);
  assert.equal([body.isOwn, body.sender, body.people.total], [true, 'lead', 1]);
  await setSenders([lead.id], [], otherTopic);
  await setSenders([]);
  assert.is((await send({ key: 'one' })).status, 403, 'a repeat needs the right, too');
});

test('limits how much one sender sends, and not what another sends', async () => {
  await createSubscriber('ana', ownTopic);
  for (let nth = 0; nth < 30; nth += 1) assert.is((await send()).status, 202);
  const { status, error } = await send();
  assert.equal([status, error], [429, 'You have sent too many messages.']);
  const otherPerson = await server.createPerson('TECHNICIAN');
  await setSenders([lead.id, otherPerson.id]);
  assert.is((await send({ as: otherPerson })).status, 202);
  server.clock.now += MINUTE_MS;
  assert.is((await send()).status, 202);
});

test('shows a sender only their topics, and people reached through these', async () => {
  const ana = await createSubscriber('ana', ownTopic);
  const subscriberOfBoth = await createSubscriber('both', ownTopic, otherTopic);
  const ben = await createSubscriber('ben', otherTopic);
  const namedPerson = await createSubscriber('named');
  const { body: team } = await server.call('POST /api/admin/teams', {
    as: admin,
    body: { name: 'Secret crew' },
  });
  const { body: sent } = await server.call('POST /api/admin/messages', {
    as: admin,
    body: {
      topicIds: [otherTopic ?? 0, ownTopic ?? 0],
      userIds: [namedPerson.id],
      teamIds: [team.id],
      message: 'Storm ÄRGER',
      answers: ['Yes'],
    },
  });
  const { body: other } = await server.call('POST /api/admin/messages', {
    as: admin,
    body: { topicIds: [otherTopic ?? 0], userIds: [ana.id], message: 'Hidden' },
  });
  for (const as of [ana, ben])
    await server.call('POST /api/notifications/receipts', {
      as,
      body: { receipts: [{ messageId: sent.messageId, kind: 'acknowledged', answer: 'Yes' }] },
    });
  const { body: list } = await server.call('GET /api/sending/messages', { as: lead });
  assert.equal(
    list.messages.map(({ id }) => id),
    [sent.messageId],
  );
  const { body: message } = await read(sent.messageId);
  assert.equal(
    [message.topic, message.topics, message.isOwn, message.people.total, message.tally],
    [
      { id: ownTopic, title: 'Outages' },
      [{ id: ownTopic, title: 'Outages' }],
      false,
      2,
      { Yes: 1 },
    ],
  );
  const params = { id: sent.messageId };
  const page = await server.call('GET /api/sending/messages/:id/recipients', { as: lead, params });
  assert.equal(
    page.body.recipients.map(({ user }) => user),
    [subscriberOfBoth, ana].map(({ id, username }) => ({ id, username })),
  );
  const file = await server.request(`/api/sending/messages/${params.id}/recipients.csv`, {
    headers: { Authorization: `Bearer ${lead.token}` },
  });
  const text = await file.text();
  assert.match(text, /^username,state,answer/);
  assert.equal(
    text
      .trim()
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(',')[0]),
    ['ana', 'both'],
  );
  assert.not.match(JSON.stringify([list, message, page.body, text]), /Board|ben|named|@|devices/);
  const countFound = async (query: string): Promise<number> =>
    (await server.call('GET /api/sending/messages', { as: lead, query: { query } })).body.total;
  assert.equal(
    [await countFound('board'), await countFound('secret'), await countFound('outages ärger')],
    [0, 0, 1],
  );
  assert.is((await read(other.messageId)).status, 404);
});

test('lets a sender only read what others sent, and what they may no longer send', async () => {
  await createSubscriber('ana', ownTopic);
  await setSenders([lead.id], [], otherTopic);
  const { body: ofAdmin } = await server.call('POST /api/admin/messages', {
    as: admin,
    body: { topicIds: [ownTopic ?? 0], message: 'Storm' },
  });
  const { body: own } = await send({ topicIds: [ownTopic ?? 0, otherTopic ?? 0] });
  const change = async (id: string) => [
    (
      await server.call('POST /api/sending/messages/:id/repeat', {
        as: lead,
        params: { id },
        body: {},
      })
    ).status,
    (await server.call('POST /api/sending/messages/:id/cancel', { as: lead, params: { id } }))
      .status,
  ];
  assert.equal(await change(ofAdmin.messageId), [403, 403]);
  await setSenders([], [], otherTopic);
  assert.equal(await change(own.messageId), [403, 403]);
  assert.is((await read(own.messageId)).body.isOwn, false);
  await setSenders([lead.id], [], otherTopic);
  const { body: planned } = await send({
    topicIds: [ownTopic ?? 0, otherTopic ?? 0],
    sendAt: new Date(server.clock.now + MINUTE_MS).toISOString(),
  });
  const params = { id: otherTopic ?? 0 };
  await server.call('DELETE /api/admin/topics/:id', { as: admin, params });
  assert.equal(await change(planned.messageId), [409, 200], 'what is left of it is theirs');
  assert.is((await read(planned.messageId)).body.state, 'cancelled');
});

/** How many the dashboard counts, and those that the list shows. */
async function listWithheld(): Promise<[number | undefined, string[]]> {
  const query = { state: 'withheld' } as const;
  const { body: list } = await server.call('GET /api/admin/messages', { as: admin, query });
  const { body: overview } = await server.call('GET /api/admin/overview', { as: admin });
  return [overview.withheld, list.messages.map(({ id }) => id).sort()];
}

const rightLosses: Record<string, () => Promise<unknown>> = {
  'is no sender any more': () => setSenders([]),
  'is suspended': () =>
    server.call('POST /api/admin/users/:id/suspend', { as: admin, params: lead }),
  'was deleted': () => server.deleteUser(admin, lead.id),
};
for (const [caseName, take] of Object.entries(rightLosses))
  test(`withholds a scheduled message if its sender ${caseName}, until it is released`, async () => {
    await createSubscriber('ana', ownTopic);
    const sendAt = new Date(server.clock.now + MINUTE_MS).toISOString();
    const { body: sent } = await send({ sendAt });
    const expiresAt = new Date(server.clock.now + 10 * MINUTE_MS).toISOString();
    const { body: late } = await send({ sendAt, expiresAt });
    const readAs = async (id = sent.messageId) =>
      (await server.call('GET /api/admin/messages/:id', { as: admin, params: { id } })).body;
    const release = async (id = sent.messageId) =>
      (await server.call('POST /api/admin/messages/:id/release', { as: admin, params: { id } }))
        .status;
    assert.is(await release(), 409, 'it is not withheld yet');
    await take();
    server.clock.now += 2 * MINUTE_MS;
    await server.jobs.runDue();
    const heldMessage = await readAs();
    assert.equal(
      [heldMessage.state, heldMessage.withheld, heldMessage.total],
      ['scheduled', 'no-sender', 0],
    );
    assert.equal(await listWithheld(), [2, [late.messageId, sent.messageId].sort()]);
    assert.is(await release(), 200);
    await server.jobs.runDue();
    const doneMessage = await readAs();
    assert.equal(
      [doneMessage.state, doneMessage.withheld, doneMessage.people.total],
      ['sent', undefined, 1],
    );
    const { body: log } = await server.call('GET /api/admin/audit', { as: admin });
    const actions = log.entries.map(({ action }) => action);
    assert.equal(
      [actions.filter((one) => one === 'message.withhold').length, actions[0]],
      [2, 'message.release'],
    );
    server.clock.now += 10 * MINUTE_MS;
    assert.equal(
      [(await readAs(late.messageId)).state, await release(late.messageId)],
      ['expired', 409],
    );
    assert.equal(await listWithheld(), [undefined, []]);
  });

test('never sends after the response to a removal', async () => {
  await createSubscriber('ana', ownTopic);
  const team = await createTeam();
  for (let round = 0; round < 200; round += 1) {
    const byTeam = round % 2 === 1;
    const sender = await server.createPerson('TECHNICIAN');
    if (byTeam) {
      await server.call('POST /api/admin/teams/:id/members', {
        as: admin,
        params: { id: team },
        body: { userIds: [sender.id] },
      });
      await setSenders([], [team]);
    } else await setSenders([sender.id]);
    const remove = () => (byTeam ? leaveTeam(team, sender) : setSenders([]));
    const [during, removedResponse, laterResponse] = await Promise.all([
      send({ as: sender }),
      ...(() => {
        const removing = remove();
        return [removing, removing.then(() => send({ as: sender }))] as const;
      })(),
    ]);
    assert.is(removedResponse.status, 200);
    assert.ok(during.status === 202 || during.status === 403, `${during.status}`);
    assert.is(laterResponse.status, 403, byTeam ? 'by team' : 'by name');
  }
});

test('reports people’s rights to send and to audit', async () => {
  const password = 'a good password';
  const person = await server.createPerson('TECHNICIAN', { username: 'crew', password });
  const signIn = async () => (await server.signIn('crew', password)).body;
  const sessionBefore = await signIn();
  assert.equal(
    [sessionBefore.maySend, sessionBefore.firstScreen?.maySend, sessionBefore.user.isAuditor],
    [undefined, undefined, undefined],
  );
  await setSenders([], [await createTeam(person)]);
  await server.call('PUT /api/admin/users/:id/auditor', {
    as: admin,
    params: person,
    body: { isAuditor: true },
  });
  const sessionAfter = await signIn();
  assert.equal(
    [sessionAfter.maySend, sessionAfter.firstScreen?.maySend, sessionAfter.user.isAuditor],
    [true, true, true],
  );
  const { body: account } = await server.call('GET /api/account', { as: person });
  const { body: renewed } = await server.call('POST /api/auth/refresh', { as: person });
  for (const { maySend, isAuditor } of [account, renewed])
    assert.equal([maySend, isAuditor], [true, true]);
  const { body: accountExport } = await server.call('GET /api/account/export', { as: person });
  assert.equal(accountExport.sendsTo, [{ id: ownTopic, title: 'Outages' }]);
});

test('shows an auditor no registration link and no path of a webhook', async () => {
  const auditor = await server.createPerson('CUSTOMER');
  await server.call('PUT /api/admin/users/:id/auditor', {
    as: admin,
    params: auditor,
    body: { isAuditor: true },
  });
  const url = 'https://hooks.example/secret-path';
  await server.call('POST /api/admin/webhooks', { as: admin, body: { url, events: [] } });
  const { body: policy } = await server.call('POST /api/admin/policies', {
    as: admin,
    body: { name: 'Storm', steps: [{ after: 60, action: 'webhook', url }] },
  });
  const { body: pending } = await server.addUser(admin, 'newcomer', 'CUSTOMER');
  const { body: sent } = await server.call('POST /api/admin/messages', {
    as: admin,
    body: { userIds: [pending.user.id], message: 'Hello', policyId: policy.id },
  });
  const params = { id: sent.messageId };
  const readAs = async (as: Person) =>
    JSON.stringify([
      await server.call('GET /api/admin/messages/:id/recipients', { as, params }),
      await server.call('GET /api/admin/messages/:id/escalation', { as, params }),
    ]);
  assert.match(await readAs(admin), 'secret-path');
  assert.match(await readAs(admin), 'registrationToken');
  assert.not.match(await readAs(auditor), /secret-path|registrationToken/);
  assert.match(await readAs(auditor), 'https://hooks.example');
});

test.run();
