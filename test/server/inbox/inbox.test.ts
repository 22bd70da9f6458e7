import { sql } from 'kysely';
import * as assert from 'uvu/assert';
import { createQueryCounter } from '../../support/database/query-count';
import { createAudienceHelpers } from '../../support/server/audience';
import type { Person } from '../../support/server/server';
import { createServer, serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('inbox');
const LIST_CALL = 'GET /api/notifications/messages';
let ana: Person;
let audience: ReturnType<typeof createAudienceHelpers>;

test.before.each(async () => {
  audience = createAudienceHelpers(server);
  ana = await server.createPerson('TECHNICIAN', { username: 'ana' });
});

/** A second after the last. */
async function sendTo(
  people: readonly Person[],
  options: Parameters<typeof audience.send>[0] = {},
): Promise<string> {
  server.clock.now += 1000;
  const userIds = people.map(({ id }) => id);
  const { status, body } = await audience.send({ userIds, ...options });
  assert.is(status, 202);
  return body.messageId;
}
const list = async (query: Record<string, string | number> = {}, as = ana) => {
  const { status, body } = await server.call(LIST_CALL, { as, query });
  assert.is(status, 200);
  return body;
};
const listSeqs = async (query: Record<string, string | number> = {}, as = ana): Promise<number[]> =>
  (await list(query, as)).messages.map(({ seq }) => seq);
const read = (id: string, as = ana) =>
  server.call('GET /api/notifications/messages/:id', { as, params: { id } });
const subscribe = (person: Person, topic_id: number) =>
  server.services.db
    .insertInto('subscriptions')
    .values({ user_id: person.id, topic_id, created_at: 0 })
    .execute();
const sendReceipt = (messageId: string, answer?: string) =>
  server.sendReceipts(ana, [
    answer === undefined
      ? { messageId, kind: 'read' }
      : { messageId, kind: 'acknowledged', answer },
  ]);

test('returns an empty inbox to a person without messages', async () => {
  assert.equal(await list(), {
    messages: [],
    unread: 0,
    newest: 0,
    closed: 0,
    answered: 0,
    revised: 0,
  });
});

test('returns everything that was sent, and what the person did', async () => {
  const topicId = await server.createTopic('Outages');
  await subscribe(ana, topicId);
  server.clock.now += 1000;
  const sentAt = server.clock.now;
  const { body: sent } = await audience.send({
    topicIds: [topicId],
    title: 'Power',
    message: 'It is off',
    link: 'https://status.example/1',
    priority: 'urgent',
    answers: ['Got it', 'No'],
  });
  const entry = {
    id: sent.messageId,
    seq: 1,
    title: 'Power',
    message: 'It is off',
    topic: { id: topicId, title: 'Outages' },
    sender: await server.services.db
      .selectFrom('users')
      .select('username')
      .where('role', '=', 'ADMIN')
      .executeTakeFirstOrThrow()
      .then(({ username }) => username),
    link: 'https://status.example/1',
    priority: 'urgent',
    answers: ['Got it', 'No'],
    state: 'sent',
    createdAt: new Date(sentAt).toISOString(),
    expiresAt: new Date(sentAt + 24 * 3600_000).toISOString(),
    readAt: null,
    acknowledgedAt: null,
    answer: null,
    revision: 1,
    revisedAt: null,
    former: [],
    allClearAt: null,
  };
  assert.equal(await list(), {
    messages: [entry],
    unread: 1,
    newest: 1,
    closed: 0,
    answered: 0,
    revised: 0,
  });
  server.clock.now += 5000;
  await sendReceipt(sent.messageId, 'No');
  const at = new Date(server.clock.now).toISOString();
  const answered = { ...entry, readAt: at, acknowledgedAt: at, answer: 'No', answerRevision: 1 };
  assert.equal(await list(), {
    messages: [answered],
    unread: 0,
    newest: 1,
    closed: 0,
    answered: 1,
    revised: 0,
  });
  assert.equal((await read(sent.messageId)).body, answered);
  await server.services.db.deleteFrom('users').where('role', '=', 'ADMIN').execute();
  const { sender: _, ...withoutSender } = answered;
  assert.equal((await read(sent.messageId)).body, withoutSender, 'that user is deleted');
});

test('shows a message to its recipients only', async () => {
  const ben = await server.createPerson('ADMIN');
  const ownMessage = await sendTo([ana]);
  assert.equal(await list({}, ben), {
    messages: [],
    unread: 0,
    newest: 0,
    closed: 0,
    answered: 0,
    revised: 0,
  });
  for (const id of [ownMessage, 'unknown', 'a\0b', crypto.randomUUID()])
    assert.is((await read(id, ben)).status, 404);
  assert.is((await read(ownMessage)).status, 200);
});

test("shows a topic's messages of the time of the subscription", async () => {
  const ben = await server.createPerson('CUSTOMER');
  const topicId = await server.createTopic();
  await subscribe(ana, topicId);
  await sendTo([], { topicIds: [topicId] });
  await subscribe(ben, topicId);
  await server.services.db.deleteFrom('subscriptions').where('user_id', '=', ana.id).execute();
  await sendTo([], { topicIds: [topicId] });
  assert.equal([await listSeqs({}, ana), await listSeqs({}, ben)], [[1], [1]]);
});

test('pages by message number, newest first', async () => {
  for (let nth = 0; nth < 25; nth += 1) await sendTo([ana]);
  const numbers = (from: number, to: number): number[] =>
    Array.from({ length: Math.abs(to - from) + 1 }, (_, index) =>
      from < to ? from + index : from - index,
    );
  assert.equal(await listSeqs(), numbers(25, 6), 'twenty, unless told otherwise');
  assert.equal(await listSeqs({ before: 6 }), numbers(5, 1));
  assert.equal(await listSeqs({ before: 1 }), []);
  assert.equal(await listSeqs({ after: 0, limit: 3 }), [1, 2, 3], 'catching up: the oldest first');
  assert.equal(await listSeqs({ after: 20 }), numbers(21, 25));
  assert.equal(await listSeqs({ after: 25 }), []);
  assert.equal(await listSeqs({ after: 3, before: 6 }), [4, 5]);
  assert.is((await list({ after: 25 })).newest, 25);
});

test('counts closed messages among the newest twenty in every response', async () => {
  for (let nth = 0; nth < 22; nth += 1) await sendTo([ana]);
  const { db } = server.services;
  const close = async (...numbers: number[]) => {
    const { rows } = await sql<{ id: string }>`select message_id as id from recipients
      where user_id = ${ana.id} and seq in (${sql.join(numbers)})`.execute(db);
    const ids = rows.map(({ id }) => id);
    await db.updateTable('messages').set({ state: 'cancelled' }).where('id', 'in', ids).execute();
  };
  await close(1, 2);
  assert.is((await list({ after: 22 })).closed, 0);
  await close(3, 22);
  assert.is((await list({ after: 22 })).closed, 2);
});

test('returns a hundred messages at most', async () => {
  const { db } = server.services;
  const messageId = await sendTo([ana]);
  const row = await db.selectFrom('messages').selectAll().executeTakeFirstOrThrow();
  for (let seq = 2; seq <= 120; seq += 1) {
    const id = `${messageId}-${seq}`;
    await db
      .insertInto('messages')
      .values({ ...row, id })
      .execute();
    await db
      .insertInto('recipients')
      .values({ message_id: id, user_id: ana.id, seq, state: 'accepted' })
      .execute();
  }
  assert.is((await list({ limit: 500 })).messages.length, 100);
  assert.is((await list({ limit: 100 })).unread, 120);
});

test('lists unread messages, and counts them on all devices', async () => {
  const ids = [await sendTo([ana]), await sendTo([ana]), await sendTo([ana])];
  await sendReceipt(ids[1] ?? '');
  assert.equal(await listSeqs({ unread: 'true' }), [3, 1]);
  assert.equal([(await list()).unread, (await list({ unread: 'true' })).unread], [2, 2]);
});

test('finds every word in title and text, in any case, and takes wildcards literally', async () => {
  await sendTo([ana], { title: 'STÖRUNG Nord', message: 'Der Strom ist weg' });
  await sendTo([ana], { title: 'Wartung', message: '100% fertig, file_name C:\\temp' });
  await sendTo([ana], { message: 'Das Wasser ist weg' });
  for (const [query, found] of [
    ['störung', [1]],
    ['Störung', [1]],
    ['weg nord', [1]],
    ['NORD strom', [1]],
    ['weg', [3, 1]],
    ['weg wartung', []],
    ['100%', [2]],
    ['1%0', []],
    ['file_name', [2]],
    ['file-name', []],
    ['fi_e', []],
    ['c:\\temp', [2]],
    ['\\', [2]],
    ["' or 1=1 --", []],
    ['ﬁle', [2]],
    ['fieldbell', []],
  ] as const)
    assert.equal(await listSeqs({ query }), found, query);
});

test('continues a search behind false matches', async () => {
  const [mine, other] = [await server.createTopic('North'), await server.createTopic('South')];
  await subscribe(ana, mine);
  for (let nth = 0; nth < 3; nth += 1) await sendTo([], { topicIds: [mine], message: 'South' });
  for (let nth = 0; nth < 7; nth += 1)
    await sendTo([], { topicIds: [mine, other], message: 'nothing' });
  assert.equal(await listSeqs({ query: 'south', limit: 2 }), [3, 2]);
  assert.equal(await listSeqs({ query: 'south', limit: 2, before: 2 }), [1]);
  assert.equal(await listSeqs({ query: 'south', after: 0 }), [1, 2, 3]);
});

test('searches an inbox in few statements, and yields in between', async () => {
  const { plugin, countQueries } = createQueryCounter();
  const countedServer = await createServer({ plugin });
  const { db } = countedServer.services;
  const ben = await countedServer.createPerson('TECHNICIAN');
  const [mine, other] = [
    await countedServer.createTopic('North'),
    await countedServer.createTopic('Zeppelin'),
  ];
  await db
    .insertInto('subscriptions')
    .values({ user_id: ben.id, topic_id: mine, created_at: 0 })
    .execute();
  await createAudienceHelpers(countedServer).send({ topicIds: [mine, other], message: 'one' });
  const message = await db.selectFrom('messages').selectAll().executeTakeFirstOrThrow();
  const entry = await db.selectFrom('recipients').selectAll().executeTakeFirstOrThrow();
  const ids = Array.from({ length: 999 }, (_, index) => `copy ${index}`);
  for (const [index, id] of ids.entries()) {
    await db
      .insertInto('messages')
      .values({ ...message, id })
      .execute();
    const recipient = { ...entry, message_id: id, seq: index + 2 };
    await db.insertInto('recipients').values(recipient).execute();
  }
  const before = countQueries();
  let turns = 0;
  const count = (): void => {
    turns += 1;
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  const { body } = await countedServer.call(LIST_CALL, {
    as: ben,
    query: { query: 'zeppelin', limit: 1 },
  });
  clearImmediate(timer);
  assert.equal(body.messages, []);
  assert.ok(countQueries() - before < 20, `${countQueries() - before} statements`);
  assert.ok(turns >= 4, `${turns} turns`);
  await countedServer.close();
});

test('titles a message by its sender, its current topic or the product', async () => {
  const [first, second] = [await server.createTopic('First'), await server.createTopic('Second')];
  await subscribe(ana, second);
  await sendTo([], { topicIds: [first, second] });
  await sendTo([], { topicIds: [second], title: 'Mine' });
  await sendTo([ana]);
  const titles = async () =>
    (await list({ after: 0 })).messages.map(({ title, topic }) => [title, topic?.title]);
  assert.equal(await titles(), [
    ['Second', 'Second'],
    ['Mine', 'Second'],
    ['Fieldbell', undefined],
  ]);
  await server.services.db
    .updateTable('topics')
    .set({ title: 'Renamed', search_key: 'renamed' })
    .where('id', '=', second)
    .execute();
  assert.equal((await titles())[0], ['Renamed', 'Renamed']);
  assert.equal(await listSeqs({ query: 'renamed' }), [1]);
  await server.services.db.deleteFrom('topics').execute();
  assert.equal(await titles(), [
    ['First', undefined],
    ['Mine', undefined],
    ['Fieldbell', undefined],
  ]);
});

test('keeps a canceled message in the inbox, marked as such', async () => {
  await audience.addDevice(ana);
  const id = await sendTo([ana]);
  await audience.cancel(id);
  assert.equal(
    (await list()).messages.map(({ state }) => state),
    ['cancelled'],
  );
});

test('adds a scheduled message when it is sent, with that time', async () => {
  const sendAt = server.clock.now + 3600_000;
  await sendTo([ana], { sendAt: new Date(sendAt).toISOString() });
  assert.equal(await listSeqs(), []);
  server.clock.now = sendAt + 5000;
  await server.jobs.runDue();
  assert.is((await list()).messages[0]?.createdAt, new Date(sendAt).toISOString());
});

test.run();
