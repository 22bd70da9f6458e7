/** The audit log, for administrators. Read-only. */
import { call } from '../../api/call';
import type { AuditEntry } from '../../shared/contract';
import { auditPage } from '../../shared/contract/audit' with { type: 'example' };
import type { PageOf, WantedPage } from '../pages';

export { describeAction } from '../../shared/audit-actions';

export const AUDIT_FAILED = 'Failed to fetch the audit log.';
export const EXPORT_FAILED = 'Failed to download the audit log.';

/** A year of entries on a slow network. */
const EXPORT_LIMIT_MS = 120_000;

/** `keptDays`: retention. `searched`: how many entries were searched, if not all. */
export interface AuditLog extends PageOf<AuditEntry> {
  keptDays: number;
  searched?: number;
}

/** @throws {ApiError} */
export async function readAudit(query: WantedPage): Promise<AuditLog> {
  const { entries: rows, ...page } = await call('GET /api/admin/audit', {
    query,
    fallback: AUDIT_FAILED,
    like: auditPage,
  });
  return { rows, ...page };
}

/** All matches as CSV. @throws {ApiError} */
export const downloadAudit = (query: string): Promise<Blob> =>
  call('GET /api/admin/audit.csv', {
    query: { query },
    fallback: EXPORT_FAILED,
    limit: EXPORT_LIMIT_MS,
    read: (response) => response.blob(),
  });
