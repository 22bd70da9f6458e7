import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  forgetSleepTest,
  isSleepTest,
  keepSleepTest,
  keptSleepTest,
} from '../../../../src/state/reach/sleep';
import { makeTest } from '../../../support/app/own-device';
import { endSession, signInAs } from '../../../support/app/session';

const test = suite('the sleep test under way');
const HOUR = 3600_000;
const { now } = Date;

test.before.each(() => void signInAs('TECHNICIAN', { id: 7 }));
test.after.each(() => {
  Date.now = now;
  endSession();
});

const pass = (time: number) => {
  const then = Date.now() + time;
  Date.now = () => then;
};

test('keeps the latest sleep test for 26 hours, for its person alone', () => {
  keepSleepTest('t1');
  keepSleepTest('t2');
  assert.is(keptSleepTest(), 't2');
  const kept = localStorage.getItem('sleep_test')!;
  signInAs('TECHNICIAN', { id: 8 });
  assert.is(keptSleepTest(), undefined);
  signInAs('TECHNICIAN', { id: 7 });
  assert.is(keptSleepTest(), 't2');
  pass(25.9 * HOUR);
  assert.is(keptSleepTest(), 't2');
  pass(0.2 * HOUR);
  assert.is(keptSleepTest(), undefined);
  assert.is(localStorage.getItem('sleep_test'), kept);
  pass(-60 * HOUR);
  assert.is(keptSleepTest(), undefined, 'a clock two days ahead hides it briefly');
});

test('forgets only the kept sleep test, of the same person', () => {
  keepSleepTest('t1');
  forgetSleepTest('another');
  assert.is(keptSleepTest(), 't1');
  signInAs('TECHNICIAN', { id: 8 });
  forgetSleepTest();
  forgetSleepTest('t1');
  signInAs('TECHNICIAN', { id: 7 });
  assert.is(keptSleepTest(), 't1');
  forgetSleepTest();
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
    assert.is(keptSleepTest(), undefined, text);
  }
  endSession();
  keepSleepTest('t1');
  assert.is(localStorage.getItem('sleep_test'), null);
});

test('counts a test that leaves more than a minute later as a sleep test', () => {
  const begun = (seconds: number) =>
    isSleepTest(
      makeTest({ sendAt: new Date(Date.UTC(2026, 10, 20, 6, 58, seconds)).toISOString() }),
    );
  assert.equal([0, 60, 61, 900].map(begun), [false, false, true, true]);
});

test.run();
