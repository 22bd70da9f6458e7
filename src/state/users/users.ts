import { call } from '../../api/call';
import type { User } from '../../shared/contract';
import { userPageSchema, userSchema } from '../../shared/contract/accounts' with {
  type: 'example',
};
import type { PageOf, PageRequest } from '../read-all-pages';

export const USERS_FAILED = 'Failed to fetch users. You might not have the required permissions.';

export const CHECK_IN_OF_USER_FAILED = 'Failed to load the user’s check-in.';

/** Unlike the list, this includes the user's check-in. */
export const readUser = (id: number): Promise<User> =>
  call('GET /api/admin/users/:id', {
    params: { id },
    fallback: CHECK_IN_OF_USER_FAILED,
    like: userSchema,
  });

/** @param team a team's id, or empty for everyone */
export async function readUsers(request: PageRequest, team = ''): Promise<PageOf<User>> {
  const { users: rows, ...page } = await call('GET /api/admin/users', {
    query: { ...request, ...(team && { team: Number(team) }) },
    fallback: USERS_FAILED,
    like: userPageSchema,
  });
  return { rows, ...page };
}
