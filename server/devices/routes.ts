import * as v from 'valibot';
import { cleanText } from '../lib/fields';
import type { AddRoute } from '../http/route';
import type { Services } from '../services';
import { listDevices, registerDevice, replaceToken, unregisterDevice } from './devices';
import { isDeviceToken } from './token';

const MAX_TOKEN = 4096;
const MAX_USER_AGENT = 512;

const deviceToken = v.pipe(
  cleanText('Device token'),
  v.minLength(1, 'Device token is required.'),
  v.maxLength(MAX_TOKEN, `Device token must have at most ${MAX_TOKEN} characters.`),
);
const validToken = v.pipe(
  deviceToken,
  v.check(isDeviceToken, 'Device token is not a valid push subscription.'),
);
const registration = v.object({
  deviceToken: validToken,
  deviceType: v.picklist(['android', 'ios', 'web']),
  userAgent: v.pipe(
    cleanText('User agent'),
    v.transform((text) => text.slice(0, MAX_USER_AGENT)),
  ),
});

export function addDeviceRoutes(add: AddRoute, services: Services): void {
  const { db, now, vapidPublicKey } = services;
  add('GET /api/notifications/vapid-key', {
    access: 'anyone',
    answer: () => ({ publicKey: vapidPublicKey }),
  });
  add('GET /api/notifications/devices', {
    access: 'user',
    answer: ({ user }) => listDevices(user.id, db),
  });
  add('POST /api/notifications/register-device', {
    access: 'user',
    body: registration,
    answer: ({ body, user, transact }) => registerDevice(body, user.id, transact, services),
  });
  add('PUT /api/notifications/device-token', {
    access: 'device',
    body: v.object({ deviceToken: validToken }),
    answer: ({ body, device, transact }) =>
      replaceToken(device.id, body.deviceToken, transact, now()),
  });
  add('DELETE /api/notifications/unregister-device', {
    access: 'user',
    body: v.object({ deviceToken }),
    answer: async ({ body, user, transact }) => {
      await transact((transaction) => unregisterDevice(body.deviceToken, user.id, transaction));
      return { message: 'The device was unregistered.' };
    },
  });
}
