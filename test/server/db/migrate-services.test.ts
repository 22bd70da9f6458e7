/** What the sixth step makes of the devices and deliveries of an installation that has run before. */
import { Migrator, sql } from 'kysely';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { migrate } from '../../../server/db/migrate';
import { createTables } from '../../../server/db/migrations/001-tables';
import { limitRates } from '../../../server/db/migrations/002-rate-limits';
import { indexSearches } from '../../../server/db/migrations/003-search';
import { rememberRequests } from '../../../server/db/migrations/004-requests';
import { keepTotals } from '../../../server/db/migrations/005-totals';
import { type Database, type Engine, openDatabase } from '../../../server/db/open';
import { startDelivery } from '../../../server/delivery/delivery';
import { createLog } from '../../../server/lib/log';
import { eventually } from '../../support/eventually';
import { type PushSink, startPushSink } from '../../support/push-services/push-sink';
import { localCertificate, trust } from '../../support/network/tls';
import { makeEmptyDatabase, type TestDatabase } from '../../support/database/database';
import { vapid } from '../../support/delivery/delivery';

const test = suite('migrating to a queue for each push service');
const BEFORE = {
  '001-tables': createTables,
  '002-rate-limits': limitRates,
  '003-search': indexSearches,
  '004-requests': rememberRequests,
  '005-totals': keepTotals,
};
const NOW = Date.now();
const HOUR = 3600_000;
/** More than one batch of the step. */
const MANY = 1005;

let database: TestDatabase;
let sink: PushSink;
let distrust: () => void;
let opened: { db: Database; engine: Engine; close(): Promise<void> };
test.before.each(async () => {
  distrust = trust(localCertificate());
  [database, sink] = [await makeEmptyDatabase(), await startPushSink()];
  opened = openDatabase({ ...database.config, statementLimit: 0 });
  const { db, engine } = opened;
  const steps = Object.entries(BEFORE).map(([name, step]) => [
    name,
    { up: (into: Parameters<typeof step>[0]) => step(into, engine) },
  ]);
  const migrations = Object.fromEntries(steps);
  const { error } = await new Migrator({
    db,
    provider: { getMigrations: async () => migrations },
  }).migrateToLatest();
  assert.is(error, undefined);
  await sql`insert into users (id, username, username_key, role, status, created_at)
    values (1, 'ann', 'ann', 'TECHNICIAN', 'ACTIVE', 0)`.execute(db);
  await sql`insert into topics (id, title, description, created_at, updated_at)
    values (1, 'Outages', 'What is down', 0, 0)`.execute(db);
  await sql`insert into subscriptions (user_id, topic_id, created_at) values (1, 1, 0)`.execute(db);
});
test.after.each(async () => {
  await opened.close();
  await sink.close();
  await database.drop();
  distrust();
});

async function addDevices(tokens: string[], first: number): Promise<void> {
  for (let from = 0; from < tokens.length; from += 500) {
    const rows = tokens.slice(from, from + 500).map((token, index) => {
      const id = first + from + index;
      return sql`(${id}, 1, ${token}, ${`hash ${id}`}, 'web', '', 0, 0)`;
    });
    await sql`insert into devices (id, user_id, token, token_hash, type, user_agent, created_at, last_seen_at)
      values ${sql.join(rows)}`.execute(opened.db);
  }
}

async function addMessage(id: string, rows: [device: number, state: string, attempts: number][]) {
  await sql`insert into messages (id, topic_id, topic_title, text, created_at, expires_at)
    values (${id}, 1, 'Outages', 'Line 4 is down', ${NOW - HOUR}, ${NOW + 24 * HOUR})`.execute(
    opened.db,
  );
  for (const [device, state, attempts] of rows)
    await sql`insert into deliveries (message_id, device_id, device_type, state, attempts, due_at, updated_at)
      values (${id}, ${device}, 'web', ${state}, ${attempts}, ${NOW - HOUR}, ${NOW - HOUR})`.execute(
      opened.db,
    );
}

const elsewhere = (origin: string, name: string | number): string =>
  JSON.stringify({ endpoint: `${origin}/${name}`, keys: {} });

async function servicesOf(table: 'devices' | 'deliveries'): Promise<Record<string, string[]>> {
  const { rows } = await sql<{ origin: string | null; id: number }>`
    select push_services.origin, ${sql.ref(`${table}.id`)} as id from ${sql.table(table)}
    left join push_services on push_services.id = ${sql.ref(`${table}.service_id`)}
    order by ${sql.ref(`${table}.id`)}`.execute(opened.db);
  const found: Record<string, string[]> = {};
  for (const { origin, id } of rows) (found[origin ?? 'no service'] ??= []).push(String(id));
  return found;
}

test('every device gets its push service, and those that accepted pushes lately are proven', async () => {
  const many = Array.from({ length: MANY }, (_, index) => elsewhere('https://many.example', index));
  await addDevices(many, 1);
  await addDevices([elsewhere('https://late.example', 1), 'fcm-token', '{'], 2001);
  await addMessage('sent', [
    [1, 'accepted', 1],
    [2001, 'failed', 1],
  ]);
  await migrate(database.config);
  const services = await servicesOf('devices');
  assert.is(services['https://many.example']?.length, MANY);
  assert.equal(services['https://late.example'], ['2001']);
  assert.equal(services.fcm, ['2002']);
  assert.equal(services.none, ['2003']);
  const { rows } = await sql<{ origin: string }>`
    select origin from push_services where proven_at is not null`.execute(opened.db);
  assert.equal(
    rows.map(({ origin }) => origin),
    ['https://many.example'],
  );
});

test('a delivery that is pending gets the queue of its device’s push service, and is sent', async () => {
  const tokens = ['first', 'retry', 'ended'].map((name) => sink.subscribe(name).token);
  await addDevices([...tokens, elsewhere('https://other.example', 1)], 1);
  await addMessage('pending', [
    [1, 'pending', 0],
    [2, 'pending', 2],
    [3, 'failed', 1],
    [99, 'pending', 0],
  ]);
  await migrate(database.config);
  const services = await servicesOf('deliveries');
  assert.equal(services[new URL(`https://${sink.host}`).origin]?.length, 2);
  assert.is(services['no service']?.length, 2, 'what has ended, and what lost its device');
  const delivery = startDelivery({
    ...opened,
    vapid,
    subject: 'mailto:ops@example.com',
    appOrigin: 'https://bell.example',
    allowedHosts: [sink.host],
    log: createLog(() => undefined),
    isClockSure: () => true,
  });
  try {
    await sink.arrived(2);
    const rows = await eventually(async () => {
      const { rows: found } = await sql<{ device_id: number; state: string; attempts: number }>`
        select device_id, state, attempts from deliveries order by device_id`.execute(opened.db);
      return found.every(({ state }) => state !== 'pending') && found;
    }, 'all rows to end');
    assert.equal(
      rows.map(({ device_id, state, attempts }) => [Number(device_id), state, Number(attempts)]),
      [
        [1, 'accepted', 1],
        [2, 'accepted', 3],
        [3, 'failed', 1],
        [99, 'skipped', 0],
      ],
    );
    assert.equal(sink.received.map(({ path }) => path).sort(), ['/first', '/retry']);
  } finally {
    await delivery.stop();
  }
});

test.run();
