import { readId } from '../http/route';
import type { AddRoute } from '../http/route';
import type { Services } from '../services';
import { NO_SUCH_DEVICE } from './devices';
import { registerDevice } from './registration';
import { replaceToken } from './renewal';
import { removeDevice, signOutDevice, unregisterDevice } from './sign-out';
import { requireDeviceToken } from './device-token';

/** @param onRegistered called once a person's device is registered */
export function addDeviceRoutes(
  add: AddRoute,
  services: Services,
  onRegistered: (userId: number) => Promise<void>,
): void {
  const { now, vapidPublicKey } = services;
  add('GET /api/notifications/vapid-key', {
    action: 'push-key.read',
    respond: () => ({ publicKey: vapidPublicKey }),
  });
  add('DELETE /api/notifications/devices/:id', {
    action: 'devices.change',
    respond: async ({ params, user, transact }) => {
      await signOutDevice(readId(params.id, NO_SUCH_DEVICE), user.id, transact, now());
      return { message: 'The device was signed out.' };
    },
  });
  add('DELETE /api/admin/devices/:id', {
    action: 'users.sign-out',
    respond: async ({ params, transact }) => {
      await removeDevice(readId(params.id, NO_SUCH_DEVICE), transact, now());
      return { message: 'The device was removed.' };
    },
  });
  add('POST /api/notifications/register-device', {
    action: 'devices.change',
    respond: async ({ body, user, sid, transact }) => {
      requireDeviceToken(body.deviceToken);
      const device = await registerDevice(body, { userId: user.id, sid }, transact, services);
      await onRegistered(user.id);
      return device;
    },
  });
  add('PUT /api/notifications/device-token', {
    action: 'devices.renew',
    respond: ({ body: { deviceToken }, device, transact }) => {
      requireDeviceToken(deviceToken);
      return replaceToken(device.id, deviceToken, transact, services);
    },
  });
  add('DELETE /api/notifications/unregister-device', {
    action: 'devices.change',
    respond: async ({ body, user, transact }) => {
      await unregisterDevice(body, user.id, transact, now());
      return { message: 'The device was unregistered.' };
    },
  });
}
