import * as v from 'valibot';
import { withDescription, doneWith, id, idField, sample, text, time } from './common';
import type { CallTable } from './common';
import { cleanText } from './fields';

const MAX_TOKEN_LENGTH = 4096;
const MAX_USER_AGENT_LENGTH = 512;
const MAX_MODEL_LENGTH = 64;
/** Control characters, unpaired surrogates and line ends. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

const EXAMPLE_TOKEN =
  '{"endpoint":"https://push.example/send/f4Yk","keys":{"p256dh":"BIPUL12DLfytvTajnryr2PRdAgXS3HGKiLqndGcJGabyhHheJYlNGCeXl1dn18gSJ1WAkAPIxr4gK0_dQds4yiI","auth":"FPssNDTKnInHVndSTdbKFw"}}';
const EXAMPLE_NEW_TOKEN = EXAMPLE_TOKEN.replace('f4Yk', 'n7Qz');
const EXAMPLE_USER_AGENT =
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36';

export const deviceType = v.picklist(['android', 'ios', 'web']);
export const device = v.object({
  id,
  deviceToken: withDescription(
    v.string(),
    'A Web Push subscription object as JSON text, an FCM token, or `fid:` followed by a Firebase installation ID.',
    EXAMPLE_TOKEN,
  ),
  deviceType,
  userAgent: text(EXAMPLE_USER_AGENT),
  createdAt: sample(time, '2026-11-02T09:05:00.000Z'),
  lastSeenAt: sample(time, '2026-11-20T06:58:00.000Z'),
});
export const devices = v.array(device);
export const registeredDevice = v.object({
  ...device.entries,
  deviceKey: withDescription(
    v.string(),
    'Authenticates the device while the app is closed. Keep the key secret. It stays the same while the device is registered.',
    '1.h1Jk0bXo2cVtq8yLwR5nPz3sDf6gAa9uEe7iTm4xQcY',
  ),
});
export const pushKey = v.object({
  publicKey: text(
    'BIPUL12DLfytvTajnryr2PRdAgXS3HGKiLqndGcJGabyhHheJYlNGCeXl1dn18gSJ1WAkAPIxr4gK0_dQds4yiI',
  ),
});

const tokenField = v.pipe(
  cleanText('Device token'),
  v.minLength(1, 'Device token is required.'),
  v.maxLength(
    MAX_TOKEN_LENGTH,
    `Device token is too long. Use ${MAX_TOKEN_LENGTH} characters or fewer.`,
  ),
);
const registration = v.object({
  deviceToken: sample(tokenField, EXAMPLE_TOKEN),
  deviceType,
  userAgent: sample(
    v.pipe(
      cleanText('User agent'),
      v.transform((agent) => agent.slice(0, MAX_USER_AGENT_LENGTH)),
    ),
    EXAMPLE_USER_AGENT,
  ),
  installationId: v.exactOptional(
    withDescription(
      v.pipe(v.string(), v.regex(/^[\w-]{1,64}$/, 'Installation id is invalid.')),
      'A random id for each installation of the app. If the same installation registers again with another token, it stays the same device.',
      'V1StGXR8_Z5jdHi6B-myT',
    ),
  ),
  installed: v.exactOptional(
    withDescription(v.boolean(), 'Whether the app is installed, rather than open in a tab.', true),
  ),
  // An invalid model is shortened, because a wrong model is no reason to reject a device.
  model: v.exactOptional(
    withDescription(
      v.pipe(
        v.string(),
        v.transform((model) =>
          [...model.slice(0, MAX_USER_AGENT_LENGTH).replace(UNPRINTABLE, '').trim()]
            .slice(0, MAX_MODEL_LENGTH)
            .join(''),
        ),
      ),
      'The phone’s model, if the browser reports it.',
      'SM-A047F',
    ),
  ),
});

export type DeviceType = v.InferOutput<typeof deviceType>;
export type Device = v.InferOutput<typeof device>;
export type RegisteredDevice = v.InferOutput<typeof registeredDevice>;
export type DeviceRegistration = v.InferOutput<typeof registration>;

export const deviceCalls = {
  'GET /api/notifications/vapid-key': {
    does: 'Get the server’s Web Push key',
    response: pushKey,
  },
  'POST /api/notifications/register-device': {
    does: 'Register this device',
    more: 'Sending a token again updates the same device. A token registered to another account moves to the caller’s account. A person can have up to 20 devices. Registering another one removes the device that was seen least recently.',
    body: registration,
    response: registeredDevice,
  },
  'PUT /api/notifications/device-token': {
    does: 'Replace this device’s token',
    more: 'For browsers that change the push subscription while the app is closed.',
    body: v.object({ deviceToken: sample(tokenField, EXAMPLE_NEW_TOKEN) }),
    response: device,
  },
  'DELETE /api/notifications/unregister-device': {
    does: 'Unregister a device by its token',
    more: 'Unregisters only your own devices. An unknown token is not an error.',
    body: v.object({
      deviceToken: sample(tokenField, EXAMPLE_NEW_TOKEN),
      reason: v.exactOptional(
        withDescription(
          v.optional(v.literal('blocked')),
          'Send `blocked` if notifications are blocked on the device. Leave it out for any other reason.',
        ),
      ),
    }),
    response: doneWith('The device was unregistered.'),
  },
  'DELETE /api/notifications/devices/:id': {
    does: 'Sign out one of your devices',
    more: 'The device gets no more notifications, and its session ends. All other devices that were registered with this session also get no more notifications.',
    params: { id: idField('device') },
    response: doneWith('The device was signed out.'),
  },
} satisfies CallTable;

export const deviceRemovalCalls = {
  'DELETE /api/admin/devices/:id': {
    does: 'Remove any user’s device',
    params: { id: idField('device', 2) },
    response: doneWith('The device was removed.'),
  },
} satisfies CallTable;
