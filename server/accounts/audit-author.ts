/** The author of audit entries before a sign-in: by password, mailed link or code. */
import type { Transaction } from 'kysely';
import type { AuditAction } from '../../src/shared/audit-actions';
import { actAs, recordAudit } from '../audit/record-audit';
import type { AuditAuthor } from '../audit/record-audit';
import type { Tables } from '../db/schema';
import { auditNetwork } from '../http/connections/client-address';
import type { Services } from '../services';

export const createAuditAuthor = (
  callerAddress: string,
  { now }: Pick<Services, 'now'>,
): Omit<AuditAuthor, 'by'> => ({
  network: auditNetwork(callerAddress),
  at: now(),
});

/** Records a person's change of their account, and sets the author of later entries. */
export function recordOwnAction(
  action: AuditAction,
  person: number,
  author: Omit<AuditAuthor, 'by'>,
  transaction: Transaction<Tables>,
  detail = '',
): Promise<void> {
  actAs({ ...author, by: { person } }, transaction);
  return recordAudit({ action, person, detail }, transaction);
}
