/** Suspended people keep their name, subscriptions and history, but can't sign in or be notified. */
import type { User } from '../../src/shared/contract';
import { recordAudit } from '../audit/record-audit';
import { endCheckInOfSuspended } from '../check-ins/suspended';
import { removeUnusedPushServices } from '../db/push-services';
import { conflictError } from '../http/errors';
import type { Transact } from '../http/access/authority';
import type { Services } from '../services';
import { removeSignInMeans } from '../accounts/revoke-access';
import { removeAllDevices } from '../accounts/own-account/sign-out-everywhere';
import { changeUserUnderLock } from '../accounts/users';

/**
 * Suspends the account and signs the person out everywhere. Administrators cannot suspend themselves, so one remains.
 * @throws HttpError 404; 409 for the caller's own account
 */
export async function suspendUser(
  id: number,
  by: number,
  transact: Transact,
  services: Services,
): Promise<User> {
  const now = services.now();
  if (id === by) throw conflictError('You cannot suspend yourself.');
  const user = await changeUserUnderLock(
    id,
    async (formerUser, transaction) => {
      if (formerUser.suspended_at !== null) return formerUser;
      // This update locks the row. Changes by an older session commit before it, or fail after it.
      const suspendedUser = await transaction
        .updateTable('users')
        .set((update) => ({
          suspended_at: now,
          session_version: update('session_version', '+', 1),
        }))
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
      const devices = await removeAllDevices(id, 'removed', now, transaction);
      await removeSignInMeans(id, ['password-reset', 'email-verification'], transaction);
      await recordAudit({ action: 'user.suspend', person: id }, transaction);
      await endCheckInOfSuspended(id, transaction, now);
      await removeUnusedPushServices(devices, transaction);
      return suspendedUser;
    },
    transact,
    services,
  );
  services.wakeJobs();
  return user;
}

/**
 * Notifications resume once the person signs in again.
 * @throws HttpError 404
 */
export async function reinstate(id: number, transact: Transact, services: Services): Promise<User> {
  return changeUserUnderLock(
    id,
    async (formerUser, transaction) => {
      if (formerUser.suspended_at === null) return formerUser;
      await recordAudit({ action: 'user.reinstate', person: id }, transaction);
      return transaction
        .updateTable('users')
        .set({ suspended_at: null })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
    },
    transact,
    services,
  );
}
