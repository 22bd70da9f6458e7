import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ReachBoardPerson } from '../../../../src/shared/contract';
import {
  isTestRunning,
  isTestOpen,
  refreshUntil,
} from '../../../../src/screens/reach/running-tests';
import {
  decidingDevice,
  lastSeen,
  findLastTest,
  getRemedy,
  describeReachState,
  lastTestText,
  reachReason,
} from '../../../../src/screens/reach/reach-texts';
import {
  minutesAgo,
  createReachBoardPerson,
  createReachDevice,
  createDisplayedTest,
} from '../../../support/app/factories/reach';

const test = suite('words of the board');
const SECOND_MS = 1000;
const notDisplayed = { displayed: null };
const withDevices = (...devices: ReachBoardPerson['devices']) =>
  createReachBoardPerson(1, 'silent', { devices });

test('describes a person by the device with their state and the newest moments', () => {
  const [late, silent, other] = [
    createReachDevice(1, {
      state: 'late',
      lastSeenAt: minutesAgo(50),
      lastTest: createDisplayedTest('older', { createdAt: minutesAgo(9) }),
    }),
    createReachDevice(2, {
      state: 'silent',
      model: 'Redmi Note 12',
      unanswered: 3,
      lastSeenAt: minutesAgo(5),
      lastTest: createDisplayedTest('newer', { createdAt: minutesAgo(2) }),
    }),
    createReachDevice(3, { state: 'silent', lastSeenAt: minutesAgo(500) }),
  ] as const;
  const person = withDevices(late, silent, other);
  assert.is(decidingDevice(person), silent);
  assert.is(reachReason(person), 'Xiaomi: 3 notifications accepted in 14 days, none displayed');
  assert.is(lastSeen(person), silent.lastSeenAt);
  assert.is(findLastTest(person)?.id, 'newer');
  assert.is(findLastTest(withDevices(silent, late))?.id, 'newer');
  assert.is(decidingDevice(withDevices(late)), late, 'better than none');
});

test('dates a person without device by the last lost device, if known', () => {
  const at = minutesAgo(500);
  assert.is(lastSeen(createReachBoardPerson(1, 'no_device', { lost: { at, why: 'removed' } })), at);
  assert.is(lastSeen(createReachBoardPerson(1, 'no_device')), '');
  assert.is(findLastTest(createReachBoardPerson(1, 'no_device')), undefined);
});

test('chooses the remedy by state, and by whether the push service dropped the phone', () => {
  const goneDevice = createReachDevice(1, {
    state: 'failing',
    lastTest: createDisplayedTest('t', { failure: { stage: 'accepted', reason: 'gone' } }),
  });
  assert.is(getRemedy(createReachBoardPerson(1, 'failing')), 'test');
  assert.is(getRemedy(createReachBoardPerson(1, 'failing', { devices: [goneDevice] })), 'advice');
  assert.is(getRemedy(createReachBoardPerson(1, 'late')), 'advice');
  for (const state of ['untested', 'reachable'] as const)
    assert.is(getRemedy(createReachBoardPerson(1, state)), 'test');
  assert.equal(describeReachState({ state: 'toString' as never, lost: null }), {
    name: 'toString',
  });
  const lost = { at: minutesAgo(9), why: 'blocked' } as const;
  assert.is(describeReachState({ state: 'no_device', lost }).name, 'Blocked');
});

test('calls a test silent, failed or under way', () => {
  assert.is(
    lastTestText(
      createDisplayedTest('t', {
        createdAt: minutesAgo(0),
        failure: { stage: 'heard', reason: 'silent' },
      }),
    ),
    'No sound today',
  );
  assert.is(
    lastTestText(
      createDisplayedTest('t', { stages: { ...notDisplayed, accepted: null, received: null } }),
    ),
    'Not sent',
  );
  assert.is(lastTestText(createDisplayedTest('t', { lateBy: 0 })), 'Late by 0 s');
  assert.is(lastTestText(undefined), '-');
});

test('waits a minute for a test unless it came or failed', () => {
  const now = Date.now();
  const at = (seconds: number) => new Date(now + seconds * SECOND_MS).toISOString();
  const left = (seconds: number, change = {}) =>
    isTestOpen(
      createDisplayedTest('t', { sendAt: at(seconds), stages: notDisplayed, ...change }),
      now,
    );
  assert.equal(
    [0, -59, -60, -61, 900].map((seconds) => left(seconds)),
    [true, true, false, false, true],
  );
  assert.not(left(0, { failure: { stage: 'accepted', reason: 'gone' } }));
  assert.not(isTestOpen(createDisplayedTest('t', { sendAt: at(0) }), now), 'it was shown');
  const tested = (seconds: number) =>
    isTestRunning(
      [
        createReachBoardPerson(2, 'silent'),
        withDevices(
          createReachDevice(1),
          createReachDevice(2, {
            lastTest: createDisplayedTest('t', { sendAt: at(seconds), stages: notDisplayed }),
          }),
        ),
      ],
      now,
    );
  assert.equal(
    [2, 4, 900, -61].map(tested),
    [true, false, false, false],
    'one for later is not waited for',
  );
});

test('ends a test of all after one to ten minutes, by the number of devices', () => {
  const at = '2026-11-20T12:00:00.000Z';
  const took = (devices: number) => (refreshUntil({ at, devices }) - Date.parse(at)) / SECOND_MS;
  assert.equal([0, 100, 54_000, 54_001, 1e9].map(took), [60, 61, 600, 600, 600]);
});

test.run();
