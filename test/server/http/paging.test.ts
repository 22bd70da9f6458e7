import * as assert from 'uvu/assert';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('searches in lists');
let admin: Person;

test.before.each(async () => {
  admin = await server.createPerson('ADMIN', { username: 'admin' });
  await server.createPerson('TECHNICIAN', { username: 'Åsa Ölund', email: 'crew@Straße.example' });
  await server.createPerson('CUSTOMER', { username: 'a_b 100%', email: 'depot@northgrid.example' });
  await server.createPerson('CUSTOMER', { username: 'axb 100', email: 'asa@northgrid.example' });
});

const listUsernames = async (query: string): Promise<string[]> =>
  (await server.call('GET /api/admin/users', { as: admin, query: { query } })).body.users
    .map(({ username }) => username)
    .sort();

test('finds users by every word in any order, column and case', async () => {
  assert.equal(await listUsernames('ölund ÅSA'), ['Åsa Ölund']);
  assert.equal(await listUsernames('  STRAßE \u00a0 ölund\tå '), ['Åsa Ölund'], 'name and email');
  assert.equal(await listUsernames('A\u030asa'), ['Åsa Ölund'], 'a letter that is written as two');
  assert.equal(await listUsernames('northgrid 100'), ['a_b 100%', 'axb 100']);
  assert.equal(
    await listUsernames('northgrid ölund'),
    [],
    'every word is to be found in one person',
  );
  assert.equal((await listUsernames(' \t ')).length, 4, 'no words are no search');
});

test('returns the total on every page, even after the last', async () => {
  const totalOn = async (page: number, limit: number, query = '') => {
    const { body } = await server.call('GET /api/admin/users', {
      as: admin,
      query: { page, limit, query },
    });
    return [body.users.length, body.total, body.page, body.limit];
  };
  await server.createPerson('CUSTOMER', { username: 'fifth' });
  assert.equal(await totalOn(1, 2), [2, 5, 1, 2]);
  assert.equal(await totalOn(3, 2), [1, 5, 3, 2]);
  assert.equal(await totalOn(4, 2), [0, 5, 4, 2], 'after the last');
  assert.equal(await totalOn(1, 5), [5, 5, 1, 5], 'full, and the only one');
  assert.equal(await totalOn(2, 5), [0, 5, 2, 5]);
  assert.equal(await totalOn(1, 10, 'northgrid'), [2, 2, 1, 10]);
  assert.equal(await totalOn(1, 10, 'nobody'), [0, 0, 1, 10]);
});

test('returns the number of matches on a full page, in each list', async () => {
  const userIds: number[] = [];
  for (const nth of [1, 2]) {
    const username = `Nord ${nth}`;
    const { body } = await server.addUser(admin, username, 'CUSTOMER');
    userIds.push(body.user.id, (await server.createPerson('CUSTOMER')).id);
    await server.addUser(admin, `South ${nth}`, 'CUSTOMER');
    await server.createTopic(username);
    await server.createTopic(`South ${nth}`);
  }
  const messages: string[] = [];
  for (const message of ['Nord is off', 'Nord is on', 'South is off']) {
    const { body } = await server.sendMessage(admin, { userIds, message });
    messages.push(body.messageId);
  }
  const query = { query: 'nord', limit: 1 };
  const params = { id: messages[0] ?? '' };
  const replies = {
    users: server.call('GET /api/admin/users', { as: admin, query }),
    topics: server.call('GET /api/admin/topics', { as: admin, query }),
    messages: server.call('GET /api/admin/messages', { as: admin, query }),
    invitations: server.call('GET /api/admin/invitations', { as: admin, query }),
    recipients: server.call('GET /api/admin/messages/:id/recipients', { as: admin, params, query }),
  };
  for (const [list, response] of Object.entries(replies))
    assert.is((await response).body.total, 2, list);
  await server.services.db
    .updateTable('recipients')
    .set({ state: 'muted' })
    .where('user_id', 'in', userIds.slice(0, 3))
    .execute();
  const { body } = await server.call('GET /api/admin/messages/:id/recipients', {
    as: admin,
    params,
    query: { state: 'muted', limit: 1 },
  });
  assert.is(body.total, 3, 'of a state');
});

test('treats wildcards as letters', async () => {
  assert.equal(await listUsernames('a_b'), ['a_b 100%']);
  assert.equal(await listUsernames('% _'), ['a_b 100%']);
  for (const query of ['\\', '*', '?', "'", '"', '[a]'])
    assert.equal(await listUsernames(query), [], query);
});

test('accepts long searches', async () => {
  assert.equal(
    await listUsernames('a '.repeat(500)),
    ['Åsa Ölund', 'a_b 100%', 'admin', 'axb 100'].sort(),
  );
  assert.equal(await listUsernames('a'.repeat(5000)), []);
});

test('drops characters that no database can store', async () => {
  assert.equal(await listUsernames('ad\0min'), ['admin']);
  assert.equal(await listUsernames('\0 northgrid axb'), ['axb 100']);
});

test('finds topics and sent messages by every word', async () => {
  const topic = await server.createTopic('Störung Nord');
  const topics = async (query: string) =>
    (await server.call('GET /api/admin/topics', { as: admin, query: { query } })).body.total;
  assert.equal([await topics('NORD störung about'), await topics('nord süd')], [1, 0]);
  await server.subscribe(admin, admin.id, topic);
  await server.sendToTopic(admin, topic, { message: 'Umspannwerk Ost ist aus' });
  const messages = async (query: string) =>
    (await server.call('GET /api/admin/messages', { as: admin, query: { query } })).body.total;
  assert.equal(
    [await messages('ost NORD'), await messages('ost süd'), await messages('')],
    [1, 0, 1],
  );
});

test.run();
