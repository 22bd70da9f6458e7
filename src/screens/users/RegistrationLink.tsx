import type { User } from '../../shared/contract';
import { lazy } from '../../ui/lazy';
import { getRegistrationLink } from './user-filters';

const ManualCopyDialog = lazy(() =>
  import('../lists/ManualCopyDialog').then((module) => module.ManualCopyDialog),
);

/** Loaded on demand: most browsers let the app copy. */
export const RegistrationLink = ({
  user,
  onClose,
}: {
  user: Pick<User, 'username'> & Partial<Pick<User, 'status' | 'registrationToken'>>;
  onClose: () => void;
}) => (
  <ManualCopyDialog
    title="Registration link"
    text={getRegistrationLink(user) ?? ''}
    onClose={onClose}
  >
    Copy the selected link for {<bdi>{user.username}</bdi>}.
  </ManualCopyDialog>
);
