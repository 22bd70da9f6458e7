/** The filters of users, and a user's registration link. */
import type { Role, User, UserStatus } from '../../shared/contract';

/** Null for everybody who has registered. */
export const registrationLink = ({
  status,
  registrationToken,
}: Partial<Pick<User, 'status' | 'registrationToken'>>): string | null =>
  status === 'PENDING' && registrationToken && typeof registrationToken === 'string'
    ? `${location.origin}/register/${encodeURIComponent(registrationToken)}`
    : null;

/** Applied in the app: the server does not know them (S2.67). Empty means all. */
export interface Filters {
  status: UserStatus | '';
  role: Role | '';
}

export const matchesFilters =
  ({ status, role }: Filters) =>
  (user: User): boolean =>
    (!status || user.status === status) && (!role || user.role === role);
