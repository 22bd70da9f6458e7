import { sql } from 'kysely';
import * as assert from 'uvu/assert';
import type { Body } from '../../../src/shared/contract';
import { createMessageJobs } from '../../../server/messages/sending/message-jobs';
import { createAudienceHelpers } from '../../support/server/audience';
import { createDeviceTestHelpers } from '../../support/server/device-tests';
import { MORNING, NIGHT, createQuietHoursHelpers } from '../../support/server/quiet-hours';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('test rounds');
const START_ROUND_CALL = 'POST /api/admin/reach/tests';
const MINUTE_MS = 60_000;
let deviceTests: ReturnType<typeof createDeviceTestHelpers>;
let audience: ReturnType<typeof createAudienceHelpers>;
let admin: Person;
test.before.each(async () => {
  deviceTests = createDeviceTestHelpers(server);
  audience = createAudienceHelpers(server);
  admin = await server.createPerson('ADMIN', { username: 'admin' });
});

const startRound = (body: Body<typeof START_ROUND_CALL>, as = admin) =>
  server.call(START_ROUND_CALL, { as, body });

async function testsAndPushes() {
  const { rows } = await sql<{ tests: number; tested: number; pushes: number; pushed: number }>`
    select (select count(*) from tests) as tests, (select count(distinct device_id) from tests) as tested,
      (select count(*) from deliveries) as pushes, (select count(distinct device_id) from deliveries) as pushed`.execute(
    server.services.db,
  );
  return Object.values(rows[0] ?? {}).map(Number);
}

test('tests all devices of the named people at once', async () => {
  const [two, one, none, otherPerson] = [
    await audience.createMember(2),
    await audience.createMember(1),
    await audience.createMember(0),
    await audience.createMember(1),
  ];
  const { status, body } = await startRound({ userIds: [two.id, one.id, none.id, two.id] });
  assert.equal([status, body], [202, { devices: 3, quietDevices: 0 }]);
  assert.equal(await testsAndPushes(), [3, 3, 3, 3]);
  const rows = await server.services.db.selectFrom('tests').selectAll().execute();
  assert.equal(
    rows.map(({ user_id, by_admin }) => [user_id, by_admin]).sort(),
    [
      [two.id, 1],
      [two.id, 1],
      [one.id, 1],
    ].sort(),
  );
  assert.not(rows.some(({ user_id }) => user_id === otherPerson.id));
  const claims = await deviceTests.claimAll();
  assert.equal(claims.map(({ message }) => message.testId).sort(), rows.map(({ id }) => id).sort());
  // These tests look like people's own tests, but don't count against their limit.
  assert.is(
    (await deviceTests.readTest(one, rows.find((row) => row.user_id === one.id)?.id ?? '')).failure,
    null,
  );
  assert.is(server.countPushWorkerWakes() > 0, true);
});

test('rejects no people, unknown people and more than a hundred', async () => {
  const { id } = await audience.createMember(1);
  const hundred = Array.from({ length: 101 }, () => id);
  for (const userIds of [[], [id, 999_999], hundred, ['1'] as unknown as number[], [0]])
    assert.is((await startRound({ userIds })).status, 400, JSON.stringify(userIds).slice(0, 20));
  assert.equal(await testsAndPushes(), [0, 0, 0, 0]);
  assert.is((await startRound({ userIds: hundred.slice(1) })).body.devices, 1);
});

test("tests everyone's devices in the background, a thousand at a time, each once", async () => {
  await audience.createCrowd(2501);
  const { status, body } = await startRound({});
  assert.equal([status, body], [202, { devices: 2501, quietDevices: 0 }]);
  assert.equal(await testsAndPushes(), [0, 0, 0, 0]);
  assert.is(server.wakeCounts.jobs, 1, 'it is begun at once');
  const steps: number[] = [];
  while (await server.jobs.runSome()) steps.push((await testsAndPushes())[0] ?? 0);
  assert.equal(steps, [1000, 2000, 2501]);
  assert.equal(await testsAndPushes(), [2501, 2501, 2501, 2501]);
  assert.equal(
    await server.services.db.selectFrom('jobs').selectAll().execute(),
    [],
    'nothing is left to do',
  );
});

test('spreads the pushes of a round over a minute, and dates each test by its push', async () => {
  await audience.createCrowd(1000);
  const startedAt = server.clock.now;
  await startRound({});
  await server.jobs.runDue();
  const { rows } = await sql<{ apart: number }>`select count(*) as apart from tests
    inner join deliveries on deliveries.device_id = tests.device_id
    where deliveries.due_at <> tests.send_at or tests.announced_at <> tests.send_at`.execute(
    server.services.db,
  );
  assert.is(Number(rows[0]?.apart), 0);
  const left: number[] = [];
  for (const second of [0, 15, 30, 45, 60]) {
    server.clock.now = startedAt + second * 1000;
    left.push(await deviceTests.settleDue({ kind: 'accepted' }));
  }
  assert.equal(left, [1, 250, 250, 250, 249]);
});

test('leaves out people in their quiet hours, and says how many', async () => {
  const quiet = createQuietHoursHelpers(server);
  server.clock.now = NIGHT;
  const awake = await audience.createMember(2);
  await quiet.createSleeper(3);
  assert.equal((await server.call(`GET /api/admin/reach/tests`, { as: admin })).body, {
    devices: 2,
    people: 1,
    quietDevices: 3,
    quietPeople: 1,
  });
  assert.equal((await startRound({})).body, { devices: 2, quietDevices: 3 });
  await server.jobs.runDue();
  const rows = await server.services.db.selectFrom('tests').select('user_id').execute();
  assert.equal(
    rows.map(({ user_id }) => user_id),
    [awake.id, awake.id],
  );
});

test('starts no round while everyone has quiet hours, and allows the next one', async () => {
  server.clock.now = NIGHT;
  await createQuietHoursHelpers(server).createSleeper(1);
  assert.equal((await startRound({})).body, { devices: 0, quietDevices: 1 });
  server.clock.now = MORNING;
  const woken = await server.createPerson('ADMIN');
  assert.equal((await startRound({}, woken)).body, { devices: 1, quietDevices: 0 });
});

test('tests each device once after a crash, and with two processes at once', async () => {
  await audience.createCrowd(2001);
  await startRound({});
  const secondProcess = createMessageJobs(() => server.services);
  assert.ok(await server.jobs.runSome());
  await server.services.db
    .updateTable('jobs')
    .set({ claimed_until: server.clock.now + MINUTE_MS })
    .execute();
  assert.not(await secondProcess.runSome(), 'a leased job is not taken twice');
  server.clock.now += MINUTE_MS + 1;
  await Promise.all([server.jobs.runDue(), secondProcess.runDue()]);
  await Promise.all([server.jobs.runDue(), secondProcess.runDue()]);
  assert.equal(await testsAndPushes(), [2001, 2001, 2001, 2001]);
});

test('tests everyone at most every five minutes, for all administrators together', async () => {
  const secondPerson = await server.createPerson('ADMIN', { username: 'second' });
  assert.equal((await startRound({})).body, { devices: 0, quietDevices: 0 });
  const person = await audience.createMember(1);
  const responses = await Promise.all(
    Array.from({ length: 20 }, (_, nth) => startRound({}, nth % 2 === 0 ? admin : secondPerson)),
  );
  assert.is(responses.filter(({ status }) => status === 202).length, 1);
  assert.is(responses.filter(({ status }) => status === 429).length, 19);
  server.clock.now += 2 * MINUTE_MS;
  const rejectedResponse = await startRound({});
  assert.equal(
    [rejectedResponse.status, rejectedResponse.headers.get('retry-after'), rejectedResponse.error],
    [429, '180', 'All devices were just tested. Please try again in a few minutes.'],
  );
  assert.is((await startRound({ userIds: [person.id] })).status, 202, 'one person can be');
  server.clock.now += 3 * MINUTE_MS - 1;
  assert.is((await startRound({})).headers.get('retry-after'), '1');
  server.clock.now += 1;
  assert.is((await startRound({})).status, 202);
  server.clock.now -= 24 * 60 * MINUTE_MS;
  assert.is((await startRound({})).status, 202, 'a clock that was ahead blocks no test');
});

test('remembers the last round of everyone, not of some people', async () => {
  const person = await audience.createMember(2);
  await startRound({ userIds: [person.id] });
  const read = async () =>
    (
      await server.services.db
        .selectFrom('settings')
        .select('value')
        .where('name', '=', 'tests-of-everybody')
        .executeTakeFirst()
    )?.value;
  assert.is(await read(), undefined);
  await startRound({});
  assert.equal(JSON.parse((await read()) ?? ''), {
    at: server.clock.now,
    devices: 2,
    until: server.clock.now + 500,
    quietDevices: 0,
  });
});

test("does not count an administrator's tests against a person's ten an hour", async () => {
  const person = await server.createPerson('TECHNICIAN');
  const phone = await deviceTests.register(person, 'phone');
  for (let nth = 0; nth < 15; nth += 1) await startRound({ userIds: [person.id] });
  assert.is((await deviceTests.startTest(person, phone.id)).status, 201);
});

test.run();
