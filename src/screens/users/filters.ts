/** What narrows the list of users, and the link that one of them still needs. */
import type { Role, User, UserStatus } from '../../shared/contract';

/** The link of somebody who has not registered yet, or null. */
export const registrationLink = ({
  status,
  registrationToken,
}: Partial<Pick<User, 'status' | 'registrationToken'>>): string | null =>
  status === 'PENDING' && registrationToken && typeof registrationToken === 'string'
    ? `${location.origin}/register/${encodeURIComponent(registrationToken)}`
    : null;

/**
 * These stay on the screen: the server is not asked with them (S2.67). Empty
 * means all.
 */
export interface Filters {
  status: UserStatus | '';
  role: Role | '';
}

export const matcher =
  ({ status, role }: Filters) =>
  (user: User): boolean =>
    (!status || user.status === status) && (!role || user.role === role);
