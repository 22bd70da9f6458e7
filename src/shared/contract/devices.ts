/** The devices on which people get notifications. */
import type { Message, Timestamp } from './common';

export type DeviceType = 'android' | 'ios' | 'web';

export interface DeviceRegistration {
  /** An FCM token, or a Web Push subscription object turned into JSON text. */
  deviceToken: string;
  deviceType: DeviceType;
  userAgent: string;
  /** Random, made once by each installation of the app: its next device replaces the one before. */
  installationId?: string;
  /** Whether the app is installed, rather than open in a browser's tab. */
  installed?: boolean;
  /** The phone's model, where the browser tells it. */
  model?: string;
}

export interface Device {
  id: number;
  deviceToken: string;
  deviceType: DeviceType;
  userAgent: string;
  createdAt: Timestamp;
  lastSeenAt: Timestamp;
}

/**
 * What only the device itself is told: the secret with which its worker may speak while the app is
 * closed. It is the same for as long as the device is registered.
 */
export interface RegisteredDevice extends Device {
  deviceKey: string;
}

export interface DeviceCalls {
  'POST /api/notifications/register-device': { body: DeviceRegistration; answer: RegisteredDevice };
  /** By the device's key: it got another push subscription while no page was open. */
  'PUT /api/notifications/device-token': { body: { deviceToken: string }; answer: Device };
  /** `reason`: why the app does so by itself. Without it, the person signs out. */
  'DELETE /api/notifications/unregister-device': {
    body: { deviceToken: string; reason?: 'blocked' | undefined };
    answer: Message;
  };
  /** Signs one of the caller's devices out: no notification, key or session of it lives on. */
  'DELETE /api/notifications/devices/:id': { answer: Message };
  'DELETE /api/admin/devices/:id': { answer: Message };
  'GET /api/notifications/vapid-key': { answer: { publicKey: string } };
}
