import { record } from '../audit/record';
import { inDownload } from '../http/downloads';
import { readWords } from '../http/paging';
import type { AddRoute } from '../http/route';
import { describeError } from '../lib/log';
import type { Services } from '../services';
import { answerCsv } from './csv';
import { listEntries } from './entries';

export function addAuditRoutes(add: AddRoute, services: Services): void {
  const { db, config, log } = services;
  add('GET /api/admin/audit', {
    action: 'audit.read',
    answer: async ({ paging, query }) => ({
      ...(await listEntries(paging, readWords(query), db)),
      keptDays: config.auditDays,
    }),
  });
  add('GET /api/admin/audit.csv', {
    action: 'audit.export',
    answer: ({ query, askAgain, transact, user, cut }) =>
      inDownload(user.id, db, async (leave) => {
        const words = readWords(query);
        // Not what was looked for: it may be a person's name.
        const detail = words.length === 0 ? '' : 'What a search found';
        await transact((transaction) =>
          record({ action: 'export', on: 'Audit log', detail }, transaction),
        );
        return answerCsv(words, db, {
          ask: askAgain,
          report: (error) => log.warn('an audit log broke off', describeError(error)),
          cut,
          leave,
          db,
        });
      }),
  });
}
