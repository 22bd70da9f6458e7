import type { User } from '../../src/shared/contract';
import type { Language } from '../../src/shared/languages';
import { recordAudit } from '../audit/record-audit';
import type { Transact } from '../http/access/authority';
import { conflictError } from '../http/errors';
import type { Services } from '../services';
import { changeUserUnderLock } from './users';

/** @throws HttpError 404; 409 for people who have registered: they choose for themselves */
export async function changeInvitationLanguage(
  id: number,
  language: Language | null,
  transact: Transact,
  services: Services,
): Promise<User> {
  return changeUserUnderLock(
    id,
    async (formerUser, transaction) => {
      if (formerUser.status !== 'PENDING')
        throw conflictError(
          'This user has registered. Registered users choose their own language.',
        );
      if (formerUser.language === language) return formerUser;
      await recordAudit({ action: 'user.change', person: id, detail: 'Language' }, transaction);
      return transaction
        .updateTable('users')
        .set({ language })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
    },
    transact,
    services,
  );
}
