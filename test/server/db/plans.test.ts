/**
 * With enough people and messages in it for an index to pay, the database answers every list
 * through an index.
 */
import type { KyselyPlugin, RootOperationNode } from 'kysely';
import { sql } from 'kysely';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Database } from '../../../server/db/open';
import { openDatabase } from '../../../server/db/open';
import { MESSAGE_JOBS, QUIET_JOB } from '../../../server/db/jobs/kinds';
import { addJob, nextDueAt } from '../../../server/db/jobs/jobs';
import { claimDue } from '../../../server/db/outbox/claims';
import { recordOutcomes } from '../../../server/db/outbox/outcomes';
import {
  listDueAt,
  listDueTrusted,
  hasDue,
  oldestDueAt,
  readBacklog,
  scanUntrusted,
} from '../../../server/db/outbox/queues';
import { hastenRetries, listPushServices, readPushQueues } from '../../../server/db/push-outcomes';
import { findFallen } from '../../../server/db/outbox/still-wanted';
import { bringBack, expireRows, withdrawRows } from '../../../server/db/outbox/upkeep';
import { inTransaction } from '../../../server/db/transaction';
import { sweepTests } from '../../../server/device-tests/sweep';
import { takeAlerts } from '../../../server/hooks/take';
import { withdrawHeld } from '../../../server/messages/holding/hold';
import { writeRecipients } from '../../../server/messages/sending/ledger';
import { pruneDeliveries } from '../../../server/messages/prune';
import { repeat } from '../../../server/messages/repeat';
import { sweepMessages } from '../../../server/messages/sweep';
import { NOT_ANSWERED } from '../../../src/shared/recipient-states';
import type { Services } from '../../../server/services';
import { endOfRange, readAudience } from '../../../server/subscriptions/audience';
import { countAudience, countPeople } from '../../../server/subscriptions/audience-size';
import { onPostgres } from '../../support/database/database';
import type { Person, TestServer } from '../../support/server/server';
import { makeServer } from '../../support/server/server';

const test = suite('query plans');
const [USERS, TOPICS, MESSAGES] = [2000, 1000, 1000];
const AUDIENCE = { topicIds: [5, 6], userIds: [7, 8, 900] };
let server: TestServer;
let admin: Person;
let person: Person;
let device: { deviceKey: string };
/** A device of this person. */
let tested: number;

test.before(async () => {
  server = await makeServer({ plugin: recorder });
  await fill(server.services);
  await fillTests(server.services);
  admin = await server.makePerson('ADMIN');
  person = await server.makePerson('CUSTOMER', { username: 'ana' });
  await server.services.db
    .insertInto('subscriptions')
    .values([1, 2, 3].map((topic_id) => ({ user_id: person.id, topic_id, created_at: 0 })))
    .execute();
  tested = await addTest(server.services, person.id);
  await sql`analyze`.execute(server.services.db);
});

/** A device of the person, tested once. @returns its id */
async function addTest({ db }: Services, user_id: number): Promise<number> {
  const { id } = await db
    .insertInto('devices')
    .values({
      user_id,
      token: 'tested',
      token_hash: 'tested',
      type: 'web',
      user_agent: '',
      created_at: 0,
      last_seen_at: 0,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await sql`insert into tests (id, message_id, user_id, device_id, created_at, announced_at, send_at)
    values ('test of mine', 'round 10', ${user_id}, ${id}, 0, 0, 0)`.execute(db);
  return id;
}

/**
 * Subscriptions to ten topics each, one device each, ten deliveries for each message, of which the
 * last are pending.
 */
async function fill({ db }: Services): Promise<void> {
  const series = (most: number) =>
    sql`(with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(most)}) select i from n) as n`;
  await sql`insert into users (username, username_key, email, email_key, role, status, created_at)
    select 'user ' || i, 'user ' || i, 'u' || i || '@mail.example', 'u' || i || '@mail.example', 'CUSTOMER', 'ACTIVE', i from ${series(USERS)}`.execute(
    db,
  );
  await sql`insert into topics (title, description, search_key, created_at, updated_at)
    select 'Topic ' || i, 'About ' || i, 'topic ' || i || ' about ' || i || ' and what else there is to say', i, i from ${series(TOPICS)}`.execute(
    db,
  );
  await sql`insert into subscriptions (user_id, topic_id, created_at)
    select users.id, 1 + (users.id * 7 + n.i * 13) % ${sql.lit(TOPICS)}, 0 from users, ${series(10)}`.execute(
    db,
  );
  await sql`insert into devices (user_id, token, token_hash, type, user_agent, created_at, last_seen_at)
    select id, 'token ' || id, 'hash ' || id, 'web', '', 0, 0 from users`.execute(db);
  await sql`insert into messages (id, topic_id, topic_title, audience, text, search_key, created_at, expires_at)
    select 'message ' || i, 1 + i % ${sql.lit(TOPICS)}, 'Topic', '{"topicIds":[' || (1 + i % ${sql.lit(TOPICS)}) || '],"userIds":[]}', 'Text ' || i, 'topic text number ' || i || ' with some more to read', i, 9e12 from ${series(MESSAGES)}`.execute(
    db,
  );
  await sql`insert into message_topics (message_id, topic_id, position)
    select id, topic_id, 0 from messages`.execute(db);
  await sql`insert into inboxes (user_id, last_seq) select id, 5 from users`.execute(db);
  // The last message has none yet.
  await sql`insert into recipients (message_id, user_id, seq, topic_id, state, devices, waiting)
    select 'message ' || (1 + i / 10), 1 + i % ${sql.lit(USERS)}, 1 + i / ${sql.lit(USERS)}, 1, 'pending', 1, case when i > 9900 then 1 else 0 end from ${series(MESSAGES * 10 - 11)}`.execute(
    db,
  );
  await sql`insert into deliveries (message_id, user_id, device_id, device_type, state, due_at, updated_at, created_at)
    select 'message ' || (1 + i / 10), 1 + i % ${sql.lit(USERS)}, i, 'web', case when i > 9900 then 'pending' else 'accepted' end, i, i, i from ${series(MESSAGES * 10 - 10)}`.execute(
    db,
  );
}

/** Each device was tested in each of ten rounds; and how the pushes to it went is known. */
async function fillTests({ db }: Services): Promise<void> {
  const rounds = sql`(with recursive n(i) as (select 1 union all select i + 1 from n where i < 10) select i from n) as n`;
  await sql`insert into messages (id, kind, topic_title, text, created_at, expires_at)
    select 'round ' || i, 'test', '', '', i, 9e12 from ${rounds}`.execute(db);
  await sql`insert into tests (id, message_id, user_id, device_id, created_at, announced_at, send_at)
    select 'test ' || i || ' ' || id, 'round ' || i, user_id, id, i, i, i from devices, ${rounds}`.execute(
    db,
  );
  await sql`insert into device_reach (device_id) select id from devices where id <= ${sql.lit(USERS - 50)}`.execute(
    db,
  );
}

/** A hundred thousand entries of other people's inboxes, and some of this person's. */
async function fillInboxes({ db }: Services, mine: number): Promise<void> {
  const series = (most: number) =>
    sql`(with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(most)}) select i from n)`;
  await sql`insert into recipients (message_id, user_id, seq, topic_id, state)
    select messages.id, 100000 + people.i, messages.created_at, messages.topic_id, 'accepted' from messages, ${series(100)} as people where kind = 'message'`.execute(
    db,
  );
  await sql`insert into recipients (message_id, user_id, seq, topic_id, state)
    select id, ${mine}, created_at, topic_id, 'accepted' from messages where kind = 'message' and created_at <= 300`.execute(
    db,
  );
  await sql`insert into inboxes (user_id, last_seq) values (${mine}, 301)`.execute(db);
  await sql`insert into messages (id, topic_title, text, created_at, expires_at) values ('asked-for', '', '', 0, 0)`.execute(
    db,
  );
  await sql`insert into recipients (message_id, user_id, seq, state) values ('asked-for', ${mine}, 301, 'accepted')`.execute(
    db,
  );
}

/** What Kysely was asked for. */
let asked: RootOperationNode[] = [];
const recorder: KyselyPlugin = {
  transformQuery({ node }) {
    asked.push(node);
    return node;
  },
  transformResult: async ({ result }) => result,
};

/**
 * How the database would answer the queries behind `work`: the lines of their plans. Counting all
 * rows of a table is left out.
 */
async function explain(work: (services: Services) => Promise<unknown>): Promise<string[]> {
  const { db } = server.services;
  asked = [];
  await work(server.services);
  const queries = asked.map((node) =>
    db.getExecutor().compileQuery(node, { queryId: 'explained' }),
  );
  const lists = queries.filter(
    ({ sql: text }) => !/^select count\(\*\) as "total" from "\w+"$/.test(text),
  );
  // On a connection of its own: libsql leaves the explanation of a write unfinished, and commits
  // nothing beside it.
  const beside = openDatabase(server.services.config);
  const lines = await beside.db.connection().execute(async (connection) => {
    // PostgreSQL reads a table of this size as a whole where that is quicker. So it does only where
    // it has no choice.
    if (onPostgres) await sql`set enable_seqscan = off`.execute(connection);
    const found: string[] = [];
    for (const query of lists) {
      const command = onPostgres ? 'explain' : 'explain query plan';
      const { rows } = await connection.executeQuery<Record<string, unknown>>({
        ...query,
        sql: `${command} ${query.sql}`,
      });
      found.push(...rows.map((row) => String(row['QUERY PLAN'] ?? row.detail).trim()));
    }
    return found;
  });
  await beside.close();
  return lines;
}

/**
 * SQLite pages through the first three in the order in which they lie there, and searches them by
 * reading. Of webhooks there are twenty at most. The others are results of parts of a query, and a
 * lane is a row of another step.
 */
const isFullRead = (line: string): boolean =>
  onPostgres
    ? /Seq Scan on (?!webhooks )/.test(line)
    : /^SCAN (?!users$|topics$|messages$|webhooks$|lane$|reach$|wanted$|kinds$|own$|people$|everybody$|page$|found$|unread$|piece$|ended$)\w+$/.test(
        line,
      );

const get = (path: string, as: () => Person) => async (): Promise<void> => {
  const response = await server.request(path, {
    headers: { Authorization: `Bearer ${as().token}` },
  });
  assert.is(response.status, 200, path);
};
const asAdmin = (path: string) => get(`/api/admin/${path}`, () => admin);
const asPerson = (path: string) => get(`/api/notifications/${path}`, () => person);

const claimSome = (db: Database, lease: number) =>
  claimDue(db, onPostgres ? 'postgres' : 'sqlite', {
    now: 1,
    lease,
    from: [{ service: 0, limit: 100 }],
  });

const report = async (): Promise<void> => {
  for (const token of [device.deviceKey, person.token]) {
    const response = await server.request('/api/notifications/receipts', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      body: JSON.stringify({
        receipts: [
          { messageId: 'asked-for', kind: 'displayed' },
          { messageId: 'test of mine', kind: 'displayed' },
        ],
      }),
    });
    assert.is(response.status, 200);
  }
};

for (const [name, work] of Object.entries({
  'the users': asAdmin('users'),
  'one of the last pages of users': asAdmin('users?page=190'),
  // After the last page, so that what was found is counted: in the order of the list PostgreSQL rather
  // walks through a table of this size.
  'a search for a user': asAdmin('users?query=user+777&page=2'),
  'the topics': asAdmin('topics'),
  'a search for a topic': asAdmin('topics?query=topic+777&page=2'),
  'the subscribers of a topic': asAdmin('topics/5/subscribers'),
  'the audience of a topic': ({ db }: Services) => countAudience({ topicIds: [5] }, db, 0),
  'the audience of topics and people': ({ db }: Services) =>
    countAudience({ topicIds: [5, 6], userIds: [7, 8], priority: 'info' }, db, 0),
  'the messages': asAdmin('messages'),
  'a search for a message': asAdmin('messages?query=number+777&page=2'),
  'how far a message is': asAdmin('messages/message%20999'),
  'the recipients of a message': asAdmin('messages/message%20999/recipients?page=2&limit=5'),
  'the recipients of a message in a state': asAdmin(
    'messages/message%20999/recipients?state=unreachable',
  ),
  'looking for a recipient': asAdmin('messages/message%20999/recipients?query=user+77'),
  'the recipients of a message as a file': asAdmin('messages/message%20999/recipients.csv'),
  'the subscriptions of a person': asAdmin('users/77/subscriptions'),
  'the topics that a person could be subscribed to': asAdmin('users/77/available-topics'),
  'my subscriptions': asPerson('my-subscriptions'),
  'my preferences': asPerson('preferences'),
  'my devices': asPerson('devices'),
  'who can be reached': asAdmin('reach?limit=25'),
  'the last page of those who can be reached': asAdmin('reach?limit=100&page=20'),
  // All people are ranked by their devices, whoever is looked for: names are compared then.
  'who of some names can be reached': asAdmin('reach?query=user+77'),
  'who of a topic can be reached': asAdmin('reach?topic=5'),
  'what an administrator sees first': asAdmin('overview'),
  'what to send next': ({ db }: Services) => claimSome(db, 1),
  'which queues of working push services have something due': ({ db }: Services) =>
    listDueTrusted(db, 1),
  'which services that somebody vouches for have something due': ({ db }: Services) =>
    listDueAt(db, 1, ['fcm', 'https://fcm.googleapis.com']),
  'which other queues have something due': ({ db }: Services) => scanUntrusted(db, 1, 0, 64),
  'whether a push may still leave': async ({ db }: Services) =>
    findFallen(db, await claimSome(db, -1)),
  'how many people a message is for': ({ db }: Services) => countPeople(AUDIENCE, db),
  'where the next people of an audience end': ({ db }: Services) => endOfRange(AUDIENCE, 7, 3, db),
  'the next people of an audience': ({ db }: Services) =>
    readAudience(AUDIENCE, { after: 7, upTo: 2000 }, db),
  'the recipients of a message in an audience': ({ db }: Services) =>
    readAudience(AUDIENCE, { after: 7, upTo: 2000 }, db, 'message 5'),
  'writing the recipients of a message': ({ db }: Services) =>
    db
      .transaction()
      .execute((transaction) =>
        writeRecipients(
          { id: 'message 1000', priority: 'info' },
          AUDIENCE,
          { writtenTo: 0, nextKey: 1 },
          transaction,
          1,
        ),
      ),
  'ringing again': ({ db }: Services) =>
    db
      .transaction()
      .execute((transaction) => repeat('message 5', { states: NOT_ANSWERED }, 1, transaction, 1)),
  'ringing again at some': ({ db }: Services) =>
    db
      .transaction()
      .execute((transaction) => repeat('message 5', { userIds: [7, 8] }, 1, transaction, 1)),
  'what became of pushes': async ({ db }: Services) =>
    recordOutcomes(
      db,
      (await claimSome(db, -1)).map((claim) => ({
        claim,
        state: 'accepted',
        reason: null,
        attempted: true,
      })),
      1,
    ),
  'the end of quiet hours': async ({ db }: Services) => {
    await db
      .updateTable('recipients')
      .set({ state: 'held', waiting: 0 })
      .where('user_id', '=', 77)
      .execute();
    const job = { kind: QUIET_JOB, subject: '77' };
    await addJob(job, db, server.clock.now);
    asked = [];
    await server.writing.runDue();
    assert.ok(asked.length > 8);
  },
  'who waits for a cancelled message': ({ db }: Services) =>
    db.transaction().execute((transaction) => withdrawHeld('message 5', transaction)),
  'what is pending of a cancelled message': ({ db }: Services) =>
    db.transaction().execute((transaction) => withdrawRows('message 999', transaction, 1)),
  'which message is to be written': ({ db, now }: Services) => nextDueAt(MESSAGE_JOBS, db, now()),
  'what is too old for the history': ({ db }: Services) =>
    sweepMessages(db, 2e13, new AbortController().signal, (2e13 - 3) / 86_400_000),
  'what has expired': ({ db }: Services) => expireRows(db, 2e13),
  'what a wrong clock put off': ({ db }: Services) => bringBack(db, 1),
  'what can be retired': ({ db }: Services) => pruneDeliveries(db, 1, new AbortController().signal),
  'testing a device of mine': async () => {
    const response = await server.request('/api/notifications/tests', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${person.token}` },
      body: JSON.stringify({ deviceId: tested }),
    });
    assert.is(response.status, 201);
  },
  'a test of mine': asPerson('tests/test%20of%20mine'),
  'which tests are too old': ({ db }: Services) =>
    sweepTests(db, 30 * 86_400_000 + 3, new AbortController().signal),
  'since when something waits': ({ db }: Services) => oldestDueAt(db),
  'how much is to send': ({ db }: Services) => readBacklog(db),
  'what push services do': ({ db }: Services) => listPushServices(db),
  'what waits for a push service': ({ db }: Services) => readPushQueues([1], db, 2e13),
  'whether something is due there': ({ db }: Services) => hasDue(1, db, 2e13),
  'which retries may leave now': ({ db }: Services) =>
    hastenRetries({ id: 1, reasons: ['timeout'] }, db, 1),
})) {
  test(`${name}: through an index`, async () => {
    const lines = await explain(work);
    assert.ok(lines.length > 0);
    // Everybody is counted by status there, which no index of PostgreSQL's has.
    const isCount = (line: string) =>
      name === 'what an administrator sees first' && / on users /.test(line);
    assert.equal(
      lines.filter((line) => isFullRead(line) && !isCount(line)),
      [],
    );
    // Of many joins it keeps the order as written: what is asked for has to come first.
    if (onPostgres && ['what to send next', 'whether a push may still leave'].includes(name))
      assert.ok(lines.some((line) => /^Index Cond: \(id = .*json_each/.test(line)));
    if (onPostgres && name.startsWith('a search'))
      assert.ok(lines.some((line) => /_trigrams/.test(line)));
  });
}

test.run();

/** A suite of its own, since so many rows change how the lists above are answered. */
const inboxes = suite('query plans of inboxes');
inboxes.before(async () => {
  await fillInboxes(server.services, person.id);
  ({ answer: device } = await server.call('POST /api/notifications/register-device', {
    as: person,
    body: { deviceToken: 'token-of-ana', deviceType: 'web', userAgent: '' },
  }));
  await sql`analyze`.execute(server.services.db);
});
inboxes.after(() => server.close());

for (const [name, work] of Object.entries({
  'my messages': asPerson('messages'),
  'my messages before one': asPerson('messages?before=200'),
  'my messages behind one': asPerson('messages?after=100&limit=100'),
  'my messages that are unread': asPerson('messages?unread=true'),
  'what of mine matches a search': asPerson('messages?query=number+25'),
  'one of my messages': asPerson('messages/message%207'),
  'whose receipts these are, and what they change': report,
  'who signs in by name or e-mail': async () => {
    const response = await server.request('/api/auth/login', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ username: 'u77@mail.example', password: 'wrong' }),
    });
    assert.is(response.status, 401);
  },
})) {
  inboxes(`${name}: through an index, whatever others have`, async () => {
    const lines = await explain(work);
    assert.ok(lines.length > 0);
    assert.equal(lines.filter(isFullRead), []);
  });
}

inboxes(
  'which alerts are known, and what ends with one: looked up one by one, however many a topic has',
  async () => {
    const { db } = server.services;
    await sql`insert into alerts (topic_id, fingerprint, starts_at, seen_at)
    select 1, 'alert ' || messages.id || ' ' || part, '2026', 0 from messages, (select 1 as part union all select 2) as parts`.execute(
      db,
    );
    await sql`analyze`.execute(db);
    const alert = { endsAt: '', title: 'Down', message: 'Down', link: undefined };
    const alerts = ['alert message 7 1', 'alert message 8 1', 'unknown'].map(
      (fingerprint, nth) => ({
        ...{
          ...alert,
          fingerprint,
          startsAt: '2026',
          isResolved: nth > 0,
          priority: 'normal' as const,
        },
      }),
    );
    const lines = await explain((services) =>
      takeAlerts(
        alerts,
        {
          topicId: 1,
          transact: (work) => inTransaction(services.db, work),
          allow: async (wanted) => ({ messages: 0, endings: 0, ...wanted }),
          wake: () => undefined,
          ring: () => Promise.reject(new Error('all are known')),
        },
        services,
      ),
    );
    const reads = lines.filter((line) => / alerts\b/.test(line) && !/^Insert|^Update/.test(line));
    assert.ok(reads.length >= 4);
    assert.equal(
      reads.filter((line) => !/fingerprint|using alerts_key/.test(line)),
      [],
    );
  },
);

inboxes.run();
