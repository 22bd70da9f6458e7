import * as assert from 'uvu/assert';
import { deleteOldData } from '../../../server/operations/delete-old-data';
import { createAudienceHelpers } from '../../support/server/audience';
import { createDeviceTestHelpers } from '../../support/server/device-tests';
import type { TestDevice } from '../../support/server/device-tests';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('cleanup of old tests');
const DAY_MS = 24 * 3600_000;
let deviceTests: ReturnType<typeof createDeviceTestHelpers>;
let ana: Person;
let phone: TestDevice;
let startedAt: number;
test.before.each(async () => {
  deviceTests = createDeviceTestHelpers(server);
  ana = await server.createPerson('TECHNICIAN', { username: 'ana' });
  phone = await deviceTests.register(ana, 'phone');
  startedAt = server.clock.now;
});

const deleteOld = () =>
  deleteOldData(server.services.db, server.clock.now, new AbortController().signal);
async function listKeptTests(): Promise<number[]> {
  const rows = await server.services.db
    .selectFrom('tests')
    .select('created_at')
    .orderBy('created_at')
    .execute();
  return rows.map(({ created_at }) => (created_at - startedAt) / DAY_MS);
}
const count = async (table: 'messages' | 'deliveries'): Promise<number> => {
  const { n } = await server.services.db
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow();
  return n;
};
/** An accepted test each day. */
async function testDaily(days: number): Promise<void> {
  for (let day = 0; day < days; day += 1) {
    server.clock.now = startedAt + day * DAY_MS;
    await deviceTests.startTest(ana, phone.id);
    await deviceTests.settleDue({ kind: 'accepted' });
  }
}

test('deletes tests after 30 days, except the newest three of each device', async () => {
  await testDaily(6);
  server.clock.now = startedAt + 31 * DAY_MS + 1;
  await deleteOld();
  assert.equal(await listKeptTests(), [2, 3, 4, 5]);
  server.clock.now = startedAt + 60 * DAY_MS;
  await deleteOld();
  assert.equal(await listKeptTests(), [3, 4, 5]);
  assert.equal([await count('messages'), await count('deliveries')], [3, 0]);
  await deleteOld();
  assert.equal(await listKeptTests(), [3, 4, 5]);
});

test('deletes a large round in small steps, and keeps messages of the same age', async () => {
  const audience = createAudienceHelpers(server);
  await audience.createCrowd(1200);
  await audience.send({ userIds: [ana.id] });
  const admin = await server.createPerson('ADMIN');
  for (let nth = 0; nth < 4; nth += 1) {
    await server.call('POST /api/admin/reach/tests', { as: admin, body: {} });
    await server.jobs.runDue();
    server.clock.now += 10 * 60_000;
  }
  server.clock.now = startedAt + 40 * DAY_MS;
  const { db } = server.services;
  await db.updateTable('deliveries').set({ state: 'accepted' }).execute();
  await deleteOld();
  // Phone and crowd had four tests each: three of each stay.
  assert.is((await listKeptTests()).length, 3 * 1201);
  assert.is(await count('messages'), 4);
});

test.run();
