import type { Body } from '../../../src/shared/contract';
import { recordAudit } from '../../audit/record-audit';
import { sessionEndedError, renewSession } from '../../http/access/session';
import type { Services } from '../../services';
import { deleteTokens } from '../one-time-tokens';
import { removeAllPasskeys } from '../passkeys/remove-passkeys';
import { hashPassword } from '../passwords/passwords';
import { confirmPassword } from './confirm-password';
import type { AccountCaller } from './confirm-password';
import { deleteEmailChange } from './email';

/**
 * Ends all other sessions and all passkeys; devices stay.
 * @returns this session's new token.
 * @throws HttpError 403 for a wrong password; 429
 */
export async function changePassword(
  { current, password }: Body<'PUT /api/account/password'>,
  { user, transact, header, address }: AccountCaller,
  services: Services,
): Promise<string> {
  await confirmPassword({ user, address }, current, 'current', services);
  // The hash is computed before the transaction, because it takes long.
  const passwordHash = await hashPassword(password);
  const changedUser = await transact(
    async (transaction) => {
      const row = await transaction
        .updateTable('users')
        .set((update) => ({
          password_hash: passwordHash,
          session_version: update('session_version', '+', 1),
        }))
        .where('id', '=', user.id)
        .returningAll()
        .executeTakeFirstOrThrow(sessionEndedError);
      await deleteTokens(user.id, ['password-reset'], transaction);
      await removeAllPasskeys(user.id, transaction);
      await deleteEmailChange(user.id, transaction);
      await recordAudit({ action: 'account.password', person: user.id }, transaction);
      return row;
    },
    { isExclusive: true },
  );
  return renewSession(header('authorization'), changedUser, services);
}
