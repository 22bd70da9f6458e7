import type { User } from '../../src/shared/contract';
import { recordAudit } from '../audit/record-audit';
import type { Transact } from '../http/access/authority';
import type { Services } from '../services';
import { changeUserUnderLock } from './users';

/**
 * The person's role and sessions stay as they are.
 * @throws HttpError 404
 */
export async function changeAuditor(
  id: number,
  isAuditor: boolean,
  transact: Transact,
  services: Services,
): Promise<User> {
  return changeUserUnderLock(
    id,
    async (formerUser, transaction) => {
      if ((formerUser.is_auditor === 1) === isAuditor) return formerUser;
      const detail = isAuditor ? 'Added' : 'Removed';
      await recordAudit({ action: 'user.auditor', person: id, detail }, transaction);
      return transaction
        .updateTable('users')
        .set({ is_auditor: isAuditor ? 1 : 0 })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
    },
    transact,
    services,
  );
}
