import { MAX_LIMIT } from '../../../src/shared/contract/common';
import type { AddRoute } from '../../http/route';
import type { Services } from '../../services';
import { listInvitations } from './invitations';

export function addInvitationRoutes(add: AddRoute, services: Services): void {
  add('GET /api/admin/invitations', {
    action: 'users.invite',
    answer: ({ paging, query }) =>
      listInvitations(
        paging,
        { ids: readIds(query.get('ids')), withoutEmail: query.get('mail') === 'none' },
        services,
      ),
  });
}

/** As of every list: what is no id names nobody. */
const readIds = (text: string | null): number[] | undefined =>
  text === null || text === ''
    ? undefined
    : text
        .split(',', MAX_LIMIT)
        .map(Number)
        .filter((id) => Number.isSafeInteger(id) && id > 0);
