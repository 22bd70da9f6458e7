import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createRefusals, type Refusals } from '../../../../server/delivery/queue/refusals';
import { createLog } from '../../../../server/lib/log';

const test = suite('refusals by push services');
const HOUR = 3600_000;
let now: number;
let lines: string[];
let refusals: Refusals;
test.before.each(() => {
  now = 0;
  lines = [];
  refusals = createRefusals(
    createLog((line) => lines.push(line)),
    () => now,
  );
});
const alerts = (): number => lines.filter((line) => line.includes('"alert":true')).length;

test('raises one alert for refused credentials, and another an hour later', () => {
  for (let push = 0; push < 3; push++) refusals.refuseService('fcm', 'UNAUTHENTICATED');
  assert.is(alerts(), 1);
  now = HOUR - 1;
  refusals.refuseService('fcm', 'UNAUTHENTICATED');
  assert.is(alerts(), 1);
  now = HOUR;
  refusals.refuseService('fcm', 'UNAUTHENTICATED');
  assert.is(alerts(), 2);
});

test('raises no alert for one person with twenty refusing devices, nor for two people', () => {
  for (let push = 0; push < 20; push++) refusals.refuseDevice('web-push', 'status-403', 1, true);
  refusals.refuseDevice('web-push', 'status-403', 2, true);
  assert.is(alerts(), 0);
  assert.not(refusals.areSeveral('web-push'));
  assert.is(lines.length, 1, 'it is in the log, once');
});

test('raises one alert for three people refused by proven services', () => {
  for (const userId of [1, 2, 3, 4]) refusals.refuseDevice('web-push', 'status-403', userId, true);
  assert.is(alerts(), 1);
  assert.ok(refusals.areSeveral('web-push'));
});

test('clears its count when a push is accepted', () => {
  for (const userId of [1, 2]) refusals.refuseDevice('web-push', 'status-403', userId, true);
  refusals.accept('web-push');
  for (const userId of [3, 4]) refusals.refuseDevice('web-push', 'status-403', userId, true);
  assert.is(alerts(), 0);
  refusals.refuseDevice('web-push', 'status-403', 5, true);
  refusals.accept('fcm');
  assert.ok(refusals.areSeveral('web-push'), 'FCM says nothing about Web Push');
  refusals.accept('web-push');
  assert.not(refusals.areSeveral('web-push'));
});

test('raises no alert for unproven services, however many people name them', () => {
  for (let userId = 0; userId < 1000; userId++)
    refusals.refuseDevice('web-push', 'status-401', userId, false);
  assert.is(alerts(), 0);
});

test.run();
