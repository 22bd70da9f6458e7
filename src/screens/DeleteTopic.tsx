import type { Topic } from '../contract';
import { DialogForm } from '../ui/DialogForm';
import { say } from '../ui/notices';
import { explain } from './load';
import { deleteFailed, deleteTopic } from './topic';

/** Asks before a topic is deleted. */
export function DeleteTopic({ topic, onClose, onDone }: { topic: Topic; onClose: () => void; onDone: () => void }) {
  async function send() {
    await deleteTopic(topic);
    onDone();
    say('Topic deleted.');
  }
  return (
    <DialogForm
      title="Delete topic"
      action="Delete"
      meanwhile="Deleting..."
      danger
      describedBy="question"
      send={send}
      explain={(thrown) => explain(thrown, deleteFailed(topic))}
      onClose={onClose}
    >
      <p id="question">
        Are you sure you want to delete the topic "<bdi>{topic.title}</bdi>"? This action cannot be undone.
      </p>
    </DialogForm>
  );
}
