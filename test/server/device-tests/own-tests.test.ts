import * as assert from 'uvu/assert';
import { createDeviceTestHelpers } from '../../support/server/device-tests';
import type { TestDevice } from '../../support/server/device-tests';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('tests of your devices');
const HOUR_MS = 3600_000;
const MINUTE_MS = 60_000;
let deviceTests: ReturnType<typeof createDeviceTestHelpers>;
let ana: Person;
let phone: TestDevice;
test.before.each(async () => {
  deviceTests = createDeviceTestHelpers(server);
  ana = await server.createPerson('TECHNICIAN', { username: 'ana' });
  phone = await deviceTests.register(ana, 'phone');
});

const iso = (at: number): string => new Date(at).toISOString();
const noStageReached = { accepted: null, received: null, displayed: null, heard: null };

test('sends a test without delay at once, to that device only', async () => {
  const tablet = await deviceTests.register(ana, 'tablet');
  const { now } = server.clock;
  const { status, body } = await deviceTests.startTest(ana, phone.id);
  assert.is(status, 201);
  assert.equal(body, {
    id: body.id,
    deviceId: phone.id,
    createdAt: iso(now),
    sendAt: iso(now),
    stages: { queued: iso(now), ...noStageReached },
    failure: null,
    lateBy: null,
  });
  assert.equal(await deviceTests.readTest(ana, body.id), body);
  assert.is(server.countPushWorkerWakes(), 1);
  const claims = await deviceTests.claimAll();
  assert.equal(
    claims.map(({ message, recipient }) => [message.testId, recipient?.deviceId, recipient?.seq]),
    [[body.id, phone.id, 0]],
  );
  assert.not.equal(phone.id, tablet.id);
});

test("rejects another person's or a deleted device, and hides a test from others", async () => {
  const bo = await server.createPerson('ADMIN', { username: 'bo' });
  const othersDevice = await deviceTests.register(bo, 'theirs');
  assert.is((await deviceTests.startTest(ana, othersDevice.id)).status, 404);
  assert.is((await deviceTests.startTest(ana, 999_999)).status, 404);
  const { body } = await deviceTests.startTest(ana, phone.id);
  for (const id of [body.id, 'nothing', 'a\0b']) {
    assert.is((await deviceTests.requestTest(bo, id)).status, 404);
    assert.is((await deviceTests.answerSound(bo, id, true)).status, 404);
  }
  assert.is((await deviceTests.readTest(ana, body.id)).stages.heard, null);
  assert.is(await count('tests'), 1);
});

test('accepts a delay of whole seconds up to an hour', async () => {
  for (const delay of [-1, 0.5, 3601, Number.MAX_SAFE_INTEGER, '5', null])
    assert.is(
      (await deviceTests.startTest(ana, phone.id, delay as number)).status,
      400,
      String(delay),
    );
  assert.is(await count('tests'), 0);
  assert.is((await deviceTests.startTest(ana, phone.id, 3600)).status, 201);
});

test('sends a delayed test at a hidden moment of the announced minute', async () => {
  const { now } = server.clock;
  const moments = new Set<number>();
  for (let nth = 0; nth < 10; nth += 1) {
    const { body } = await deviceTests.startTest(ana, phone.id, 900);
    assert.equal(
      [body.createdAt, body.sendAt, body.stages.queued],
      [iso(now), iso(now + 900_000), null],
    );
    const row = await rowOf(body.id);
    moments.add(row.send_at - now - 900_000);
    const [push] = await server.services.db
      .selectFrom('deliveries')
      .select(['due_at'])
      .where('message_id', '=', row.message_id)
      .execute();
    assert.is(push?.due_at, row.send_at);
  }
  assert.ok([...moments].every((moment) => moment >= 0 && moment <= MINUTE_MS));
  assert.ok(moments.size > 5, 'it is not always the same');
  const { id, send_at } = await server.services.db
    .selectFrom('tests')
    .selectAll()
    .orderBy('send_at')
    .limit(1)
    .executeTakeFirstOrThrow();
  server.clock.now = send_at - 1;
  assert.equal(await deviceTests.claimAll(), []);
  assert.is((await deviceTests.readTest(ana, id)).sendAt, iso(now + 900_000));
  server.clock.now = send_at;
  const seenTest = await deviceTests.readTest(ana, id);
  assert.equal([seenTest.sendAt, seenTest.stages.queued], [iso(send_at), iso(send_at)]);
  assert.is((await deviceTests.claimAll())[0]?.message.testId, id);
});

test('allows ten tests an hour, even at once, and says when to retry', async () => {
  const tablet = await deviceTests.register(ana, 'tablet');
  const responses = await Promise.all(
    Array.from({ length: 20 }, (_, nth) =>
      deviceTests.startTest(ana, nth % 2 === 0 ? phone.id : tablet.id),
    ),
  );
  const statuses = responses.map(({ status }) => status);
  assert.is(statuses.filter((status) => status === 201).length, 10);
  assert.is(statuses.filter((status) => status === 429).length, 10);
  assert.is(await count('tests'), 10);
  assert.is(await count('deliveries'), 10);
  server.clock.now += 20 * MINUTE_MS + 500;
  const rejectedResponse = await deviceTests.startTest(ana, phone.id);
  assert.equal(
    [rejectedResponse.status, rejectedResponse.headers.get('retry-after')],
    [429, String(40 * 60)],
  );
  // The app adds how long to wait.
  assert.is(rejectedResponse.error, 'You have run ten tests in the last hour.');
  server.clock.now += 40 * MINUTE_MS - 500 - 1;
  assert.is((await deviceTests.startTest(ana, phone.id)).headers.get('retry-after'), '1');
  server.clock.now += 1;
  assert.is((await deviceTests.startTest(ana, phone.id)).status, 201);
  const bo = await server.createPerson('TECHNICIAN');
  assert.is(
    (await deviceTests.startTest(bo, (await deviceTests.register(bo, 'other')).id)).status,
    201,
  );
});

test("keeps the person's last answer, even hours later", async () => {
  const { body } = await deviceTests.startTest(ana, phone.id);
  const at = (server.clock.now += 5 * HOUR_MS);
  const silent = await deviceTests.answerSound(ana, body.id, false);
  assert.is(silent.status, 200);
  assert.equal(
    [silent.body.stages.heard, silent.body.failure],
    [null, { stage: 'heard', reason: 'silent' }],
  );
  const heardResponse = await deviceTests.answerSound(ana, body.id, true);
  assert.equal([heardResponse.body.stages.heard, heardResponse.body.failure], [iso(at), null]);
  server.clock.now += 1000;
  assert.is((await deviceTests.answerSound(ana, body.id, true)).body.stages.heard, iso(at));
  const repeatedResponse = await deviceTests.answerSound(ana, body.id, false);
  assert.equal(repeatedResponse.body, { ...silent.body });
  assert.equal(await deviceTests.readTest(ana, body.id), silent.body);
});

const rowOf = (id: string) =>
  server.services.db.selectFrom('tests').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
async function count(table: 'tests' | 'deliveries' | 'messages'): Promise<number> {
  const { n } = await server.services.db
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow();
  return n;
}

test.run();
