import { call } from '../../api/call';
import type { User } from '../../shared/contract';
import { userPage } from '../../shared/contract/accounts' with { type: 'example' };
import type { PageOf, PageRequest } from '../pages';

export const USERS_FAILED = 'Failed to fetch users. You might not have the required permissions.';

export async function readUsers(query: PageRequest): Promise<PageOf<User>> {
  const { users: rows, ...page } = await call('GET /api/admin/users', {
    query,
    fallback: USERS_FAILED,
    like: userPage,
  });
  return { rows, ...page };
}
