import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { claimDue } from '../../../../server/db/outbox/claim-pushes';
import { RETRY_ORDER_START } from '../../../../server/db/outbox/queue-order';
import { throttleService } from '../../../../server/db/push-pacing';
import { markUnproven, markProven } from '../../../../server/db/push-services';
import { createBreaker } from '../../../../server/delivery/queue/breaker';
import {
  createQueueSelector,
  type QueueSelector,
} from '../../../../server/delivery/queue/queue-selector';
import {
  createServiceSlots,
  type ServiceSlots,
} from '../../../../server/delivery/queue/service-slots';
import { createAllowlist } from '../../../../server/delivery/queue/allowlist';
import { createClaim } from '../../../support/delivery/claim';
import { createOutbox, type Outbox } from '../../../support/delivery/outbox';

const test = suite('finding due pushes');
const START = Date.parse('2026-11-21T09:30:00Z');
const POLL_MS = 1000;
let outbox: Outbox;
let time: number;
let service: number;
let selector: QueueSelector;
let slots: ServiceSlots;
test.before.each(async () => {
  outbox = await createOutbox();
  await outbox.addDevice(JSON.stringify({ endpoint: 'https://push.example/a', keys: {} }));
  [service = NaN] = [...(await outbox.assignPushServices()).values()];
  await outbox.addMessage({ now: START });
  time = 0;
  slots = createServiceSlots(
    16,
    createBreaker(
      () => time,
      () => 0,
    ),
  );
  selector = createSelector();
});

const createSelector = (): QueueSelector =>
  createQueueSelector({
    db: outbox.db,
    now: () => START + time,
    elapsed: () => time,
    slots,
    allowlist: createAllowlist([]),
    pollEveryMs: POLL_MS,
  });
test.after.each(() => outbox.close());

test('polls an empty queue, and checks at once when woken', async () => {
  await outbox.db.deleteFrom('deliveries').execute();
  await markProven(service, outbox.db, { now: START });
  assert.equal(await selector.selectShares(), []);
  assert.is(selector.nextLookIn(), POLL_MS);
  await outbox.addMessage({ now: START });
  time += POLL_MS - 1;
  assert.equal(await selector.selectShares(), [], 'not yet');
  selector.wake();
  assert.is(selector.nextLookIn(), 0);
  assert.is((await selector.selectShares())[0]?.service, service);
  time += POLL_MS;
  assert.is((await selector.selectShares())[0]?.service, service, 'no process claimed it');
});

test('skips claimed rows for a second, unless something new is sent', async () => {
  await markProven(service, outbox.db, { now: START });
  for (let nth = 0; nth < 2; nth += 1) await outbox.addMessage({ now: START + 1 + nth });
  const claim = async (limit: number) => {
    const [share] = await selector.selectShares();
    if (share === undefined) return undefined;
    const from = [{ ...share, limit }];
    const claims = await claimDue(outbox.db, outbox.engine, {
      now: START + time,
      leaseMs: 30_000,
      from,
    });
    selector.recordClaims(from, claims);
    return [share.from, claims.map(({ sortKey }) => sortKey)];
  };
  time = 10;
  assert.equal(await claim(1), [undefined, [START]]);
  assert.equal(await claim(1), [START, [START + 1]]);
  time += 998;
  assert.equal(await claim(1), [START + 1, [START + 2]]);
  // An older message of another process, committed only now.
  await outbox.addMessage({ now: START - 1 });
  assert.equal(await claim(1), [START + 2, []], 'not yet');
  time += 1000;
  assert.equal(await claim(1), [undefined, [START - 1]]);
  for (const later of [3, 4]) await outbox.addMessage({ now: START + later });
  time += 1000;
  assert.equal(await claim(1), [undefined, [START + 3]]);
  assert.equal(await claim(1), [START + 3, [START + 4]], 'for another second');
  await outbox.addMessage({ now: START - 2 });
  selector.wake();
  assert.equal(await claim(1), [undefined, [START - 2]], 'at once where it was sent here');
});

test('paces a service that throttles us across processes, and not for longer', async () => {
  const { db } = outbox;
  await markProven(service, db, { now: START });
  await throttleService(service, START + 60_000, db);
  const selectors = [selector, createSelector()];
  const findFor = async (milliseconds: number): Promise<number> => {
    let foundCount = 0;
    for (const end = time + milliseconds; time < end; time += 250)
      for (const each of selectors)
        for (const { limit } of await each.selectShares()) foundCount += limit;
    return foundCount;
  };
  const paced = await findFor(60_000);
  assert.ok(paced > 850 && paced < 1000, String(paced));
  assert.ok((await findFor(POLL_MS)) > 16, 'at full speed again');
});

test('claims some due retries before a long queue', async () => {
  await markProven(service, outbox.db, { now: START });
  await outbox.db
    .updateTable('deliveries')
    .set({ sort_key: RETRY_ORDER_START + START })
    .execute();
  for (let nth = 1; nth <= 40; nth += 1) await outbox.addMessage({ now: START + nth });
  const claim = async () => {
    const from = (await selector.selectShares()).map((share) => ({ ...share, limit: 4 }));
    const claims = await claimDue(outbox.db, outbox.engine, {
      now: START + time,
      leaseMs: 30_000,
      from,
    });
    selector.recordClaims(from, claims);
    return claims.map(({ sortKey }) => sortKey);
  };
  time = 100;
  assert.equal(
    await claim(),
    [1, 2, 3, 4].map((nth) => START + nth),
  );
  time += 1000;
  assert.equal(await claim(), [RETRY_ORDER_START + START, START + 5, START + 6, START + 7]);
  assert.equal(
    await claim(),
    [8, 9, 10, 11].map((nth) => START + nth),
    'goes on from there',
  );
});

test('claims more from a long queue without looking at all others', async () => {
  await markProven(service, outbox.db, { now: START });
  await outbox.addMessage({ now: START });
  assert.equal((await selector.selectShares()).length, 1);
  selector.recordClaims(
    [{ service, limit: 1 }],
    [createClaim({ sentAt: START, expiresAt: START }, { id: 1, service })],
  );
  assert.is(selector.nextLookIn(), 0);
  await markUnproven([service], outbox.db);
  assert.is((await selector.selectShares())[0]?.service, service, 'no service was asked');
  selector.recordClaims([{ service, limit: 1 }], []);
  await markProven(service, outbox.db, { now: START });
  assert.equal(await selector.selectShares(), [], 'nothing was left');
  assert.is(selector.nextLookIn(), 100);
  time += 100;
  assert.is((await selector.selectShares()).length, 1, 'the others are looked at again');
});

test.run();
