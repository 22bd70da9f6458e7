import type { ReactNode } from 'react';
import { errorMessage } from '../../api/error';
import { deleteTeam } from '../../state/teams/teams';
import { deleteTopic } from '../../state/topics/topics';
import { deleteUser } from '../../state/users/change-users';
import { DialogForm } from '../../ui/forms/DialogForm';
import { notify } from '../../ui/notices';

const DELETIONS = {
  topic: {
    remove: deleteTopic,
    noun: 'topic',
    title: 'Delete topic',
    failed: (name: string) => `Failed to delete topic ${name}.`,
    done: 'Topic deleted.',
    ends: '',
  },
  user: {
    remove: deleteUser,
    noun: 'user',
    title: 'Delete user',
    failed: (name: string) => `Failed to delete user ${name}.`,
    done: 'User deleted.',
    ends: '',
  },
  team: {
    remove: deleteTeam,
    noun: 'team',
    title: 'Delete team',
    failed: (name: string) => `Failed to delete team ${name}.`,
    done: 'Team deleted.',
    ends: ' Members lose topics and sending rights that they have only through this team. They keep their accounts.',
  },
} as const;

interface Props {
  kind: keyof typeof DELETIONS;
  id: number;
  /** The title or username. */
  name: string;
  disabled?: boolean;
  /** What else to know before. */
  children?: ReactNode;
  onClose: () => void;
  onDone: () => void;
}

export function DeletionDialog({
  kind,
  id,
  name,
  disabled = false,
  children,
  onClose,
  onDone,
}: Props) {
  const { remove, noun, title, failed, done, ends } = DELETIONS[kind];
  const fallback = failed(name);
  async function submit() {
    await remove(id, fallback);
    onDone();
    notify(done);
  }
  return (
    <DialogForm
      title={title}
      action="Delete"
      busyText="Deleting…"
      disabled={disabled}
      submit={submit}
      explain={(thrown) => errorMessage(thrown, fallback)}
      onClose={onClose}
      question={
        <>
          Are you sure you want to delete the {noun} "<bdi>{name}</bdi>"? This action cannot be
          undone.{ends}
        </>
      }
    >
      {children}
    </DialogForm>
  );
}
