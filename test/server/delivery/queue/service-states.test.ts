import * as assert from 'uvu/assert';
import { markProven } from '../../../../server/db/push-services';
import { createBreaker } from '../../../../server/delivery/queue/breaker';
import { createServiceStates } from '../../../../server/delivery/queue/service-states';
import type { ServiceTrust } from '../../../../server/delivery/queue/service-slots';
import { createAllowlist } from '../../../../server/delivery/queue/allowlist';
import type { ServiceSignal } from '../../../../server/delivery/transport';
import { createLog } from '../../../../server/lib/log';
import { deliverySuite, SUITE_START } from '../../../support/delivery/delivery-suite';
import { eventually } from '../../../support/eventually';
import { replyCreated, type SinkReply } from '../../../support/push-services/push-sink';

const { test, setup } = deliverySuite('states of push services');
const SECOND_MS = 1000;
const MOZILLA = 'https://updates.push.services.mozilla.com';
const unreachableSignal: ServiceSignal = { kind: 'unreachable', reason: 'timeout' };
const rejectedSignal: ServiceSignal = { kind: 'rejected', reason: 'status-503' };
const busySignal: ServiceSignal = { kind: 'rejected', reason: 'status-429', isBusy: true };

/** A server process that hears of one service, beside others on the same database. */
async function startProcess(origin = MOZILLA) {
  const { db } = setup.outbox;
  await db
    .insertInto('push_services')
    .values({ origin })
    .onConflict((known) => known.doNothing())
    .execute();
  const own = () =>
    db
      .selectFrom('push_services')
      .selectAll()
      .where('origin', '=', origin)
      .executeTakeFirstOrThrow();
  const { id } = await own();
  const log: string[] = [];
  const probed: string[] = [];
  let requestCount = 0;
  const probes: { probe: string | undefined } = { probe: 'timeout' };
  const now = () => setup.clock.now;
  const states = createServiceStates({
    db: db.withPlugin({
      transformQuery({ node }) {
        requestCount += 1;
        return node;
      },
      transformResult: async ({ result }) => result,
    }),
    log: createLog((line) => {
      const { event, host, reason } = JSON.parse(line);
      log.push([event, host, reason].filter(Boolean).join(' '));
    }),
    now,
    elapsed: now,
    random: () => 0,
    breaker: createBreaker(now, () => 0),
    allowlist: createAllowlist([]),
    probe: async (which) => {
      probed.push(which);
      return probes.probe;
    },
  });
  return {
    log,
    probed,
    probes,
    maintain: states.maintain,
    asked: () => requestCount,
    async record(signal: ServiceSignal, userId = 1, trust: ServiceTrust = 'proven') {
      const token = origin === 'fcm' ? 'token' : JSON.stringify({ endpoint: `${origin}/secret` });
      states.record({ service: id, userId, token }, signal, trust);
      await states.maintain();
    },
    async row() {
      const { state, state_since, accepted_at, refused_reason, unreachable_reason } = await own();
      return [state, state_since, accepted_at, refused_reason, unreachable_reason];
    },
  };
}

test('becomes unreachable when failures last, and accepting with the first acceptance', async () => {
  const { record, row, log } = await startProcess();
  await record({ kind: 'accepted' });
  setup.clock.now += 60 * SECOND_MS;
  const cutAt = setup.clock.now;
  await record(unreachableSignal);
  setup.clock.now += 9 * SECOND_MS;
  await record(unreachableSignal);
  assert.equal((await row())[0], 'accepting', 'a blip is no state');
  assert.equal(log, []);
  setup.clock.now += SECOND_MS;
  for (let push = 0; push < 10; push += 1) await record(unreachableSignal);
  assert.equal(await row(), ['unreachable', cutAt, SUITE_START, null, 'timeout']);
  const host = 'updates.push.services.mozilla.com';
  assert.equal(log, [`push service unreachable ${host} timeout`]);
  setup.clock.now += SECOND_MS;
  await record({ kind: 'accepted' });
  const { now } = setup.clock;
  assert.equal(await row(), ['accepting', now, now, null, 'timeout']);
  assert.equal(log.slice(1), [`push service reachable again ${host}`]);
});

test('throttles a site, not a project or a device, until ten minutes after the demanded wait', async () => {
  const until = setup.clock.now + 60 * SECOND_MS;
  const limited = { ...busySignal, until };
  const throttledUntil = async (origin: string) =>
    (
      await setup.outbox.db
        .selectFrom('push_services')
        .select('throttled_until')
        .where('origin', '=', origin)
        .executeTakeFirst()
    )?.throttled_until;
  const { record, log } = await startProcess();
  for (let push = 0; push < 9; push += 1) await record(limited, 1 + (push % 2));
  for (let push = 0; push < 9; push += 1)
    await record({ ...busySignal, until: until - 50 * SECOND_MS }, 3);
  assert.is(await throttledUntil(MOZILLA), null, 'of a device, or short');
  await record(limited, 3);
  assert.is(await throttledUntil(MOZILLA), until + 600 * SECOND_MS);
  assert.ok(log.includes('push service throttles us updates.push.services.mozilla.com'));
  const fcm = await startProcess('fcm');
  for (let push = 0; push < 9; push += 1) await fcm.record(limited, push);
  assert.is(await throttledUntil('fcm'), null);
});

test('becomes refusing with its status, for a rate limit only once it hits three people', async () => {
  const { record, row, log } = await startProcess();
  for (let push = 0; push < 9; push += 1) await record(busySignal, 1 + (push % 2));
  assert.equal((await row())[0], null, 'the limit may be that of a device');
  await record(busySignal, 3);
  assert.equal((await row()).slice(0, 4), ['refusing', SUITE_START, null, 'status-429']);
  await record({ kind: 'accepted' });
  for (let push = 0; push < 5; push += 1) await record(rejectedSignal);
  assert.equal((await row())[0], 'refusing');
  await record({ kind: 'accepted' });
  assert.equal(
    log.map((line) => line.split(' ').slice(2).join(' ')),
    ['status-429', '', 'status-503', ''].map((reason, index) =>
      [
        index % 2 === 0 ? 'rejects pushes' : 'accepts pushes again',
        'updates.push.services.mozilla.com',
        reason,
      ]
        .filter(Boolean)
        .join(' '),
    ),
  );
  await record({ ...rejectedSignal, isSure: true });
  assert.equal((await row())[0], 'refusing', 'our credentials are refused with the first push');
});

test('ignores a host that one person named or that never worked', async () => {
  const pushProcess = await startProcess('https://one.example');
  for (let push = 0; push < 9; push += 1) await pushProcess.record(unreachableSignal);
  assert.equal((await pushProcess.row())[0], null);
  for (const userId of [2, 3]) await pushProcess.record(unreachableSignal, userId);
  assert.equal((await pushProcess.row())[0], 'unreachable', 'three people are news');
  const made = await startProcess('https://made-up.example');
  for (let userId = 1; userId < 9; userId += 1)
    await made.record(unreachableSignal, userId, 'unknown');
  assert.equal([(await made.row())[0], made.log], [null, []]);
});

test('probes every 30 seconds while unreachable, and notices when it responds', async () => {
  const { record, maintain, row, log, probed, probes } = await startProcess();
  for (let push = 0; push < 5; push += 1) await record(unreachableSignal);
  const passSeconds = async (seconds: number) => {
    setup.clock.now += seconds * SECOND_MS;
    await maintain();
    await maintain();
  };
  await passSeconds(29);
  assert.equal(probed, []);
  await passSeconds(1);
  await passSeconds(29);
  assert.equal(probed, [MOZILLA]);
  probes.probe = undefined;
  await passSeconds(1);
  assert.equal((await row()).slice(0, 2), ['reachable', setup.clock.now]);
  await passSeconds(60);
  assert.is(probed.length, 2);
  assert.is(log.length, 2);
});

test('sends waiting pushes within seconds of the first response', async () => {
  const { sink, outbox, clock, log } = setup;
  await outbox.addDevices(['a', 'b', 'c'].map((name) => sink.subscribe(name).token));
  const [service] = (await outbox.assignPushServices()).values();
  await markProven(service!, outbox.db, { now: SUITE_START });
  const hangUp: SinkReply = (response) => response.socket?.destroy();
  const setReplies = (reply: SinkReply) => {
    for (const path of ['/', '/a', '/b', '/c']) sink.replies.set(path, reply);
  };
  setReplies(hangUp);
  await outbox.addMessage({ now: clock.now });
  const delivery = setup.start({ pollEveryMs: 10 });
  const row = () => outbox.db.selectFrom('push_services').selectAll().executeTakeFirstOrThrow();
  // After an hour without a network, waits have grown to 15 minutes.
  for (let minute = 0; minute < 60; minute += 1) {
    clock.now += 60 * SECOND_MS;
    const { length } = sink.receivedPushes;
    await eventually(() => sink.receivedPushes.length > length, 'a push or a question');
  }
  assert.is((await row()).state, 'unreachable');
  assert.is(log.filter((line) => line.includes('push service unreachable')).length, 1);
  setReplies(replyCreated);
  clock.now += 34 * SECOND_MS;
  await eventually(
    async () => (await outbox.listDeliveries()).every(({ state }) => state === 'accepted'),
    'all to be accepted',
  );
  await eventually(async () => (await row()).state === 'accepting', 'its state');
  await delivery.stop();
  assert.is(log.filter((line) => line.includes('push service reachable again')).length, 1);
});

test.run();
