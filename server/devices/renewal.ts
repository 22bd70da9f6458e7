import type { Transaction } from 'kysely';
import type { Device } from '../../src/shared/contract';
import { recordLostDevices } from '../db/device-reach/lost-devices';
import {
  findOrAddService,
  removeUnusedPushServices,
  getPushServiceName,
} from '../db/push-services';
import type { DeviceRow, Tables } from '../db/schema';
import type { Transact } from '../http/access/authority';
import { sessionEndedError } from '../http/access/session';
import { sha256 } from '../lib/sha256';
import type { Services } from '../services';
import { toDevice } from './devices';
import { updateDevice, retryOnTokenConflict } from './registration';
import { endSession } from './sign-out';

/** Another device with that token is removed: the browser is this device's now. */
export async function replaceToken(
  id: number,
  deviceToken: string,
  transact: Transact,
  { db, now }: Services,
): Promise<Device> {
  const token_hash = sha256(deviceToken);
  const { row, formerOwners } = await retryOnTokenConflict(() =>
    transact(async (transaction) => {
      const service_id = await findOrAddService(getPushServiceName(deviceToken), transaction);
      const deletedDevice = await transaction
        .deleteFrom('devices')
        .where('token_hash', '=', token_hash)
        .where('id', '!=', id)
        .returningAll()
        .execute();
      const formerDevice = await transaction
        .selectFrom('devices')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirstOrThrow(sessionEndedError);
      const ownDeleted = deletedDevice.find(({ user_id }) => user_id === formerDevice.user_id);
      const updatedDevice = await updateDevice(
        formerDevice,
        {
          token: deviceToken,
          token_hash,
          service_id,
          last_seen_at: now(),
          ...(ownDeleted && selectPageFields(ownDeleted, formerDevice)),
        },
        transaction,
      );
      const formerSessionDevices = await endFormerSession(
        formerDevice,
        updatedDevice,
        now(),
        transaction,
      );
      await removeUnusedPushServices([...deletedDevice, ...formerSessionDevices], transaction);
      return { row: updatedDevice, formerOwners: deletedDevice.map(({ user_id }) => user_id) };
    }),
  );
  await recordLostDevices(formerOwners, 'replaced', now(), db);
  return toDevice(row);
}

const selectPageFields = (row: DeviceRow, formerDevice: DeviceRow): Partial<DeviceRow> => ({
  registered_hash: row.registered_hash,
  ...(row.session_id !== null &&
    row.last_seen_at >= formerDevice.last_seen_at && { session_id: row.session_id }),
  installation_id: row.installation_id,
  installed: row.installed,
  model: row.model,
});

/** A stolen phone that takes over another device's subscription loses its own session. */
const endFormerSession = async (
  formerDevice: DeviceRow,
  { session_id, user_id }: DeviceRow,
  now: number,
  transaction: Transaction<Tables>,
): Promise<Pick<DeviceRow, 'service_id'>[]> =>
  formerDevice.session_id === null || formerDevice.session_id === session_id
    ? []
    : endSession(formerDevice.session_id, user_id, now, transaction);
