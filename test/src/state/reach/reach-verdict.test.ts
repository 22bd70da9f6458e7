import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type {
  ReachDevice,
  ReachState,
  DeviceTest,
  TestFailureReason,
} from '../../../../src/shared/contract';
import { toReachVerdict } from '../../../../src/state/reach/reach-verdict';
import { createOwnDeviceReach, createSucceededTest } from '../../../support/app/own-device';

const test = suite('whether this phone is reachable');

const at = (minutes: number, seconds = 0) =>
  new Date(Date.UTC(2026, 10, 20, 6, 58 + minutes, seconds)).toISOString();
const SENT = at(0);
const SHOWN = at(0, 2);
const asOf = Date.parse(at(10));
const verdictOf = (change: Partial<ReachDevice>, when = asOf) =>
  toReachVerdict(createOwnDeviceReach(change), when);
const withTest = (change: Partial<DeviceTest> = {}) => ({
  lastTest: createSucceededTest(change),
  lastDisplayedAt: createSucceededTest(change).stages.displayed,
});
const stages = (change: Partial<DeviceTest['stages']>) => ({
  stages: { ...createSucceededTest().stages, ...change },
});
const unseen = stages({ received: null, displayed: null, heard: null });

test('calls a phone reachable only after the person answers Yes, and asks after a shown test', () => {
  assert.equal(verdictOf({ state: 'reachable', ...withTest() }), {
    kind: 'reachable',
    at: SHOWN,
    by: 'test',
    lateBy: null,
  });
  assert.equal(verdictOf({ state: 'reachable', ...withTest(stages({ heard: null })) }), {
    kind: 'soundUnconfirmed',
    at: SHOWN,
    test: 'test-1',
  });
});

test('counts a message shown after the test', () => {
  const later = { state: 'reachable', lastDisplayedAt: at(5) } as const;
  const good = { kind: 'reachable', at: at(5), by: 'message', lateBy: null };
  assert.equal(verdictOf({ ...later, lastTest: null }), good);
  assert.equal(
    verdictOf({ ...later, lastTest: createSucceededTest(stages({ heard: null })) }),
    good,
  );
  assert.equal(verdictOf({ ...later, lastTest: createSucceededTest(unseen) }), good);
});

test('ignores a moment’s difference between the test and the last display', () => {
  const nearly = {
    state: 'reachable',
    lastTest: createSucceededTest(stages({ heard: null })),
  } as const;
  assert.is(verdictOf({ ...nearly, lastDisplayedAt: at(0, 4) }).kind, 'soundUnconfirmed');
  assert.is(verdictOf({ ...nearly, lastDisplayedAt: at(0, 5) }).kind, 'reachable');
});

test('stays silent until a later test rings', () => {
  const failure = { stage: 'heard', reason: 'silent' } as const;
  const mute = { kind: 'unreachable', why: 'mute', at: SENT };
  const silent = createSucceededTest({ ...stages({ heard: null }), failure });
  assert.equal(verdictOf({ state: 'reachable', lastTest: silent, lastDisplayedAt: SHOWN }), mute);
  assert.equal(verdictOf({ state: 'reachable', lastTest: silent, lastDisplayedAt: at(60) }), mute);
  assert.is(verdictOf({ state: 'reachable', ...withTest() }).kind, 'reachable');
});

for (const reason of ['gone', 'refused', 'expired', 'removed'] as const)
  test(`calls a test not arrived that failed as ${reason}`, () => {
    const failed = { ...unseen, failure: { stage: 'accepted', reason } } as const;
    assert.equal(verdictOf({ state: 'untested', ...withTest(failed) }, Date.parse(SENT)), {
      kind: 'unreachable',
      why: 'test',
      at: SENT,
    });
  });

test('calls a rejected notification not arrived', () => {
  const failure = { stage: 'displayed', reason: 'refused' } as const;
  const lastTest = createSucceededTest({ ...stages({ displayed: null, heard: null }), failure });
  assert.is(verdictOf({ lastTest }, Date.parse(SENT) + 3000).kind, 'unreachable');
});

for (const reason of [null, 'unreachable', 'busy'] satisfies (TestFailureReason | null)[])
  test(`gives a test ${reason ? `with the push service ${reason}` : 'under way'} two minutes, its hidden minute included`, () => {
    const failure = reason && ({ stage: 'accepted', reason } as const);
    const way = (seconds: number) =>
      verdictOf({ ...withTest({ ...unseen, failure }) }, Date.parse(SENT) + seconds * 1000);
    assert.is(way(-900).kind, 'testing', 'a sleep test leaves later');
    assert.is(way(120).kind, 'testing');
    assert.equal(way(121), { kind: 'unreachable', why: 'test', at: SENT });
  });

test('says how late a test was, also after it is confirmed', () => {
  for (const heard of [null, at(1)])
    assert.equal(
      verdictOf({ state: 'reachable', ...withTest({ lateBy: 40_000, ...stages({ heard }) }) }),
      {
        kind: 'late',
        at: SHOWN,
        by: 'test',
        lateBy: 40_000,
      },
    );
});

test('calls no phone good that most messages reach late', () => {
  const late = { state: 'late' } as const;
  assert.equal(verdictOf({ ...late, lastDisplayedAt: at(5) }), {
    kind: 'late',
    at: at(5),
    by: 'message',
    lateBy: null,
  });
  assert.is(verdictOf({ ...late, ...withTest() }).kind, 'late');
});

for (const [state, why] of [
  ['failing', 'rejected'],
  ['silent', 'silent'],
] as const)
  test(`calls a ${state} phone not reachable, whatever the last test said`, () => {
    const verdict = verdictOf({ state, ...withTest(), unanswered: 3 });
    assert.is(verdict.kind, 'unreachable');
    assert.is((verdict as { why: string }).why, why);
    assert.is((verdict as { count?: number }).count, state === 'silent' ? 3 : undefined);
  });

test('calls a phone untested when nothing was shown', () => {
  assert.equal(verdictOf({ state: 'untested' }), { kind: 'untested' });
});

test('promises nothing for unknown states and invalid times', () => {
  assert.equal(verdictOf({ state: 'constructor' as ReachState }), { kind: 'untested' });
  const brokenTest = createSucceededTest({ sendAt: 'soon', ...unseen });
  assert.is(verdictOf({ lastTest: brokenTest, lastDisplayedAt: null }).kind, 'testing');
  assert.is(
    verdictOf({ lastTest: createSucceededTest(stages({ heard: null })), lastDisplayedAt: 'x' })
      .kind,
    'soundUnconfirmed',
  );
});

test.run();
