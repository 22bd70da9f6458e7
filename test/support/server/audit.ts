/** The audit log as an administrator reads it. */
import type { AuditEntry } from '../../../src/shared/contract';
import { actAs, recordAudit } from '../../../server/audit/record-audit';
import type { AuditAuthor, NewEntry } from '../../../server/audit/record-audit';
import { inTransaction } from '../../../server/db/transaction';
import type { Person, TestServer } from './server';

/** The entries, newest first. */
export async function readAuditLog(
  server: TestServer,
  as: Person,
  query = '',
): Promise<AuditEntry[]> {
  const { body } = await server.call('GET /api/admin/audit', {
    as,
    query: { query, limit: 100 },
  });
  return body.entries;
}

/** Each entry as `actor action target: detail`, newest first. */
export const readAuditLines = async (
  server: TestServer,
  as: Person,
  query = '',
): Promise<string[]> =>
  (await readAuditLog(server, as, query)).map(({ actor, action, target, detail }) =>
    [actor, action, target]
      .join(' ')
      .trim()
      .concat(detail && `: ${detail}`),
  );

export const writeAuditEntries = (
  server: TestServer,
  entries: NewEntry | readonly NewEntry[],
  author: Partial<AuditAuthor> = {},
): Promise<void> =>
  inTransaction(server.services.db, (transaction) => {
    actAs({ by: { name: 'key: test' }, at: server.clock.now, ...author }, transaction);
    return recordAudit(entries, transaction);
  });
