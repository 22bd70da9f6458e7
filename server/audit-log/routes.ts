import { respondWithDownload, CSV_TYPE } from '../http/downloads';
import type { AddRoute } from '../http/route';
import type { Services } from '../services';
import { listEntries, createAuditCsv } from './entries';
import { isUnfiltered, readAuditFilter } from './filter';
import { recordAudit } from '../audit/record-audit';

export function addAuditRoutes(add: AddRoute, services: Services): void {
  const { db, config, now } = services;
  add('GET /api/admin/audit', {
    action: 'audit.read',
    respond: async ({ paging, query }) => ({
      ...(await listEntries(paging, readAuditFilter(query, now()), db)),
      keptDays: config.auditDays,
    }),
  });
  add('GET /api/admin/audit.csv', {
    action: 'audit.export',
    respond: (call) => {
      const filter = readAuditFilter(call.query, now());
      const file = { type: CSV_TYPE, name: 'audit-log.csv' };
      return respondWithDownload(call, services, file, async () => {
        // The words are not recorded, because they may be a person's name.
        const detail = isUnfiltered(filter) ? '' : 'Search results only';
        await call.transact((transaction) =>
          recordAudit({ action: 'export', on: 'Audit log', detail }, transaction),
        );
        return createAuditCsv(filter, db);
      });
    },
  });
}
