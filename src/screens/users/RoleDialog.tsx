import { useState } from 'react';
import { errorMessage } from '../../api/error';
import type { User } from '../../shared/contract';
import { Select } from '../../ui/forms/Select';
import { DialogForm } from '../../ui/forms/DialogForm';
import { notify } from '../../ui/notices';
import { ROLE_OPTIONS, ROLE_NAMES } from '../user-labels';
import { changeRole, roleChangeFailed } from '../../state/users/change-users';

/** Changes a role, and explains what that means for administrators. */
export function RoleDialog({
  user,
  onClose,
  onDone,
}: {
  user: User;
  onClose: () => void;
  onDone: () => void;
}) {
  const [role, setRole] = useState(user.role);
  const privileges =
    role !== user.role &&
    (role === 'ADMIN' ? 'assign' : user.role === 'ADMIN' ? 'remove' : undefined);
  async function submit() {
    await changeRole(user, role);
    onDone();
    notify(`${user.username} now has the role ${ROLE_NAMES[role]}.`);
  }
  return (
    <DialogForm
      title={
        <>
          Change role of <bdi>{user.username}</bdi>
        </>
      }
      action="Change role"
      busyText="Changing…"
      danger={privileges === 'remove'}
      disabled={role === user.role}
      submit={submit}
      explain={(thrown) => errorMessage(thrown, roleChangeFailed(user))}
      onClose={onClose}
    >
      <Select label="Role" name="role" options={ROLE_OPTIONS} value={role} onChoose={setRole} />
      <p role="status">
        {privileges === 'assign' && (
          <>
            Are you sure you want to assign administrator privileges to "<bdi>{user.username}</bdi>
            "? They’ll be able to manage all users and topics and send messages.
          </>
        )}
        {privileges === 'remove' && (
          <>
            Are you sure you want to remove administrator privileges from "
            <bdi>{user.username}</bdi>"? They’ll no longer be able to manage users and topics.
          </>
        )}
      </p>
    </DialogForm>
  );
}
