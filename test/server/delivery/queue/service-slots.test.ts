import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ServiceBreaker, createBreaker } from '../../../../server/delivery/queue/breaker';
import {
  createServiceSlots,
  type ServiceSlots,
  type ServiceTrust,
} from '../../../../server/delivery/queue/service-slots';

const test = suite('slots of push services');
let now: number;
let breaker: ServiceBreaker;
let slots: ServiceSlots;
test.before.each(() => {
  now = 0;
  breaker = createBreaker(
    () => now,
    () => 0,
  );
  slots = createServiceSlots(256, breaker);
});

/**
 * Takes its whole share, like a service whose pushes all hang.
 * @returns how many slots that were
 */
function takeAllSlots(service: number, trust: ServiceTrust = 'proven'): number {
  const shares = slots.share({ [trust]: [service] });
  const limit = shares.find((share) => share.service === service)?.limit ?? 0;
  for (let push = 0; push < limit; push++) slots.begin(service, trust);
  return limit;
}

test('gives a single service three quarters of the slots', () => {
  assert.is(takeAllSlots(1), 192);
  assert.is(takeAllSlots(1), 0);
});

test('leaves slots for a second and third service', () => {
  takeAllSlots(1);
  assert.is(takeAllSlots(2), 48);
  assert.is(takeAllSlots(3), 12);
  assert.is(takeAllSlots(4), 3);
});

test('leaves a slot for the last of 64 trusted services that hang', () => {
  for (let service = 1; service <= 64; service++)
    for (let push = 0; push < 3; push++) slots.begin(service, 'proven');
  for (let push = 0; push < 32; push++) slots.begin(1000 + push, 'unknown');
  assert.ok(takeAllSlots(65) > 0);
});

test('serves the service with the fewest pushes in flight first', () => {
  for (let push = 0; push < 100; push++) slots.begin(1, 'proven');
  for (let push = 0; push < 20; push++) slots.begin(2, 'proven');
  assert.equal(
    slots.share({ proven: [1, 2, 3] }).map(({ service }) => service),
    [3, 2],
    'nothing is left for the one that holds most',
  );
});

test('gives unproven services an eighth of the slots, one each', () => {
  const made = Array.from({ length: 10_000 }, (_, index) => index + 100);
  const shares = slots.share({ unknown: made });
  assert.is(shares.length, 32);
  for (const { service, limit } of shares) {
    assert.is(limit, 1);
    slots.begin(service, 'unknown');
  }
  assert.equal(slots.share({ unknown: made }), []);
  assert.not(slots.hasRoom('unknown'));
  assert.is(takeAllSlots(1), 168, 'three quarters of the rest are for a proven one');
});

test('passes a freed slot on to a service without one', () => {
  for (let service = 100; service < 132; service++) slots.begin(service, 'unknown');
  slots.end(100, 'unknown', 'responded');
  assert.ok(slots.hasRoom('unknown'));
  assert.equal(slots.share({ unknown: [101, 200, 201] }), [{ service: 200, limit: 1 }]);
});

test('gives a paused service nothing, then one slot, then its share', () => {
  for (let push = 0; push < 5; push++) slots.begin(1, 'proven');
  for (let push = 0; push < 5; push++) slots.end(1, 'proven', 'unreachable');
  assert.equal(slots.share({ proven: [1] }), []);
  now += 30_000;
  assert.is(takeAllSlots(1), 1);
  assert.is(takeAllSlots(1), 0);
  slots.end(1, 'proven', 'accepted');
  assert.is(takeAllSlots(1), 192);
});

test.run();
