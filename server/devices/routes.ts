import * as v from 'valibot';
import { cleanText } from '../../src/shared/contract/fields';
import { readId } from '../http/route';
import type { AddRoute } from '../http/route';
import type { Services } from '../services';
import { NO_SUCH_DEVICE } from './devices';
import { registerDevice } from './registration';
import { replaceToken } from './renewal';
import { removeDevice, signOut, unregisterDevice } from './sign-out';
import { isDeviceToken } from './token';

const MAX_TOKEN = 4096;
const MAX_USER_AGENT = 512;
const MAX_MODEL = 64;
const INSTALLATION = /^[\w-]{1,64}$/;
/** Controls, half characters, and line ends. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;
const cleanModel = (text: string): string =>
  [...text.slice(0, MAX_USER_AGENT).replace(UNPRINTABLE, '').trim()].slice(0, MAX_MODEL).join('');

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
  installationId: v.exactOptional(
    v.pipe(v.string(), v.regex(INSTALLATION, 'Installation id is not valid.')),
  ),
  installed: v.exactOptional(v.boolean()),
  // A browser's word, and no reason to refuse a device.
  model: v.exactOptional(v.pipe(v.string(), v.transform(cleanModel))),
});

export function addDeviceRoutes(add: AddRoute, services: Services): void {
  const { now, vapidPublicKey } = services;
  add('GET /api/notifications/vapid-key', {
    action: 'push-key.read',
    answer: () => ({ publicKey: vapidPublicKey }),
  });
  add('DELETE /api/notifications/devices/:id', {
    action: 'devices.change',
    answer: async ({ params, user, transact }) => {
      await signOut(readId(params.id, NO_SUCH_DEVICE), user.id, transact, now());
      return { message: 'The device was signed out.' };
    },
  });
  add('DELETE /api/admin/devices/:id', {
    action: 'users.sign-out',
    answer: async ({ params, transact }) => {
      await removeDevice(readId(params.id, NO_SUCH_DEVICE), transact, now());
      return { message: 'The device was removed.' };
    },
  });
  add('POST /api/notifications/register-device', {
    action: 'devices.change',
    body: registration,
    answer: ({ body, user, sid, transact }) =>
      registerDevice(body, { userId: user.id, sid }, transact, services),
  });
  add('PUT /api/notifications/device-token', {
    action: 'devices.renew',
    body: v.object({ deviceToken: validToken }),
    answer: ({ body, device, transact }) =>
      replaceToken(device.id, body.deviceToken, transact, services),
  });
  add('DELETE /api/notifications/unregister-device', {
    action: 'devices.change',
    body: v.object({ deviceToken, reason: v.exactOptional(v.literal('blocked')) }),
    answer: async ({ body, user, transact }) => {
      await unregisterDevice(body, user.id, transact, now());
      return { message: 'The device was unregistered.' };
    },
  });
}
