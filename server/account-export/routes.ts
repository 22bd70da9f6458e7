import { inDownload } from '../http/downloads';
import { authorize } from '../http/route';
import type { AddRoute } from '../http/route';
import { describeError } from '../lib/log';
import type { Services } from '../services';
import { answerExport } from './export';

export function addAccountExportRoute(add: AddRoute, services: Services): void {
  add('GET /api/account/export', {
    access: 'user',
    answer: ({ user, transact, header, cut }) =>
      inDownload(user.id, services.db, (leave) =>
        answerExport({ user, transact }, services, {
          ask: () => authorize('user', header('authorization'), services),
          report: (error) =>
            services.log.warn('the download of an account broke off', describeError(error)),
          cut,
          leave,
          db: services.db,
        }),
      ),
  });
}
