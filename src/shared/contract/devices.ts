import * as v from 'valibot';
import {
  withDescription,
  messageResponseWith,
  idSchema,
  idField,
  withExamples,
  sampleText,
  timestampSchema,
} from './common';
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

export const deviceTypeSchema = v.picklist(['android', 'ios', 'web']);
export const deviceSchema = v.object({
  id: idSchema,
  deviceToken: withDescription(
    v.string(),
    'A Web Push subscription object as JSON text, an FCM token, or `fid:` followed by a Firebase installation ID.',
    EXAMPLE_TOKEN,
  ),
  deviceType: deviceTypeSchema,
  userAgent: sampleText(EXAMPLE_USER_AGENT),
  createdAt: withExamples(timestampSchema, '2026-11-02T09:05:00.000Z'),
  lastSeenAt: withExamples(timestampSchema, '2026-11-20T06:58:00.000Z'),
});
export const devicesSchema = v.array(deviceSchema);
export const registeredDeviceSchema = v.object({
  ...deviceSchema.entries,
  deviceKey: withDescription(
    v.string(),
    'Authenticates the device while the app is closed. Keep the key secret. It stays the same while the device is registered.',
    '1.h1Jk0bXo2cVtq8yLwR5nPz3sDf6gAa9uEe7iTm4xQcY',
  ),
});
export const pushKeySchema = v.object({
  publicKey: sampleText(
    'BIPUL12DLfytvTajnryr2PRdAgXS3HGKiLqndGcJGabyhHheJYlNGCeXl1dn18gSJ1WAkAPIxr4gK0_dQds4yiI',
  ),
});

const pushTokenSchema = v.pipe(
  cleanText('Device token'),
  v.minLength(1, 'Device token is required.'),
  v.maxLength(
    MAX_TOKEN_LENGTH,
    `Device token is too long. Use ${MAX_TOKEN_LENGTH} characters or fewer.`,
  ),
);
const registrationSchema = v.object({
  deviceToken: withExamples(pushTokenSchema, EXAMPLE_TOKEN),
  deviceType: deviceTypeSchema,
  userAgent: withExamples(
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

export type DeviceType = v.InferOutput<typeof deviceTypeSchema>;
export type Device = v.InferOutput<typeof deviceSchema>;
export type RegisteredDevice = v.InferOutput<typeof registeredDeviceSchema>;
export type DeviceRegistration = v.InferOutput<typeof registrationSchema>;

export const deviceCalls = {
  'GET /api/notifications/vapid-key': {
    does: 'Get the server’s Web Push key',
    response: pushKeySchema,
  },
  'POST /api/notifications/register-device': {
    does: 'Register this device',
    more: 'Sending a token again updates the same device. A token registered to another account moves to the caller’s account. A person can have up to 20 devices. Registering another one removes the device that was seen least recently.',
    body: registrationSchema,
    response: registeredDeviceSchema,
  },
  'PUT /api/notifications/device-token': {
    does: 'Replace this device’s token',
    more: 'For browsers that change the push subscription while the app is closed.',
    body: v.object({ deviceToken: withExamples(pushTokenSchema, EXAMPLE_NEW_TOKEN) }),
    response: deviceSchema,
  },
  'DELETE /api/notifications/unregister-device': {
    does: 'Unregister a device by its token',
    more: 'Unregisters only your own devices. An unknown token is not an error.',
    body: v.object({
      deviceToken: withExamples(pushTokenSchema, EXAMPLE_NEW_TOKEN),
      reason: v.exactOptional(
        withDescription(
          v.optional(v.literal('blocked')),
          'Send `blocked` if notifications are blocked on the device. Leave it out for any other reason.',
        ),
      ),
    }),
    response: messageResponseWith('The device was unregistered.'),
  },
  'DELETE /api/notifications/devices/:id': {
    does: 'Sign out one of your devices',
    more: 'The device gets no more notifications, and its session ends. All other devices that were registered with this session also get no more notifications.',
    params: { id: idField('device') },
    response: messageResponseWith('The device was signed out.'),
  },
} satisfies CallTable;

export const deviceRemovalCalls = {
  'DELETE /api/admin/devices/:id': {
    does: 'Remove any user’s device',
    params: { id: idField('device', 2) },
    response: messageResponseWith('The device was removed.'),
  },
} satisfies CallTable;
