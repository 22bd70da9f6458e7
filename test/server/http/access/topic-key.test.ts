import * as assert from 'uvu/assert';
import { hashTopicKey, generateTopicKey } from '../../../../server/http/access/topic-key';
import { createTopicKey } from '../../../support/server/topic-keys';
import { createQueryCounter } from '../../../support/database/query-count';
import { serverSuite } from '../../../support/server/server';

const { plugin, countQueries } = createQueryCounter();
const { test, server } = serverSuite('topic keys', { plugin });
let topic: number;
let key: string;

test.before.each(async () => {
  topic = await server.createTopic('Grid outages');
  key = await createTopicKey(server, topic);
});

const requestWithKey = (
  authorization: string | undefined,
  { from, body = 'Hi', path = '' }: { from?: string; body?: BodyInit; path?: string } = {},
) =>
  server.request(
    `/api/publish${path}`,
    {
      method: 'POST',
      headers: authorization === undefined ? {} : { Authorization: authorization },
      body,
      duplex: 'half',
    } as RequestInit,
    from,
  );
const send = async (as = key, from?: string) =>
  (await requestWithKey(`Bearer ${as}`, from ? { from } : {})).status;
const basicAuth = (login: string): string => `Basic ${Buffer.from(login).toString('base64')}`;
const countMessages = async () =>
  (await server.services.db.selectFrom('messages').select('id').execute()).length;
const revoke = () => server.services.db.deleteFrom('topic_keys').execute();
const lastUse = async () =>
  (await server.services.db.selectFrom('topic_keys').select('last_used_at').executeTakeFirst())
    ?.last_used_at;

test("accepts a key as Bearer token or as any user's password", async () => {
  for (const authorization of [
    `Bearer ${key}`,
    `bearer  ${key}`,
    basicAuth(`:${key}`),
    basicAuth(`phil:${key}`),
    basicAuth(`Störung:${key}`),
  ])
    assert.is((await requestWithKey(authorization)).status, 202, authorization);
});

test('responds to an invalid, foreign or misplaced key always the same', async () => {
  const admin = await server.createPerson('ADMIN');
  const device = await server.registerDevice(admin, 'x');
  const bodies = new Set<string>();
  for (const authorization of [
    undefined,
    '',
    'Bearer',
    key,
    `Token ${key}`,
    `Bearer ${key.slice(0, -1)}`,
    `Bearer ${key}x`,
    `Bearer ${key} ${key}`,
    `Bearer ${key.toLowerCase()}`,
    `Bearer ${generateTopicKey()}`,
    `Bearer ${hashTopicKey(key)}`,
    `Bearer ${admin.token}`,
    `Bearer ${device.body.deviceKey}`,
    basicAuth(key),
    basicAuth(`${key}:`),
    basicAuth(`a:b:${key}`),
    basicAuth(`:${generateTopicKey()}`),
    'Basic %%%',
    `Bearer ${'x'.repeat(5000)}`,
  ]) {
    const response = await requestWithKey(authorization, {
      path: `?auth=${btoa(`Bearer ${key}`)}&key=${key}`,
    });
    assert.is(response.status, 401, authorization);
    bodies.add(await response.text());
  }
  assert.is(bodies.size, 1);
  assert.is(await countMessages(), 0);
});

test('lets a key send 60 times at once, then once a second', async () => {
  const otherKey = await createTopicKey(server, topic);
  const statuses: number[] = [];
  for (let times = 0; times < 7; times += 1)
    statuses.push(...(await Promise.all(Array.from({ length: 10 }, () => send()))));
  assert.is(statuses.filter((status) => status === 202).length, 60);
  const rejectedResponse = await requestWithKey(`Bearer ${key}`);
  assert.equal([rejectedResponse.status, rejectedResponse.headers.get('Retry-After')], [429, '1']);
  assert.is(await send(otherKey), 202);
  server.clock.now += 1000;
  assert.equal([await send(), await send()], [202, 429]);
  server.clock.now += 1000;
  assert.equal(
    [(await requestWithKey(`Bearer ${key}`, { body: '' })).status, await send()],
    [400, 429],
  );
});

test('rejects a limited key without database or body', async () => {
  while ((await send()) === 202);
  const before = countQueries();
  let readCount = 0;
  const body = new ReadableStream(
    {
      pull: (controller) => {
        readCount += 1;
        controller.enqueue(new TextEncoder().encode('x'));
      },
    },
    { highWaterMark: 0 },
  );
  assert.is((await requestWithKey(`Bearer ${key}`, { body })).status, 429);
  for (let times = 0; times < 20; times += 1) assert.is(await send(), 429);
  assert.is(countQueries(), before);
  assert.ok(readCount <= 1, `${readCount} pieces were read`);
});

test('limits wrong keys per address, and still accepts a right one there', async () => {
  const guess = async (from: string) => send(generateTopicKey(), from);
  const statuses: number[] = [];
  for (let times = 0; times < 55; times += 1) statuses.push(await guess('192.0.2.7'));
  assert.equal([statuses[0], statuses[49], statuses[50], statuses[54]], [401, 401, 429, 429]);
  assert.is(await guess('192.0.2.8'), 401, 'another address');
  assert.is(await send(key, '192.0.2.7'), 202);
  const before = countQueries();
  assert.is(await guess('192.0.2.7'), 429);
  assert.is(countQueries() - before, 1, 'one look for the key, and nothing is counted any more');
  server.clock.now += 18_001;
  assert.is(await guess('192.0.2.7'), 401);
});

test("records a key's last use once a minute, even for failed requests and clock changes", async () => {
  const start = server.clock.now;
  assert.is((await requestWithKey(`Bearer ${key}`, { body: '' })).status, 400);
  assert.is(await lastUse(), start);
  server.clock.now += 59_000;
  await send();
  assert.is(await lastUse(), start);
  server.clock.now += 1000;
  await send();
  assert.is(await lastUse(), start + 60_000);
  server.clock.now = start - 3_600_000;
  await send();
  assert.is(await lastUse(), start - 3_600_000);
});

/** A body whose second half arrives after `work`. */
const streamSlowly = (work: () => Promise<unknown>): ReadableStream => {
  let pieces = 0;
  return new ReadableStream(
    {
      async pull(controller) {
        if ((pieces += 1) === 2) await work();
        controller.enqueue(new TextEncoder().encode('half'));
        if (pieces === 2) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
};

test('sends nothing for a key revoked while its body arrives', async () => {
  assert.is(
    (await requestWithKey(`Bearer ${key}`, { body: streamSlowly(async () => {}) })).status,
    202,
  );
  assert.is((await requestWithKey(`Bearer ${key}`, { body: streamSlowly(revoke) })).status, 401);
  assert.is(await countMessages(), 1);
});

test('sends nothing for a key revoked just before the message is stored', async () => {
  const { db } = server.services;
  const begin = db.transaction.bind(db);
  let startedCount = 0;
  db.transaction = () => {
    const builder = begin();
    const { execute } = builder;
    builder.execute = async (work) => {
      // The first two count for the limit and the budget.
      if ((startedCount += 1) === 3) await revoke();
      return execute.call(builder, work) as never;
    };
    return builder;
  };
  assert.is(await send(), 401);
  assert.equal([startedCount, await countMessages()], [3, 0]);
});

test.run();
