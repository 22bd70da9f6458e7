import type { Transaction } from 'kysely';
import { recordAudit } from '../../audit/record-audit';
import { recordLostDevices } from '../../db/device-reach/lost-devices';
import { removeUnusedPushServices } from '../../db/push-services';
import type { DeviceRow, Tables } from '../../db/schema';
import { sessionEndedError, latestSessionEnd, renewSession } from '../../http/access/session';
import type { Services } from '../../services';
import { removeAllPasskeys } from '../passkeys/remove-passkeys';
import type { AccountCaller } from './confirm-password';

/**
 * Ends all sessions and removes all devices and passkeys: a lost phone may have one. Each device's
 * app then deletes the person's data, and restoring a backup does not restore the sessions.
 * @returns the token of a new session, which ends when the present one would
 */
export async function signOutEverywhere(
  { user: { id }, transact, header }: AccountCaller,
  services: Services,
): Promise<string> {
  const now = services.now();
  const user = await transact(
    async (transaction) => {
      const row = await transaction
        .updateTable('users')
        .set((update) => ({ session_version: update('session_version', '+', 1) }))
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow(sessionEndedError);
      const devices = await removeAllDevices(id, 'signed_out', now, transaction);
      await removeAllPasskeys(id, transaction);
      await recordAudit({ action: 'account.signout', person: id }, transaction);
      await removeUnusedPushServices(devices, transaction);
      return row;
    },
    { isExclusive: true },
  );
  return renewSession(header('authorization'), user, services, true);
}

/**
 * Ends the devices' sessions, too, so each app deletes its data.
 * @returns the push services
 */
export async function removeAllDevices(
  userId: number,
  reason: 'signed_out' | 'removed',
  now: number,
  transaction: Transaction<Tables>,
): Promise<Pick<DeviceRow, 'service_id'>[]> {
  const deletedDevices = await transaction
    .deleteFrom('devices')
    .where('user_id', '=', userId)
    .returning(['service_id', 'session_id'])
    .execute();
  const sessions = new Set(deletedDevices.flatMap(({ session_id }) => session_id ?? []));
  if (sessions.size > 0)
    await transaction
      .insertInto('ended_sessions')
      .values(
        [...sessions].map((session_id) => ({
          session_id,
          user_id: userId,
          ends_at: latestSessionEnd(now),
        })),
      )
      .onConflict((conflict) => conflict.column('session_id').doNothing())
      .execute();
  if (deletedDevices.length > 0) await recordLostDevices([userId], reason, now, transaction);
  return deletedDevices;
}
