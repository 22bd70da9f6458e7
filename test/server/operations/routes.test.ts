import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import * as assert from 'uvu/assert';
import type { Person } from '../../support/server/server';
import { DatabaseUnavailableError } from '../../../server/db/errors';
import { createMetrics } from '../../../server/lib/metrics';
import { openDatabase } from '../../../server/db/open';
import { createHealth } from '../../../server/operations/health';
import { createEmptyDatabase, onPostgres } from '../../support/database/database';
import { createServer, serverSuite } from '../../support/server/server';

const METRICS_TOKEN = 'a-token-for-prometheus';
const { test, server } = serverSuite('health and metrics', { environment: { METRICS_TOKEN } });
let admin: Person;

test.before.each(async () => {
  admin = await server.createPerson('ADMIN');
});

const scrape = async (
  token: string | undefined = METRICS_TOKEN,
): Promise<{ status: number; type: string; text: string }> => {
  const response = await server.request('/api/metrics', {
    headers: token === '' ? {} : { Authorization: `Bearer ${token}` },
  });
  return {
    status: response.status,
    type: response.headers.get('content-type') ?? '',
    text: await response.text(),
  };
};

/** The value of a sample by its exact name and labels. */
async function read(sample: string): Promise<number | undefined> {
  const line = (await scrape()).text.split('\n').find((each) => each.startsWith(`${sample} `));
  return line === undefined ? undefined : Number(line.slice(sample.length + 1));
}

/** A delivery due `milliseconds` ago. */
async function addDelivery(
  milliseconds: number,
  change: { state?: 'accepted'; claimed_until?: number; service_id?: number } = {},
): Promise<void> {
  const { db } = server.services;
  const [id, now] = [randomUUID(), server.clock.now];
  await db
    .insertInto('messages')
    .values({ id, topic_title: 'T', text: 'Hi', created_at: now, expires_at: now + 1000 })
    .execute();
  const row = {
    message_id: id,
    device_id: 1,
    device_type: 'web',
    state: 'pending',
    due_at: now - milliseconds,
    sort_key: now - milliseconds,
    updated_at: now,
    created_at: now,
  } as const;
  await db
    .insertInto('deliveries')
    .values({ ...row, ...change })
    .execute();
}

test('shows metrics to administrators and holders of the token only', async () => {
  assert.is((await scrape()).status, 200);
  assert.is((await scrape(admin.token)).status, 200);
  assert.is((await scrape('')).status, 401);
  assert.is((await scrape(`${METRICS_TOKEN}x`)).status, 401);
  assert.is((await scrape((await server.createPerson('TECHNICIAN')).token)).status, 403);
});

test('shows metrics only to administrators without a configured token', async () => {
  const otherServer = await createServer();
  const person = await otherServer.createPerson('ADMIN');
  for (const [token, status] of [
    ['undefined', 401],
    ['', 401],
    [person.token, 200],
  ] as const) {
    assert.is(
      (await otherServer.request('/api/metrics', { headers: { Authorization: `Bearer ${token}` } }))
        .status,
      status,
    );
  }
  await otherServer.close();
});

test('formats metrics for Prometheus', async () => {
  const { type, text } = await scrape();
  assert.match(type, /^text\/plain; version=0\.0\.4/);
  for (const line of text.split(/\n+/).filter(Boolean)) {
    assert.match(
      line,
      /^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [\d.e+-]+)$/,
    );
  }
});

test('counts requests by route and status, and never labels invented paths', async () => {
  const topics = { as: admin, params: { id: 999 } };
  await server.call('GET /api/admin/topics', { as: admin });
  await server.call('GET /api/admin/topics', { as: admin });
  await server.call('GET /api/admin/topics/:id/subscribers', topics);
  await server.request('/reset-password/a-secret-token');
  await server.request('/api/made-up', { method: 'DELETE' });
  const name = 'fieldbell_http_request_duration_seconds';
  assert.is(await read(`${name}_count{method="GET",route="/api/admin/topics",status="200"}`), 2);
  assert.is(
    await read(
      `${name}_count{method="GET",route="/api/admin/topics/:id/subscribers",status="404"}`,
    ),
    1,
  );
  assert.is(await read(`${name}_count{method="any",route="other",status="404"}`), 2);
  assert.is(
    await read(`${name}_bucket{le="+Inf",method="GET",route="/api/admin/topics",status="200"}`),
    2,
  );
  assert.not.match((await scrape()).text, /secret|made-up|DELETE/);
});

test('counts pushes by transport and outcome', async () => {
  const { metrics } = server.services;
  for (const outcome of ['accepted', 'accepted', 'retry']) metrics.countPush('web-push', outcome);
  assert.is(await read('fieldbell_pushes_total{transport="web-push",outcome="accepted"}'), 2);
  assert.is(await read('fieldbell_pushes_total{transport="web-push",outcome="retry"}'), 1);
});

test('shows the size of the outbox and the age of its oldest due push', async () => {
  assert.equal(
    [await read('fieldbell_outbox_pending'), await read('fieldbell_outbox_oldest_due_age_seconds')],
    [0, 0],
  );
  await addDelivery(-60_000);
  assert.equal(
    [await read('fieldbell_outbox_pending'), await read('fieldbell_outbox_oldest_due_age_seconds')],
    [1, 0],
  );
  await addDelivery(90_000);
  await addDelivery(500_000, { state: 'accepted' });
  assert.equal(
    [await read('fieldbell_outbox_pending'), await read('fieldbell_outbox_oldest_due_age_seconds')],
    [2, 90],
  );
});

test('reports late pushes in health, and stays healthy', async () => {
  const readHealth = async () => {
    const { status, body } = await server.call('GET /api/health');
    return [status, body.status, body.delivery];
  };
  await addDelivery(4 * 60_000);
  await addDelivery(60 * 60_000, { claimed_until: server.clock.now + 1000 });
  assert.equal(await readHealth(), [200, 'ok', 'ok']);
  // Belongs to an invented push service that never worked.
  await addDelivery(60 * 60_000, { service_id: 77 });
  assert.equal(await readHealth(), [200, 'ok', 'ok']);
  await addDelivery(6 * 60_000);
  assert.equal(await readHealth(), [200, 'ok', 'late']);
});

test('reports that it is stopping, and still responds to calls', async () => {
  server.services.isStopping = () => true;
  const response = await server.request('/api/health');
  assert.is(response.status, 503);
  assert.is(((await response.json()) as { status: string }).status, 'stopping');
  assert.is((await server.call('GET /api/admin/overview', { as: admin })).status, 200);
});

test('reports in health that the database is unreachable', async () => {
  const { db } = server.services;
  const unreachableDatabase = openDatabase({
    dataDir: '/nowhere',
    databaseUrl: 'postgres://unknown@127.0.0.1:1/x',
  });
  server.services.db = unreachableDatabase.db;
  const response = await server.request('/api/health');
  assert.is(response.status, 503);
  assert.is(((await response.json()) as { status: string }).status, 'the database is unreachable');
  assert.is(response.headers.get('retry-after'), '5', 'seconds');
  assert.is((await server.request('/api/ready')).status, 503);
  assert.is((await server.request('/api/live')).status, 200);
  server.services.db = db;
  await unreachableDatabase.close();
});

test('shows metrics without the database, and none that it would have counted', async () => {
  const emptyDatabase = await createEmptyDatabase();
  const { db } = openDatabase(emptyDatabase.config);
  await db.destroy();
  const silent = db.withPlugin({
    transformQuery() {
      throw new DatabaseUnavailableError(undefined);
    },
    transformResult: async ({ result }) => result,
  });
  const metrics = createMetrics({ db: silent, now: Date.now, version: '1.2.3' });
  metrics.countSignInFailure('limited');
  const status = 'the database is unreachable';
  for (const health of [{ status }, { status: 'ok' }]) {
    const text = await metrics.read(health);
    assert.match(text, 'fieldbell_sign_in_failures_total{reason="limited"} 1');
    assert.match(text, `fieldbell_health{check="status",state="${status}"} 1`);
    assert.match(text, /fieldbell_build_info\{version="1\.2\.3",node="v\d+/);
    assert.not.match(text, /^fieldbell_(outbox_pending|last_backup_timestamp_seconds) /m);
  }
  await emptyDatabase.drop();
});

test('counts rejected sign-ins, and reports the same states as health', async () => {
  await server.signIn(admin.username, 'a wrong password');
  assert.is(await read('fieldbell_sign_in_failures_total{reason="wrong"}'), 1);
  await addDelivery(6 * 60_000);
  assert.is(await read('fieldbell_health{check="delivery",state="late"}'), 1);
  assert.is(await read('fieldbell_health{check="delivery",state="ok"}'), undefined);
});

test("never serves the app's page for another product's probe", async () => {
  const otherServer = await createServer({ serveStatic: async () => new Response('the page') });
  for (const path of ['/health', '/healthz', '/livez', '/readyz', '/metrics'])
    assert.is((await otherServer.request(path)).status, 404, path);
  assert.is((await otherServer.request('/topics')).status, 200);
  assert.equal(
    await (await otherServer.request('/api/ready')).json(),
    (await otherServer.call('GET /api/health')).body,
  );
  await otherServer.close();
});

test('does not report a bug as an unreachable database', async () => {
  await server.services.db.schema.alterTable('deliveries').renameTo('away').execute();
  const { status, headers } = await server.request('/api/health');
  assert.equal([status, headers.get('retry-after')], [500, null]);
});

test('reports a silent database in health, and asks it once for all callers', async () => {
  let requestCount = 0;
  let reply = () => {};
  const replied = new Promise<void>((resolve) => (reply = resolve));
  const silent = server.services.db.withPlugin({
    transformQuery({ node }) {
      requestCount += 1;
      return node;
    },
    transformResult: ({ result }) => replied.then(() => result),
  });
  const health = createHealth({ ...server.services, db: silent }, 1);
  const unreachableReason = 'the database is unreachable';
  assert.equal(await Promise.all([health(), health()]), [unreachableReason, unreachableReason]);
  assert.is(await health(), unreachableReason);
  assert.is(requestCount, 1);
  // Returns its connection.
  reply();
});

test('reports in health that writes fail, and checks every ten seconds at most', async () => {
  const { db, config } = server.services;
  const readHealth = async () => {
    const response = await server.request('/api/health');
    const { status } = (await response.json()) as { status: string };
    return [response.status, status];
  };
  const rejection = [503, 'the database rejects writes'];
  assert.equal(await readHealth(), [200, 'ok']);
  const [forbid, allow] = onPostgres
    ? [
        sql`create function full_disk() returns trigger language plpgsql as
          $$ begin raise exception 'no space left' using errcode = '53100'; end $$;
          create trigger full_disk before insert or update on settings execute function full_disk()`,
        sql`drop trigger full_disk on settings`,
      ]
    : [sql`pragma query_only = on`, sql`pragma query_only = off`];
  await forbid.execute(db);
  assert.equal(await readHealth(), [200, 'ok'], 'what all who ask share');
  server.clock.now += 10_000;
  assert.equal(await readHealth(), rejection);
  await allow.execute(db);
  assert.equal(await readHealth(), rejection);
  server.clock.now += 10_000;
  assert.equal(await readHealth(), [200, 'ok']);
  if (onPostgres) return;
  // SQLite may have room in its log, so health also writes a file.
  assert.equal(
    readdirSync(config.dataDir).filter((name) => name.startsWith('health')),
    [],
  );
  server.services.config = { ...config, dataDir: join(config.dataDir, 'missing') };
  server.clock.now += 10_000;
  assert.equal(await readHealth(), rejection);
});

if (onPostgres) {
  test('reports a read-only PostgreSQL in health', async () => {
    const url = new URL(server.services.config.databaseUrl ?? '');
    url.searchParams.set('options', '-c default_transaction_read_only=on');
    const standby = openDatabase({ dataDir: '/nowhere', databaseUrl: url.href });
    const { db } = server.services;
    server.services.db = standby.db;
    const response = await server.request('/api/health');
    assert.is(response.status, 503);
    assert.is(
      ((await response.json()) as { status: string }).status,
      'the database rejects writes',
    );
    assert.is(server.log.filter((line) => line.includes('"database rejects writes"')).length, 1);
    server.services.db = db;
    await standby.close();
  });
}

test.run();
