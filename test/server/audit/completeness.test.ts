/** Calls every example of the contract and compares the audit entries it leaves. */
import type { Selectable } from 'kysely';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Database } from '../../../server/db/open';
import type { AuditEntriesTable } from '../../../server/db/tables/audit';
import type { Document, Operation } from '../../../server/openapi/document';
import * as sample from '../../support/openapi/samples';
import { listExamples, isRepeatable, buildRequest } from '../../support/openapi/examples';
import type { ExampleRequest } from '../../support/openapi/examples';
import { createSampleServer } from '../../support/openapi/sample-server';
import type { SampleServer } from '../../support/openapi/sample-server';
import { CALLS } from './calls';

const test = suite('completeness of the audit log');

let sampleServer: SampleServer;
let document: Document;
/** Values in requests and responses that no entry may contain. */
const secrets = new Set<string>();
test.before(async () => {
  sampleServer = await createSampleServer();
  document = await (await sampleServer.server.request('/api/openapi.json')).json();
});
test.after(() => sampleServer.server.close());
/** Changes the database so that the example of a call can succeed and leaves an entry. */
const preparations: Partial<Record<string, (db: Database) => Promise<unknown>>> = {
  'POST /api/admin/subscriptions': (db) => db.deleteFrom('subscriptions').execute(),
  'DELETE /api/admin/topics/:id/subscribers': (db) =>
    db
      .insertInto('subscriptions')
      .values({
        user_id: sample.sampleAdmin.id,
        topic_id: sample.sampleStormTopic.id,
        created_at: 0,
      })
      .onConflict((conflict) =>
        conflict.columns(['user_id', 'topic_id']).doUpdateSet({ by_name: 1 }),
      )
      .execute(),
  'POST /api/admin/messages/:id/repeat': allowRepeat,
  'POST /api/sending/messages/:id/repeat': allowRepeat,
};

/** A message notifies again only without pending pushes and answers, and if the topic is enabled. */
async function allowRepeat(db: Database): Promise<void> {
  await db.updateTable('recipients').set({ waiting: 0, acknowledged_at: null }).execute();
  for (const table of ['account_preferences', 'device_preferences'] as const)
    await db.deleteFrom(table).execute();
}

type AuditEntryRow = Selectable<AuditEntriesTable>;
const readEntriesAfter = (id: number): Promise<AuditEntryRow[]> =>
  sampleServer.server.services.db
    .selectFrom('audit_entries')
    .selectAll()
    .where('id', '>', id)
    .orderBy('id')
    .execute();
const readNewestId = async (): Promise<number> => (await readEntriesAfter(0)).at(-1)?.id ?? 0;

const toEndpoint = ({ method, path }: ExampleRequest): string =>
  `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`;

/**
 * Sends an example.
 * @returns the entries that it left
 */
async function sendExample(example: ExampleRequest): Promise<AuditEntryRow[]> {
  const formerNewestId = await readNewestId();
  await preparations[toEndpoint(example)]?.(sampleServer.server.services.db);
  const [path, init] = await buildRequest(example, document, sampleServer);
  const response = await sampleServer.server.request(path, init);
  const text = await response.text();
  assert.ok(response.status < 300, `${toEndpoint(example)}: ${response.status} ${text}`);
  collectSecrets(init.body);
  collectSecrets(text);
  return readEntriesAfter(formerNewestId);
}

const SECRET_FIELD_PATTERN =
  /password|token|key$|^secret$|link$|^message$|^text$|^email$|^username$|^userAgent$|^answer$/i;
function collectSecrets(text: unknown): void {
  if (typeof text !== 'string') return;
  try {
    JSON.parse(text, (name, value: unknown) => {
      // A short word may be part of another by chance.
      if (SECRET_FIELD_PATTERN.test(name) && typeof value === 'string' && value.length > 7)
        secrets.add(value);
      return value;
    });
  } catch {
    if (text.length < 200) secrets.add(text);
  }
}

/** The author that an entry of the call must name. */
function findExpectedAuthor(operation: Operation, by: string | undefined): Partial<AuditEntryRow> {
  const [security] = operation.security;
  if (by === 'technician') return { actor_id: sample.sampleTechnician.id };
  if (security === undefined || by === 'somebody') return {};
  if (security.topicKey !== undefined) return { actor_id: null, actor: 'key: sample' };
  return {
    actor_id: security.login?.includes('ADMIN')
      ? sample.sampleAdmin.id
      : sample.sampleTechnician.id,
  };
}

test('records each changing call with author, network and time, and no other call', async () => {
  const uncalledEndpoints = new Set<string>(Object.keys(CALLS));
  for (const example of listExamples(document)) {
    const endpoint = toEndpoint(example);
    const expectation = CALLS[endpoint as keyof typeof CALLS] as
      | (typeof CALLS)[keyof typeof CALLS]
      | undefined;
    assert.ok(
      expectation !== undefined || example.method === 'get',
      `${endpoint} has no row in test/server/audit/calls.ts: which entries does it leave, or why none?`,
    );
    const newEntries = await sendExample(example);
    const { entries, by } =
      expectation && 'entries' in expectation ? expectation : { entries: [], by: undefined };
    assert.equal(
      newEntries.map(({ action }) => action),
      entries,
      endpoint,
    );
    for (const entry of newEntries) {
      const author = findExpectedAuthor(example.operation, by);
      assert.equal({ ...entry, ...author }, entry, `who did ${endpoint}`);
      assert.ok(entry.actor_id !== null || entry.actor !== '', `who did ${endpoint}`);
      assert.is(entry.network, '192.0.2.0/24', endpoint);
      assert.is(entry.at, sampleServer.server.clock.now, endpoint);
    }
    // A browser repeats a request by itself when a connection breaks.
    if (isRepeatable(example.operation))
      assert.equal(await sendExample(example), [], `${endpoint}, sent again`);
    uncalledEndpoints.delete(endpoint);
  }
  assert.equal([...uncalledEndpoints], [], 'each row is about an existing call');
});

test('stores no password, token, key, link, text or name in an entry', async () => {
  const people = await sampleServer.server.services.db
    .selectFrom('users')
    .select(['username', 'email'])
    .execute();
  for (const { username, email } of people) secrets.add(username).add(email ?? username);
  assert.ok(secrets.size > 20);
  for (const entry of await readEntriesAfter(0))
    for (const secret of secrets)
      assert.not(JSON.stringify(entry).toLowerCase().includes(secret.toLowerCase()), secret);
});

test.run();
