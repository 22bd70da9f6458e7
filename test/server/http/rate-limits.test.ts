import * as assert from 'uvu/assert';
import { inTransaction } from '../../../server/db/transaction';
import { consumeLimit, consumeLimitUpTo, refundLimit } from '../../../server/http/rate-limits';
import type { Limit } from '../../../server/http/rate-limits';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('rate limits');

const createLimit = (key: string, more: Partial<Limit> = {}): Limit => ({
  key: [key],
  max: 3,
  windowMs: 3000,
  ...more,
});
const tryAt = (time: number, ...limits: Limit[]) => consumeLimit(limits, server.services.db, time);
/** How many of the attempts pass, one per step. */
async function countPassed(
  limits: Limit[],
  from: number,
  attempts: number,
  step = 0,
): Promise<number> {
  let times = 0;
  for (let index = 0; index < attempts; index += 1)
    if ((await tryAt(from + index * step, ...limits)) === undefined) times += 1;
  return times;
}

test('allows a burst, then a steady rate, and says how long to wait', async () => {
  const limit = createLimit('a');
  assert.is(await countPassed([limit], 0, 10), 3);
  assert.is(await tryAt(0, limit), 1, 'seconds');
  assert.is(await tryAt(999, limit), 1);
  assert.is(await tryAt(1000, limit), undefined);
  assert.is(await tryAt(1000, limit), 1);
  assert.is(await countPassed([limit], 4000, 10), 3, 'all of them again after a whole window');
  assert.is(
    await countPassed([createLimit('over a minute')], 0, 60, 1000),
    60,
    'one a second is no more than it lets pass',
  );
  assert.is(await countPassed([createLimit('over a minute, twice as fast')], 0, 120, 500), 60 + 2);
});

test('never exceeds a strict limit in any window', async () => {
  const strict = createLimit('a', { isStrict: true });
  const times: number[] = [];
  for (let time = 0; time < 30_000; time += 250)
    if ((await tryAt(time, strict)) === undefined) times.push(time);
  assert.ok(times.length >= 9);
  for (const from of times)
    assert.ok(
      times.filter((time) => time >= from && time < from + 3000).length <= 3,
      `from ${from}`,
    );
  await countPassed([createLimit('b', { isStrict: true })], 0, 3);
  assert.is(
    await tryAt(1500, createLimit('b', { isStrict: true })),
    2,
    'seconds that are left, rounded up',
  );
});

test('refunds the used amount, and never more', async () => {
  for (const limit of [createLimit('a'), createLimit('b', { isStrict: true })]) {
    assert.is(await countPassed([limit], 0, 5), 3);
    await refundLimit([limit], server.services.db);
    assert.is(await countPassed([limit], 0, 5), 1);
  }
  const strict = createLimit('c', { isStrict: true });
  await tryAt(0, strict);
  for (let times = 0; times < 5; times += 1) await refundLimit([strict], server.services.db);
  assert.is(await countPassed([strict], 0, 5), 3);
});

test('refunds a request to each of its limits', async () => {
  const limits = [
    createLimit('a'),
    createLimit('b', { isStrict: true }),
    createLimit('c'),
    createLimit('d'),
  ];
  assert.is(await countPassed(limits, 0, 5), 3);
  await refundLimit(limits, server.services.db);
  for (const limit of limits) assert.is(await countPassed([limit], 0, 5), 1, limit.key[0]);
});

test('counts parallel attempts like consecutive ones', async () => {
  for (const limit of [createLimit('a'), createLimit('b', { isStrict: true })]) {
    const waits = await Promise.all(Array.from({ length: 20 }, () => tryAt(0, limit)));
    assert.is(waits.filter((wait) => wait === undefined).length, 3);
  }
});

test('counts an attempt that one limit rejects in no other', async () => {
  const [narrow, wide] = [createLimit('narrow', { max: 1 }), createLimit('wide')];
  assert.is(await countPassed([narrow, wide], 0, 10), 1);
  assert.is(await countPassed([wide], 0, 10), 2);
});

test('applies a dependent limit only while its gauge is exceeded', async () => {
  const gauge = createLimit('gauge', { isCountOnly: true });
  const strict = createLimit('dependent', { max: 1, windowMs: 10_000, onlyWhile: gauge });
  assert.is(await countPassed([strict, gauge], 0, 10), 3, 'until the gauge is full');
  assert.is(
    await countPassed(
      [createLimit('another', { max: 1, windowMs: 10_000, onlyWhile: gauge }), gauge],
      0,
      10,
    ),
    1,
  );
  assert.is(await countPassed([gauge], 0, 100), 100);
  assert.is(await tryAt(900, strict, gauge), 10);
  assert.is(
    await tryAt(2000, strict, gauge),
    undefined,
    'however much came meanwhile, it is exceeded for no longer',
  );
});

test('counts uses, not the time, after the clock went back', async () => {
  const { windowMs, max } = createLimit('');
  await countPassed([createLimit('back')], windowMs, 1);
  assert.is(await countPassed([createLimit('back')], 0, max + 1), max - 1, 'one was used before');
  const { db } = server.services;
  const useUpTo = (now: number) =>
    inTransaction(db, (transaction) => consumeLimitUpTo(createLimit('up to'), 1, transaction, now));
  await useUpTo(windowMs);
  assert.is((await useUpTo(0)).granted, 1);
});

test('ignores counts of a clock that was days ahead', async () => {
  for (const limit of [createLimit('a'), createLimit('b', { isStrict: true })]) {
    await countPassed([limit], 200_000_000, 5);
    assert.is(await countPassed([limit], 0, 5), 3);
  }
});

test.run();
