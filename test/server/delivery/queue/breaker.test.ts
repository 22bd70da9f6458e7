import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createBreaker, type ServiceBreaker } from '../../../../server/delivery/queue/breaker';

const test = suite('the circuit breaker of a push service');
const SECOND_MS = 1000;
let now: number;
let breaker: ServiceBreaker;
test.before.each(() => {
  now = 0;
  breaker = createBreaker(
    () => now,
    () => 0,
  );
});

const fail = (times: number, isProven = true): void => {
  for (let time = 0; time < times; time++) breaker.record(1, 'unreachable', isProven);
};

test('opens after five failures of a proven service, or the first of an unproven one', () => {
  fail(4);
  assert.is(breaker.judge(1), 'closed');
  fail(1);
  assert.is(breaker.judge(1), 'open');
  assert.is(breaker.judge(2), 'closed', 'no other service is concerned');
  breaker.record(2, 'unreachable', false);
  assert.is(breaker.judge(2), 'open');
});

test('restarts its count after any response, even a rejection', () => {
  fail(4);
  breaker.record(1, 'responded', true);
  fail(4);
  assert.is(breaker.judge(1), 'closed');
  breaker.record(1, 'nothing', true);
  fail(1);
  assert.is(breaker.judge(1), 'open', 'what was not tried says nothing');
});

test('allows a probe after 30 seconds, and closes after one response', () => {
  fail(5);
  now += 30 * SECOND_MS - 1;
  assert.is(breaker.judge(1), 'open');
  now += 1;
  assert.is(breaker.judge(1), 'probe');
  breaker.record(1, 'accepted', true);
  assert.is(breaker.judge(1), 'closed');
  fail(4);
  assert.is(breaker.judge(1), 'closed');
});

test('doubles its wait with each failed probe, up to 15 minutes', () => {
  fail(5);
  for (const wait of [30, 60, 120, 240, 480, 900, 900]) {
    now += wait * SECOND_MS - 1;
    assert.is(breaker.judge(1), 'open', `${wait} s`);
    now += 1;
    assert.is(breaker.judge(1), 'probe', `${wait} s`);
    fail(1);
  }
});

test('spreads the probes of services that failed together', () => {
  const draws = [0, 1];
  breaker = createBreaker(
    () => now,
    () => draws.shift() ?? 0,
  );
  breaker.record(1, 'unreachable', false);
  breaker.record(2, 'unreachable', false);
  now += 22.5 * SECOND_MS;
  assert.equal([breaker.judge(1), breaker.judge(2)], ['open', 'probe']);
});

test.run();
