import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Breaker, createBreaker } from '../../../../server/delivery/queue/breaker';
import { createSlots, type Slots, type Trust } from '../../../../server/delivery/queue/slots';

const test = suite('who gets the slots');
let now: number;
let breaker: Breaker;
let slots: Slots;
test.before.each(() => {
  now = 0;
  breaker = createBreaker(
    () => now,
    () => 0,
  );
  slots = createSlots(256, breaker);
});

/**
 * Takes what it is given, as a service with any number of pushes that hang. @returns how much that
 * was
 */
function take(service: number, trust: Trust = 'proven'): number {
  const shares = slots.share({ [trust]: [service] });
  const limit = shares.find((share) => share.service === service)?.limit ?? 0;
  for (let push = 0; push < limit; push++) slots.begin(service, trust);
  return limit;
}

test('a service alone gets three quarters at once, and no more after that', () => {
  assert.is(take(1), 192);
  assert.is(take(1), 0);
});

test('a second and a third service find free slots, whatever the first holds', () => {
  take(1);
  assert.is(take(2), 48);
  assert.is(take(3), 12);
  assert.is(take(4), 3);
});

test('of sixty-four trusted services that hang, the last still gets a slot', () => {
  for (let service = 1; service <= 64; service++)
    for (let push = 0; push < 3; push++) slots.begin(service, 'proven');
  for (let push = 0; push < 32; push++) slots.begin(1000 + push, 'unknown');
  assert.ok(take(65) > 0);
});

test('of services that are due together the one that holds least is served first', () => {
  for (let push = 0; push < 100; push++) slots.begin(1, 'proven');
  for (let push = 0; push < 20; push++) slots.begin(2, 'proven');
  assert.equal(
    slots.share({ proven: [1, 2, 3] }).map(({ service }) => service),
    [3, 2],
    'nothing is left for the one that holds most',
  );
});

test('ten thousand services that were never proven have an eighth of the slots, each of them one', () => {
  const made = Array.from({ length: 10_000 }, (_, index) => index + 100);
  const shares = slots.share({ unknown: made });
  assert.is(shares.length, 32);
  for (const { service, limit } of shares) {
    assert.is(limit, 1);
    slots.begin(service, 'unknown');
  }
  assert.equal(slots.share({ unknown: made }), []);
  assert.not(slots.hasRoom('unknown'));
  assert.is(take(1), 168, 'three quarters of the rest are for a proven one');
});

test('a slot that ends is given to the next, and not to one that has one', () => {
  for (let service = 100; service < 132; service++) slots.begin(service, 'unknown');
  slots.end(100, 'unknown', 'answered');
  assert.ok(slots.hasRoom('unknown'));
  assert.equal(slots.share({ unknown: [101, 200, 201] }), [{ service: 200, limit: 1 }]);
});

test('a service that is left alone gets nothing, then one slot to be tried with, then its share again', () => {
  for (let push = 0; push < 5; push++) slots.begin(1, 'proven');
  for (let push = 0; push < 5; push++) slots.end(1, 'proven', 'unreachable');
  assert.equal(slots.share({ proven: [1] }), []);
  now += 30_000;
  assert.is(take(1), 1);
  assert.is(take(1), 0);
  slots.end(1, 'proven', 'accepted');
  assert.is(take(1), 192);
});

test.run();
