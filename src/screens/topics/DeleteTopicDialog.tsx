import type { Topic } from '../../shared/contract';
import { readCheckInSettings } from '../../state/check-ins/check-in-board';
import { readPolicies } from '../../state/setup/policies';
import { plural } from '../../platform/plural';
import { readSubscribers } from '../../state/topics/topics';
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
  const { value, loading } = useLoad(topic.id, readFacts, '');
  const { reason, subscribers = 0 } = value ?? {};
  if (!reason)
    return (
      <DeletionDialog
        kind="topic"
        id={topic.id}
        name={topic.title}
        disabled={loading}
        onClose={onClose}
        onDone={onDone}
      >
        {subscribers > 0 && (
          <p className="note" data-tone="warn">
            {plural(subscribers, {
              one: '1 person will no longer get messages about it.',
              other: `${subscribers.toLocaleString()} people will no longer get messages about it.`,
            })}
          </p>
        )}
      </DeletionDialog>
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

/** Why the server would refuse, if that is known, and how many people lose the topic. */
async function readFacts(id: number): Promise<{ reason?: string; subscribers?: number }> {
  const [alarms, policies, people] = await Promise.allSettled([
    readCheckInSettings(),
    readPolicies(),
    readSubscribers(id),
  ]);
  const policy =
    policies.status === 'fulfilled' &&
    policies.value.policies.find(({ steps }) => steps.some(({ topicId }) => topicId === id));
  if (policy)
    return {
      reason: `The policy “${policy.name}” notifies this topic. Please change the policy first.`,
    };
  if (alarms.status === 'fulfilled' && alarms.value.enabled && alarms.value.alarmTopicId === id)
    return {
      reason:
        'This topic receives check-in alarms. Please choose another topic in the check-in settings first.',
    };
  return people.status === 'fulfilled' ? { subscribers: people.value.length } : {};
}
