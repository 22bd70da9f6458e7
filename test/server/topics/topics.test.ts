import * as assert from 'uvu/assert';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('topics');
let admin: Person;

test.before.each(async () => {
  admin = await server.createPerson('ADMIN');
});

const add = (title: string, description = 'About it') =>
  server.call('POST /api/admin/topics', { as: admin, body: { title, description } });

test('adds, changes and deletes a topic', async () => {
  const { body: topic } = await add(' Outages ', ' Two\nlines ');
  const at = new Date(server.clock.now).toISOString();
  assert.equal(topic, {
    id: topic.id,
    title: 'Outages',
    description: 'Two\nlines',
    createdAt: at,
    updatedAt: at,
    policyId: null,
  });
  server.clock.now += 5000;
  const changedResponse = await server.call('PUT /api/admin/topics/:id', {
    as: admin,
    params: { id: topic.id },
    body: { title: 'Power', description: 'New' },
  });
  assert.equal(changedResponse.body, {
    ...topic,
    title: 'Power',
    description: 'New',
    updatedAt: new Date(server.clock.now).toISOString(),
    policyId: null,
  });
  assert.is(
    (await server.call('DELETE /api/admin/topics/:id', { as: admin, params: { id: topic.id } }))
      .status,
    200,
  );
  for (const repeatedResponse of [
    await server.call('DELETE /api/admin/topics/:id', { as: admin, params: { id: topic.id } }),
    await server.call('PUT /api/admin/topics/:id', {
      as: admin,
      params: { id: topic.id },
      body: { title: 'x', description: 'x' },
    }),
    await server.call('GET /api/admin/topics/:id/subscribers', {
      as: admin,
      params: { id: topic.id },
    }),
    await server.call('GET /api/admin/topics/:id/subscribers', {
      as: admin,
      params: { id: '1e3' },
    }),
  ]) {
    assert.equal(
      [repeatedResponse.status, repeatedResponse.error],
      [404, 'This topic does not exist.'],
    );
  }
});

test('adds one topic for repeated requests', async () => {
  const addWith = (key: string, title: string, as = admin) =>
    server.call('POST /api/admin/topics', {
      as,
      body: { title, description: 'About it' },
      headers: { 'Idempotency-Key': key },
    });
  const results = await Promise.all(Array.from({ length: 10 }, () => addWith('abc', 'Outages')));
  assert.equal(new Set(results.map(({ status, body }) => `${status} ${body.id}`)).size, 1);
  assert.is(results[0]?.status, 201);
  const otherResponse = await addWith('abc', 'Something else');
  assert.equal(
    [otherResponse.status, otherResponse.error],
    [409, 'This Idempotency-Key was already used for another topic.'],
  );
  const newTopicResponses = [
    await addWith('abc', 'Outages', await server.createPerson('ADMIN')),
    await addWith('def', 'Outages'),
    await add('Outages'),
    await add('Outages'),
  ];
  assert.equal(
    newTopicResponses.map(({ status }) => status),
    [201, 201, 201, 201],
    'of someone else, with another key, or with none',
  );
  assert.is((await server.call('GET /api/admin/topics', { as: admin })).body.total, 5);
  assert.is((await addWith('x'.repeat(256), 'T')).status, 400);
});

test('requires title and description, with a limit', async () => {
  assert.equal((await add('', ' ')).error, [
    { message: 'Title is required.', path: 'title' },
    { message: 'Description is required.', path: 'description' },
  ]);
  assert.is((await add('x'.repeat(201))).status, 400);
  assert.is((await add('x', 'x'.repeat(2001))).status, 400);
});

test('searches topics by their current words', async () => {
  const { body } = await add('Straße', 'Sperrung');
  const total = async (query: string): Promise<number> =>
    (await server.call('GET /api/admin/topics', { as: admin, query: { query } })).body.total;
  assert.equal(
    [await total('STRASSE'), await total('straße'), await total('SPERR'), await total('%')],
    [0, 1, 1, 0],
  );
  await server.call('PUT /api/admin/topics/:id', {
    as: admin,
    params: { id: body.id },
    body: { title: 'Roads', description: 'Closed' },
  });
  assert.equal([await total('straße'), await total('roads')], [0, 1]);
});

test('lists matching titles before matching descriptions, with their subscribers', async () => {
  const { body: ice } = await add('Ice');
  await add('Black ice');
  await add('Roads', 'Closed because of ice');
  const person = await server.createPerson('TECHNICIAN');
  await server.subscribe(admin, person.id, ice.id);
  const { topics } = (
    await server.call('GET /api/admin/topics', { as: admin, query: { query: 'ICE' } })
  ).body;
  assert.equal(
    topics.map(({ title, subscribers }) => [title, subscribers]),
    [
      ['Ice', 1],
      ['Black ice', 0],
      ['Roads', 0],
    ],
  );
});

test('shows subscribers with how many devices a message reaches', async () => {
  const { body: topic } = await add('Outages');
  const people = new Map<string, Person>();
  for (const [username, devices] of [
    ['none', 0],
    ['all', 2],
    ['off', 2],
    ['partly', 2],
    ['one-off', 1],
  ] as const) {
    const person = await server.createPerson('TECHNICIAN', { username });
    people.set(username, person);
    await server.subscribe(admin, person.id, topic.id);
    for (let index = 0; index < devices; index += 1) {
      await server.registerDevice(person, `${username}${index}`);
    }
  }
  await setForAccount('off', false);
  await setForAccount('partly', false);
  await setForDevice('partly', 0, true);
  await setForDevice('one-off', 0, false);

  const { body } = await server.call('GET /api/admin/topics/:id/subscribers', {
    as: admin,
    params: { id: topic.id },
  });
  assert.equal(
    body.map(({ user, notificationStatus, enabledDevices, totalDevices }) => [
      user.username,
      user.role,
      notificationStatus,
      enabledDevices,
      totalDevices,
    ]),
    [
      ['one-off', 'TECHNICIAN', 'disabled', 0, 1],
      ['partly', 'TECHNICIAN', 'partial', 1, 2],
      ['off', 'TECHNICIAN', 'disabled', 0, 2],
      ['all', 'TECHNICIAN', 'enabled', 2, 2],
      ['none', 'TECHNICIAN', 'no_devices', 0, 0],
    ],
  );
  assert.is(body[0]?.createdAt, new Date(server.clock.now).toISOString());

  async function setForAccount(username: string, enabled: boolean): Promise<void> {
    const { status } = await server.setPreference(people.get(username), topic.id, enabled);
    assert.is(status, 200);
  }
  async function setForDevice(username: string, index: number, enabled: boolean): Promise<void> {
    const as = people.get(username);
    const { body: devices } = await server.call('GET /api/notifications/devices', { as });
    const { status } = await server.setDevicePreference(
      as,
      devices[index]?.id ?? 0,
      topic.id,
      enabled,
    );
    assert.is(status, 200);
  }
});

test.run();
