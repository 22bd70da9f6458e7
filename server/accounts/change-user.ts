import type { User } from '../../src/shared/contract';
import { foldCase } from '../../src/shared/case-fold';
import { recordAudit } from '../audit/record-audit';
import { databaseFault } from '../db/errors';
import { addJob } from '../db/jobs/jobs';
import type { Transact } from '../http/access/authority';
import type { Services } from '../services';
import { queueAccountMail } from './mail/mail-jobs';
import { deleteTokens } from './one-time-tokens';
import { deleteEmailChange } from './own-account/email';
import { findDuplicateField } from './registration/invitation';
import { changeUserUnderLock } from './users';

interface UserChange {
  username: string;
  email: string | undefined;
}

/**
 * A changed email must be verified again.
 * @throws HttpError 404; 409 if name or email is taken
 */
export async function changeUser(
  id: number,
  { username, email }: UserChange,
  transact: Transact,
  services: Services,
): Promise<User> {
  const { db, now, wakeMail } = services;
  const user = await changeUserUnderLock(
    id,
    async (formerUser, transaction) => {
      const emailKey = email === undefined ? null : foldCase(email);
      const isEmailChanged = emailKey !== formerUser.email_key;
      if (
        !isEmailChanged &&
        username === formerUser.username &&
        (email ?? null) === formerUser.email
      )
        return formerUser;
      const changedUser = await transaction
        .updateTable('users')
        .set({
          username,
          username_key: foldCase(username),
          email: email ?? null,
          email_key: emailKey,
          ...(isEmailChanged && { email_verified_at: null }),
        })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
      const changedFields = [
        username !== formerUser.username && 'Username',
        isEmailChanged && 'Email',
      ];
      const detail = changedFields.filter(Boolean).join(', ');
      await recordAudit({ action: 'user.change', person: id, detail }, transaction);
      if (!isEmailChanged) return changedUser;
      await deleteTokens(id, ['password-reset', 'email-verification'], transaction);
      await deleteEmailChange(id, transaction);
      if (changedUser.status !== 'ACTIVE') return changedUser;
      if (email !== undefined) await queueAccountMail('mail-verification', id, transaction, now());
      if (formerUser.email !== null)
        await addJob(
          { kind: 'mail-email-changed', subject: `${id} ${formerUser.email}` },
          transaction,
          now(),
        );
      return changedUser;
    },
    transact,
    services,
  ).catch(async (error: unknown) => {
    throw databaseFault(error) === 'duplicate'
      ? await findDuplicateField({ username, email }, db, id)
      : error;
  });
  wakeMail();
  return user;
}
