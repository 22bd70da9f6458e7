import * as assert from 'uvu/assert';
import type { SentMessage } from '../../../../src/shared/contract';
import { expireRows } from '../../../../server/db/outbox/maintenance';
import { countAnswers, countRecipients } from '../../../../server/messages/progress/counts';
import { deleteOldDeliveries } from '../../../../server/messages/delete-old-deliveries';
import { listMessages } from '../../../../server/messages/progress/progress';
import { createAudienceHelpers } from '../../../support/server/audience';
import { createQueryCounter } from '../../../support/database/query-count';
import type { Person } from '../../../support/server/server';
import { serverSuite } from '../../../support/server/server';

const { plugin, countQueries } = createQueryCounter();
const { test, server } = serverSuite('progress', { plugin });
/** Shorter than an administrator's session. */
const HOUR_MS = 60 * 60 * 1000;
let admin: Person;
let audience: ReturnType<typeof createAudienceHelpers>;
test.before.each(async () => {
  audience = createAudienceHelpers(server);
  admin = await server.createPerson('ADMIN');
});

const send = (person: Person) =>
  audience.send({ userIds: [person.id], expiresAt: isoTime(server.clock.now + HOUR_MS) });
const isoTime = (time: number): string => new Date(time).toISOString();
const read = async (id: string): Promise<SentMessage> =>
  (await server.call('GET /api/admin/messages/:id', { as: admin, params: { id } })).body;
const list = async () => (await server.call('GET /api/admin/messages', { as: admin })).body;
const report = (as: Person, messageId: string, answer?: string) =>
  server.sendReceipts(as, [
    answer === undefined
      ? { messageId, kind: 'read' }
      : { messageId, kind: 'acknowledged', answer },
  ]);
const stateOf = async (id: string) => (await read(id)).state;

test('shows everything its sender chose, alone and in the list', async () => {
  const [outages, works] = [await server.createTopic('Outages'), await server.createTopic('Works')];
  await audience.createMember(1, works);
  const namedPerson = await audience.createMember(0);
  const sent = {
    topicIds: [works, outages],
    userIds: [namedPerson.id],
    message: 'Power is off',
    title: 'North',
    link: '/subscriptions',
    priority: 'urgent' as const,
    answers: ['Got it', '__proto__'],
    expiresAt: isoTime(server.clock.now + 3_600_000),
  };
  const { body } = await server.sendMessage(admin, sent);
  const { topicIds: _, userIds: __, ...chosen } = sent;
  const expected = {
    ...chosen,
    id: body.messageId,
    topic: { id: works, title: 'Works' },
    topics: [
      { id: works, title: 'Works' },
      { id: outages, title: 'Outages' },
    ],
    sender: admin.username,
    state: 'sending',
    createdAt: isoTime(server.clock.now),
    sendAt: isoTime(server.clock.now),
    total: 1,
    accepted: 0,
    failed: 0,
    gone: 0,
    pending: 1,
    people: {
      total: 2,
      unreachable: 1,
      muted: 0,
      held: 0,
      displayed: 0,
      read: 0,
      acknowledged: 0,
      pending: 1,
      accepted: 0,
      failed: 0,
    },
    reachable: 1,
    namedPeople: 1,
    tally: JSON.parse('{ "Got it": 0, "__proto__": 0 }'),
    revision: 1,
    revisedAt: null,
    former: [],
    allClearAt: null,
  };
  assert.equal(await read(body.messageId), expected);
  assert.equal(await list(), { messages: [expected], total: 1, page: 1, limit: 10 });
});

test('counts displayed, read and answered cumulatively, also of people without devices', async () => {
  const topic = await server.createTopic();
  const [phone, otherPerson] = [
    await audience.createMember(1, topic),
    await audience.createMember(1, topic),
  ];
  const [none, latePerson] = [
    await audience.createMember(0, topic),
    await audience.createMember(0, topic),
  ];
  const off = await audience.createMember(1, topic);
  await audience.muteTopic(off, topic);
  const { body } = await audience.send({ topicIds: [topic], answers: ['Yes', 'No'] });
  const id = body.messageId;
  const counts = async () => {
    const { pending: _, accepted: __, failed: ___, ...people } = (await read(id)).people;
    return [...Object.values(people), (await read(id)).tally];
  };
  assert.equal(await counts(), [5, 2, 1, 0, 0, 0, 0, { Yes: 0, No: 0 }]);
  await report(phone, id, 'Yes');
  await report(none, id, 'Yes');
  await report(latePerson, id);
  await report(otherPerson, id, 'No');
  assert.equal(await counts(), [5, 0, 1, 0, 4, 4, 3, { Yes: 2, No: 1 }]);
  assert.is((await read(id)).reachable, 2, 'as when it was sent');
  await server.services.db.deleteFrom('users').where('id', 'in', [phone.id, off.id]).execute();
  assert.equal(await counts(), [5, 0, 1, 0, 4, 4, 3, { Yes: 2, No: 1 }], 'tallies stay');
});

test('moves a message from scheduled to sending to sent', async () => {
  const person = await audience.createMember(1);
  const sendAt = isoTime(server.clock.now + 60_000);
  const expiresAt = isoTime(server.clock.now + HOUR_MS);
  const { body } = await audience.send({ userIds: [person.id], sendAt, expiresAt });
  const scheduledMessage = await read(body.messageId);
  assert.equal([scheduledMessage.state, scheduledMessage.sendAt], ['scheduled', sendAt]);
  assert.is(scheduledMessage.people.total, 1, 'as many as are in its audience now');
  server.clock.now += 60_000;
  await server.jobs.runDue();
  assert.is(await stateOf(body.messageId), 'sending');
  await audience.acceptAll();
  assert.is(await stateOf(body.messageId), 'sent');
  server.clock.now += HOUR_MS;
  assert.is(await stateOf(body.messageId), 'sent', 'nothing was left when it ended');
});

test('expires a message with pending pushes, even after cleanup', async () => {
  const { db } = server.services;
  const { body } = await send(await audience.createMember(1));
  const later = {
    sendAt: isoTime(server.clock.now + 1000),
    expiresAt: isoTime(server.clock.now + 2000),
  };
  const never = await audience.send({ userIds: [admin.id], ...later });
  server.clock.now += HOUR_MS;
  assert.equal(
    [await stateOf(body.messageId), await stateOf(never.body.messageId)],
    ['expired', 'expired'],
  );
  assert.is((await read(never.body.messageId)).people.total, 0, 'it had no recipients in the end');
  assert.is(await expireRows(db, server.clock.now), 1);
  assert.is(await stateOf(body.messageId), 'expired');
  await deleteOldDeliveries(db, server.clock.now + 8 * 24 * HOUR_MS, new AbortController().signal);
  assert.equal(await audience.readDeliveries(body.messageId), []);
  const retiredMessage = await read(body.messageId);
  assert.equal([retiredMessage.state, retiredMessage.failed], ['expired', 1]);
});

test('does not expire a message whose push failed before', async () => {
  const { body } = await send(await audience.createMember(1));
  await server.services.db
    .updateTable('deliveries')
    .set({ state: 'failed', reason: '400' })
    .execute();
  assert.is(await stateOf(body.messageId), 'sent');
  server.clock.now += HOUR_MS;
  assert.is(await stateOf(body.messageId), 'sent');
});

test('keeps a message canceled, and shows a repeated one as sending', async () => {
  const person = await audience.createMember(1);
  const { body } = await send(person);
  await audience.acceptAll();
  await audience.notifyAgain(body.messageId);
  assert.is(await stateOf(body.messageId), 'sending');
  const { body: canceled } = await audience.cancel(body.messageId);
  assert.is(canceled.state, 'cancelled');
  server.clock.now += HOUR_MS;
  assert.is(await stateOf(body.messageId), 'cancelled');
});

test('names neither a deleted sender nor topic', async () => {
  const { db } = server.services;
  const topic = await server.createTopic('Outages');
  const sender = await server.createPerson('ADMIN');
  const { body } = await server.sendMessage(sender, {
    topicIds: [topic],
    userIds: [admin.id],
    message: 'Hi',
  });
  await db.deleteFrom('users').where('id', '=', sender.id).execute();
  await db.deleteFrom('topics').where('id', '=', topic).execute();
  const laterMessage = await read(body.messageId);
  assert.equal([laterMessage.sender, laterMessage.topic, laterMessage.topics], [null, null, []]);
});

test('uses the same number of queries for many messages as for one', async () => {
  const person = await audience.createMember(1);
  const count = async (): Promise<number> => {
    const before = countQueries();
    await list();
    return countQueries() - before;
  };
  await send(person);
  const forOne = await count();
  for (let nth = 0; nth < 4; nth += 1) await send(person);
  assert.equal([await count(), (await list()).messages.length], [forOne, 5]);
});

test('shows each message in a list with its counts', async () => {
  const [outages, works] = [await server.createTopic('Outages'), await server.createTopic('Works')];
  const [worksMember, outagesAndWorksMember] = [
    await audience.createMember(1, outages),
    await audience.createMember(2, works, outages),
  ];
  const answers = ['Yes', 'No'];
  const sendAt = isoTime(server.clock.now + HOUR_MS);
  const ids: string[] = [];
  for (const body of [
    { topicIds: [outages], answers },
    { topicIds: [works], answers },
    { userIds: [worksMember.id], answers },
    { topicIds: [works, outages], sendAt },
  ]) {
    ids.push((await audience.send(body)).body.messageId);
    server.clock.now += 1;
  }
  await report(worksMember, ids[0]!, 'Yes');
  await report(outagesAndWorksMember, ids[1]!, 'No');
  const push = server.services.db
    .updateTable('deliveries')
    .set({ state: 'failed', reason: 'expired' });
  await push.where('message_id', '=', ids[1]!).execute();
  await audience.cancel(ids[2]!);
  const { messages } = await list();
  assert.equal(
    messages.map(({ people, tally, failed, pending, topics, state }) =>
      [
        people.total,
        people.acknowledged,
        ...Object.values(tally),
        failed,
        pending,
        topics.length,
        state,
      ].join(' '),
    ),
    [
      '2 0 0 0 2 scheduled',
      '1 0 0 0 0 0 0 cancelled',
      '1 1 0 1 2 0 1 sent',
      '2 1 1 0 0 3 1 sending',
    ],
  );
  for (const message of messages) assert.equal(message, await read(message.id));
});

const requestMessage = (id: string, ifNoneMatch?: string): Promise<Response> =>
  server.request(`/api/admin/messages/${id}`, {
    headers: {
      Authorization: `Bearer ${admin.token}`,
      ...(ifNoneMatch !== undefined && { 'If-None-Match': ifNoneMatch }),
    },
  });

test('returns 304 for an unchanged message, with the usual headers', async () => {
  const person = await audience.createMember(1);
  const { body } = await send(person);
  const firstResponse = await requestMessage(body.messageId);
  const tag = firstResponse.headers.get('etag') ?? '';
  assert.match(tag, /^"[^"]+"$/);
  assert.is((await firstResponse.json()).id, body.messageId);
  for (const matchingTag of [tag, `W/${tag}`, `"a,b" , W/"c",${tag}`, ' * ']) {
    const repeatedResponse = await requestMessage(body.messageId, matchingTag);
    assert.equal(
      [
        repeatedResponse.status,
        await repeatedResponse.text(),
        repeatedResponse.headers.get('etag'),
      ],
      [304, '', tag],
      matchingTag,
    );
    for (const name of ['cache-control', 'x-content-type-options', 'x-request-id'])
      assert.is.not(repeatedResponse.headers.get(name), null, name);
  }
  for (const other of ['', '"x"', tag.slice(1, -1), `"x${tag.slice(1)}`])
    assert.is((await requestMessage(body.messageId, other)).status, 200, other);
  await report(person, body.messageId);
  const changedResponse = await requestMessage(body.messageId, tag);
  assert.is(changedResponse.status, 200);
  assert.is.not(changedResponse.headers.get('etag'), tag);
});

/** Different numbers of each state, never side by side. */
const UNSEEN_STATES = ['held', 'muted', 'held', 'muted', 'held'] as const;

test('counts a large message in pieces with the same result', async () => {
  const topic = await server.createTopic();
  const people: Person[] = [];
  for (let nth = 0; nth < 5 + UNSEEN_STATES.length; nth += 1)
    people.push(await audience.createMember(nth === 4 ? 0 : 1, topic));
  const { body } = await audience.send({ topicIds: [topic], answers: ['Yes', 'No'] });
  const id = body.messageId;
  for (const [nth, word] of ['Yes', 'No', 'Yes'].entries()) await report(people[nth]!, id, word);
  await report(people[3]!, id);
  const { db } = server.services;
  for (const [nth, state] of UNSEEN_STATES.entries())
    await db
      .updateTable('recipients')
      .set({ state })
      .where('user_id', '=', people[5 + nth]?.id ?? 0)
      .execute();
  const messages = [{ id, people: people.length }];
  const counts = [await countRecipients(messages, db), await countAnswers(messages, db)] as const;
  assert.equal(counts[0].get(id), {
    ...{ total: 10, unreachable: 1, muted: 2, held: 3 },
    ...{ displayed: 4, read: 4, acknowledged: 3 },
    ...{ pending: 0, accepted: 0, failed: 0 },
    ...{ correctionDisplayed: 0, answeredEarlierText: 0, allClearDisplayed: 0 },
  });
  assert.equal([...(counts[1].get(id) ?? [])].sort(), [
    ['No', 1],
    ['Yes', 2],
  ]);
  for (const recipientLimit of [1, 2, 3, 4])
    assert.equal(
      [
        await countRecipients(messages, db, recipientLimit),
        await countAnswers(messages, db, recipientLimit),
      ],
      counts,
      `${recipientLimit} at a time`,
    );
});

test('lists only messages of a priority, and rejects an unknown one', async () => {
  const topic = await server.createTopic('Outages');
  await audience.createMember(1, topic);
  const { body: urgent } = await audience.send({
    topicIds: [topic],
    priority: 'urgent',
    message: 'Pump',
  });
  await audience.send({ topicIds: [topic], priority: 'info', message: 'Pump' });
  for (const query of ['', 'pump']) {
    const wanted = { as: admin, query: { priority: 'urgent', query } };
    const { body } = await server.call('GET /api/admin/messages', wanted);
    assert.equal([body.total, body.messages.map(({ id }) => id)], [1, [urgent.messageId]]);
  }
  const wrong = { as: admin, query: { priority: 'high' } };
  assert.is((await server.call('GET /api/admin/messages', wrong)).status, 400);
});

test('lists messages whose people need help, until the all-clear or a day after they expired', async () => {
  const topic = await server.createTopic('Outages');
  const member = await audience.createMember(1, topic);
  const ask = async (answers: string[], answer?: string, translations = {}) => {
    const { body } = await audience.send({ topicIds: [topic], answers, translations });
    if (answer) await report(member, body.messageId, answer);
    return body.messageId;
  };
  const find = async () => {
    const query = { state: 'needs_help', limit: 2 };
    const { body } = await server.call('GET /api/admin/messages', { as: admin, query });
    return [body.total, new Set(body.messages.map(({ id }) => id))];
  };
  const first = await ask(['Safe', 'Need help'], 'Need help');
  const second = await ask(['Sicher', 'Ich brauche Hilfe'], 'Ich brauche Hilfe');
  await ask(['Safe', 'Need help'], 'Safe');
  await ask(['Safe', 'Need help']);
  await ask(['Do you need help?'], 'Do you need help?');
  assert.equal(await find(), [2, new Set([first, second])]);
  const correct = (ownAnswers: string[]) =>
    server.call('POST /api/admin/messages/:id/correct', {
      as: admin,
      params: { id: translated },
      body: { message: 'Storm', translations: { de: german(ownAnswers) }, ask: false },
    });
  const german = (answers: string[]) => ({ message: 'Sturm', answers });
  const translated = await ask(['OK', 'Trouble'], 'Trouble', { de: german(['Gut', 'NOTFALL']) });
  assert.is((await find())[0], 3);
  const { body: corrected } = await correct(['Gut', 'Probleme']);
  assert.equal([corrected.helpAnswers, (await find())[0]], [['Trouble'], 3]);
  const params = { id: first };
  await server.call('POST /api/admin/messages/:id/all-clear', {
    as: admin,
    params,
    body: {},
  });
  assert.equal(await find(), [2, new Set([second, translated])]);
  const countLater = async (hours: number) => {
    const firstPage = { page: 1, limit: 1, offset: 0, words: [] };
    const later = server.clock.now + hours * HOUR_MS;
    return (await listMessages(firstPage, { state: 'needs_help' }, server.services.db, later))
      .total;
  };
  assert.equal([await countLater(47), await countLater(48)], [2, 0], 'it expires after a day');
});

test('lists only messages to a topic, or of a sender whose name has all words', async () => {
  const [outages, works] = [await server.createTopic('Outages'), await server.createTopic('Works')];
  await audience.createMember(1, outages, works);
  const colleague = await server.createPerson('ADMIN');
  const { body: own } = await audience.send({ topicIds: [outages], message: 'Outages and Works' });
  const { body: colleaguesMessage } = await server.sendMessage(colleague, {
    topicIds: [outages, works],
    message: 'Pump',
  });
  const find = async (query: Record<string, string | number>) => {
    const { body } = await server.call('GET /api/admin/messages', { as: admin, query });
    assert.is(body.total, body.messages.length);
    return body.messages.map(({ id }) => id);
  };
  assert.equal(await find({ topicId: works }), [colleaguesMessage.messageId]);
  assert.equal(
    new Set(await find({ topicId: outages })),
    new Set([own.messageId, colleaguesMessage.messageId]),
  );
  const sender = colleague.username.slice(1).toUpperCase();
  assert.equal(await find({ sender }), [colleaguesMessage.messageId]);
  assert.equal(await find({ sender: `${sender} key:` }), []);
  for (const topicId of [999, 'x']) {
    const wrong = { as: admin, query: { topicId } };
    assert.is((await server.call('GET /api/admin/messages', wrong)).status, 400);
  }
});

test.run();
