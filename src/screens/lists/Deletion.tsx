import { errorMessage } from '../../api/error';
import { deleteTeam } from '../../state/teams/teams';
import { deleteTopic } from '../../state/topics/topics';
import { deleteUser } from '../../state/users/changes';
import { DialogForm } from '../../ui/forms/DialogForm';
import { notify } from '../../ui/notices';

const KINDS = {
  topic: { remove: deleteTopic, done: 'Topic deleted.', ends: '' },
  user: { remove: deleteUser, done: 'User deleted.', ends: '' },
  team: {
    remove: deleteTeam,
    done: 'Team deleted.',
    ends: ' Its members are unsubscribed from topics they have only through this team, and lose its right to send. They stay users.',
  },
} as const;

interface Props {
  kind: keyof typeof KINDS;
  id: number;
  /** The title or username. */
  name: string;
  onClose: () => void;
  onDone: () => void;
}

export function Deletion({ kind, id, name, onClose, onDone }: Props) {
  const { remove, done, ends } = KINDS[kind];
  const fallback = `Failed to delete ${kind} ${name}.`;
  async function send() {
    await remove(id, fallback);
    onDone();
    notify(done);
  }
  return (
    <DialogForm
      title={`Delete ${kind}`}
      action="Delete"
      meanwhile="Deleting..."
      send={send}
      explain={(thrown) => errorMessage(thrown, fallback)}
      onClose={onClose}
      question={
        <>
          Are you sure you want to delete the {kind} "<bdi>{name}</bdi>"? This action cannot be
          undone.{ends}
        </>
      }
    />
  );
}
