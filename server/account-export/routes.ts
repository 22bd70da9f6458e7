import { inDownload } from '../http/downloads';
import type { AddRoute } from '../http/route';
import { describeError } from '../lib/log';
import type { Services } from '../services';
import { answerExport } from './export';

export function addAccountExportRoute(add: AddRoute, services: Services): void {
  add('GET /api/account/export', {
    action: 'account.export',
    answer: ({ user, transact, askAgain, cut }) =>
      inDownload(user.id, services.db, (leave) =>
        answerExport({ user, transact }, services, {
          ask: askAgain,
          report: (error) =>
            services.log.warn('the download of an account broke off', describeError(error)),
          cut,
          leave,
          db: services.db,
        }),
      ),
  });
}
