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

test('our own credentials, refused: one alert, and another one an hour later if it is still so', () => {
  for (let push = 0; push < 3; push++) refusals.refuseService('fcm', 'UNAUTHENTICATED');
  assert.is(alerts(), 1);
  now = HOUR - 1;
  refusals.refuseService('fcm', 'UNAUTHENTICATED');
  assert.is(alerts(), 1);
  now = HOUR;
  refusals.refuseService('fcm', 'UNAUTHENTICATED');
  assert.is(alerts(), 2);
});

test('one person with twenty devices that refuse raises no alert, nor do two', () => {
  for (let push = 0; push < 20; push++) refusals.refuseDevice('web-push', 'status-403', 1, true);
  refusals.refuseDevice('web-push', 'status-403', 2, true);
  assert.is(alerts(), 0);
  assert.not(refusals.areSeveral('web-push'));
  assert.is(lines.length, 1, 'it is in the log, once');
});

test('three people refused by services that have worked, and no push accepted: one alert', () => {
  for (const userId of [1, 2, 3, 4]) refusals.refuseDevice('web-push', 'status-403', userId, true);
  assert.is(alerts(), 1);
  assert.ok(refusals.areSeveral('web-push'));
});

test('a push that is accepted between refusals shows that the fault is not ours', () => {
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

test('services that have never accepted a push raise no alert, however many people name them', () => {
  for (let userId = 0; userId < 1000; userId++)
    refusals.refuseDevice('web-push', 'status-401', userId, false);
  assert.is(alerts(), 0);
});

test.run();
