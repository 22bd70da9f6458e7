import type { Transaction } from 'kysely';
import { recordLostDevices } from '../db/device-reach/lost-devices';
import { removeUnusedPushServices } from '../db/push-services';
import type { Tables, TokenPurpose } from '../db/schema';
import { deleteTokens } from './one-time-tokens';
import { deleteEmailChange } from './own-account/email';
import { removeAllPasskeys } from './passkeys/remove-passkeys';

/**
 * @param links mailed links that end.
 * @returns whether the account exists and is active
 */
export async function revokeAccess(
  id: number,
  change: { password_hash: string | null; email_verified_at?: number },
  links: readonly TokenPurpose[],
  now: number,
  transaction: Transaction<Tables>,
): Promise<boolean> {
  // This update locks the row first: an older session's change comes before all of this, or fails.
  const endedUser = await transaction
    .updateTable('users')
    .set((update) => ({ ...change, session_version: update('session_version', '+', 1) }))
    .where('id', '=', id)
    .where('status', '=', 'ACTIVE')
    .returning('id')
    .executeTakeFirst();
  if (endedUser === undefined) return false;
  const devices = transaction.deleteFrom('devices').where('user_id', '=', id);
  const removedDevices = await devices.returning('service_id').execute();
  if (removedDevices.length > 0) await recordLostDevices([id], 'signed_out', now, transaction);
  await removeSignInMeans(id, links, transaction);
  await removeUnusedPushServices(removedDevices, transaction);
  return true;
}

/** Removes known browsers, passkeys, mailed links and a requested email change. */
export async function removeSignInMeans(
  id: number,
  links: readonly TokenPurpose[],
  transaction: Transaction<Tables>,
): Promise<void> {
  await transaction.deleteFrom('known_clients').where('user_id', '=', id).execute();
  await removeAllPasskeys(id, transaction);
  await deleteTokens(id, links, transaction);
  await deleteEmailChange(id, transaction);
}
