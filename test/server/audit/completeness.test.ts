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
import { makeSampleServer } from '../../support/openapi/sample-server';
import type { SampleServer } from '../../support/openapi/sample-server';
import { CALLS } from './calls';

const test = suite('completeness of the audit log');

let sampleServer: SampleServer;
let document: Document;
/** Requested and answered values that no entry may contain. */
const secrets = new Set<string>();
test.before(async () => {
  sampleServer = await makeSampleServer();
  document = await (await sampleServer.server.request('/api/openapi.json')).json();
});
test.after(() => sampleServer.server.close());
/** Clears what would already be done or in the way. */
const preparations: Partial<Record<string, (db: Database) => Promise<unknown>>> = {
  'POST /api/admin/subscriptions': (db) => db.deleteFrom('subscriptions').execute(),
  'DELETE /api/admin/topics/:id/subscribers': (db) =>
    db
      .insertInto('subscriptions')
      .values({ user_id: sample.admin.id, topic_id: sample.storms.id, created_at: 0 })
      .onConflict((both) => both.columns(['user_id', 'topic_id']).doUpdateSet({ by_name: 1 }))
      .execute(),
  'POST /api/admin/messages/:id/repeat': letRepeat,
  'POST /api/sending/messages/:id/repeat': letRepeat,
};

/** Notifies only with no push pending, no answer, and the topic enabled. */
async function letRepeat(db: Database): Promise<void> {
  await db.updateTable('recipients').set({ waiting: 0, acknowledged_at: null }).execute();
  for (const switches of ['account_preferences', 'device_preferences'] as const)
    await db.deleteFrom(switches).execute();
}

type Row = Selectable<AuditEntriesTable>;
const readAfter = (id: number): Promise<Row[]> =>
  sampleServer.server.services.db
    .selectFrom('audit_entries')
    .selectAll()
    .where('id', '>', id)
    .orderBy('id')
    .execute();
const newestId = async (): Promise<number> => (await readAfter(0)).at(-1)?.id ?? 0;

const endpointOf = ({ method, path }: ExampleRequest): string =>
  `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`;

/** Sends an example. @returns the entries it left */
async function send(asked: ExampleRequest): Promise<Row[]> {
  const before = await newestId();
  await preparations[endpointOf(asked)]?.(sampleServer.server.services.db);
  const [path, init] = await buildRequest(asked, document, sampleServer);
  const response = await sampleServer.server.request(path, init);
  const text = await response.text();
  assert.ok(response.status < 300, `${endpointOf(asked)}: ${response.status} ${text}`);
  noteSecrets(init.body);
  noteSecrets(text);
  return readAfter(before);
}

const SECRET =
  /password|token|key$|^secret$|link$|^message$|^text$|^email$|^username$|^userAgent$|^answer$/i;
function noteSecrets(text: unknown): void {
  if (typeof text !== 'string') return;
  try {
    JSON.parse(text, (name, value: unknown) => {
      // A short word may be part of another by chance.
      if (SECRET.test(name) && typeof value === 'string' && value.length > 7) secrets.add(value);
      return value;
    });
  } catch {
    if (text.length < 200) secrets.add(text);
  }
}

/** The author that an entry of the call must name. */
function authorOf(operation: Operation, by: string | undefined): Partial<Row> {
  const [way] = operation.security;
  if (by === 'technician') return { actor_id: sample.technician.id };
  if (way === undefined || by === 'somebody') return {};
  if (way.topicKey !== undefined) return { actor_id: null, actor: 'key: sample' };
  return { actor_id: way.login?.includes('ADMIN') ? sample.admin.id : sample.technician.id };
}

test('records each changing call with author, network and time, and no other call', async () => {
  const named = new Set<string>(Object.keys(CALLS));
  for (const asked of listExamples(document)) {
    const endpoint = endpointOf(asked);
    const row = CALLS[endpoint as keyof typeof CALLS] as
      | (typeof CALLS)[keyof typeof CALLS]
      | undefined;
    assert.ok(
      row !== undefined || asked.method === 'get',
      `${endpoint} has no row in test/server/audit/calls.ts: which entries does it leave, or why none?`,
    );
    const left = await send(asked);
    const { entries, by } = row && 'entries' in row ? row : { entries: [], by: undefined };
    assert.equal(
      left.map(({ action }) => action),
      entries,
      endpoint,
    );
    for (const entry of left) {
      const author = authorOf(asked.operation, by);
      assert.equal({ ...entry, ...author }, entry, `who did ${endpoint}`);
      assert.ok(entry.actor_id !== null || entry.actor !== '', `who did ${endpoint}`);
      assert.is(entry.network, '192.0.2.0/24', endpoint);
      assert.is(entry.at, sampleServer.server.clock.now, endpoint);
    }
    // A browser repeats a request by itself when a connection breaks.
    if (isRepeatable(asked.operation))
      assert.equal(await send(asked), [], `${endpoint}, sent again`);
    named.delete(endpoint);
  }
  assert.equal([...named], [], 'each row is about a call that there is');
});

test('stores no password, token, key, link, text or name in an entry', async () => {
  const people = await sampleServer.server.services.db
    .selectFrom('users')
    .select(['username', 'email'])
    .execute();
  for (const { username, email } of people) secrets.add(username).add(email ?? username);
  assert.ok(secrets.size > 20);
  for (const entry of await readAfter(0))
    for (const secret of secrets)
      assert.not(JSON.stringify(entry).toLowerCase().includes(secret.toLowerCase()), secret);
});

test.run();
