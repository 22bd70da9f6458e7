/** What the users screen asks of the server, and what narrows the page that is shown. */
import { call } from '../api';
import type { Role, User, UserStatus } from '../contract';
import { newUser, user, userPage } from '../admin-shapes';
import { once } from './once';
import type { PageOf, Wanted } from './pages';

export const FETCH_FAILED = 'Failed to fetch users. You might not have the required permissions.';

export async function readUsers(query: Wanted): Promise<PageOf<User>> {
  const { users: rows, ...page } = await call('GET /api/admin/users', { query, fallback: FETCH_FAILED, like: userPage });
  return { rows, ...page };
}

export const ADD_FAILED = 'Failed to add user.';

/** Adds somebody, once however often that is tried. @returns the link with which the new person chooses a password */
export async function addUser({ username, email, role }: { username: string; email: string; role: Role }): Promise<string> {
  const body = { username, role, ...(email ? { email } : undefined) };
  const answer = await once(JSON.stringify(body), (idempotencyKey) => call('POST /api/admin/users', { body, idempotencyKey, fallback: ADD_FAILED, like: newUser }));
  return answer.registrationLink;
}

export const roleFailed = ({ id }: User): string => `Failed to update role for user ${id}.`;

export async function changeRole(changed: User, role: Role): Promise<void> {
  await call('PUT /api/admin/users/:id/role', { params: { id: changed.id }, body: { role }, fallback: roleFailed(changed), like: user });
}

/** The link of somebody who has not registered yet, or null. */
export const registrationLink = ({ status, registrationToken }: User): string | null =>
  status === 'PENDING' && registrationToken && typeof registrationToken === 'string' ? `${location.origin}/register/${encodeURIComponent(registrationToken)}` : null;

/** These stay on the screen: the server is not asked with them (specification, section 2). Empty means all. */
export interface Filters {
  status: UserStatus | '';
  role: Role | '';
}

export const narrow = (rows: readonly User[], { status, role }: Filters): User[] =>
  rows.filter((row) => (!status || row.status === status) && (!role || row.role === role));
