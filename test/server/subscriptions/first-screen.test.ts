import * as assert from 'uvu/assert';
import type { Role } from '../../../src/shared/contract';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('first screen');
const PASSWORD = 'correct horse battery';

const makePerson = (role: Role) =>
  server.makePerson(role, { username: 'ana', email: 'ana@mail.example', password: PASSWORD });
const signIn = (password = PASSWORD) =>
  server.call('POST /api/auth/login', { body: { username: 'ana', password } });

/** Subscribes to so many topics, each with a description of so many characters. */
async function subscribe(userId: number, count: number, length = 10): Promise<number[]> {
  const { db } = server.services;
  const text = 'x'.repeat(length);
  const topics: number[] = [];
  // SQLite takes no more values at once.
  for (let left = count; left > 0; left -= 100) {
    const rows = Array.from({ length: Math.min(left, 100) }, () => ({
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

test('a sign-in brings along what the calls for topics and switches would answer', async () => {
  const ana = await makePerson('TECHNICIAN');
  const [silent] = await subscribe(ana.id, 3);
  await server.call('PUT /api/notifications/preferences/global/:topicId', {
    as: ana,
    params: { topicId: silent ?? 0 },
    body: { enabled: false },
  });
  const { firstScreen } = (await signIn()).answer;
  const as = ana;
  const { answer: subscriptions } = await server.call('GET /api/notifications/my-subscriptions', {
    as,
  });
  const { answer: preferences } = await server.call('GET /api/notifications/preferences', { as });
  assert.is(subscriptions.length, 3);
  assert.equal(firstScreen, { subscriptions, preferences });
});

test('who has no topics is told so with the sign-in', async () => {
  await makePerson('CUSTOMER');
  assert.equal((await signIn()).answer.firstScreen, { subscriptions: [], preferences: [] });
});

test('an administrator, who begins elsewhere, gets no topics with the sign-in', async () => {
  const ana = await makePerson('ADMIN');
  await subscribe(ana.id, 1);
  assert.is('firstScreen' in (await signIn()).answer, false);
});

test('five hundred topics come with a sign-in, and of more none', async () => {
  const ana = await makePerson('TECHNICIAN');
  await subscribe(ana.id, 500);
  const { firstScreen } = (await signIn()).answer;
  assert.equal([firstScreen?.subscriptions.length, firstScreen?.preferences.length], [500, 500]);
  await subscribe(ana.id, 1);
  const { status, answer } = await signIn();
  assert.equal([status, 'firstScreen' in answer], [200, false]);
});

test('few topics with much text do not come with a sign-in, which would wait for them', async () => {
  const ana = await makePerson('TECHNICIAN');
  await subscribe(ana.id, 60, 2000);
  const { status, answer } = await signIn();
  assert.equal([status, 'firstScreen' in answer], [200, false]);
});

test.run();
