import type { Topic } from '../../shared/contract';
import { readCheckInSettings } from '../../state/check-ins/check-in-board';
import { readPolicies } from '../../state/setup/policies';
import { Dialog } from '../../ui/forms/Dialog';
import { DeletionDialog } from '../lists/DeletionDialog';
import { useLoad } from '../lists/use-load';

interface Props {
  topic: Topic;
  onClose: () => void;
  onDone: () => void;
}

/** The server keeps topics that a policy notifies or that receive check-in alarms. */
export function DeleteTopicDialog({ topic, onClose, onDone }: Props) {
  const { value: reason, loading } = useLoad(topic.id, findReason, '');
  if (!reason)
    return (
      <DeletionDialog
        kind="topic"
        id={topic.id}
        name={topic.title}
        disabled={loading}
        onClose={onClose}
        onDone={onDone}
      />
    );
  return (
    <Dialog title="You can’t delete this topic yet" onClose={onClose}>
      <p className="note" data-tone="warn" role="status">
        {reason}
      </p>
      <div className="foot bar">
        <div>
          <button type="button" className="quiet" onClick={onClose}>
            Close
          </button>
        </div>
      </div>
    </Dialog>
  );
}

/** Why the server would refuse; empty if nothing is known against it. */
async function findReason(id: number): Promise<string> {
  const [alarms, policies] = await Promise.allSettled([readCheckInSettings(), readPolicies()]);
  const policy =
    policies.status === 'fulfilled' &&
    policies.value.policies.find(({ steps }) => steps.some(({ topicId }) => topicId === id));
  if (policy)
    return `The policy “${policy.name}” notifies this topic. Please change the policy first.`;
  if (alarms.status === 'fulfilled' && alarms.value.enabled && alarms.value.alarmTopicId === id)
    return 'This topic receives check-in alarms. Please choose another topic in the check-in settings first.';
  return '';
}
