import { errorMessage } from '../../api/error';
import type { User } from '../../shared/contract';
import { changeSuspension, suspensionFailed } from '../../state/users/changes';
import { DialogForm } from '../../ui/forms/DialogForm';
import { notify } from '../../ui/notices';

const WORDS = {
  suspend: {
    action: 'Suspend',
    meanwhile: 'Suspending...',
    done: 'suspended',
    means:
      'They’ll be signed out everywhere, and can’t sign in or be notified. Their name, subscriptions and history stay.',
  },
  reinstate: {
    action: 'Reinstate',
    meanwhile: 'Reinstating...',
    done: 'reinstated',
    means:
      'They can sign in again. They’ll get notifications once they enable them on their device.',
  },
};

/** Suspends or reinstates a user, and says what that means. */
export function SuspensionDialog({
  change,
  user,
  onClose,
  onDone,
}: {
  change: keyof typeof WORDS;
  user: User;
  onClose: () => void;
  onDone: () => void;
}) {
  const { action, meanwhile, done, means } = WORDS[change];
  async function send() {
    await changeSuspension(user, change);
    onDone();
    notify(`${user.username} is ${done}.`);
  }
  return (
    <DialogForm
      title={
        <>
          {action} <bdi>{user.username}</bdi>
        </>
      }
      action={action}
      meanwhile={meanwhile}
      danger={change === 'suspend'}
      send={send}
      explain={(thrown) => errorMessage(thrown, suspensionFailed(user, change))}
      onClose={onClose}
      question={means}
    />
  );
}
