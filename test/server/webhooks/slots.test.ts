import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createCallSlots } from '../../../server/webhooks/webhook-jobs';

const test = suite('slots of webhooks');

test('gives each webhook its own slot and three shared ones while available', () => {
  const places = createCallSlots();
  assert.is(places.free(1, false), 4);
  for (const rest of [3, 2, 1, 0]) {
    places.acquire(1);
    assert.is(places.free(1, false), rest);
  }
  // Own slots are not shared: three of twelve are taken.
  for (const webhook of [2, 3, 4]) {
    assert.is(places.free(webhook, false), 4, `${webhook}`);
    for (let call = 0; call < 4; call += 1) places.acquire(webhook);
  }
  assert.is(places.free(5, false), 1, 'none is left to share, and its own is');
  places.acquire(5);
  assert.is(places.free(5, false), 0);
  places.release(1);
  assert.equal([places.free(5, false), places.free(1, false)], [1, 1]);
});

test('gives a failing webhook only its own slot', () => {
  const places = createCallSlots();
  assert.is(places.free(1, true), 1);
  places.acquire(1);
  assert.equal([places.free(1, true), places.free(1, false)], [0, 3]);
  places.release(1);
  places.release(1); // once more than it was taken
  assert.is(places.free(1, false), 4);
});

test.run();
