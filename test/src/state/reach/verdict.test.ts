import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type {
  ReachDevice,
  ReachState,
  Test,
  TestFailureReason,
} from '../../../../src/shared/contract';
import { verdictOf } from '../../../../src/state/reach/verdict';
import { makeReach, makeTest } from '../../../support/app/own-device';

const test = suite('whether this phone can be reached');

const at = (minutes: number, seconds = 0) =>
  new Date(Date.UTC(2026, 10, 20, 6, 58 + minutes, seconds)).toISOString();
const SENT = at(0);
const SHOWN = at(0, 2);
const asOf = Date.parse(at(10));
const of = (change: Partial<ReachDevice>, when = asOf) => verdictOf(makeReach(change), when);
const tested = (change: Partial<Test> = {}) => ({
  lastTest: makeTest(change),
  lastDisplayedAt: makeTest(change).stages.displayed,
});
const stages = (change: Partial<Test['stages']>) => ({
  stages: { ...makeTest().stages, ...change },
});
const unseen = stages({ received: null, displayed: null, heard: null });

test('only after Yes is it good: a test that was merely shown asks whether it rang', () => {
  assert.equal(of({ state: 'reachable', ...tested() }), {
    is: 'reachable',
    at: SHOWN,
    by: 'test',
    lateBy: null,
  });
  assert.equal(of({ state: 'reachable', ...tested(stages({ heard: null })) }), {
    is: 'unheard',
    at: SHOWN,
    test: 'test-1',
  });
});

test('a message that was shown after the test counts as well', () => {
  const later = { state: 'reachable', lastDisplayedAt: at(5) } as const;
  const good = { is: 'reachable', at: at(5), by: 'message', lateBy: null };
  assert.equal(of({ ...later, lastTest: null }), good);
  assert.equal(of({ ...later, lastTest: makeTest(stages({ heard: null })) }), good);
  assert.equal(of({ ...later, lastTest: makeTest(unseen) }), good);
});

test('a moment’s difference between a test and what was shown last makes no message of it', () => {
  const nearly = { state: 'reachable', lastTest: makeTest(stages({ heard: null })) } as const;
  assert.is(of({ ...nearly, lastDisplayedAt: at(0, 4) }).is, 'unheard');
  assert.is(of({ ...nearly, lastDisplayedAt: at(0, 5) }).is, 'reachable');
});

test('what the person called silent stays so, whatever is shown later, until a later test rings', () => {
  const failure = { stage: 'heard', reason: 'silent' } as const;
  const mute = { is: 'unreachable', why: 'mute', at: SENT };
  const silent = makeTest({ ...stages({ heard: null }), failure });
  assert.equal(of({ state: 'reachable', lastTest: silent, lastDisplayedAt: SHOWN }), mute);
  assert.equal(of({ state: 'reachable', lastTest: silent, lastDisplayedAt: at(60) }), mute);
  assert.is(of({ state: 'reachable', ...tested() }).is, 'reachable');
});

for (const reason of ['gone', 'refused', 'expired', 'removed'] as const)
  test(`a test that failed as ${reason} did not arrive`, () => {
    const failed = { ...unseen, failure: { stage: 'accepted', reason } } as const;
    assert.equal(of({ state: 'untested', ...tested(failed) }, Date.parse(SENT)), {
      is: 'unreachable',
      why: 'test',
      at: SENT,
    });
  });

test('a notification that the system refused did not arrive', () => {
  const failure = { stage: 'displayed', reason: 'refused' } as const;
  const lastTest = makeTest({ ...stages({ displayed: null, heard: null }), failure });
  assert.is(of({ lastTest }, Date.parse(SENT) + 3000).is, 'unreachable');
});

for (const reason of [null, 'unreachable', 'busy'] satisfies (TestFailureReason | null)[])
  test(`a test that ${reason ? `found the push service ${reason}` : 'is on its way'} has two minutes, its hidden minute included`, () => {
    const failure = reason && ({ stage: 'accepted', reason } as const);
    const way = (seconds: number) =>
      of({ ...tested({ ...unseen, failure }) }, Date.parse(SENT) + seconds * 1000);
    assert.is(way(-900).is, 'testing', 'a sleep test leaves later');
    assert.is(way(120).is, 'testing');
    assert.equal(way(121), { is: 'unreachable', why: 'test', at: SENT });
  });

test('a test that came late says by how much, also once it was heard', () => {
  for (const heard of [null, at(1)])
    assert.equal(of({ state: 'reachable', ...tested({ lateBy: 40_000, ...stages({ heard }) }) }), {
      is: 'late',
      at: SHOWN,
      by: 'test',
      lateBy: 40_000,
    });
});

test('a phone that most messages reach late is not called good', () => {
  const late = { state: 'late' } as const;
  assert.equal(of({ ...late, lastDisplayedAt: at(5) }), {
    is: 'late',
    at: at(5),
    by: 'message',
    lateBy: null,
  });
  assert.is(of({ ...late, ...tested() }).is, 'late');
});

for (const [state, why] of [
  ['failing', 'refused'],
  ['silent', 'silent'],
] as const)
  test(`what is ${state} by the server cannot be reached, whatever the last test said`, () => {
    const verdict = of({ state, ...tested(), unanswered: 3 });
    assert.is(verdict.is, 'unreachable');
    assert.is((verdict as { why: string }).why, why);
    assert.is((verdict as { count?: number }).count, state === 'silent' ? 3 : undefined);
  });

test('where nothing was ever shown it was not tested yet', () => {
  assert.equal(of({ state: 'untested' }), { is: 'untested' });
});

test('a state that is new, and moments that cannot be read, promise nothing that was not shown', () => {
  assert.equal(of({ state: 'constructor' as ReachState }), { is: 'untested' });
  const broken = makeTest({ sendAt: 'soon', ...unseen });
  assert.is(of({ lastTest: broken, lastDisplayedAt: null }).is, 'testing');
  assert.is(
    of({ lastTest: makeTest(stages({ heard: null })), lastDisplayedAt: 'x' }).is,
    'unheard',
  );
});

test.run();
