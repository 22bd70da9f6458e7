import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  clearSleepTest,
  isSleepTest,
  storeSleepTest,
  readStoredSleepTest,
} from '../../../../src/state/reach/sleep-test';
import { createSucceededTest } from '../../../support/app/own-device';
import { endSession, signInAs } from '../../../support/app/session';

const test = suite('the sleep test under way');
const HOUR_MS = 3600_000;
const { now } = Date;

test.before.each(() => void signInAs('TECHNICIAN', { id: 7 }));
test.after.each(() => {
  Date.now = now;
  endSession();
});

const passTime = (time: number) => {
  const then = Date.now() + time;
  Date.now = () => then;
};

test('keeps the latest sleep test for 26 hours, for its person alone', () => {
  storeSleepTest('t1');
  storeSleepTest('t2');
  assert.is(readStoredSleepTest(), 't2');
  const kept = localStorage.getItem('sleep_test')!;
  signInAs('TECHNICIAN', { id: 8 });
  assert.is(readStoredSleepTest(), undefined);
  signInAs('TECHNICIAN', { id: 7 });
  assert.is(readStoredSleepTest(), 't2');
  passTime(25.9 * HOUR_MS);
  assert.is(readStoredSleepTest(), 't2');
  passTime(0.2 * HOUR_MS);
  assert.is(readStoredSleepTest(), undefined);
  assert.is(localStorage.getItem('sleep_test'), kept);
  passTime(-60 * HOUR_MS);
  assert.is(readStoredSleepTest(), undefined, 'a clock two days ahead hides it briefly');
});

test('forgets only the kept sleep test, of the same person', () => {
  storeSleepTest('t1');
  clearSleepTest('another');
  assert.is(readStoredSleepTest(), 't1');
  signInAs('TECHNICIAN', { id: 8 });
  clearSleepTest();
  clearSleepTest('t1');
  signInAs('TECHNICIAN', { id: 7 });
  assert.is(readStoredSleepTest(), 't1');
  clearSleepTest();
  assert.is(localStorage.getItem('sleep_test'), null);
});

test('keeps no sleep test without a session', () => {
  for (const text of [
    '',
    '{',
    'null',
    '[]',
    '{"person":7,"id":7,"at":1}',
    '{"person":7,"id":"t1"}',
  ]) {
    localStorage.setItem('sleep_test', text);
    assert.is(readStoredSleepTest(), undefined, text);
  }
  endSession();
  storeSleepTest('t1');
  assert.is(localStorage.getItem('sleep_test'), null);
});

test('counts a test that leaves more than a minute later as a sleep test', () => {
  const begun = (seconds: number) =>
    isSleepTest(
      createSucceededTest({
        sendAt: new Date(Date.UTC(2026, 10, 20, 6, 58, seconds)).toISOString(),
      }),
    );
  assert.equal([0, 60, 61, 900].map(begun), [false, false, true, true]);
});

test.run();
