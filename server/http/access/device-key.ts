/** `ID.MAC`: the MAC follows from the server's secret, the id and the nonce of the device's row. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { DeviceRow } from '../../db/schema';
import type { Services } from '../../services';

/** A key as a caller presents it, not yet checked. */
export interface DeviceKey {
  deviceId: number;
  mac: string;
}

type DeviceWithNonce = Pick<DeviceRow, 'id' | 'key_nonce'>;

export const createDeviceKeyNonce = (): string => randomBytes(16).toString('base64url');

const computeMac = ({ id, key_nonce }: DeviceWithNonce, { config }: Services): string =>
  createHmac('sha256', config.jwtSecret)
    .update(`device-key\0${id}\0${key_nonce}`)
    .digest('base64url');

export const createDeviceKey = (device: DeviceWithNonce, services: Services): string =>
  `${device.id}.${computeMac(device, services)}`;

/** @returns undefined if it does not have a key's form */
export function readDeviceKey(authorization: string | undefined): DeviceKey | undefined {
  const [, id, mac] = /^Bearer ([1-9]\d{0,14})\.([\w-]{43})$/i.exec(authorization ?? '') ?? [];
  return id === undefined || mac === undefined ? undefined : { deviceId: Number(id), mac };
}

export function isDeviceKeyValid(
  { deviceId, mac }: DeviceKey,
  device: DeviceWithNonce,
  services: Services,
): boolean {
  if (device.id !== deviceId) return false;
  return timingSafeEqual(Buffer.from(mac), Buffer.from(computeMac(device, services)));
}
