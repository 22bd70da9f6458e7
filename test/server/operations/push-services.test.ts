import type { Insertable } from 'kysely';
import * as assert from 'uvu/assert';
import type { Tables } from '../../../server/db/schema';
import { createReachHelpers } from '../../support/server/device-reach';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const FCM_SERVICE = 'fcm';
const MOZILLA_SERVICE = 'https://updates.push.services.mozilla.com';
const { test, server } = serverSuite('status of push services');
const { addDevice } = createReachHelpers(server);
let admin: Person;
test.before.each(async () => {
  admin = await server.createPerson('ADMIN');
});

const MINUTE_MS = 60_000;
const ago = (minutes: number): number => server.clock.now - minutes * MINUTE_MS;
const iso = (at: number): string => new Date(at).toISOString();

const addService = (origin: string, change: Partial<Insertable<Tables['push_services']>>) =>
  server.services.db
    .insertInto('push_services')
    .values({ origin, ...change })
    .onConflict((known) => known.column('origin').doUpdateSet(change))
    .returning('id')
    .executeTakeFirstOrThrow();

/** A message to a new person with a device. */
async function send(): Promise<void> {
  const { id } = await server.createPerson('TECHNICIAN');
  await addDevice(id);
  const body = { userIds: [id], message: 'Hello' };
  assert.is((await server.sendMessage(admin, body)).status, 202);
}

const readHealth = async () => {
  const { status, body } = await server.call('GET /api/health');
  const { delivery, pushServices } = body;
  return [status, delivery, pushServices.state, pushServices.since];
};
const readOverview = async () =>
  (await server.call('GET /api/admin/overview', { as: admin })).body.health.pushServices ?? [];

test('reports unreachable and rejecting services, the worst first, and old news as unknown', async () => {
  await addService('https://fcm.googleapis.com', { state: 'accepting', accepted_at: ago(0) });
  await addService('https://jmt17.google.com', {
    state: 'unreachable',
    state_since: ago(27),
    accepted_at: ago(28),
    unreachable_at: ago(0),
    unreachable_reason: 'ENOTFOUND',
  });
  assert.equal(await readHealth(), [200, 'late', 'unreachable', iso(ago(27))]);
  await addService('https://web.push.apple.com', {
    state: 'refusing',
    state_since: ago(2),
    refused_at: ago(1),
    refused_reason: 'status-403',
  });
  assert.equal((await readHealth()).slice(1, 3), ['refused', 'unreachable']);
  const states = (await readOverview()).map(({ name, state, host, reason, acceptedAt }) => [
    name,
    state,
    host,
    reason,
    acceptedAt,
  ]);
  assert.equal(states, [
    ['Google', 'unreachable', 'jmt17.google.com', 'ENOTFOUND', iso(ago(0))],
    ['Apple', 'refusing', 'web.push.apple.com', 'status-403', null],
  ]);
  await addService('https://web.push.apple.com', {
    refused_reason: 'status-429',
    throttled_until: ago(-5),
  });
  assert.equal((await readOverview())[1]?.throttledUntil, iso(ago(-5)));
  assert.is((await readOverview())[1]?.state, 'throttled');
  assert.is((await readHealth())[1], 'late', 'a limit is no rejection');
  server.clock.now += 12 * MINUTE_MS;
  assert.equal((await readHealth()).slice(1, 3), ['ok', 'unknown'], 'no process asks any more');
});

test("counts waiting pushes with the age of the oldest, which retries don't change", async () => {
  const { db } = server.services;
  const { id } = await addService(MOZILLA_SERVICE, { state: 'accepting', accepted_at: ago(1) });
  for (let nth = 0; nth < 2; nth += 1) {
    await send();
    server.clock.now += MINUTE_MS;
  }
  await db
    .updateTable('deliveries')
    .set({ service_id: id, due_at: server.clock.now + 9e5, updated_at: server.clock.now })
    .execute();
  const queue = async () => (await readOverview()).map((one) => [one.waiting, one.oldestAt]);
  assert.equal(await queue(), [[2, iso(ago(2))]]);
  assert.is((await readHealth())[1], 'ok');
  server.clock.now += 4 * MINUTE_MS;
  assert.equal(
    (await readHealth()).slice(1, 3),
    ['late', 'quiet'],
    'none was accepted for minutes',
  );
  await addService(MOZILLA_SERVICE, { accepted_at: ago(0) });
  assert.equal((await readHealth()).slice(1, 3), ['ok', 'accepting'], 'one was just now');
  const text = await server.services.metrics.read();
  for (const sample of [
    'fieldbell_push_service_state{service="Mozilla",state="accepting"} 1',
    'fieldbell_push_service_pending{service="Mozilla"} 2',
    'fieldbell_push_service_oldest_age_seconds{service="Mozilla"} 360',
    `fieldbell_push_service_accepted_timestamp_seconds{service="Mozilla"} ${ago(0) / 1000}`,
  ])
    assert.ok(text.includes(`${sample}\n`), sample);
});

test('reports FCM without a service account as not set up, and nothing as late', async () => {
  const { id } = await addService(FCM_SERVICE, {
    state: 'unreachable',
    state_since: ago(9),
    unreachable_at: ago(0),
  });
  assert.equal(await readOverview(), []);
  await send();
  await server.services.db.updateTable('deliveries').set({ service_id: id }).execute();
  const states = (await readOverview()).map(({ name, state, waiting }) => [name, state, waiting]);
  assert.equal(states, [['FCM', 'not_set_up', 1]]);
  assert.equal(await readHealth(), [200, 'ok', 'unused', null]);
});

test.run();
