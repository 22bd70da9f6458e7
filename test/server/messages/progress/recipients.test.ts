import { sql } from 'kysely';
import * as assert from 'uvu/assert';
import type { RecipientState } from '../../../../src/shared/contract';
import { createAudienceHelpers } from '../../../support/server/audience';
import { createQueryCounter } from '../../../support/database/query-count';
import type { Person } from '../../../support/server/server';
import { serverSuite } from '../../../support/server/server';

const { plugin, countQueries } = createQueryCounter();
const { test, server } = serverSuite('recipients', { plugin });
let admin: Person;
let audience: ReturnType<typeof createAudienceHelpers>;
test.before.each(async () => {
  audience = createAudienceHelpers(server);
  admin = await server.createPerson('ADMIN');
});

const STATE_ORDER = [
  'unreachable',
  'muted',
  'held',
  'failed',
  'pending',
  'accepted',
  'displayed',
  'read',
  'acknowledged',
] as const satisfies RecipientState[];

const isoTime = (time: number): string => new Date(time).toISOString();

/** Puts a recipient into that state. */
async function bringToState(
  messageId: string,
  person: Person,
  state: RecipientState,
): Promise<void> {
  const steps = ['displayed', 'read', 'acknowledged'];
  const step = steps.indexOf(state);
  await server.services.db
    .updateTable('recipients')
    .set({
      ...(step === -1
        ? { state: state as 'pending' }
        : { state: 'accepted', displayed_at: server.clock.now + 1 }),
      ...(step > 0 && { read_at: server.clock.now + 2 }),
      ...(step > 1 && { acknowledged_at: server.clock.now + 3, answer: 'Got it' }),
    })
    .where('message_id', '=', messageId)
    .where('user_id', '=', person.id)
    .execute();
}

const list = (id: string, query: Record<string, string | number> = {}) =>
  server.call('GET /api/admin/messages/:id/recipients', { as: admin, params: { id }, query });
const names = async (id: string, query?: Record<string, string | number>) =>
  (await list(id, query)).body.recipients.map(({ user }) => user?.username ?? null);

/** @returns the message id and its people */
async function sendTo(...usernames: string[]): Promise<[string, Person[]]> {
  const people: Person[] = [];
  for (const username of usernames)
    people.push(await server.createPerson('CUSTOMER', { username }));
  const { body } = await audience.send({
    userIds: people.map(({ id }) => id),
    answers: ['Got it'],
  });
  return [body.messageId, people];
}

test('lists recipients who need attention first, then by name, and filters by state', async () => {
  // Against the order of names and ids.
  const states = [...STATE_ORDER, 'pending' as const].reverse();
  const [id, people] = await sendTo(...states.map((state, index) => `${9 - index} ${state}`));
  for (const [index, state] of states.entries()) await bringToState(id, people[index]!, state);
  const { body } = await list(id);
  assert.equal(
    body.recipients.map(({ state }) => state),
    [...STATE_ORDER.slice(0, 4), 'pending', 'pending', ...STATE_ORDER.slice(5)],
  );
  const pending = (await names(id, { state: 'pending' })).sort();
  assert.equal(pending, ['4 pending', '9 pending']);
  assert.equal(await names(id, { state: 'pending' }), ['4 pending', '9 pending']);
  for (const state of STATE_ORDER) {
    const { body: page } = await list(id, { state });
    assert.is(page.total, state === 'pending' ? 2 : 1, state);
    assert.ok(page.recipients.every((one) => one.state === state));
  }
  const { people: counted } = (
    await server.call('GET /api/admin/messages/:id', { as: admin, params: { id } })
  ).body;
  for (const state of ['unreachable', 'muted', 'held'] as const)
    assert.is((await list(id, { state })).body.total, counted[state], state);
});

test('filters by answer', async () => {
  const [id, people] = await sendTo('anna', 'berta', 'clara');
  await bringToState(id, people[0]!, 'read');
  for (const person of people.slice(1)) await bringToState(id, person, 'acknowledged');
  await server.services.db
    .updateTable('recipients')
    .set({ answer: 'Need help' })
    .where('user_id', '=', people[2]!.id)
    .execute();
  assert.equal(await names(id, { answer: 'Need help', state: 'acknowledged' }), ['clara']);
  assert.equal(await names(id, { answer: 'Got it' }), ['berta']);
  assert.equal(await names(id, { answer: 'Got\0 it' }), ['berta'], 'PostgreSQL rejects NUL');
  assert.equal((await list(id, { answer: 'got' })).body.total, 0);
});

test('sorts names in any case', async () => {
  const [id] = await sendTo('Zoe', 'anna', 'Berta');
  assert.equal(await names(id), ['anna', 'Berta', 'Zoe']);
});

test('shows state, answer, times and devices of a recipient', async () => {
  const person = await audience.createMember(2);
  const remainingAt = server.clock.now;
  const { body } = await audience.send({
    userIds: [person.id],
    answers: ['Got it'],
    expiresAt: isoTime(remainingAt + 60_000),
  });
  server.clock.now += 120_000;
  await server.sendReceipts(person, [
    { messageId: body.messageId, kind: 'displayed', at: isoTime(remainingAt + 5) },
  ]);
  await server.sendReceipts(person, [
    { messageId: body.messageId, kind: 'acknowledged', answer: 'Got it' },
  ]);
  const now = isoTime(server.clock.now);
  assert.equal((await list(body.messageId)).body, {
    recipients: [
      {
        user: { id: person.id, username: person.username, role: 'TECHNICIAN' },
        state: 'acknowledged',
        answer: 'Got it',
        late: true,
        displayedAt: isoTime(remainingAt + 5),
        readAt: now,
        acknowledgedAt: now,
        answerRevision: 1,
        devices: 2,
      },
    ],
    total: 1,
    page: 1,
    limit: 10,
  });
});

test('finds usernames in any case, takes wildcards literally, and pages consistently', async () => {
  const [id] = await sendTo('Störung', 'a%b', 'a_b', 'axb', 'zoe');
  assert.equal(await names(id, { query: 'STÖR' }), ['Störung']);
  assert.equal(await names(id, { query: '%' }), ['a%b']);
  assert.equal(await names(id, { query: 'a_b' }), ['a_b']);
  const pages = [await list(id, { limit: 2 }), await list(id, { limit: 2, page: 2 })];
  assert.equal(
    pages.map(({ body }) => [body.total, body.page, body.limit]),
    [
      [5, 1, 2],
      [5, 2, 2],
    ],
  );
  const allNames = await names(id);
  assert.equal(
    [...(await names(id, { limit: 2 })), ...(await names(id, { limit: 2, page: 2 }))],
    allNames.slice(0, 4),
  );
  assert.is((await list(id, { limit: 1000 })).body.limit, 100);
});

test('rejects an unknown state, and returns all for an empty one', async () => {
  const [id] = await sendTo('ana');
  for (const state of ['sent', 'PENDING', '__proto__', 'pending\0', 'read,sent', 'read,']) {
    const { status, error } = await list(id, { state });
    assert.equal([status, (error as { path: string }[])[0]?.path], [400, 'state'], state);
  }
  assert.is((await list(id, { state: '' })).body.total, 1);
});

test('filters by several states', async () => {
  const [id, people] = await sendTo('ana', 'bo', 'cy', 'di');
  for (const [index, state] of (['failed', 'accepted', 'displayed', 'read'] as const).entries())
    await bringToState(id, people[index]!, state);
  assert.equal(await names(id, { state: 'accepted,failed' }), ['ana', 'bo']);
  assert.equal(await names(id, { state: 'read,unreachable,read' }), ['di']);
});

test('includes the registration link of pending recipients', async () => {
  const { body: added } = await server.addUser(admin, 'depot', 'CUSTOMER');
  const { body: sent } = await audience.send({ userIds: [added.user.id] });
  const [row] = (await list(sent.messageId)).body.recipients;
  assert.is(row?.user?.status, 'PENDING');
  assert.ok(added.registrationLink.endsWith(`/${row?.user?.registrationToken}`));
  await server.services.db
    .updateTable('users')
    .set({ status: 'ACTIVE' })
    .where('id', '=', added.user.id)
    .execute();
  const [registeredPerson] = (await list(sent.messageId)).body.recipients;
  assert.equal(registeredPerson?.user, { id: added.user.id, username: 'depot', role: 'CUSTOMER' });
});

test('keeps deleted recipients without a name, last of their state and not searchable', async () => {
  const [id, [ana, zoe]] = await sendTo('ana', 'zoe');
  await bringToState(id, ana!, 'read');
  await bringToState(id, zoe!, 'read');
  await server.services.db.deleteFrom('users').where('id', '=', ana!.id).execute();
  const { body } = await list(id);
  assert.equal(
    body.recipients.map(({ user, state }) => [user?.username, state]),
    [
      ['zoe', 'read'],
      [undefined, 'read'],
    ],
  );
  assert.is(body.recipients[1]?.user, null);
  assert.equal(await names(id, { query: 'a' }), []);
  assert.is((await list(id, { state: 'read' })).body.total, 2);
});

test('separates the recipients of different messages', async () => {
  const [anasMessageId] = await sendTo('ana');
  const [zoesMessageId] = await sendTo('zoe');
  assert.equal([await names(anasMessageId), await names(zoesMessageId)], [['ana'], ['zoe']]);
  assert.equal([(await file(anasMessageId)).length, (await file(zoesMessageId)).length], [2, 2]);
});

const CSV_HEADING =
  'username,role,state,answer,late,displayedAt,readAt,acknowledgedAt,comment,answerRevision';
const downloadCsv = (id: string): Promise<Response> =>
  server.request(`/api/admin/messages/${encodeURIComponent(id)}/recipients.csv`, {
    headers: { Authorization: `Bearer ${admin.token}` },
  });
/** The lines of the file, which end by RFC 4180. */
async function file(id: string): Promise<string[]> {
  const response = await downloadCsv(id);
  assert.is(response.status, 200);
  const lines = (await response.text()).split('\r\n');
  assert.is(lines.pop(), '');
  return lines;
}

test('exports a line per recipient as a download', async () => {
  const [id, [ana, , gonePerson]] = await sendTo('ana', 'bob "Bo", jr', 'gone');
  await bringToState(id, ana!, 'acknowledged');
  await server.services.db.deleteFrom('users').where('id', '=', gonePerson!.id).execute();
  const time = (milliseconds: number) => isoTime(server.clock.now + milliseconds);
  assert.equal(await file(id), [
    CSV_HEADING,
    `ana,CUSTOMER,acknowledged,Got it,false,${time(1)},${time(2)},${time(3)},,1`,
    '"bob ""Bo"", jr",CUSTOMER,unreachable,,false,,,,,',
    ',,unreachable,,false,,,,,',
  ]);
  const { headers } = await downloadCsv(id);
  assert.match(headers.get('content-type') ?? '', /^text\/csv; charset=utf-8/);
  assert.is(headers.get('content-disposition'), `attachment; filename="recipients-${id}.csv"`);
  assert.is(headers.get('cache-control'), 'no-store');
});

test('exports no cell that a spreadsheet evaluates', async () => {
  const dangerous = ['=1+1', '+1', '-1', '@SUM(A1)', '=HYPERLINK("http://x","y")', '=1;=2'];
  const [id, people] = await sendTo(...dangerous, 'a;=1', 'tab', 'return');
  const rename = (person: Person | undefined, username: string) =>
    server.services.db
      .updateTable('users')
      .set({ username })
      .where('id', '=', person!.id)
      .execute();
  // No call accepts them.
  await rename(people[7], '\t=1');
  await rename(people[8], '\r=1');
  await server.services.db
    .updateTable('recipients')
    .set({ acknowledged_at: 1, answer: '=cmd', comment: '=1+1\n"Two" of us' })
    .where('user_id', '=', people[0]!.id)
    .execute();
  const lines = await file(id);
  assert.match(lines[1] ?? '', /^'=1\+1,CUSTOMER,acknowledged,'=cmd,.*,"'=1\+1\n""Two"" of us",1$/);
  assert.equal(
    lines.slice(2).map((line) => line.slice(0, line.indexOf(',CUSTOMER'))),
    [
      "'+1",
      "'-1",
      "'@SUM(A1)",
      `"'=HYPERLINK(""http://x"",""y"")"`,
      `"'=1;=2"`,
      '"a;=1"',
      `"'\t=1"`,
      `"'\r=1"`,
    ],
  );
});

/** A message to that many deleted people. */
async function fill(people: number): Promise<string> {
  const [id] = await sendTo('ana');
  await sql`insert into recipients (message_id, user_id, seq, state)
    select ${id}, ${sql.lit(people * 1_000_000)} + i, 1, 'pending' from (with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(people - 1)}) select i from n) as n`.execute(
    server.services.db,
  );
  return id;
}

test('exports a long list completely, each recipient once', async () => {
  for (const people of [1000, 2500]) {
    const id = await fill(people);
    const lines = await file(id);
    assert.is(lines.length, people + 1);
    assert.equal(lines.filter((line) => line === CSV_HEADING).length, 1);
    await server.services.db.deleteFrom('users').where('username', '=', 'ana').execute();
  }
});

/** Gives eager work a chance to run. */
async function giveTurns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

test('reads no further ahead than a slow reader, and stops when it leaves', async () => {
  const id = await fill(20_000);
  const before = countQueries();
  const count = () => countQueries() - before;
  await list(id);
  const forList = count();
  const reader = (await downloadCsv(id)).body?.getReader();
  await reader?.read();
  const forFirst = count() - forList;
  await giveTurns();
  await list(id);
  assert.is(count(), forFirst + 2 * forList, 'the next piece is read when it is asked for');
  await reader?.read();
  const forTwo = count() - 2 * forList;
  assert.ok(forTwo > forFirst);
  await reader?.cancel();
  await giveTurns();
  await list(id);
  assert.is(count(), forTwo + 3 * forList, 'nothing is read for who left');
});

test('breaks off the export when its reader loses access', async () => {
  const id = await fill(5000);
  const reader = (await downloadCsv(id)).body?.getReader();
  await reader?.read();
  await server.services.db.deleteFrom('users').where('id', '=', admin.id).execute();
  const rest = async (): Promise<void> => {
    while (!(await reader!.read()).done);
  };
  await rest().then(
    () => assert.unreachable('the file came whole'),
    (error: Error) => assert.is(error.message, 'The download was interrupted.'),
  );
  assert.ok(server.log.some((line) => /download interrupted.*recipients-/.test(line)));
});

test.run();
