import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createRejections, type Rejections } from '../../../../server/delivery/queue/rejections';
import { createLog } from '../../../../server/lib/log';

const test = suite('rejections by push services');
const HOUR_MS = 3600_000;
let now: number;
let lines: string[];
let rejections: Rejections;
test.before.each(() => {
  now = 0;
  lines = [];
  rejections = createRejections(
    createLog((line) => lines.push(line)),
    () => now,
  );
});
const alerts = (): number => lines.filter((line) => line.includes('"alert":true')).length;

test('raises one alert for rejected credentials, and another an hour later', () => {
  for (let push = 0; push < 3; push++) rejections.recordServiceRejection('fcm', 'UNAUTHENTICATED');
  assert.is(alerts(), 1);
  now = HOUR_MS - 1;
  rejections.recordServiceRejection('fcm', 'UNAUTHENTICATED');
  assert.is(alerts(), 1);
  now = HOUR_MS;
  rejections.recordServiceRejection('fcm', 'UNAUTHENTICATED');
  assert.is(alerts(), 2);
});

test('raises no alert for one person with twenty rejecting devices, nor for two people', () => {
  for (let push = 0; push < 20; push++)
    rejections.recordDeviceRejection('web-push', 'status-403', 1, true);
  rejections.recordDeviceRejection('web-push', 'status-403', 2, true);
  assert.is(alerts(), 0);
  assert.not(rejections.isRejectingSeveralPeople('web-push'));
  assert.is(lines.length, 1, 'it is in the log, once');
});

test('raises one alert for three people rejected by proven services', () => {
  for (const userId of [1, 2, 3, 4])
    rejections.recordDeviceRejection('web-push', 'status-403', userId, true);
  assert.is(alerts(), 1);
  assert.ok(rejections.isRejectingSeveralPeople('web-push'));
});

test('clears its count when a push is accepted', () => {
  for (const userId of [1, 2])
    rejections.recordDeviceRejection('web-push', 'status-403', userId, true);
  rejections.recordAcceptance('web-push');
  for (const userId of [3, 4])
    rejections.recordDeviceRejection('web-push', 'status-403', userId, true);
  assert.is(alerts(), 0);
  rejections.recordDeviceRejection('web-push', 'status-403', 5, true);
  rejections.recordAcceptance('fcm');
  assert.ok(rejections.isRejectingSeveralPeople('web-push'), 'FCM says nothing about Web Push');
  rejections.recordAcceptance('web-push');
  assert.not(rejections.isRejectingSeveralPeople('web-push'));
});

test('raises no alert for unproven services, however many people name them', () => {
  for (let userId = 0; userId < 1000; userId++)
    rejections.recordDeviceRejection('web-push', 'status-401', userId, false);
  assert.is(alerts(), 0);
});

test.run();
