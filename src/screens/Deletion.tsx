import { call, sentence } from '../api';
import { DialogForm } from '../ui/DialogForm';
import { say } from '../ui/notices';

/** What can be deleted for good. */
const KINDS = {
  topic: { endpoint: 'DELETE /api/admin/topics/:id', done: 'Topic deleted.' },
  user: { endpoint: 'DELETE /api/admin/users/:id', done: 'User deleted.' },
} as const;

interface Props {
  kind: keyof typeof KINDS;
  id: number;
  /** As people know it: the title or the username. */
  name: string;
  onClose: () => void;
  onDone: () => void;
}

/** Asks before something is deleted for good, and deletes it. */
export function Deletion({ kind, id, name, onClose, onDone }: Props) {
  const { endpoint, done } = KINDS[kind];
  const fallback = `Failed to delete ${kind} ${name}.`;
  async function send() {
    await call(endpoint, { params: { id }, fallback });
    onDone();
    say(done);
  }
  return (
    <DialogForm title={`Delete ${kind}`} action="Delete" meanwhile="Deleting..." danger describedBy="question" send={send} explain={(thrown) => sentence(thrown, fallback)} onClose={onClose}>
      <p id="question">
        Are you sure you want to delete the {kind} "<bdi>{name}</bdi>"? This action cannot be undone.
      </p>
    </DialogForm>
  );
}
