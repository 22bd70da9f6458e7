import * as assert from 'uvu/assert';
import { collectInsights } from '../../../server/insights/collect-insights';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';
import { createAudienceHelpers } from '../../support/server/audience';
import { createReachHelpers } from '../../support/server/device-reach';

const { test, server } = serverSuite('insights');
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Half past midnight in Oslo, still the day before in UTC. */
const NIGHT = Date.UTC(2026, 10, 18, 23, 30);

let admin: Person;
let audience: ReturnType<typeof createAudienceHelpers>;
test.before.each(async () => {
  server.clock.now = NIGHT;
  admin = await server.createPerson('ADMIN', { username: 'boss' });
  audience = createAudienceHelpers(server);
});

/** Counts one recipient by each statement. */
const note = (): Promise<void> =>
  collectInsights(server.services.db, server.clock.now, new AbortController().signal, 365, 1);
const read = async (query: Record<string, string | number> = {}) => {
  // The session of the morning has expired days later.
  const as = await server.createPerson('ADMIN');
  return (await server.call('GET /api/admin/insights', { as, query: { days: 7, ...query } })).body;
};
const report = (person: Person, at: number, marks: object): Promise<unknown> =>
  server.services.db
    .updateTable('recipients')
    .set({ displayed_at: at, ...marks })
    .where('user_id', '=', person.id)
    .execute();

test('counts recorded outcomes by day of the zone, follows late receipts, and leaves gaps', async () => {
  const [storm, flood] = [await server.createTopic('Storm'), await server.createTopic('Flood')];
  const quick = await audience.createMember(1, storm);
  const slowPerson = await audience.createMember(1, storm, flood);
  await audience.createMember(0, flood);
  const { body: team } = await server.call('POST /api/admin/teams', {
    as: admin,
    body: { name: 'North crew' },
  });
  await server.call('POST /api/admin/teams/:id/members', {
    as: admin,
    params: { id: team.id },
    body: { userIds: [quick.id, slowPerson.id] },
  });
  await audience.send({ topicIds: [storm, flood], answers: ['Safe'] });
  await audience.acceptAll();
  await report(quick, NIGHT + 4000, { read_at: NIGHT + 6000, acknowledged_at: NIGHT + 7000 });
  server.clock.now += HOUR_MS;
  await note();
  const now = { messages: 1, recipients: 3, displayed: 1, read: 1, asked: 3, acknowledged: 1 };
  const dayOf = async (day: string, query = {}) =>
    (await read(query)).days.find((each) => each.day === day);
  const first = await dayOf('2026-11-19', { timeZone: 'Europe/Oslo' });
  assert.ok(Math.abs((first?.medianSeconds ?? 0) - 4) <= 0.5, String(first?.medianSeconds));
  assert.equal(
    { ...first, ...{ medianSeconds: 0, p95Seconds: 0 } },
    {
      ...{ day: '2026-11-19', ...now, prompt: 1, medianSeconds: 0, p95Seconds: 0 },
      ...{ reachable: 0, people: first?.people },
    },
  );

  server.clock.now = NIGHT + 2 * DAY_MS;
  await report(slowPerson, NIGHT + 100_000, {
    read_at: NIGHT + HOUR_MS,
    acknowledged_at: NIGHT + HOUR_MS,
  });
  await note();
  const { days, p95Seconds, medianSeconds } = await read();
  assert.equal(
    days.map(({ day, displayed, acknowledged, prompt }) => [day, displayed, acknowledged, prompt]),
    [
      ...['14', '15', '16', '17'].map((day) => [`2026-11-${day}`, null, null, null]),
      ['2026-11-18', 2, 2, 1],
      ...['19', '20'].map((day) => [`2026-11-${day}`, null, null, null]),
    ],
  );
  assert.ok(Math.abs((p95Seconds ?? 0) - 100) <= 12.5, String(p95Seconds));
  assert.ok((medianSeconds ?? 0) < 5, String(medianSeconds));
  // Each counts in their first topic.
  const [byStorm, byFlood] = [
    await dayOf('2026-11-18', { topicId: storm }),
    await dayOf('2026-11-18', { topicId: flood }),
  ];
  assert.equal([byStorm?.messages, byStorm?.recipients, byStorm?.displayed], [1, 2, 2]);
  assert.equal([byFlood?.messages, byFlood?.recipients, byFlood?.displayed], [1, 1, 0]);
  assert.is(byFlood?.medianSeconds, null);
  const byTeam = await dayOf('2026-11-18', { teamId: team.id });
  assert.equal([byTeam?.messages, byTeam?.recipients, byTeam?.displayed], [1, 2, 2]);
  assert.equal((await read({ teamId: team.id })).days.at(-1)?.people, 2);
  const [slowest, ...faster] = (await read()).slowest ?? [];
  assert.equal([slowest?.title, slowest?.displayed, slowest?.p95Seconds], ['Storm', 2, p95Seconds]);
  assert.equal(faster, [], 'no display, no time');

  // Pushes are removed after a week, so counting again would lose their times.
  server.clock.now = NIGHT + 8 * DAY_MS;
  await server.services.db.deleteFrom('deliveries').execute();
  await note();
  assert.ok(((await read({ days: 30 })).p95Seconds ?? 0) > 80);
});

test('measures a corrected text from the push that delivered it', async () => {
  const [earlyPerson, latePerson] = [
    await audience.createMember(1),
    await audience.createMember(1),
  ];
  const { body } = await audience.send({
    userIds: [earlyPerson.id, latePerson.id],
    answers: ['Safe'],
  });
  await audience.acceptAll();
  await report(earlyPerson, NIGHT + 3000, { acknowledged_at: NIGHT + 3000, answer: 'Safe' });
  server.clock.now += HOUR_MS;
  await server.call('POST /api/admin/messages/:id/correct', {
    ...{ as: admin, params: { id: body.messageId } },
    body: { message: 'Stop work.', ask: false },
  });
  await audience.acceptAll();
  await report(latePerson, NIGHT + HOUR_MS + 5000, {});
  server.clock.now += HOUR_MS;
  await note();
  const { p95Seconds, days } = await read();
  assert.is(days.find(({ displayed }) => displayed !== null)?.displayed, 2);
  assert.ok((p95Seconds ?? 0) > 4 && (p95Seconds ?? 0) < 6, String(p95Seconds));
});

test('counts the states of phones by make, of all, a topic or a team, and no computers', async () => {
  const { addPerson, addDevice, readReach: reach } = createReachHelpers(server);
  const { reachable, late, silent, untested } = reach();
  const owner = await addPerson('owner', reachable);
  for (const [state, model] of [
    [reachable, 'SM-A047F'],
    [late, 'SM-G991B'],
    [silent, '2201117TG'],
    [untested, '2201117TG'],
  ] as const)
    await addDevice(owner, state, { type: 'android', model });
  const topicId = await server.createTopic('Storm');
  const member = await audience.createMember(0, topicId);
  await addDevice(member.id, late, { type: 'ios' });
  await addDevice(member.id, reachable, { type: 'android', model: 'SM-A047F' });
  const { body: team } = await server.call('POST /api/admin/teams', {
    as: admin,
    body: { name: 'North crew' },
  });
  await server.call('POST /api/admin/teams/:id/members', {
    as: admin,
    params: { id: team.id },
    body: { userIds: [owner] },
  });
  await note();
  const owned = [
    { make: 'Samsung', devices: 2, late: 1, silent: 0 },
    { make: 'Xiaomi', devices: 1, late: 0, silent: 1 },
  ];
  const subscribed = [
    { make: 'Samsung', devices: 1, late: 0, silent: 0 },
    { make: 'iPhone', devices: 1, late: 1, silent: 0 },
  ];
  assert.equal((await read({ teamId: team.id })).makes, owned);
  assert.equal((await read({ topicId })).makes, subscribed);
  assert.is((await read()).days.at(-1)?.reachable, 2);

  // The next day's note replaces it.
  server.clock.now += DAY_MS;
  await server.services.db.deleteFrom('subscriptions').execute();
  await note();
  assert.equal((await read({ topicId })).makes, []);
  assert.is((await read()).makes[0]?.devices, 3);
});

test('exports the days, with empty cells for gaps', async () => {
  await note();
  const response = await server.request('/api/admin/insights.csv?days=7', {
    headers: { Authorization: `Bearer ${admin.token}` },
  });
  const lines = (await response.text()).split('\r\n');
  assert.match(response.headers.get('content-disposition') ?? '', 'filename="insights.csv"');
  assert.is(lines[1], '2026-11-12,,,,,,,,,,,');
  assert.is(lines[7], '2026-11-18,,,,,,,,,,0,1');
});

test('rejects an unknown range, topic or time zone', async () => {
  for (const [name, values] of Object.entries({
    days: ['8', '0', '', '7.0', '1e1'],
    topicId: ['0', '-1', 'x', '999999', '9'.repeat(40), '\0'],
    teamId: ['0', '-1', 'x', '999999', '9'.repeat(40), '\0'],
    timeZone: ['', 'Mars/Olympus', '+01:00', 'x'.repeat(5000), '\0'],
  }))
    for (const value of values) {
      const { status, error } = await server.call('GET /api/admin/insights', {
        as: admin,
        query: { [name]: value },
      });
      assert.equal(
        [status, (error as { path: string }[])[0]?.path],
        [400, name],
        `${name} ${value}`,
      );
    }
});

test.run();
