/** The audit log, as an administrator reads it. Nobody changes it. */
import { call } from '../../api/call';
import type { AuditEntry } from '../../shared/contract';
import { auditPage } from '../../shared/contract/audit' with { type: 'example' };
import type { PageOf, WantedPage } from '../pages';

export { describeAction } from '../../shared/audit-actions';

export const AUDIT_FAILED = 'Failed to fetch the audit log.';
export const EXPORT_FAILED = 'Failed to download the audit log.';

/** A year of entries takes a while on a slow network: milliseconds. */
const EXPORT_LIMIT_MS = 120_000;

/** A page of it, for how many days entries are kept, and how many were searched, if not all. */
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

/** All that a search finds, as a file for spreadsheets. @throws {ApiError} */
export const downloadAudit = (query: string): Promise<Blob> =>
  call('GET /api/admin/audit.csv', {
    query: { query },
    fallback: EXPORT_FAILED,
    limit: EXPORT_LIMIT_MS,
    read: (response) => response.blob(),
  });
