/** Who acts, for the audit log, where nobody is signed in yet: by a password, a mailed link, a code. */
import type { Transaction } from 'kysely';
import type { AuditAction } from '../../src/shared/audit-actions';
import { actAs, record } from '../audit/record';
import type { Author } from '../audit/record';
import type { Tables } from '../db/schema';
import { addressNetwork } from '../http/connections/address';
import type { Services } from '../services';

/** Where and when somebody acts, whoever it is. */
export const authorOf = (from: string, { now }: Pick<Services, 'now'>): Omit<Author, 'by'> => ({
  network: addressNetwork(from),
  at: now(),
});

/** Records what people did to their own account; what follows in this transaction is theirs, too. */
export function recordOwn(
  action: AuditAction,
  person: number,
  author: Omit<Author, 'by'>,
  transaction: Transaction<Tables>,
  detail = '',
): Promise<void> {
  actAs({ ...author, by: { person } }, transaction);
  return record({ action, person, detail }, transaction);
}
