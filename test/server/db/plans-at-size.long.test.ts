/**
 * Fills every table and lets the database plan each statement of the contract and of background
 * work. Each one must use an index.
 */
import type { CompiledQuery } from 'kysely';
import { sql } from 'kysely';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openDatabase } from '../../../server/db/open';
import { claimDue } from '../../../server/db/outbox/claim-pushes';
import { recordOutcomes } from '../../../server/db/outbox/outcomes';
import {
  listDueUnprovenServices,
  listDueProvenQueues,
  scanDueUnprovenServices,
} from '../../../server/db/outbox/queues';
import { findUnwanted } from '../../../server/db/outbox/unwanted-pushes';
import { repairDueTimes, expireRows } from '../../../server/db/outbox/maintenance';
import { markUnproven, markProven } from '../../../server/db/push-services';
import type { Document } from '../../../server/openapi/document';
import { deleteOldData } from '../../../server/operations/delete-old-data';
import type { Services } from '../../../server/services';
import { onPostgres } from '../../support/database/database';
import { SMALL_TABLES, fillTables } from '../../support/database/large-tables';
import { listExamples, buildRequest } from '../../support/openapi/examples';
import { compileQueryNode, explainQuery, recordQueries } from '../../support/database/plans';
import { createSampleServer } from '../../support/openapi/sample-server';
import type { SampleServer } from '../../support/openapi/sample-server';

const test = suite('query plans of large tables');
const DAY_MS = 86_400_000;
const queryRecorder = recordQueries();
const SMALL_TABLE_PATTERN = new RegExp(`^(?:${SMALL_TABLES.join('|')})$`);
let sampleServer: SampleServer;
let document: Document;
/** All tables except the small ones. */
let tables: string[];

test.before(async () => {
  sampleServer = await createSampleServer(queryRecorder.plugin);
  const { server } = sampleServer;
  document = await (await server.request('/api/openapi.json')).json();
  // Rows written by the examples belong to the large tables too.
  await fillTables(server.services.db, server.clock.now);
  const allTables = await server.services.db.introspection.getTables();
  tables = allTables.map(({ name }) => name).filter((name) => !SMALL_TABLE_PATTERN.test(name));
  queryRecorder.takeQueries();
});
test.after(() => sampleServer.server.close());

/** Statements that must read a whole table, or only seem to. */
const ALLOWED_FULL_READS: readonly RegExp[] = [
  // The total of a pager.
  /^select count\(\*\) as "total" from "\w+"( where true)?$/,
  // SQLite reads a page of a list in row order, and nothing else.
  ...(onPostgres ? [] : [/ order by ("\w+"\.)?"id"( desc)? limit \?/]),
  // The dashboard counts all people and topics, and the reachable ones.
  /^select count\(\*\) as total, coalesce\(sum\(case when (status = 'PENDING'|exists \(select 1 from subscriptions)/,
  /^select count\(\*\) as people from users where status = 'ACTIVE' and exists/,
  // Before a test of all devices, those in quiet hours are counted by their rules.
  /^select "time_zone", "rules", count\(\*\) as "devices"/,
  // Once a day, insights count all people, and all devices by make.
  /^select count\(\*\) as "people" from "users" where "suspended_at" is null$/,
  /^\s*select model, type, "isSamsung", state, count\(\*\) as devices from/,
  // All topics without this person are listed, and an import compares all titles.
  /from "topics" where not exists .* order by "search_key"$/,
  /^select "id", "title" from "topics" order by "id"$/,
];

/**
 * Plans each statement once.
 * @returns those that read a large table whole
 */
async function findFullReads(): Promise<string[]> {
  const { services } = sampleServer.server;
  const queries = new Map<string, CompiledQuery>();
  for (const node of queryRecorder.takeQueries()) {
    const query = compileQueryNode(node, services.db);
    if (/^\s*(select|insert|update|delete|with)\b/i.test(query.sql)) queries.set(query.sql, query);
  }
  assert.ok(queries.size > 0, 'it asks something');
  const secondDatabase = openDatabase(services.config);
  const fullReads: string[] = [];
  try {
    for (const [text, query] of queries) {
      if (ALLOWED_FULL_READS.some((pattern) => pattern.test(text.trim().replace(/\s+/g, ' '))))
        continue;
      const plan = await secondDatabase.db
        .connection()
        .execute((connection) => explainQuery(query, connection));
      const reads = plan.filter((line) => isFullRead(line, text));
      if (reads.length > 0) fullReads.push(`${reads.join(', ')}: ${text.replace(/\s+/g, ' ')}`);
    }
  } finally {
    await secondDatabase.close();
  }
  return fullReads;
}

/** PostgreSQL names the table itself, SQLite its alias, which may be a part of the statement. */
function isFullRead(line: string, text: string): boolean {
  const [, name = ''] = (onPostgres ? /Seq Scan on (\w+)/ : /^SCAN (\w+)$/).exec(line) ?? [];
  if (name === '' || SMALL_TABLE_PATTERN.test(name)) return false;
  if (onPostgres || tables.includes(name)) return true;
  return new RegExp(`\\b(?:${tables.join('|')})"? (?:as )?"?${name}\\b`).test(text);
}

const background: Record<string, (services: Services) => Promise<unknown>> = {
  'what to send next, and its outcome': async ({ db }) => {
    const { now } = sampleServer.server.services;
    const tomorrow = now() + DAY_MS;
    const due = await listDueProvenQueues(db, tomorrow);
    const engine = onPostgres ? 'postgres' : 'sqlite';
    const service = due[0]?.id ?? 1_000_001;
    const from = [{ service, limit: 128 }];
    const claims = await claimDue(db, engine, { now: tomorrow, leaseMs: -1, from });
    assert.ok(claims.length > 0);
    await findUnwanted(db, claims);
    await recordOutcomes(
      db,
      claims.map((claim) => ({ claim, state: 'accepted', reason: null, attempted: true })),
      tomorrow,
    );
  },
  'which queues have something due': async ({ db, now }) => {
    await listDueUnprovenServices(db, now(), ['fcm', 'https://fcm.googleapis.com']);
    await scanDueUnprovenServices(db, now(), 0, 64);
    await markProven(1_000_001, db, { now: now() });
    await markUnproven([1_000_001], db);
  },
  'the maintenance of the outbox': async ({ db, now }) => {
    await expireRows(db, now());
    await repairDueTimes(db, now());
  },
  'the cleanup': ({ db, now }) => deleteOldData(db, now(), new AbortController().signal),
};

test('reads no large table whole in any call of the contract', async () => {
  const callsByFullRead = new Map<string, string>();
  for (const example of listExamples(document)) {
    const [path, init] = await buildRequest(example, document, sampleServer);
    queryRecorder.takeQueries();
    const response = await sampleServer.server.request(path, init);
    const text = await response.text();
    const call = `${example.method.toUpperCase()} ${example.path}`;
    assert.ok(response.status < 300, `${call}: ${response.status} ${text}`);
    await sampleServer.server.sendMails();
    await sampleServer.server.jobs.runDue();
    await sampleServer.server.webhookRunner.runDue();
    if (call === 'GET /api/openapi.json' || call === 'GET /api/docs') continue;
    for (const read of await findFullReads()) callsByFullRead.set(read, call);
  }
  assert.equal(
    [...callsByFullRead].map(([read, call]) => `${call}: ${read}`),
    [],
  );
});

for (const [name, work] of Object.entries(background))
  test(`reads no large table whole for ${name}`, async () => {
    queryRecorder.takeQueries();
    await work(sampleServer.server.services);
    assert.equal(await findFullReads(), []);
  });

test('reads no large table whole when quiet hours end and escalations run', async () => {
  const { db, now } = sampleServer.server.services;
  await sql`update jobs set due_at = 1 where id in (select min(id) from jobs where kind in ('quiet-end', 'escalation', 'message') group by kind)`.execute(
    db,
  );
  await sql`update jobs set subject = '1000200' where kind = 'quiet-end' and due_at = 1`.execute(
    db,
  );
  assert.ok(now() > 1);
  queryRecorder.takeQueries();
  await sampleServer.server.jobs.runDue();
  assert.equal(await findFullReads(), []);
});

test.run();
