import * as assert from 'uvu/assert';
import { createMessageJobs } from '../../../server/messages/sending/message-jobs';
import { createAudienceHelpers } from '../../support/server/audience';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('messages to teams');
let audience: ReturnType<typeof createAudienceHelpers>;
let admin: Person;
test.before.each(async () => {
  audience = createAudienceHelpers(server);
  admin = await server.createPerson('ADMIN');
});

async function addTeam(name: string, ...members: Person[]): Promise<number> {
  const { body } = await server.call('POST /api/admin/teams', { as: admin, body: { name } });
  await change('POST', body.id, ...members);
  return body.id;
}
const change = (method: 'POST' | 'DELETE', id: number, ...members: Person[]) =>
  server.call(`${method} /api/admin/teams/:id/members`, {
    as: admin,
    params: { id },
    body: { userIds: members.map((person) => person.id) },
  });
const remove = (id: number) =>
  server.call('DELETE /api/admin/teams/:id', { as: admin, params: { id } });
const readOne = async (id: string) =>
  (await server.call('GET /api/admin/messages/:id', { as: admin, params: { id } })).body;
const readRecipientIds = async (id: string): Promise<number[]> =>
  (await audience.readLedger(id)).map(({ user_id }) => user_id);

test('notifies each member once, whatever they muted, and names the team', async () => {
  const topic = await server.createTopic('Storms');
  const [ana, ben, cy] = [
    await audience.createMember(1, topic),
    await audience.createMember(2, topic),
    await audience.createMember(1),
  ];
  await audience.muteTopic(ana, topic);
  const [north, south] = [await addTeam('North', ana, cy), await addTeam('South', cy)];
  const chosenAudience = { topicIds: [topic], teamIds: [north, south, north], userIds: [cy.id] };
  const countedResponse = await server.call('POST /api/admin/messages/audience', {
    as: admin,
    body: chosenAudience,
  });
  assert.equal([countedResponse.body.people, countedResponse.body.reachable], [3, 3]);
  const { body, status } = await audience.send(chosenAudience);
  assert.is(status, 202);
  const ledger = await audience.readLedger(body.messageId);
  assert.equal(
    ledger.map(({ user_id, named, devices }) => [user_id, named, devices]),
    [
      [ana.id, 1, 1],
      [ben.id, 0, 2],
      [cy.id, 1, 1],
    ],
  );
  assert.equal((await readOne(body.messageId)).teams, [
    { id: north, name: 'North' },
    { id: south, name: 'South' },
  ]);
  const query = { query: 'north' };
  const searchResponse = await server.call('GET /api/admin/messages', { as: admin, query });
  assert.is(searchResponse.body.total, 1);
  const alone = await audience.send({ teamIds: [south], message: 'Only you' });
  const entry = await server.services.db
    .selectFrom('audit_entries')
    .select('target')
    .where('message_id', '=', alone.body.messageId)
    .executeTakeFirstOrThrow();
  assert.is(entry.target, 'South');
  assert.is((await audience.send({ teamIds: [999_999] })).status, 400);
  const empty = await audience.send({ teamIds: [await addTeam('Empty')] });
  assert.equal([empty.status, empty.error], [400, 'This message has no recipients.']);
});

test('recognizes a repeated request by its teams', async () => {
  const [ana, ben] = [await audience.createMember(1), await audience.createMember(1)];
  const [north, south] = [await addTeam('North', ana), await addTeam('South', ben)];
  const sendToTeams = (teamIds: number[]) =>
    server.call('POST /api/admin/messages', {
      as: admin,
      body: { teamIds, message: 'Come in' },
      headers: { 'Idempotency-Key': 'one' },
    });
  const firstResponse = await sendToTeams([north]);
  assert.equal((await sendToTeams([north])).body, firstResponse.body);
  assert.is((await sendToTeams([south])).status, 409);
});

test('keeps sent messages of a deleted team, and skips the team in scheduled ones', async () => {
  const [ana, ben] = [await audience.createMember(1), await audience.createMember(1)];
  const [north, south] = [await addTeam('North', ana), await addTeam('South', ben)];
  const sentResponse = await audience.send({ teamIds: [north], answers: ['Safe'] });
  const sendAt = new Date(server.clock.now + 60_000).toISOString();
  const laterResponse = await audience.send({ teamIds: [north, south], sendAt });
  await audience.acceptAll();

  const { db } = server.services;
  const setState = (state: 'writing' | 'scheduled') =>
    db
      .updateTable('messages')
      .set({ state })
      .where('id', '=', laterResponse.body.messageId)
      .execute();
  await setState('writing');
  const rejectedResponse = await remove(north);
  const sentence = 'A message to this team is being sent. Please try again in a minute.';
  assert.equal([rejectedResponse.status, rejectedResponse.error], [409, sentence]);
  await setState('scheduled');
  assert.is((await remove(north)).status, 200);

  const repeatedResponse = await audience.notifyAgain(sentResponse.body.messageId);
  assert.equal(repeatedResponse.body, { messageId: sentResponse.body.messageId, people: 1 });
  server.clock.now += 60_000;
  await server.jobs.runDue();
  assert.equal(await readRecipientIds(laterResponse.body.messageId), [ben.id]);
  assert.equal((await readOne(laterResponse.body.messageId)).teams, [{ id: south, name: 'South' }]);
});

test('writes who is in the team at that moment, each once, while members change', async () => {
  const [ana, ben, cy] = [
    await audience.createMember(1),
    await audience.createMember(1),
    await audience.createMember(1),
  ];
  const [north, south] = [await addTeam('North', ana, ben), await addTeam('South', ana)];
  const others = [1, 2].map(() => createMessageJobs(() => server.services));
  for (let round = 0; round < 200; round += 1) {
    const sendAt = new Date(server.clock.now + 1000).toISOString();
    const isLater = round % 2 === 1;
    const chosenAudience = { teamIds: [north, south], ...(isLater && { sendAt }) };
    const earlierResponse = isLater ? await audience.send(chosenAudience) : undefined;
    if (isLater) server.clock.now += 1000;
    const [joining, leaving] = round % 4 < 2 ? [cy, ben] : [ben, cy];
    const [now] = await Promise.all([
      earlierResponse ?? audience.send(chosenAudience),
      change('POST', north, joining),
      change('DELETE', north, leaving),
      ...(isLater ? others.map((jobs) => jobs.runDue()) : []),
    ]);
    const written = await readRecipientIds(now.body.messageId);
    assert.is(written.length, new Set(written).size, 'each once');
    assert.ok(written.includes(ana.id), 'who stays is a recipient');
    // The send may run before, between or after the two changes, so Ben and Cy may be recipients.
    assert.ok(written.every((id) => [ana.id, ben.id, cy.id].includes(id)));
    assert.is((await readOne(now.body.messageId)).people.total, written.length);
    const laterResponse = await audience.send({ teamIds: [north] });
    const expected = [ana.id, joining.id].sort((one, other) => one - other);
    assert.equal(await readRecipientIds(laterResponse.body.messageId), expected, `round ${round}`);
    server.clock.now += 60_000;
  }
});

test.run();
