import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { attemptAll } from '../../../src/state/attempt-all';

const test = suite('batches');
const items = Array.from({ length: 20 }, (_, index) => index);
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test('works on every item once, six at a time at most', async () => {
  const begun: number[] = [];
  let runningCount = 0;
  let mostAtOnce = 0;
  const outcome = await attemptAll(items, async (item) => {
    begun.push(item);
    mostAtOnce = Math.max(mostAtOnce, ++runningCount);
    await nextTurn();
    runningCount--;
  });
  assert.equal(begun, items);
  assert.is(mostAtOnce, 6);
  assert.equal(outcome, { failed: [], firstError: undefined });
});

test('tries every item despite failures, and returns the first reason', async () => {
  const tried: number[] = [];
  const { failed, firstError } = await attemptAll(items, async (item) => {
    tried.push(item);
    if (item % 5 === 2) throw new Error(`no ${item}`);
  });
  assert.equal(tried, items);
  assert.equal(failed, [2, 7, 12, 17]);
  assert.is((firstError as Error).message, 'no 2');
});

test('fails nothing for an empty list', async () => {
  assert.equal(await attemptAll([], () => Promise.reject(new Error('never'))), {
    failed: [],
    firstError: undefined,
  });
});

test.run();
