import type { User } from '../../shared/contract';
import { createPhoneLinkFor } from '../../state/account/new-phone';
import { lazy } from '../../ui/lazy';
import { RegistrationLink } from './RegistrationLink';
import { RoleDialog } from './RoleDialog';
import { ConfirmDialog } from './ConfirmDialog';
import { DeleteUserDialog } from './DeleteUserDialog';
import { SuspendDialog } from './SuspendDialog';
import { TeamsDialog } from './TeamsDialog';
import { UserEdit } from './UserEdit';
import { UserForm } from './UserForm';
import type { UserAction } from './UserTable';

const PhoneLinkDialog = lazy(() =>
  import('../new-phone/PhoneLinkDialog').then((module) => module.PhoneLinkDialog),
);

export type OpenUserDialog =
  | { dialog: 'add' }
  | { dialog: Exclude<UserAction, 'reinstate'>; user: User };

interface Props {
  open: OpenUserDialog;
  onClose: () => void;
  /** Called after a change; `gone` was deleted. */
  onDone: (gone?: User) => void;
}

/** The list's dialogs, which load after the list. */
export function UserDialogs({ open, onClose, onDone }: Props) {
  if (open.dialog === 'add') return <UserForm onClose={onClose} onDone={onDone} />;
  const { dialog, user } = open;
  if (dialog === 'edit') return <UserEdit user={user} onClose={onClose} onDone={onDone} />;
  if (dialog === 'role') return <RoleDialog user={user} onClose={onClose} onDone={onDone} />;
  if (dialog === 'link') return <RegistrationLink user={user} onClose={onClose} />;
  if (dialog === 'teams') return <TeamsDialog user={user} onClose={onClose} onDone={onDone} />;
  if (dialog === 'phone')
    return (
      <PhoneLinkDialog
        title={
          <>
            New phone for <bdi>{user.username}</bdi>
          </>
        }
        create={() => createPhoneLinkFor(user.id)}
        onClose={onClose}
      >
        Let <bdi>{user.username}</bdi> scan this code with the new phone’s camera. The code signs
        the phone in, so don’t show it to anyone else. The audit log records that you created the
        code.
      </PhoneLinkDialog>
    );
  if (dialog === 'suspend') return <SuspendDialog user={user} onClose={onClose} onDone={onDone} />;
  if (dialog === 'delete')
    return <DeleteUserDialog user={user} onClose={onClose} onDone={() => onDone(user)} />;
  return <ConfirmDialog change={dialog} user={user} onClose={onClose} onDone={onDone} />;
}
