import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createCallSlots } from '../../../server/webhooks/webhook-jobs';

const test = suite('slots of webhooks');

test('gives each webhook its own slot and three shared ones while available', () => {
  const slots = createCallSlots();
  assert.is(slots.free(1, false), 4);
  for (const freeSlots of [3, 2, 1, 0]) {
    slots.acquire(1);
    assert.is(slots.free(1, false), freeSlots);
  }
  // Own slots are not shared: three of twelve are taken.
  for (const webhook of [2, 3, 4]) {
    assert.is(slots.free(webhook, false), 4, `${webhook}`);
    for (let call = 0; call < 4; call += 1) slots.acquire(webhook);
  }
  assert.is(slots.free(5, false), 1, 'none is left to share, and its own is');
  slots.acquire(5);
  assert.is(slots.free(5, false), 0);
  slots.release(1);
  assert.equal([slots.free(5, false), slots.free(1, false)], [1, 1]);
});

test('gives a failing webhook only its own slot', () => {
  const slots = createCallSlots();
  assert.is(slots.free(1, true), 1);
  slots.acquire(1);
  assert.equal([slots.free(1, true), slots.free(1, false)], [0, 3]);
  slots.release(1);
  slots.release(1); // once more than it was taken
  assert.is(slots.free(1, false), 4);
});

test.run();
