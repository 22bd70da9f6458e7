/** Finds out whose receipts a request reports: by its login token, or its device key. */
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import type { Receipt } from '../../src/shared/contract';
import { addReach, hasReach } from '../db/device-reach/device-reach';
import { lockForShare } from '../db/lock';
import { idList, jsonTableOfList } from '../db/json-table';
import type { DeviceRow, Tables, UserRow } from '../db/schema';
import { isDeviceKeyValid } from '../http/access/device-key';
import { provesDisplay } from './device-receipts';
import { findSignedOut, isTokenCurrent } from '../http/access/session';
import type { SessionClaims } from '../http/access/session';
import type { UncheckedCaller } from '../http/access/caller';
import type { Services } from '../services';

export interface ReceiptReport {
  claimed: UncheckedCaller;
  receipts: readonly Receipt[];
  /** Arrival, in milliseconds since 1970. */
  at: number;
}

/** The person, and the devices whose tests they may report on. */
export interface ReceiptAuthor {
  userId: number;
  /** The key's device, or those that the session registered last. */
  deviceIds: readonly number[];
}

/** Receipts of devices: a page passes on those that its worker could not send. */
export const DEVICE_RECEIPTS: readonly Receipt['kind'][] = ['received', 'displayed', 'refused'];

/** Locks people, then devices, by id: a deletion or a new password comes before or after. */
export async function findReceiptAuthors(
  reports: readonly ReceiptReport[],
  transaction: Transaction<Tables>,
  services: Services,
): Promise<(ReceiptAuthor | undefined)[]> {
  const callers = reports.map((report) => report.claimed);
  const sessions = callers.flatMap((caller) => ('session' in caller ? [caller.session.id] : []));
  const keys = callers.flatMap((caller) => ('key' in caller ? [caller.key.deviceId] : []));
  // All ids are in one list, so that the database uses the index.
  const ids = sql<number>`(select id from ${idList(sessions)} as given
    union select user_id from devices where id in ${idList(keys)})`;
  const users = await lockForShare(
    transaction
      .selectFrom('users')
      .select(['id', 'role', 'session_version', 'status', 'suspended_at'])
      .where('id', 'in', ids)
      .orderBy('id'),
    transaction,
  ).execute();
  const reportingSessions = reports.flatMap((report) =>
    'session' in report.claimed &&
    report.receipts.some(({ kind }) => DEVICE_RECEIPTS.includes(kind))
      ? [report.claimed.session]
      : [],
  );
  const devices = await lockDevices(keys, reportingSessions, transaction);
  const sids = callers.flatMap((caller) => ('session' in caller ? caller.session.sid : []));
  const signedOut = await findSignedOut(sids, transaction);
  type ReportingPerson = Pick<
    UserRow,
    'id' | 'role' | 'session_version' | 'status' | 'suspended_at'
  >;
  const usersById = new Map<number, ReportingPerson>(users.map((user) => [user.id, user]));
  const devicesById = new Map(devices.map((device) => [device.id, device]));
  const deviceIdsWithoutReach: number[] = [];
  const authors = reports.map(({ claimed: caller, receipts }) => {
    if ('session' in caller) {
      const user = usersById.get(caller.session.id);
      if (user === undefined || !isTokenCurrent(caller.session, user)) return undefined;
      if (signedOut.has(caller.session.sid)) return undefined;
      const sessionDevices = devices.filter((each) => isOfSession(each, caller.session));
      // A receipt from a session proves something about a device only if it reports a displayed test.
      if (receipts.some(({ kind }) => kind === 'displayed'))
        deviceIdsWithoutReach.push(
          ...sessionDevices.flatMap((each) => (each.hasReach ? [] : each.id)),
        );
      return { userId: user.id, deviceIds: sessionDevices.map(({ id }) => id) };
    }
    const device = devicesById.get(caller.key.deviceId);
    if (device === undefined || !isDeviceKeyValid(caller.key, device, services)) return undefined;
    if (!device.hasReach && receipts.some(provesDisplay)) deviceIdsWithoutReach.push(device.id);
    return usersById.get(device.user_id)?.status === 'ACTIVE'
      ? { userId: device.user_id, deviceIds: [device.id] }
      : undefined;
  });
  await addReach(deviceIdsWithoutReach, transaction);
  return authors;
}

type LockedDevice = Pick<DeviceRow, 'id' | 'user_id' | 'key_nonce' | 'session_id'> & {
  hasReach: boolean | 0 | 1;
};

async function lockDevices(
  keys: readonly number[],
  sessions: readonly SessionClaims[],
  transaction: Transaction<Tables>,
): Promise<LockedDevice[]> {
  if (keys.length === 0 && sessions.length === 0) return [];
  const sids = sql`(select value->>0 from ${jsonTableOfList(sessions.map(({ sid }) => [sid]))})`;
  const ids = sql<number>`(select id from ${idList(keys)} as given
    union select id from devices where user_id in ${idList(sessions.map(({ id }) => id))} and session_id in ${sids})`;
  return lockForShare(
    transaction
      .selectFrom('devices')
      .select(['id', 'user_id', 'key_nonce', 'session_id', hasReach.as('hasReach')])
      .where('id', 'in', sessions.length === 0 ? idList(keys) : ids)
      .orderBy('id'),
    transaction,
  ).execute();
}

const isOfSession = (device: LockedDevice, { id, sid }: SessionClaims): boolean =>
  device.session_id === sid && device.user_id === id;
