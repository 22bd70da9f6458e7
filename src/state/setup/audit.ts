/** The audit log, for administrators. Read-only. */
import { call } from '../../api/call';
import { findActionsByName, type AuditArea } from '../../shared/audit-actions';
import type { AuditEntry } from '../../shared/contract';
import { auditPageSchema } from '../../shared/contract/audit' with { type: 'example' };
import type { PageOf, PageRequest } from '../read-all-pages';

export { describeAction, type AuditArea } from '../../shared/audit-actions';

export const AUDIT_FAILED = 'Failed to load the audit log.';
export const AUDIT_EXPORT_FAILED = 'Failed to download the audit log.';

/** A year of entries on a slow network. */
const EXPORT_TIMEOUT_MS = 120_000;

/** `keptDays`: retention. `searched`: how many entries were searched, if not all. */
export interface AuditLog extends PageOf<AuditEntry> {
  keptDays: number;
  searched?: number;
}

/** An empty field includes everything. */
export interface AuditFilter {
  area: AuditArea | '';
  days: '1' | '7' | '30' | '';
}

/**
 * The server searches the actions' English names. In other languages, the app sends the codes of
 * matching actions.
 */
const toQuery = (query: string, { area, days }: AuditFilter) => {
  const actions = LANGUAGE === 'en' || !query ? '' : findActionsByName(query);
  return {
    query,
    ...(actions && { actions }),
    ...(area && { area }),
    ...(days && { days: Number(days) as 1 | 7 | 30 }),
  };
};

/** @throws {ApiError} */
export async function readAudit(request: PageRequest, filter: AuditFilter): Promise<AuditLog> {
  const { entries: rows, ...page } = await call('GET /api/admin/audit', {
    query: { ...request, ...toQuery(request.query, filter) },
    fallback: AUDIT_FAILED,
    like: auditPageSchema,
  });
  return { rows, ...page };
}

/**
 * Downloads all matching entries as CSV.
 * @throws {ApiError}
 */
export const downloadAudit = (query: string, filter: AuditFilter): Promise<Blob> =>
  call('GET /api/admin/audit.csv', {
    query: toQuery(query, filter),
    fallback: AUDIT_EXPORT_FAILED,
    limit: EXPORT_TIMEOUT_MS,
    read: (response) => response.blob(),
  });
