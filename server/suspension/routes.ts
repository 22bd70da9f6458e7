import { NO_SUCH_USER } from '../accounts/users';
import type { AddRoute } from '../http/route';
import { readId } from '../http/route';
import type { Services } from '../services';
import { reinstate, suspendUser } from './suspension';

export function addSuspensionRoutes(add: AddRoute, services: Services): void {
  add('POST /api/admin/users/:id/suspend', {
    action: 'users.change',
    respond: ({ params, user, transact }) =>
      suspendUser(readId(params.id, NO_SUCH_USER), user.id, transact, services),
  });
  add('POST /api/admin/users/:id/reinstate', {
    action: 'users.change',
    respond: ({ params, transact }) =>
      reinstate(readId(params.id, NO_SUCH_USER), transact, services),
  });
}
