import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DEMO_ADMIN, DEMO_PASSWORD, fillSample } from '../../server/demo/sample';
import { makeServer } from '../support/server/server';

const test = suite('the demo');

test('the demo shows sixty users of all roles and states, a dozen topics, subscriptions of every kind, devices in every state and sent messages', async () => {
  const server = await makeServer();
  await fillSample(server.services.db, server.clock.now);
  const { answer: as, status } = await server.call('POST /api/auth/login', {
    body: { username: DEMO_ADMIN, password: DEMO_PASSWORD },
  });
  assert.is(status, 200);

  const { answer: users } = await server.call('GET /api/admin/users', {
    as,
    query: { limit: 100 },
  });
  assert.is(users.total, 60);
  const kinds = new Set(users.users.map(({ role, status: state }) => `${role} ${state}`));
  for (const kind of [
    'ADMIN ACTIVE',
    'TECHNICIAN ACTIVE',
    'TECHNICIAN PENDING',
    'CUSTOMER ACTIVE',
    'CUSTOMER PENDING',
  ])
    assert.ok(kinds.has(kind), kind);
  const firstPage = users.users.slice(0, 10);
  assert.ok(firstPage.some(({ registrationToken }) => registrationToken !== undefined));
  assert.is(new Set(firstPage.map(({ role }) => role)).size, 3);

  const { answer: log } = await server.call('GET /api/admin/audit', { as });
  assert.ok(log.total > 12);

  const { answer: topics } = await server.call('GET /api/admin/topics', {
    as,
    query: { limit: 100 },
  });
  assert.is(topics.total, 12);
  const states = new Set<string>();
  for (const { id } of topics.topics) {
    const { answer } = await server.call('GET /api/admin/topics/:id/subscribers', {
      as,
      params: { id },
    });
    assert.ok(answer.length > 3);
    for (const { notificationStatus } of answer) states.add(notificationStatus);
  }
  assert.equal([...states].sort(), ['disabled', 'enabled', 'no_devices', 'partial']);
  const { answer: reach } = await server.call('GET /api/admin/reach', {
    as,
    query: { limit: 100 },
  });
  for (const [state, people] of Object.entries(reach.summary))
    assert.ok(people > 0, `somebody is ${state}`);
  assert.ok(reach.summary.reachable > 30);
  assert.ok(
    reach.people.some(({ devices }) => devices.some(({ browser }) => browser === 'Firefox')),
  );
  assert.ok(reach.people.some(({ lost }) => lost?.why === 'blocked'));
  const grid = topics.topics.find(({ title }) => title === 'Grid outages');
  const { answer: listed } = await server.call('GET /api/admin/topics/:id/keys', {
    as,
    params: { id: grid?.id ?? 0 },
  });
  assert.equal(
    listed.keys.map(({ name, lastUsedAt }) => [name, lastUsedAt === null]),
    [
      ['SCADA north', false],
      ['Grafana', true],
    ],
  );
  const { answer: messages } = await server.call('GET /api/admin/messages', { as });
  assert.ok(messages.messages.some(({ sender }) => sender === 'key: Depot scanner'));
  assert.ok(messages.messages.every(({ total, pending }) => total > 0 && pending === 0));
  const recipients = await server.services.db.selectFrom('recipients').selectAll().execute();
  assert.equal([...new Set(recipients.map(({ state }) => state))].sort(), [
    'accepted',
    'failed',
    'muted',
    'unreachable',
  ]);
  assert.ok(recipients.some(({ answer }) => answer === 'Got it'));
  assert.ok(recipients.some(({ state, read_at }) => state === 'accepted' && read_at === null));
  await server.close();
});

test('the demo shows policies, a message that went on until enough had answered, a webhook that fails and somebody’s quiet hours', async () => {
  const server = await makeServer();
  await fillSample(server.services.db, server.clock.now);
  const logIn = async (username: string) =>
    (await server.call('POST /api/auth/login', { body: { username, password: DEMO_PASSWORD } }))
      .answer;
  const as = await logIn(DEMO_ADMIN);
  const { answer: list } = await server.call('GET /api/admin/policies', { as });
  assert.equal(
    list.policies.map(({ name, topics }) => [name, topics]),
    [
      ['Storm', 1],
      ['Until everybody has answered', 2],
    ],
  );
  for (const { id: _, topics: __, ...body } of list.policies.map((policy) => ({
    ...policy,
    name: `${policy.name}, once more`,
  })))
    assert.is((await server.call('POST /api/admin/policies', { as, body })).status, 201, body.name);

  const { answer: sent } = await server.call('GET /api/admin/messages', { as });
  const id = sent.messages[0]?.id ?? '';
  const { answer: course } = await server.call('GET /api/admin/messages/:id/escalation', {
    as,
    params: { id },
  });
  assert.is(course.stopped, 'quorum');
  assert.ok(course.stoppedBy);
  const people = course.steps.flatMap(({ people: open }) => open ?? []);
  assert.ok(people.length >= 3, 'it rang again, mailed, and rang again');
  assert.equal(
    people,
    [...people].sort((one, other) => other - one),
    'of whom fewer and fewer had not answered',
  );
  const after = course.steps.filter(({ doneAt }) => doneAt === null);
  assert.equal(
    after.map(({ action, topic }) => [action, topic]),
    [
      ['webhook', null],
      ['notify', 'On-call changes'],
    ],
    'what would have come next',
  );

  const failing = await server.services.db
    .selectFrom('webhooks')
    .where('failing_since', 'is not', null)
    .selectAll()
    .execute();
  assert.is(failing.length, 1);
  const { answer: hours } = await server.call('GET /api/notifications/quiet-hours', {
    as: await logIn('m.okafor'),
  });
  assert.is(hours.rules.length, 2);
  await server.close();
});

test.run();
