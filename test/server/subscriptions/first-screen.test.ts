import * as assert from 'uvu/assert';
import type { Role } from '../../../src/shared/contract';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('first screen');
const PASSWORD = 'correct horse battery';

const createPerson = (role: Role) =>
  server.createPerson(role, { username: 'ana', email: 'ana@mail.example', password: PASSWORD });
const signIn = (password = PASSWORD) => server.signIn('ana', password);

/** Subscribes to that many topics with descriptions of that length. */
async function subscribeToMany(userId: number, count: number, length = 10): Promise<number[]> {
  const { db } = server.services;
  const text = 'x'.repeat(length);
  const topics: number[] = [];
  // SQLite accepts no more values per statement.
  for (let remainingCount = count; remainingCount > 0; remainingCount -= 100) {
    const rows = Array.from({ length: Math.min(remainingCount, 100) }, () => ({
      title: 'Outages',
      description: text,
      search_key: text,
      created_at: 0,
      updated_at: 0,
    }));
    const made = await db.insertInto('topics').values(rows).returning('id').execute();
    topics.push(...made.map(({ id }) => id));
    await db
      .insertInto('subscriptions')
      .values(made.map(({ id }) => ({ user_id: userId, topic_id: id, created_at: 0 })))
      .execute();
  }
  return topics;
}

test('returns topics and switches with the sign-in', async () => {
  const ana = await createPerson('TECHNICIAN');
  const [silent] = await subscribeToMany(ana.id, 3);
  await server.setPreference(ana, silent ?? 0, false);
  const { firstScreen } = (await signIn()).body;
  const as = ana;
  const { body: subscriptions } = await server.call('GET /api/notifications/my-subscriptions', {
    as,
  });
  const { body: preferences } = await server.call('GET /api/notifications/preferences', { as });
  assert.is(subscriptions.length, 3);
  assert.equal(firstScreen, { subscriptions, preferences });
});

test('returns empty lists with the sign-in for a person without topics', async () => {
  await createPerson('CUSTOMER');
  assert.equal((await signIn()).body.firstScreen, { subscriptions: [], preferences: [] });
});

test("returns no topics with an administrator's sign-in", async () => {
  const ana = await createPerson('ADMIN');
  await subscribeToMany(ana.id, 1);
  assert.is('firstScreen' in (await signIn()).body, false);
});

test('returns up to five hundred topics with the sign-in, and none of more', async () => {
  const ana = await createPerson('TECHNICIAN');
  await subscribeToMany(ana.id, 500);
  const { firstScreen } = (await signIn()).body;
  assert.equal([firstScreen?.subscriptions.length, firstScreen?.preferences.length], [500, 500]);
  await subscribeToMany(ana.id, 1);
  const { status, body } = await signIn();
  assert.equal([status, 'firstScreen' in body], [200, false]);
});

test('leaves topics with too much text out of the sign-in response', async () => {
  const ana = await createPerson('TECHNICIAN');
  await subscribeToMany(ana.id, 60, 2000);
  const { status, body } = await signIn();
  assert.equal([status, 'firstScreen' in body], [200, false]);
});

test.run();
