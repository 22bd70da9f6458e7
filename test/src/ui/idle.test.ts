import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { retryUntilLoaded } from '../../../src/ui/when-idle';
import { clock } from '../../support/app/app';

const test = suite('fetches that are retried');
test.before.each(() => clock.install());
test.after.each(() => clock.remove());

test('retries a fetch every 10 seconds, and returns it once', async () => {
  let attempts = 0;
  const loadedValues: number[] = [];
  const fetch = async () => {
    if (++attempts < 4) throw new Error(`no ${attempts}`);
    return attempts;
  };
  retryUntilLoaded(fetch, (value) => loadedValues.push(value));
  await clock.advance(9999);
  assert.equal([attempts, loadedValues], [1, []]);
  for (const so of [2, 3, 4]) {
    await clock.advance(1);
    assert.is(attempts, so);
    await clock.advance(9999);
  }
  assert.equal(loadedValues, [4]);
  await clock.advance(60_000);
  assert.equal([attempts, loadedValues], [4, [4]]);
});

test('retries and returns nothing once stopped', async () => {
  let attempts = 0;
  const loadedValues: number[] = [];
  const stop = retryUntilLoaded(
    async () => {
      attempts++;
      throw new Error('no');
    },
    (value) => loadedValues.push(value),
  );
  await clock.advance(10_000);
  assert.is(attempts, 2);
  stop();
  await clock.advance(60_000);
  assert.is(attempts, 2);
  let finish = (_: number) => {};
  const late = new Promise<number>((resolve) => {
    finish = resolve;
  });
  retryUntilLoaded(
    () => late,
    (value) => loadedValues.push(value),
  )();
  finish(1);
  await clock.advance(60_000);
  assert.equal(loadedValues, []);
});

test.run();
