/** The webhook event of devices that push services reject. */
import type { Transaction } from 'kysely';
import type { DeviceType, Timestamp } from '../../../src/shared/contract';
import type { FailingDevice } from '../device-reach/device-reach';
import type { Tables } from '../schema';
import { addWebhookCalls, splitIntoCalls } from '../webhook-calls';
import type { GoneDevice } from './gone-devices';

interface DeviceEvent {
  id: number;
  type: DeviceType;
  user: { id: number; username: string };
  /** A short code; `gone` where the device was removed. */
  reason: string;
  at: Timestamp;
}

/** Calls webhooks for devices that start to fail, and for removed ones. */
export async function addFailingCalls(
  { failing, gone }: { failing: readonly FailingDevice[]; gone: readonly GoneDevice[] },
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  if (failing.length === 0 && gone.length === 0) return;
  const readDevices = async (): Promise<object[]> => {
    const devices = [
      ...(await describeFailing(failing, transaction)),
      ...(await describeGone(gone, transaction, now)),
    ];
    return splitIntoCalls(devices).map((part) => ({ devices: part }));
  };
  await addWebhookCalls('device.failing', readDevices, transaction, now);
}

async function describeFailing(
  failing: readonly FailingDevice[],
  transaction: Transaction<Tables>,
): Promise<DeviceEvent[]> {
  if (failing.length === 0) return [];
  const faults = new Map(failing.map((device) => [device.deviceId, device]));
  const rows = await transaction
    .selectFrom('devices')
    .innerJoin('users', 'users.id', 'devices.user_id')
    .where('devices.id', 'in', [...faults.keys()])
    .orderBy('devices.id')
    .select(['devices.id', 'devices.type', 'users.id as user_id', 'users.username'])
    .execute();
  return rows.map(({ id, type, user_id, username }) => ({
    id,
    type,
    user: { id: user_id, username },
    reason: faults.get(id)?.reason ?? '',
    at: new Date(faults.get(id)?.at ?? 0).toISOString(),
  }));
}

async function describeGone(
  goneDevices: readonly GoneDevice[],
  transaction: Transaction<Tables>,
  now: number,
): Promise<DeviceEvent[]> {
  if (goneDevices.length === 0) return [];
  const people = await transaction
    .selectFrom('users')
    .where('id', 'in', [...new Set(goneDevices.map(({ user_id }) => user_id))])
    .select(['id', 'username'])
    .execute();
  const names = new Map(people.map(({ id, username }) => [id, username]));
  return goneDevices.map(({ id, type, user_id }) => ({
    id,
    type,
    user: { id: user_id, username: names.get(user_id) ?? '' },
    reason: 'gone',
    at: new Date(now).toISOString(),
  }));
}
