import type { User } from '../contract';
import { DialogForm } from '../ui/DialogForm';
import { say } from '../ui/notices';
import { explain } from './load';
import { deleteFailed, deleteUser } from './user';

/** Asks before a user is deleted. */
export function DeleteUser({ user, onClose, onDone }: { user: User; onClose: () => void; onDone: () => void }) {
  async function send() {
    await deleteUser(user);
    onDone();
    say('User deleted.');
  }
  return (
    <DialogForm
      title="Delete user"
      action="Delete"
      meanwhile="Deleting..."
      danger
      describedBy="question"
      send={send}
      explain={(thrown) => explain(thrown, deleteFailed(user))}
      onClose={onClose}
    >
      <p id="question">
        Are you sure you want to delete the user "<bdi>{user.username}</bdi>"? This action cannot be undone.
      </p>
    </DialogForm>
  );
}
