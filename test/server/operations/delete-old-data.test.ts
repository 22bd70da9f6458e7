import { once } from 'node:events';
import { sql } from 'kysely';
import type { KyselyPlugin } from 'kysely';
import * as assert from 'uvu/assert';
import type { DeliveryState } from '../../../server/db/schema';
import { createLog } from '../../../server/lib/log';
import { startDeletingOldData, deleteOldData } from '../../../server/operations/delete-old-data';
import { eventually } from '../../support/eventually';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

/** Rows removed per statement. */
let removed: number[] = [];
const inserts = new WeakSet<object>();
/** SQLite does not count removals that return rows. */
const removals = new WeakSet<object>();
const plugin: KyselyPlugin = {
  transformQuery({ node, queryId }) {
    const raw = node.kind === 'RawNode' ? (node.sqlFragments[0] ?? '') : '';
    if (node.kind === 'InsertQueryNode' || /^insert/.test(raw)) inserts.add(queryId);
    if (/^delete/.test(raw)) removals.add(queryId);
    return node;
  },
  transformResult: async ({ result, queryId }) => {
    const count = Number(
      result.numAffectedRows ?? (removals.has(queryId) ? result.rows.length : 0),
    );
    if (count > 0 && !inserts.has(queryId)) removed.push(count);
    return result;
  },
};

const { test, server } = serverSuite('cleanup', { plugin });
const DAY_MS = 24 * 60 * 60 * 1000;
let admin: Person;

test.before.each(async () => {
  admin = await server.createPerson('ADMIN');
});

const sweepAt = (now: number) =>
  deleteOldData(server.services.db, now, new AbortController().signal);
const count = async (
  table:
    | 'alerts'
    | 'deliveries'
    | 'one_time_tokens'
    | 'rate_limits'
    | 'requests'
    | 'known_clients'
    | 'audit_entries',
): Promise<number> => {
  const { rows } = await server.services.db
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as('rows'))
    .executeTakeFirstOrThrow();
  return rows;
};

/** A message with deliveries in these states. */
async function send(
  states: DeliveryState[],
  key = 'abc',
): Promise<{ message: string; messageId: string }> {
  const { db } = server.services;
  const topicId = await server.createTopic();
  const { body } = await server.call('POST /api/admin/notifications/send-topic/:topicId', {
    as: admin,
    params: { topicId },
    body: { message: 'Hi' },
    headers: { 'Idempotency-Key': key },
  });
  const row = {
    message_id: body.messageId,
    device_id: 1,
    device_type: 'web',
    due_at: 0,
    updated_at: 0,
    created_at: 0,
  } as const;
  for (let from = 0; from < states.length; from += 500) {
    await db
      .insertInto('deliveries')
      .values(states.slice(from, from + 500).map((state) => ({ ...row, state })))
      .execute();
  }
  return body;
}
const readMessage = async (id: string) =>
  (await server.call('GET /api/admin/messages/:id', { as: admin, params: { id } })).body;

test('deletes outbox rows a week after a message expires, and keeps its counts', async () => {
  const { messageId } = await send([
    'accepted',
    'accepted',
    'failed',
    'gone',
    'skipped',
    'pending',
  ]);
  const earlierMessage = await readMessage(messageId);
  assert.equal(
    [
      earlierMessage.total,
      earlierMessage.accepted,
      earlierMessage.failed,
      earlierMessage.gone,
      earlierMessage.pending,
    ],
    [5, 2, 1, 1, 1],
  );
  await sweepAt(server.clock.now + 8 * DAY_MS);
  assert.is(await count('deliveries'), 6, 'not before');
  await sweepAt(server.clock.now + 8 * DAY_MS + 1);
  assert.is(await count('deliveries'), 1, 'what was not dealt with stays');
  assert.equal(await readMessage(messageId), earlierMessage);
  await sweepAt(server.clock.now + 9 * DAY_MS);
  assert.equal(await readMessage(messageId), earlierMessage, 'counted once');
});

test('forgets an alert that was not sent for ninety days', async () => {
  const topic_id = await server.createTopic();
  const alertRow = (fingerprint: string, seen_at: number) => ({
    ...{ topic_id, fingerprint, starts_at: '', message_id: null, resolved_at: null, seen_at },
  });
  const { now } = server.clock;
  await server.services.db
    .insertInto('alerts')
    .values([
      alertRow('old', now - 90 * DAY_MS - 1),
      alertRow('quiet', now - 90 * DAY_MS),
      alertRow('new', now),
    ])
    .execute();
  await sweepAt(now);
  assert.is(await count('alerts'), 2);
});

test('deletes due rows despite many rows of a wrong clock and pending ones', async () => {
  server.clock.now += 365 * DAY_MS;
  admin = await server.createPerson('ADMIN');
  await send(Array.from({ length: 600 }, () => 'accepted'));
  server.clock.now -= 365 * DAY_MS;
  admin = await server.createPerson('ADMIN');
  await send(['pending'], 'def');
  const { messageId } = await send(['accepted', 'failed', 'accepted'], 'ghi');
  await sweepAt(server.clock.now + 9 * DAY_MS);
  assert.is(await count('deliveries'), 601);
  assert.equal(
    [(await readMessage(messageId)).accepted, (await readMessage(messageId)).failed],
    [2, 1],
  );
});

test('deletes nothing while the clock is in doubt', async () => {
  await server.addUser(admin, 'ana', 'CUSTOMER');
  let requestCount = 0;
  const isSure = (): boolean => ((requestCount += 1), false);
  const stop = startDeletingOldData(
    { ...server.services, log: createLog(() => undefined) },
    { now: () => server.clock.now + 8 * DAY_MS, isSure },
  );
  await eventually(() => requestCount > 0, 'a look at the clock');
  await stop();
  assert.is(await count('one_time_tokens'), 1);
});

test('cleans up every hour, and retries after a minute while the clock is in doubt', async () => {
  const paused: number[] = [];
  const sure = [false, false, true, true];
  const stop = startDeletingOldData(
    { ...server.services, log: createLog(() => undefined) },
    { now: () => server.clock.now, isSure: () => sure.shift() ?? true },
    (milliseconds, _value, { signal }) => {
      paused.push(milliseconds);
      return paused.length < 4 ? Promise.resolve() : once(signal, 'abort');
    },
  );
  await eventually(() => paused.length === 4, 'four turns');
  await stop();
  assert.equal(paused, [60_000, 60_000, 3_600_000, 3_600_000]);
});

test('deletes links, limits, known requests and browsers, each in its time', async () => {
  await server.call('POST /api/admin/users', {
    as: admin,
    body: { username: 'ana', role: 'CUSTOMER' },
    headers: { 'Idempotency-Key': 'abc' },
  });
  await server.signIn('nobody', 'nothing');
  await server.services.db
    .insertInto('known_clients')
    .values({ user_id: admin.id, token_hash: 'x', last_seen_at: server.clock.now })
    .execute();
  const countRemaining = async () => [
    await count('one_time_tokens'),
    (await count('rate_limits')) > 0,
    await count('requests'),
    await count('known_clients'),
  ];
  await sweepAt(server.clock.now);
  assert.equal(await countRemaining(), [1, true, 1, 1], 'not before');
  await sweepAt(server.clock.now + 7 * DAY_MS);
  assert.equal(await countRemaining(), [1, false, 1, 1]);
  await sweepAt(server.clock.now + 7 * DAY_MS + 1);
  assert.equal(await countRemaining(), [0, false, 0, 1]);
  await sweepAt(server.clock.now + 180 * DAY_MS);
  assert.is(await count('known_clients'), 1);
  await sweepAt(server.clock.now + 180 * DAY_MS + 1);
  assert.is(await count('known_clients'), 0);
});

const SERIES = sql`(with recursive n(i) as (select 1 union all select i + 1 from n where i < 2500) select i from n) as n`;
const manyRows = {
  rate_limits: sql`insert into rate_limits (key, count, ends_at) select 'key ' || i, 1, i from ${SERIES}`,
  requests: sql`insert into requests (key, user_id, fingerprint, ends_at) select 'key ' || i, (select min(id) from users), '', i from ${SERIES}`,
  known_clients: sql`insert into known_clients (user_id, token_hash, last_seen_at) select (select min(id) from users), 'hash ' || i, i from ${SERIES}`,
  one_time_tokens: sql`insert into one_time_tokens (user_id, purpose, nonce, token_hash, created_at, expires_at)
    select (select min(id) from users), 'purpose ' || i, '', 'hash ' || i, 0, i from ${SERIES}`,
  audit_entries: sql`insert into audit_entries (at, action, actor, target, detail, search_key) select i, '', '', '', '', '' from ${SERIES}`,
} as const;

for (const [table, fill] of Object.entries(manyRows)) {
  test(`deletes all old rows of ${table}, a thousand per statement at most`, async () => {
    await fill.execute(server.services.db);
    removed = [];
    await sweepAt(server.clock.now + 365 * DAY_MS);
    assert.is(await count(table as keyof typeof manyRows), 0);
    assert.is(
      removed.reduce((sum, rows) => sum + rows, 0),
      2500,
    );
    assert.ok(Math.max(...removed) <= 1000);
  });
}

test('stops at once, and logs trouble with the database', async () => {
  const lines: string[] = [];
  await server.services.db.schema.dropTable('rate_limits').execute();
  const stop = startDeletingOldData(
    { ...server.services, log: createLog((line) => lines.push(line)) },
    { now: Date.now, isSure: () => true },
  );
  await eventually(() => lines.length > 0, 'the trouble to be logged');
  await stop();
  assert.match(lines[0] ?? '', '"event":"old data not deleted, retrying"');
});

test.run();
