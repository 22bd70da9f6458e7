/** How a device gets another token. */
import type { Transaction } from 'kysely';
import type { Device } from '../../src/shared/contract';
import { recordLostDevices } from '../db/device-reach/lost-devices';
import { findService, removeServicesOf, serviceOf } from '../db/push-services';
import type { DeviceRow, Tables } from '../db/schema';
import type { Transact } from '../http/access/authority';
import { sessionEnded } from '../http/access/session';
import { sha256 } from '../lib/sha256';
import type { Services } from '../services';
import { toDevice } from './devices';
import { replaceIn, whileTaken } from './registration';
import { endSession } from './sign-out';

/**
 * Gives a device another token, under the same id and key. A device that had the token goes: that of
 * somebody else, since the browser is this person's now, or a second one of the same browser.
 * @throws HttpError 401
 */
export async function replaceToken(
  id: number,
  deviceToken: string,
  transact: Transact,
  { db, now }: Services,
): Promise<Device> {
  const token_hash = sha256(deviceToken);
  const { row, losers } = await whileTaken(() =>
    transact(async (transaction) => {
      const service_id = await findService(serviceOf(deviceToken), transaction);
      const gone = await transaction
        .deleteFrom('devices')
        .where('token_hash', '=', token_hash)
        .where('id', '!=', id)
        .returningAll()
        .execute();
      const before = await transaction
        .selectFrom('devices')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirstOrThrow(sessionEnded);
      const own = gone.find(({ user_id }) => user_id === before.user_id);
      const kept = await replaceIn(
        before,
        {
          token: deviceToken,
          token_hash,
          service_id,
          last_seen_at: now(),
          ...(own && saidBy(own, before)),
        },
        transaction,
      );
      const others = await endFormer(before, kept, now(), transaction);
      await removeServicesOf([...gone, ...others], transaction);
      return { row: kept, losers: gone.map(({ user_id }) => user_id) };
    }),
  );
  await recordLostDevices(losers, 'replaced', now(), db);
  return toDevice(row);
}

/**
 * What a page that was faster said of its device, by which token, and, if that is the latest of it,
 * in which session.
 */
const saidBy = (row: DeviceRow, before: DeviceRow): Partial<DeviceRow> => ({
  registered_hash: row.registered_hash,
  ...(row.session_id !== null &&
    row.last_seen_at >= before.last_seen_at && { session_id: row.session_id }),
  installation_id: row.installation_id,
  installed: row.installed,
  model: row.model,
});

/**
 * A browser has one session: where its page has begun another, the one before ends. A stolen phone
 * that takes the subscription of another device of its person, so that signing it out would end the
 * session there instead of its own, has lost its own by that.
 * @returns the devices that went with it
 */
const endFormer = async (
  before: DeviceRow,
  { session_id, user_id }: DeviceRow,
  now: number,
  transaction: Transaction<Tables>,
): Promise<Pick<DeviceRow, 'service_id'>[]> =>
  before.session_id === null || before.session_id === session_id
    ? []
    : endSession(before.session_id, user_id, now, transaction);
