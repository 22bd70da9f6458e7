import type { KyselyPlugin, RootOperationNode } from 'kysely';
import { sql } from 'kysely';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openDatabase } from '../../../server/db/open';
import type { Services } from '../../../server/services';
import { onPostgres } from '../../support/database/database';
import type { Person, TestServer } from '../../support/server/server';
import { createServer } from '../../support/server/server';

const test = suite('query plans');
let server: TestServer;
let person: Person;
let device: { deviceKey: string };

test.before(async () => {
  server = await createServer({ plugin: recorder });
  person = await server.createPerson('CUSTOMER', { username: 'ana' });
  await fillInboxes(server.services, person.id);
  ({ body: device } = await server.registerDevice(person, 'token-of-ana'));
  await fillInsights(server.services);
  await sql`analyze`.execute(server.services.db);
});

/** Two thousand accounts, a hundred thousand inbox entries of others, and some of this person. */
async function fillInboxes({ db }: Services, mine: number): Promise<void> {
  const series = (most: number) =>
    sql`(with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(most)}) select i from n) as n`;
  await sql`insert into users (username, username_key, email, email_key, role, status, created_at)
    select 'user ' || i, 'user ' || i, 'u' || i || '@mail.example', 'u' || i || '@mail.example', 'CUSTOMER', 'ACTIVE', i from ${series(2000)}`.execute(
    db,
  );
  await sql`insert into devices (user_id, token, token_hash, type, user_agent, created_at, last_seen_at)
    select id, 'token ' || id, 'hash ' || id, 'web', '', 0, 0 from users`.execute(db);
  await sql`insert into messages (id, topic_title, text, search_key, created_at, expires_at)
    select 'message ' || i, 'Topic', 'Text ' || i, 'topic text number ' || i || ' with some more to read', i, 9e12 from ${series(1000)}`.execute(
    db,
  );
  await sql`insert into recipients (message_id, user_id, seq, state)
    select messages.id, 100000 + n.i, messages.created_at, 'accepted' from messages, ${series(100)}`.execute(
    db,
  );
  await sql`insert into recipients (message_id, user_id, seq, state)
    select id, ${mine}, created_at, 'accepted' from messages where created_at <= 300`.execute(db);
  await sql`insert into inboxes (user_id, last_seq) values (${mine}, 301)`.execute(db);
  await sql`insert into messages (id, topic_title, text, created_at, expires_at) values ('asked-for', '', '', 0, 0)`.execute(
    db,
  );
  await sql`insert into recipients (message_id, user_id, seq, state) values ('asked-for', ${mine}, 301, 'accepted')`.execute(
    db,
  );
}

/** A quarter of an hour each of ten topics. */
async function fillInsights({ db }: Services): Promise<void> {
  const series = sql`(with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000) select i from n) as n`;
  await sql`insert into insight_quarters (topic_id, starts_at, noted_at, messages, recipients, displayed, read, asked, acknowledged, prompt, delays)
    select i % 10, i, i, 1, 1, 1, 1, 1, 1, 1, '[]' from ${series}`.execute(db);
  await sql`insert into insight_reach (topic_id, noted_at, reachable, people) select i % 10, i, 1, 1 from ${series}`.execute(
    db,
  );
  await sql`insert into insight_part_makes (topic_id, make, noted_at, devices, late, silent) select i, 'Samsung', i, 1, 1, 1 from ${series}`.execute(
    db,
  );
  await sql`insert into insight_makes (noted_at, make, devices, late, silent) select i, 'Samsung', 1, 1, 1 from ${series}`.execute(
    db,
  );
}

let recordedNodes: RootOperationNode[] = [];
const recorder: KyselyPlugin = {
  transformQuery({ node }) {
    recordedNodes.push(node);
    return node;
  },
  transformResult: async ({ result }) => result,
};

/** The plans of all queries behind `work`, as lines. */
async function explain(work: () => Promise<unknown>): Promise<string[]> {
  const { db } = server.services;
  recordedNodes = [];
  await work();
  const queries = recordedNodes.map((node) =>
    db.getExecutor().compileQuery(node, { queryId: 'explained' }),
  );
  // On its own connection: libsql keeps the explanation of a write open, and commits nothing beside
  // it.
  const secondDatabase = openDatabase(server.services.config);
  const lines = await secondDatabase.db.connection().execute(async (connection) => {
    // PostgreSQL scans a small table because that is quicker. Only what it must scan counts here.
    if (onPostgres) await sql`set enable_seqscan = off`.execute(connection);
    const fullReads: string[] = [];
    for (const query of queries) {
      const command = onPostgres ? 'explain' : 'explain query plan';
      const { rows } = await connection.executeQuery<Record<string, unknown>>({
        ...query,
        sql: `${command} ${query.sql}`,
      });
      fullReads.push(...rows.map((row) => String(row['QUERY PLAN'] ?? row.detail).trim()));
    }
    return fullReads;
  });
  await secondDatabase.close();
  return lines;
}

/** Webhooks are twenty at most; the others are results of parts of a query. */
const isFullRead = (line: string): boolean =>
  onPostgres
    ? /Seq Scan on (?!webhooks )/.test(line)
    : /^SCAN (?!webhooks$|wanted$|kinds$|own$|page$|found$|unread$|piece$|ended$)\w+$/.test(line);

const asPerson = (path: string) => async (): Promise<void> => {
  const response = await server.request(`/api/notifications/${path}`, {
    headers: { Authorization: `Bearer ${person.token}` },
  });
  assert.is(response.status, 200, path);
};

const report = async (): Promise<void> => {
  for (const token of [device.deviceKey, person.token]) {
    const response = await server.request('/api/notifications/receipts', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      body: JSON.stringify({
        receipts: [{ messageId: 'asked-for', kind: 'displayed' }],
      }),
    });
    assert.is(response.status, 200);
  }
};

test.after(() => server.close());

for (const [name, work] of Object.entries({
  'my messages': asPerson('messages'),
  'my messages before one': asPerson('messages?before=200'),
  'my messages behind one': asPerson('messages?after=100&limit=100'),
  'my messages that are unread': asPerson('messages?unread=true'),
  'what of mine matches a search': asPerson('messages?query=number+25'),
  'one of my messages': asPerson('messages/message%207'),
  'whose receipts these are, and what they change': report,
  'how it has been for 90 days': async () => {
    const response = await server.request('/api/admin/insights?days=90', {
      headers: { Authorization: `Bearer ${(await server.createPerson('ADMIN')).token}` },
    });
    assert.is(response.status, 200);
  },
  'who signs in by name or email': async () => {
    const response = await server.request('/api/auth/login', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ username: 'u77@mail.example', password: 'wrong' }),
    });
    assert.is(response.status, 401);
  },
})) {
  test(`reads from an index, whatever others have: ${name}`, async () => {
    const lines = await explain(work);
    assert.ok(lines.length > 0);
    assert.equal(lines.filter(isFullRead), []);
  });
}

test.run();
