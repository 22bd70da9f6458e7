import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { claimDue } from '../../../../server/db/outbox/claims';
import { recordOutcomes } from '../../../../server/db/outbox/outcomes';
import { bringBack } from '../../../../server/db/outbox/upkeep';
import { createBreaker } from '../../../../server/delivery/queue/breaker';
import { createUpkeep } from '../../../../server/delivery/queue/upkeep';
import { makeOutbox, type Outbox } from '../../../support/delivery/outbox';

const test = suite('the upkeep of the outbox');
const START = Date.parse('2026-11-21T09:30:00Z');
const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3600_000];
let outbox: Outbox;
test.before.each(async () => {
  outbox = await makeOutbox();
});
test.after.each(() => outbox.close());

test('a service that has answered nothing for an hour is proven no longer, and others stay so', async () => {
  for (const origin of ['https://silent.example', 'https://other.example'])
    await outbox.db.insertInto('push_services').values({ origin, proven_at: START }).execute();
  const list = () =>
    outbox.db
      .selectFrom('push_services')
      .select(['id', 'origin', 'proven_at'])
      .orderBy('id')
      .execute();
  const [silent] = await list();
  let time = 0;
  const breaker = createBreaker(
    () => time,
    () => 0,
  );
  const work = createUpkeep({
    db: outbox.db,
    now: () => START + time,
    elapsed: () => time,
    isClockSure: () => true,
    breaker,
  });
  breaker.hear(silent?.id ?? 0, 'unreachable', true);
  const proven: string[][] = [];
  for (const turn of [59 * MINUTE, 60 * MINUTE]) {
    time = turn;
    await work();
    proven.push(
      (await list()).flatMap(({ origin, proven_at }) => (proven_at === null ? [] : [origin])),
    );
  }
  assert.equal(proven, [
    ['https://silent.example', 'https://other.example'],
    ['https://other.example'],
  ]);
});

test('no push waits for longer than seven hours, whoever wrote until when, and other waits stay', async () => {
  await outbox.addDevices(['six hours', 'eight hours', 'never tried']);
  await outbox.send({ now: START });
  const from = [{ service: 0, limit: 2 }];
  const claims = await claimDue(outbox.db, outbox.engine, { now: START, lease: SECOND, from });
  const settlements = claims.map((claim, index) => ({
    ...{ claim, state: 'pending' as const, reason: 'status-429', attempted: true },
    dueAt: START + (6 + 2 * index) * HOUR,
  }));
  await recordOutcomes(outbox.db, settlements, START);
  assert.equal([await bringBack(outbox.db, START), await bringBack(outbox.db, START)], [1, 0]);
  assert.equal(
    (await outbox.rows()).map(({ due_at }) => due_at - START),
    [6 * HOUR, 7 * HOUR, 0],
  );
});

test.run();
