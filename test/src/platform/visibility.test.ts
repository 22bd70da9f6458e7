import * as assert from 'uvu/assert';
import {
  repeatWhileVisible as lookEvery,
  watchWhileVisible,
  type VisibilityWatch,
} from '../../../src/platform/visibility';
import { clock } from '../../support/app/clock';
import { shortPause } from '../../support/eventually';
import { suite } from 'uvu';

const test = suite('watching while the page is seen');
let checkCount = 0;
let watch: VisibilityWatch | undefined;

test.before.each(() => {
  checkCount = 0;
  clock.install();
});
test.after.each(() => {
  watch?.stop();
  setHidden(false);
  clock.remove();
});

function setHidden(hidden: boolean): void {
  Object.defineProperty(document, 'hidden', { configurable: true, value: hidden });
  document.dispatchEvent(new Event('visibilitychange'));
}
const startWatch = (look: () => Promise<number>) => (watch = watchWhileVisible(look));
const checkEvery = (milliseconds: number) => async () => {
  checkCount++;
  return milliseconds;
};

test('checks at once, then after each requested delay', async () => {
  startWatch(checkEvery(1000));
  assert.is(checkCount, 1);
  await clock.advance(3500);
  assert.is(checkCount, 4);
});

test('restarts the delay after an extra check', async () => {
  startWatch(checkEvery(1000));
  await clock.advance(600);
  watch?.checkNow();
  await shortPause();
  assert.is(checkCount, 2);
  await clock.advance(999);
  assert.is(checkCount, 2);
  await clock.advance(1);
  assert.is(checkCount, 3);
});

test('waits for a slow check, and never runs two at once', async () => {
  let end = (_wait: number): void => {};
  startWatch(() => {
    checkCount++;
    return new Promise((resolve) => (end = resolve));
  });
  await clock.advance(60_000);
  assert.is(checkCount, 1);
  watch?.checkNow();
  watch?.checkNow();
  assert.is(checkCount, 1);
  end(1000);
  await shortPause();
  assert.is(checkCount, 2, 'one look for all requests meanwhile, at once');
});

test('pauses while the page is hidden, and resumes at once with one timer', async () => {
  startWatch(checkEvery(1000));
  await clock.advance(0);
  setHidden(true);
  await clock.advance(10_000);
  assert.is(checkCount, 1);
  setHidden(false);
  setHidden(false);
  await shortPause();
  const checksBefore = checkCount;
  await clock.advance(1000);
  assert.is(checkCount, checksBefore + 1);
});

test('sets no timer when the page is hidden during a check', async () => {
  let end = (_wait: number): void => {};
  startWatch(() => {
    checkCount++;
    return new Promise((resolve) => (end = resolve));
  });
  setHidden(true);
  end(1000);
  await shortPause();
  await clock.advance(5000);
  assert.is(checkCount, 1);
});

test('delays the first check by its interval unless the page started hidden', async () => {
  const begin = () => {
    checkCount = 0;
    return lookEvery(1000, () => checkCount++);
  };
  let stop = begin();
  assert.is(checkCount, 0);
  await clock.advance(3000);
  assert.is(checkCount, 3);
  setHidden(true);
  await clock.advance(5000);
  assert.is(checkCount, 3);
  setHidden(false);
  assert.is(checkCount, 4, 'at once');
  await shortPause();
  await clock.advance(1000);
  assert.is(checkCount, 5);
  stop();
  await clock.advance(5000);
  assert.is(checkCount, 5);
  setHidden(true);
  stop = begin();
  setHidden(false);
  assert.is(checkCount, 1, 'it may have changed meanwhile');
  stop();
});

test('removes its listener when stopped', () => {
  const { addEventListener, removeEventListener } = document;
  let listening = 0;
  Object.assign(document, {
    addEventListener: () => listening++,
    removeEventListener: () => listening--,
  });
  try {
    startWatch(checkEvery(1000));
    assert.is(listening, 1);
    watch?.stop();
    assert.is(listening, 0);
  } finally {
    Object.assign(document, { addEventListener, removeEventListener });
  }
});

test('checks nothing after stop, even with a check in flight', async () => {
  let end = (_wait: number): void => {};
  startWatch(() => {
    checkCount++;
    return new Promise((resolve) => (end = resolve));
  });
  watch?.checkNow();
  watch?.stop();
  end(1000);
  await shortPause();
  setHidden(false);
  await clock.advance(5000);
  assert.is(checkCount, 1);
});

test.run();
