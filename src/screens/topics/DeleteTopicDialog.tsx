import type { Topic } from '../../shared/contract';
import { readCheckInSettings } from '../../state/check-ins/check-in-board';
import { readHeartbeatsOfTopic } from '../../state/topics/heartbeats';
import { readTopicKeys } from '../../state/topics/keys';
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
  const { reason, subscribers = 0, heartbeats = 0, keys = 0 } = value ?? {};
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
        {heartbeats > 0 && (
          <p className="note" data-tone="warn">
            {plural(heartbeats, {
              one: '1 machine will no longer be watched.',
              other: `${heartbeats.toLocaleString()} machines will no longer be watched.`,
            })}
          </p>
        )}
        {keys > 0 && (
          <p className="note" data-tone="warn">
            {plural(keys, {
              one: '1 topic key will be revoked.',
              other: `${keys.toLocaleString()} topic keys will be revoked.`,
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

interface Facts {
  /** Why the server would refuse, if that is known. */
  reason?: string;
  subscribers?: number | undefined;
  heartbeats?: number | undefined;
  keys?: number | undefined;
}

/** Reads whether the topic can be deleted, and how much goes with it. */
async function readFacts(id: number): Promise<Facts> {
  const [alarms, policies, ...parts] = await Promise.allSettled([
    readCheckInSettings(),
    readPolicies(),
    readSubscribers(id),
    readHeartbeatsOfTopic(id),
    readTopicKeys(id),
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
  const [subscribers, heartbeats, keys] = parts.map((part) =>
    part.status === 'fulfilled' ? part.value.length : undefined,
  );
  return { subscribers, heartbeats, keys };
}
