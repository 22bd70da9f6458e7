import * as assert from 'uvu/assert';
import type { Endpoint } from '../../../src/shared/contract';
import type { CallOptions, Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('teams');
let admin: Person;
let people: Person[];
test.before.each(async () => {
  admin = await server.createPerson('ADMIN');
  people = [];
  for (let nth = 0; nth < 3; nth += 1) people.push(await server.createPerson('TECHNICIAN'));
});

const ids = () => people.map(({ id }) => id);
const callAsAdmin = <E extends Endpoint>(endpoint: E, options?: object) =>
  server.call(endpoint, { as: admin, ...options } as unknown as CallOptions<E> & { as: Person });
const addTeam = async (name: string): Promise<number> =>
  (await callAsAdmin('POST /api/admin/teams', { body: { name } })).body.id;
const addMembers = (id: number, userIds = ids()) =>
  callAsAdmin('POST /api/admin/teams/:id/members', { params: { id }, body: { userIds } });
const removeMembers = (id: number, userIds = ids()) =>
  callAsAdmin('DELETE /api/admin/teams/:id/members', { params: { id }, body: { userIds } });
const subscribeTeams = (id: number, teamIds: number[]) =>
  callAsAdmin('POST /api/admin/topics/:id/teams', { params: { id }, body: { teamIds } });
const unsubscribeTeams = (id: number, teamIds: number[]) =>
  callAsAdmin('DELETE /api/admin/topics/:id/teams', { params: { id }, body: { teamIds } });
/** How people are subscribed: `n` by name, `t` by a team alone. */
const listSubscribed = async (topicId: number): Promise<string> => {
  const rows = await server.services.db
    .selectFrom('subscriptions')
    .select(['user_id', 'by_name'])
    .where('topic_id', '=', topicId)
    .execute();
  const how = new Map(rows.map((row) => [row.user_id, row.by_name === 1 ? 'n' : 't']));
  return ids()
    .map((id) => how.get(id) ?? '-')
    .join('');
};

test('adds, renames, finds and deletes teams, and repeats an addition with its key', async () => {
  const headers = { 'Idempotency-Key': 'once' };
  const body = { name: 'North crew', description: 'Poles and lines' };
  const firstResponse = await callAsAdmin('POST /api/admin/teams', { body, headers });
  assert.equal(
    [firstResponse.status, firstResponse.body.members, firstResponse.body.topics],
    [201, 0, []],
  );
  assert.equal(
    (await callAsAdmin('POST /api/admin/teams', { body, headers })).body,
    firstResponse.body,
  );
  const { id } = firstResponse.body;
  const topic = await server.createTopic('Storms');
  await addMembers(id);
  await subscribeTeams(topic, [id]);
  await addTeam('East crew');

  const renamed = { params: { id }, body: { name: 'Nørth' } };
  const { body: reply } = await callAsAdmin('PUT /api/admin/teams/:id', renamed);
  const expected = { id, name: 'Nørth', description: body.description, members: 3 };
  assert.equal(reply, { ...expected, topics: [{ id: topic, title: 'Storms' }] });
  const list = async (query: object) =>
    (await callAsAdmin('GET /api/admin/teams', { query })).body.teams.map(({ name }) => name);
  assert.equal(await list({}), ['East crew', 'Nørth']);
  assert.equal(await list({ query: 'POLES nør' }), ['Nørth']);
  assert.equal(await list({ limit: 1, page: 2 }), ['Nørth']);
  assert.is((await callAsAdmin('DELETE /api/admin/teams/:id', { params: { id } })).status, 200);
  for (const call of ['GET', 'DELETE'] as const) {
    const deletedTeamResponse = await callAsAdmin(`${call} /api/admin/teams/:id`, {
      params: { id },
    });
    assert.equal(
      [deletedTeamResponse.status, deletedTeamResponse.error],
      [404, 'This team does not exist.'],
    );
  }
});

test('rejects a name that looks like another one, and one that is invisible', async () => {
  const id = await addTeam('Équipe Ⅳ');
  const other = await addTeam('Other');
  for (const name of ['équipe IV', 'E\u0301QUIPE iv', 'Équ\u200bipe Ⅳ']) {
    const add = await callAsAdmin('POST /api/admin/teams', { body: { name } });
    const rename = await callAsAdmin('PUT /api/admin/teams/:id', {
      params: { id: other },
      body: { name },
    });
    const message = 'There is already a team “Équipe Ⅳ”. Please choose another name.';
    for (const { status, error } of [add, rename])
      assert.equal([status, error], [409, [{ message, path: 'name' }]]);
  }
  for (const name of ['\u200b', '\u3164 ', 'a;b'])
    assert.is((await callAsAdmin('POST /api/admin/teams', { body: { name } })).status, 400, name);
  const own = { params: { id }, body: { name: 'équipe iv' } };
  assert.is(
    (await callAsAdmin('PUT /api/admin/teams/:id', own)).status,
    200,
    'its own name is free',
  );
});

test('subscribes members for as long as a team or their name does', async () => {
  const [topic, other] = [await server.createTopic(), await server.createTopic()];
  const [north, south] = [await addTeam('North'), await addTeam('South')];
  const [ana = 0, ben = 0, cy = 0] = ids();
  await server.subscribe(admin, ana, topic);
  assert.equal((await addMembers(north, [ana, ben, ben])).body, { changed: 2, unchanged: 0 });
  assert.equal((await subscribeTeams(topic, [north])).body, { changed: 1, unchanged: 0 });
  assert.is(await listSubscribed(topic), 'nt-');
  await subscribeTeams(topic, [north, south]);
  await subscribeTeams(other, [south]);
  assert.equal((await addMembers(south, [ben, cy])).body, { changed: 2, unchanged: 0 });
  assert.is(await listSubscribed(topic), 'ntt');
  assert.is(await listSubscribed(other), '-tt');
  await removeMembers(north);
  assert.is(await listSubscribed(topic), 'ntt', 'another team still subscribes one');
  await removeMembers(south, [ben]);
  assert.is(await listSubscribed(topic), 'n-t');
  assert.is(await listSubscribed(other), '--t');
  await unsubscribeTeams(topic, [south]);
  assert.is(await listSubscribed(topic), 'n--');
  await callAsAdmin('DELETE /api/admin/teams/:id', { params: { id: south } });
  assert.is(await listSubscribed(other), '---');
});

test('keeps a topic muted for someone who leaves a team and joins again', async () => {
  const topic = await server.createTopic();
  const team = await addTeam('North');
  await subscribeTeams(topic, [team]);
  await addMembers(team);
  await server.setPreference(people[0], topic, false);
  await removeMembers(team);
  await addMembers(team);
  const { body } = await server.call('GET /api/notifications/preferences', { as: people[0] });
  assert.equal(body, [{ topicId: topic, enabled: false }]);
});

test('tells a subscription by name from one by a team, and ends only the name', async () => {
  const topic = await server.createTopic('Storms');
  const team = await addTeam('North');
  await addMembers(team);
  await subscribeTeams(topic, [team]);
  const [ana, ben] = people as [Person, Person];
  const ownOf = async (as: Person) =>
    (await server.call('GET /api/notifications/my-subscriptions', { as })).body[0];
  const names = [{ id: team, name: 'North' }];
  assert.equal((await ownOf(ana))?.teams, names);
  assert.is((await ownOf(ana))?.byName, false);
  const { body } = await server.subscribe(admin, ana.id, topic);
  assert.equal([body.byName, body.teams], [true, names]);
  const bulk = { params: { id: topic }, body: { userIds: ids() } };
  const subscribeAll = await callAsAdmin('POST /api/admin/topics/:id/subscribers', bulk);
  assert.equal(subscribeAll.body, { changed: 2, unchanged: 1 });
  assert.is(await listSubscribed(topic), 'nnn');
  const listedResponse = await callAsAdmin('GET /api/admin/topics/:id/subscribers', {
    params: { id: topic },
  });
  assert.equal(listedResponse.body[0]?.teams, names);
  const anasSubscription = { body: { userId: ana.id, topicId: topic } };
  assert.is((await callAsAdmin('DELETE /api/admin/subscriptions', anasSubscription)).status, 200);
  assert.is(await listSubscribed(topic), 'tnn', 'the team still subscribes them');

  const rejectedResponse = await callAsAdmin('DELETE /api/admin/subscriptions', anasSubscription);
  const advice = 'Remove the person from the team, or unsubscribe the team from the topic.';
  const sentence = `${ana.username} is subscribed through the team “North”. ${advice}`;
  assert.equal([rejectedResponse.status, rejectedResponse.error], [409, sentence]);
  const removedResponse = await callAsAdmin('DELETE /api/admin/topics/:id/subscribers', bulk);
  assert.equal([removedResponse.status, removedResponse.error], [409, sentence]);
  assert.is(await listSubscribed(topic), 'tnn', 'all or none');
  await callAsAdmin('DELETE /api/admin/subscriptions', {
    body: { userId: ben.id, topicId: topic },
  });
  const bulkReply = await callAsAdmin('DELETE /api/admin/topics/:id/subscribers', bulk);
  assert.match(
    String(bulkReply.error),
    /^2 of these people are subscribed through a team, such as /,
  );
});

test('names unknown people and teams, and changes nothing', async () => {
  const topic = await server.createTopic();
  const team = await addTeam('North');
  for (const call of [addMembers, removeMembers]) {
    const { status, error } = await call(team, [...ids(), 999_999]);
    const message = 'This user does not exist: 999999.';
    assert.equal([status, error], [400, [{ message, path: 'userIds' }]]);
  }
  for (const call of [subscribeTeams, unsubscribeTeams]) {
    const { status, error } = await call(topic, [team, 888_888]);
    const message = 'This team does not exist: 888888.';
    assert.equal([status, error], [400, [{ message, path: 'teamIds' }]]);
  }
  assert.is((await addMembers(team, Array(10_001).fill(1))).status, 400);
  assert.is((await addMembers(team, [])).status, 200);
  const { body } = await callAsAdmin('GET /api/admin/teams/:id', { params: { id: team } });
  assert.equal([body.members, body.topics], [0, []]);
});

test('lists members and topics’ teams, and filters users and reach by a team', async () => {
  const topic = await server.createTopic();
  const team = await addTeam('North');
  await addMembers(team, ids().slice(0, 2));
  await subscribeTeams(topic, [team]);
  await server.registerDevice(people[0], 'phone');
  const params = { id: team };
  const { body } = await callAsAdmin('GET /api/admin/teams/:id/members', { params });
  assert.is(body.total, 2);
  const ana = body.members.find(({ id }) => id === people[0]?.id);
  assert.is(ana?.lastSeenAt, new Date(server.clock.now).toISOString());
  const query = { query: people[1]?.username.toUpperCase() ?? '' };
  const searchResponse = await callAsAdmin('GET /api/admin/teams/:id/members', { params, query });
  assert.equal(
    searchResponse.body.members.map(({ id, lastSeenAt }) => [id, lastSeenAt]),
    [[people[1]?.id, null]],
  );
  const teams = await callAsAdmin('GET /api/admin/topics/:id/teams', { params: { id: topic } });
  assert.equal(teams.body.teams, [{ id: team, name: 'North', members: 2 }]);
  const users = await callAsAdmin('GET /api/admin/users', { query: { team } });
  assert.is(users.body.total, 2);
  assert.equal(users.body.users[0]?.teams, [{ id: team, name: 'North' }]);
  const reach = await callAsAdmin('GET /api/admin/reach', { query: { team } });
  assert.is(reach.body.total, 2);
  for (const call of ['GET /api/admin/users', 'GET /api/admin/reach'] as const)
    assert.is((await callAsAdmin(call, { query: { team: 999_999 } })).status, 400);
});

test('lets a person be in a hundred teams, and exports them', async () => {
  const topic = await server.createTopic('Storms');
  const [ana] = people as [Person];
  const teams: number[] = [];
  for (let nth = 0; nth < 100; nth += 1) teams.push(await addTeam(`Team ${nth}`));
  for (const team of teams) await addMembers(team, [ana.id]);
  await subscribeTeams(topic, teams);
  const user = await callAsAdmin('GET /api/admin/users/:id', { params: { id: ana.id } });
  assert.is(user.body.teams?.length, 100);
  const ownResponse = await server.call('GET /api/account/export', { as: ana });
  assert.is(ownResponse.body.teams.length, 100);
  assert.is(ownResponse.body.topics[0]?.byName, false);
  for (const team of teams.slice(1)) await removeMembers(team, [ana.id]);
  assert.is(await listSubscribed(topic), 't--');
  await removeMembers(teams[0] ?? 0, [ana.id]);
  assert.is(await listSubscribed(topic), '---');
});

test('leaves no orphan when members and topics of teams change at the same time', async () => {
  const topic = await server.createTopic();
  const [north, south] = [await addTeam('North'), await addTeam('South')];
  for (let round = 0; round < 30; round += 1) {
    await Promise.all([
      addMembers(north),
      subscribeTeams(topic, [north, south]),
      addMembers(south, ids().slice(1)),
      server.subscribe(admin, people[0]?.id ?? 0, topic),
    ]);
    assert.is(await listSubscribed(topic), 'ntt');
    await Promise.all([
      removeMembers(north),
      unsubscribeTeams(topic, round % 2 ? [north, south] : [south]),
      removeMembers(south),
      server.call('DELETE /api/admin/subscriptions', {
        as: admin,
        body: { userId: people[0]?.id ?? 0, topicId: topic },
      }),
    ]);
    assert.is(await listSubscribed(topic), '---', `round ${round}`);
    await unsubscribeTeams(topic, [north, south]);
  }
});

test.run();
