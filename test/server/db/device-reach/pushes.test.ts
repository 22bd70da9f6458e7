import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { reachAfter } from '../../../../server/db/device-reach/pushes';
import type { DeviceReach, PushEvent } from '../../../../server/db/device-reach/pushes';

const test = suite('reach of a device');
const newDevice: DeviceReach = {
  acceptedAt: null,
  thirdAcceptedAt: null,
  displayedAt: null,
  displayedAcceptedAt: null,
  rejectedAt: null,
  rejectedReason: null,
  rejections: 0,
  medianDelay: null,
  recent: [],
};
const acceptedEvent = (id: string, at: number): PushEvent => ({ kind: 'accepted', id, at });
const displayedEvent = (id: string, at: number, sentAt = 0): PushEvent => ({
  kind: 'displayed',
  id,
  at,
  sentAt,
});
const rejectedEvent = (at: number): PushEvent => ({
  kind: 'rejected',
  id: 'x',
  at,
  reason: 'status-403',
});
const reachAfterEvents = (...events: PushEvent[]): DeviceReach =>
  events.reduce((reach, event) => reachAfter(reach, event) ?? reach, newDevice);
const acceptedEvents = (count: number, from = 1): PushEvent[] =>
  Array.from({ length: count }, (_, nth) =>
    acceptedEvent(`push ${from + nth}`, 1000 * (from + nth)),
  );

test('remembers the last and third-last accepted push', () => {
  const reachByCount = [1, 2, 3, 4, 20].map((count) => {
    const { acceptedAt, thirdAcceptedAt } = reachAfterEvents(...acceptedEvents(count));
    return [acceptedAt, thirdAcceptedAt];
  });
  assert.equal(reachByCount, [
    [1000, null],
    [2000, null],
    [3000, 1000],
    [4000, 2000],
    [20_000, 18_000],
  ]);
});

test('keeps eight pushes, newest first, by eight characters of their id', () => {
  const { recent } = reachAfterEvents(
    ...Array.from({ length: 12 }, (_, nth) => acceptedEvent(`${10 + nth}-3456789`, nth)),
  );
  assert.equal(
    recent.map(([key]) => key),
    [
      '21-34567',
      '20-34567',
      '19-34567',
      '18-34567',
      '17-34567',
      '16-34567',
      '15-34567',
      '14-34567',
    ],
  );
});

test('assigns a display to its push, and knows when the newest displayed push was accepted', () => {
  const reach = reachAfterEvents(...acceptedEvents(3), displayedEvent('push 2', 9000));
  assert.equal([reach.displayedAt, reach.displayedAcceptedAt], [9000, 2000]);
  assert.equal(reach.recent, [
    ['push 3', 3000, null],
    ['push 2', 2000, 9000],
    ['push 1', 1000, null],
  ]);
  // A late display of an older push changes nothing.
  const later = reachAfterEvents(
    ...acceptedEvents(3),
    displayedEvent('push 2', 9000),
    displayedEvent('push 1', 8000),
  );
  assert.equal([later.displayedAt, later.displayedAcceptedAt], [9000, 2000]);
});

test('counts a press as a display only if its message has none, and measures no delay', () => {
  const pressed = (at: number): PushEvent => ({ kind: 'pressed', id: 'again', at, sentAt: 0 });
  const reach = reachAfterEvents(pressed(90_000), acceptedEvent('again', 1000));
  assert.equal(
    [reach.displayedAt, reach.displayedAcceptedAt, reach.medianDelay],
    [90_000, 1000, null],
  );
  const repeated = reachAfterEvents(
    acceptedEvent('again', 1000),
    displayedEvent('again', 2000),
    acceptedEvent('again', 60_000),
  );
  assert.is(reachAfter(repeated, pressed(61_000)), undefined);
});

test('accepts a display before its acceptance', () => {
  const reach = reachAfterEvents(displayedEvent('push 1', 5000, 800));
  assert.equal(
    [reach.acceptedAt, reach.displayedAt, reach.displayedAcceptedAt, reach.medianDelay],
    [null, 5000, 800, null],
  );
  const reachAfterBoth = reachAfter(reach, acceptedEvent('push 1', 4000));
  assert.equal(
    [
      reachAfterBoth?.acceptedAt,
      reachAfterBoth?.displayedAcceptedAt,
      reachAfterBoth?.medianDelay,
      reachAfterBoth?.recent,
    ],
    [4000, 4000, 1000, [['push 1', 4000, 5000]]],
  );
});

test('uses the median delay of the last five displayed pushes', () => {
  const delays = (...values: number[]): number | null =>
    reachAfterEvents(
      ...values.flatMap((delay, nth) => [
        acceptedEvent(`push ${nth}`, 1000 * nth),
        displayedEvent(`push ${nth}`, 1000 * nth + delay),
      ]),
    ).medianDelay;
  assert.is(delays(), null);
  assert.is(delays(70), 70);
  assert.is(delays(70, 31), 51);
  assert.is(delays(70, 10, 40), 40);
  assert.is(delays(999, 999, 999, 1, 2, 3, 4, 5), 3);
  assert.is(delays(1, 2, 3, 999, 998, 997, 996, 4), 997, 'the last five are not the fastest');
  assert.is(delays(-5000), 0, 'a phone’s clock was behind');
});

test('counts rejections until a push is accepted, and keeps the last reason', () => {
  const reach = reachAfterEvents(...acceptedEvents(1), rejectedEvent(5000), rejectedEvent(6000));
  assert.equal(
    [reach.acceptedAt, reach.rejectedAt, reach.rejectedReason, reach.rejections],
    [1000, 6000, 'status-403', 2],
  );
  const again = reachAfter(reach, acceptedEvent('push 2', 7000));
  assert.equal([again?.rejectedAt, again?.rejectedReason, again?.rejections], [null, null, 0]);
});

test.run();
