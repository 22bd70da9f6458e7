import * as assert from 'uvu/assert';
import type { Published } from '../../../src/shared/contract';
import { describeEvent } from '../../../server/messages/message-event';
import { createAudienceHelpers } from '../../support/server/audience';
import { createTopicKey } from '../../support/server/topic-keys';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('publishing');
let topic: number;
let key: string;
let ana: Person;

test.before.each(async () => {
  topic = await server.createTopic('Grid outages');
  key = await createTopicKey(server, topic, 'SCADA north');
  ana = await createAudienceHelpers(server).createMember(1, topic);
});

interface PublicationInput {
  body?: BodyInit | null;
  headers?: Record<string, string>;
  path?: string;
  method?: string;
  as?: string;
}
async function publish({
  body = 'Feeder 12 tripped',
  headers,
  path = '',
  ...more
}: PublicationInput = {}) {
  const { method = 'POST', as = key } = more;
  const response = await server.request(`/api/publish${path}`, {
    method,
    headers: { Authorization: `Bearer ${as}`, 'Content-Type': 'text/plain', ...headers },
    body,
  });
  const { error, ...published } = (await response.json()) as Published & { error?: unknown };
  return { status: response.status, body: published, error };
}
const publishJson = (body: unknown, request: PublicationInput = {}) =>
  publish({
    ...request,
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json', ...request.headers },
  });
const messages = () =>
  server.services.db.selectFrom('messages').selectAll().orderBy('created_at').execute();
/** Each byte as a character, like browsers and curl. */
const asBytes = (text: string): string => Buffer.from(text).toString('latin1');

test("sends a text to the subscribers of the key's topic, and responds like ntfy", async () => {
  const { status, body } = await publish({ headers: { Title: 'North', Priority: '4' } });
  assert.is(status, 202);
  assert.equal(body, {
    id: body.id,
    time: Math.floor(server.clock.now / 1000),
    event: 'message',
    topic: 'Grid outages',
    message: 'Feeder 12 tripped',
  });
  const inbox = await server.call('GET /api/notifications/messages', { as: ana });
  assert.equal(
    inbox.body.messages.map(({ id, title, message, priority, sender }) => [
      id,
      title,
      message,
      priority,
      sender,
    ]),
    [[body.id, 'North', 'Feeder 12 tripped', 'urgent', 'SCADA north']],
  );
  assert.is((await server.services.db.selectFrom('deliveries').select('id').execute()).length, 1);
  assert.equal(
    [server.countPushWorkerWakes(), server.wakeCounts.jobs, server.wakeCounts.webhooks],
    [1, 1, 1],
  );
});

test('names the key as the sender, even after it is revoked', async () => {
  const admin = await server.createPerson('ADMIN');
  const { body } = await publish();
  const read = () =>
    server.call('GET /api/admin/messages/:id', { as: admin, params: { id: body.id } });
  assert.is((await read()).body.sender, 'key: SCADA north');
  await server.services.db.deleteFrom('topic_keys').execute();
  assert.is((await read()).body.sender, 'key: SCADA north');
  const event = await describeEvent(body.id, server.services.db);
  assert.is(event?.sender, 'key: SCADA north');
  const listedResponse = await server.call('GET /api/admin/messages', { as: admin });
  assert.is(listedResponse.body.messages[0]?.sender, 'key: SCADA north');
});

test('accepts POST and PUT, with or without a name in the path', async () => {
  for (const method of ['POST', 'PUT'])
    for (const path of ['', '/', '/anything', '/Grid%20outages', '/anything/'])
      assert.is((await publish({ method, path })).status, 202, `${method} ${path}`);
  for (const path of ['/any/thing', '/any/thing/deeper'])
    assert.is((await publish({ path })).status, 404, path);
  assert.is((await publish({ method: 'PATCH' })).status, 404);
  const topics = new Set((await messages()).map(({ topic_id }) => topic_id));
  assert.equal([...topics], [topic]);
});

test("sends to the key's own topic, whatever topic is named", async () => {
  const harborTopicId = await server.createTopic('Harbor');
  await publishJson({ topic: 'Harbor', message: 'Hi' });
  await publish({ path: '/Harbor', headers: { 'X-Topic': 'Harbor' } });
  await publish({ path: `/${harborTopicId}` });
  assert.equal(
    (await messages()).map(({ topic_title }) => topic_title),
    ['Grid outages', 'Grid outages', 'Grid outages'],
  );
});

test('rejects an invalid body, and sends nothing', async () => {
  const latin1 = Buffer.from('Störung', 'latin1');
  const rejectedPublications: [PublicationInput, number][] = [
    [{ body: '' }, 400],
    [{ body: ' \r\n\t' }, 400],
    [{ body: '\u0007\u001b[0m' }, 202],
    [{ body: latin1 }, 400],
    [{ body: latin1, headers: { 'Content-Type': 'application/json' } }, 400],
    [{ body: 'x'.repeat(65_536) }, 202],
    [{ body: 'x'.repeat(65_537) }, 413],
    [{ body: 'é'.repeat(32_769) }, 413],
    [{ headers: { 'Content-Type': 'multipart/form-data; boundary=x' } }, 415],
    [{ headers: { 'Content-Type': 'application/octet-stream' } }, 415],
    [{ headers: { 'Content-Encoding': 'gzip' } }, 415],
    [{ headers: { Priority: '6' } }, 400],
    [{ headers: { Priority: '0' } }, 400],
    [{ headers: { Priority: 'very' } }, 400],
    [{ headers: { Priority: 'hi' } }, 400],
    [{ headers: { Priority: '__proto__' } }, 400],
    [{ headers: { Delay: 'soon' } }, 400],
    [{ headers: { Delay: '-5m' } }, 400],
    [{ headers: { Delay: '99999999999999999999' } }, 400],
    [{ headers: { Delay: '2 years' } }, 400],
    [{ headers: { Delay: '400 days' } }, 400],
    [{ headers: { 'Idempotency-Key': 'with space' } }, 400],
    [{ path: '?priority=none' }, 400],
    [{ path: '?delay=whenever' }, 400],
  ];
  for (const [publication, expected] of rejectedPublications) {
    const earlierCount = (await messages()).length;
    const { status, error } = await publish(publication);
    assert.is(status, expected, JSON.stringify([publication, error]).slice(0, 200));
    assert.is((await messages()).length, earlierCount + (expected === 202 ? 1 : 0));
  }
});

test('rejects invalid JSON messages, and sends nothing', async () => {
  for (const body of [
    [],
    'text',
    {},
    { message: '' },
    { message: 5 },
    { message: 'x'.repeat(1001) },
    { message: 'Hi', title: 'x'.repeat(101) },
    { message: 'Hi', title: 'Two\nlines' },
    { message: 'Hi', priority: 6 },
    { message: 'Hi', priority: 'very' },
    { message: 'Hi', link: 'http://plain.example' },
    { message: 'Hi', answers: ['a', 'b', 'c', 'd'] },
    { message: 'Hi', sendAt: 'tomorrow' },
    { message: 'Hi', sendAt: '2027-02-31T10:00:00Z' },
    { message: 'Hi', expiresAt: '2027-02-31T10:00:00Z' },
    { message: 'Hi', delay: '2027-02-31T10:00:00Z' },
    { message: 'Hi', delay: '9999999d' },
    { message: 'Hi', delay: 'whenever' },
    { message: 'Hi', delay: {} },
    { message: 'Hi', sendAt: '2036-11-21T09:30:00.000Z' },
    { topic: 5, message: 'Hi' },
    { topic: 'x', message: 'Hi', priority: 9 },
    { topic: 'x', message: 'Hi', delay: 'whenever' },
  ])
    assert.is((await publishJson(body)).status, 400, JSON.stringify(body).slice(0, 80));
  assert.equal(await messages(), []);
});

test('accepts every field of a message in JSON', async () => {
  const [at, end] = [60_000, 120_000].map((later) =>
    new Date(server.clock.now + later).toISOString(),
  );
  const { body } = await publishJson({
    message: ' Feeder 12 tripped\nSubstation Harbor ',
    title: 'North',
    priority: 1,
    link: '/subscriptions',
    answers: ['On my way', 'Got it'],
    sendAt: at,
    expiresAt: end,
  });
  const [row] = await messages();
  assert.equal(
    [row?.text, row?.title, row?.priority, row?.link, row?.answers, row?.send_at, row?.expires_at],
    [
      'Feeder 12 tripped\nSubstation Harbor',
      'North',
      'info',
      '/subscriptions',
      '["On my way","Got it"]',
      Date.parse(at ?? ''),
      Date.parse(end ?? ''),
    ],
  );
  assert.equal(
    [body.time, body.message],
    [Math.floor(Date.parse(at ?? '') / 1000), 'Feeder 12 tripped\nSubstation Harbor'],
  );
});

test('reads a priority in any spelling', async () => {
  for (const priority of ['High', 'URGENT', '5', 5])
    assert.is((await publishJson({ topic: 'x', message: 'Hi', priority })).status, 202);
  assert.is((await publish({ headers: { Priority: 'Max' } })).status, 202);
  assert.equal([...new Set((await messages()).map(({ priority }) => priority))], ['urgent']);
});

test("reads ntfy's JSON where ntfy does, and text elsewhere", async () => {
  const ntfy = JSON.stringify({ topic: 'x', message: 'Hi', title: 'T', tags: ['a'], icon: null });
  const other = JSON.stringify({ state: 'down' });
  for (const [path, body] of [
    ['', ntfy],
    ['/x', ntfy],
    ['', other],
    ['', '{ not JSON'],
  ] as const)
    assert.is((await publish({ path, body })).status, 202);
  const rows = (await messages()).map(({ title, text }) => [title, text]);
  for (const row of [
    ['T', 'Hi'],
    [null, ntfy],
    [null, other],
    [null, '{ not JSON'],
  ])
    assert.ok(
      rows.some((one) => JSON.stringify(one) === JSON.stringify(row)),
      JSON.stringify(row),
    );
});

test('reads options from the address, with headers first', async () => {
  const query = new URLSearchParams({
    title: 'From the address',
    p: 'min',
    click: 'https://bell.example/x',
  });
  await publish({ path: `?${query}` });
  await publish({ path: `/x?${query}`, headers: { ti: 'From the header' } });
  assert.equal(
    (await messages()).map(({ title, priority, link }) => [title, priority, link]).sort(),
    [
      ['From the address', 'info', 'https://bell.example/x'],
      ['From the header', 'info', 'https://bell.example/x'],
    ],
  );
});

test('reads titles in UTF-8, Latin-1 and RFC 2047', async () => {
  const titles: Record<string, string> = {
    [asBytes('Störung 🐶')]: 'Störung 🐶',
    [Buffer.from('Störung', 'latin1').toString('latin1')]: 'Störung',
    '=?UTF-8?B?8J+HqfCfh6o=?=': '🇩🇪',
    '=?UTF-8?Q?=C3=84pfel?=': 'Äpfel',
    '=?utf-8?q?Feeder_12?= =?iso-8859-1?Q?=E4?= and more': 'Feeder 12ä and more',
    '=?x-unknown?Q?=C3?=': '=?x-unknown?Q?=C3?=',
    '=?UTF-8?B?Zg0KZw==?=': 'f g',
    '=?UTF-8?Q?=00=1Bx?=': 'x',
    '=?': '=?',
  };
  for (const [sentTitle, expected] of Object.entries(titles)) {
    const { body } = await publish({ headers: { Title: sentTitle } });
    const row = (await messages()).find(({ id }) => id === body.id);
    assert.is(row?.title, expected, sentTitle);
  }
});

test('cuts long texts, strips colors and drops invalid links, but still sends', async () => {
  const { body } = await publish({
    body: `\u001b[31m${'🐶'.repeat(1001)}\u001b[0m`,
    headers: { Title: asBytes('ä'.repeat(101)), Click: 'http://plain.example', Tags: 'skull' },
  });
  const [row] = await messages();
  assert.is(row?.text, `${'🐶'.repeat(999)}…`);
  assert.is(body.message, row?.text);
  assert.is(row?.title, `${'ä'.repeat(99)}…`);
  assert.is(row?.link, null);
  assert.is((await publish({ headers: { Click: 'javascript:alert(1)' } })).status, 202);
  assert.equal([...new Set((await messages()).map(({ link }) => link))], [null]);
});

test('trims texts and titles, and ignores blank ones', async () => {
  await publish({ body: '\n  Feeder 12\n    tripped \n\n', headers: { Title: ' North \t east ' } });
  await publish({ body: ' \n', headers: { Message: ' Feeder 13 ' } });
  await publish({ body: ' \n', headers: { Title: 'North' } });
  assert.equal((await messages()).map(({ text, title }) => [text, title]).sort(), [
    ['Feeder 12\n    tripped', 'North east'],
    ['Feeder 13', null],
    ['triggered', 'North'],
  ]);
});

test('ignores the Priority header of browsers', async () => {
  for (const Priority of ['u=1, i', 'u=3', 'i', 'u=0,i=?1'])
    assert.is((await publish({ headers: { Priority } })).status, 202, Priority);
  assert.equal([...new Set((await messages()).map(({ priority }) => priority))], ['normal']);
});

test('sends nothing again for a repeated Idempotency-Key', async () => {
  const headers = { 'Idempotency-Key': 'one', Delay: '30m' };
  const first = await publish({ headers });
  server.clock.now += 5000;
  const again = await publish({ headers });
  assert.equal([again.status, again.body], [202, first.body]);
  assert.is((await publish({ headers, body: 'Another' })).status, 409);
  assert.is((await publish({ headers: { ...headers, Title: 'T' } })).status, 409);
  assert.is((await messages()).length, 1);
  const others = await createTopicKey(server, topic, 'Grafana');
  assert.is((await publish({ headers, as: others })).status, 202, 'another key’s is its own');
  assert.is((await messages()).length, 2);
  const json = { headers: { 'Idempotency-Key': 'two' } };
  const publication = { message: 'Hi', delay: '1h' };
  const [firstResponse, secondResponse] = await Promise.all([
    publishJson(publication, json),
    publishJson(publication, json),
  ]);
  assert.is(firstResponse.body.id, secondResponse.body.id);
  assert.is((await messages()).length, 3);
});

test('neither logs nor stores a key', async () => {
  await publish();
  await publish({ headers: { Priority: 'none' } });
  await server.request(`/api/publish?auth=${key}`, { method: 'POST', body: 'Hi' });
  assert.is(
    server.log.some((line) => line.includes(key)),
    false,
  );
  assert.is(
    server.log.some((line) => /"route":"POST \/api\/publish".*"key":\d/.test(line)),
    true,
  );
  const tables = await server.services.db.introspection.getTables();
  for (const { name } of tables) {
    const rows = await server.services.db
      .selectFrom(name as 'topic_keys')
      .selectAll()
      .execute();
    assert.not.match(JSON.stringify(rows), new RegExp(key.slice(4)), name);
  }
});

test.run();
