/** The filters of users, and a user's registration link. */
import type { Role, User, UserStatus } from '../../shared/contract';

/** The link is null for everyone who has registered. */
export const getRegistrationLink = ({
  status,
  registrationToken,
}: Partial<Pick<User, 'status' | 'registrationToken'>>): string | null =>
  status === 'PENDING' && registrationToken && typeof registrationToken === 'string'
    ? `${location.origin}/register/${encodeURIComponent(registrationToken)}`
    : null;

/** A suspended user keeps their status, which counts again once they are reinstated. */
export type ShownStatus = UserStatus | 'SUSPENDED';

export const shownStatus = ({ status, suspendedAt }: User): ShownStatus =>
  suspendedAt ? 'SUSPENDED' : status;

/** Applied in the app: the server does not know them (S2.67). Empty means all. */
export interface UserFilters {
  status: ShownStatus | '';
  role: Role | '';
}

export const matchesFilters =
  ({ status, role }: UserFilters) =>
  (user: User): boolean =>
    (!status || shownStatus(user) === status) && (!role || user.role === role);
