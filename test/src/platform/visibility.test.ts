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
let looks = 0;
let watching: VisibilityWatch | undefined;

test.before.each(() => {
  looks = 0;
  clock.install();
});
test.after.each(() => {
  watching?.stop();
  setHidden(false);
  clock.remove();
});

function setHidden(hidden: boolean): void {
  Object.defineProperty(document, 'hidden', { configurable: true, value: hidden });
  document.dispatchEvent(new Event('visibilitychange'));
}
const startWatch = (look: () => Promise<number>) => (watching = watchWhileVisible(look));
const every = (milliseconds: number) => async () => {
  looks++;
  return milliseconds;
};

test('checks at once, then after each requested delay', async () => {
  startWatch(every(1000));
  assert.is(looks, 1);
  await clock.advance(3500);
  assert.is(looks, 4);
});

test('restarts the delay after an extra check', async () => {
  startWatch(every(1000));
  await clock.advance(600);
  watching?.checkNow();
  await shortPause();
  assert.is(looks, 2);
  await clock.advance(999);
  assert.is(looks, 2);
  await clock.advance(1);
  assert.is(looks, 3);
});

test('waits for a slow check, and never runs two at once', async () => {
  let end = (_wait: number): void => {};
  startWatch(() => {
    looks++;
    return new Promise((resolve) => (end = resolve));
  });
  await clock.advance(60_000);
  assert.is(looks, 1);
  watching?.checkNow();
  watching?.checkNow();
  assert.is(looks, 1);
  end(1000);
  await shortPause();
  assert.is(looks, 2, 'one look for all requests meanwhile, at once');
});

test('pauses while the page is hidden, and resumes at once with one timer', async () => {
  startWatch(every(1000));
  await clock.advance(0);
  setHidden(true);
  await clock.advance(10_000);
  assert.is(looks, 1);
  setHidden(false);
  setHidden(false);
  await shortPause();
  const seen = looks;
  await clock.advance(1000);
  assert.is(looks, seen + 1);
});

test('sets no timer when the page is hidden during a check', async () => {
  let end = (_wait: number): void => {};
  startWatch(() => {
    looks++;
    return new Promise((resolve) => (end = resolve));
  });
  setHidden(true);
  end(1000);
  await shortPause();
  await clock.advance(5000);
  assert.is(looks, 1);
});

test('delays the first check by its interval unless the page started hidden', async () => {
  const begin = () => {
    looks = 0;
    return lookEvery(1000, () => looks++);
  };
  let stop = begin();
  assert.is(looks, 0);
  await clock.advance(3000);
  assert.is(looks, 3);
  setHidden(true);
  await clock.advance(5000);
  assert.is(looks, 3);
  setHidden(false);
  assert.is(looks, 4, 'at once');
  await shortPause();
  await clock.advance(1000);
  assert.is(looks, 5);
  stop();
  await clock.advance(5000);
  assert.is(looks, 5);
  setHidden(true);
  stop = begin();
  setHidden(false);
  assert.is(looks, 1, 'it may have changed meanwhile');
  stop();
});

test('listens to nothing after stop', () => {
  const { addEventListener, removeEventListener } = document;
  let listening = 0;
  Object.assign(document, {
    addEventListener: () => listening++,
    removeEventListener: () => listening--,
  });
  try {
    startWatch(every(1000));
    assert.is(listening, 1);
    watching?.stop();
    assert.is(listening, 0);
  } finally {
    Object.assign(document, { addEventListener, removeEventListener });
  }
});

test('checks nothing after stop, even with a check in flight', async () => {
  let end = (_wait: number): void => {};
  startWatch(() => {
    looks++;
    return new Promise((resolve) => (end = resolve));
  });
  watching?.checkNow();
  watching?.stop();
  end(1000);
  await shortPause();
  setHidden(false);
  await clock.advance(5000);
  assert.is(looks, 1);
});

test.run();
