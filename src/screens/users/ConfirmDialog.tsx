import { errorMessage } from '../../api/error';
import type { User } from '../../shared/contract';
import {
  changeAuditor,
  changeSuspension,
  suspensionFailed,
  userChangeFailed,
} from '../../state/users/change-users';
import { DialogForm } from '../../ui/forms/DialogForm';
import { notify } from '../../ui/notices';

interface Change {
  action: string;
  meanwhile: string;
  done: (name: string) => string;
  means: string;
  danger?: boolean;
  run: (user: User) => Promise<void>;
  failed: (user: User) => string;
}

const CHANGES: Record<'suspend' | 'addAuditor' | 'removeAuditor', Change> = {
  suspend: {
    action: 'Suspend',
    meanwhile: 'Suspending…',
    done: (name) => `${name} is suspended.`,
    means:
      'They’ll be signed out everywhere. They won’t be able to sign in or get notifications. Their name, subscriptions and history stay.',
    danger: true,
    run: (user) => changeSuspension(user, 'suspend'),
    failed: (user) => suspensionFailed(user, 'suspend'),
  },
  addAuditor: {
    action: 'Add auditor access',
    meanwhile: 'Saving…',
    done: (name) => `${name} is now an auditor.`,
    means:
      'They’ll be able to read all messages, reachability, insights and the audit log. They can’t change any of it.',
    run: (user) => changeAuditor(user, true),
    failed: userChangeFailed,
  },
  removeAuditor: {
    action: 'Remove auditor access',
    meanwhile: 'Saving…',
    done: (name) => `${name} is no longer an auditor.`,
    means:
      'They’ll lose their auditor access. They’ll keep the access that their role and topics give them.',
    run: (user) => changeAuditor(user, false),
    failed: userChangeFailed,
  },
};

/** Confirms a change of a user, and says what it means. */
export function ConfirmDialog({
  change,
  user,
  onClose,
  onDone,
}: {
  change: keyof typeof CHANGES;
  user: User;
  onClose: () => void;
  onDone: () => void;
}) {
  const { action, meanwhile, done, means, danger = false, run, failed } = CHANGES[change];
  async function send() {
    await run(user);
    onDone();
    notify(done(user.username));
  }
  return (
    <DialogForm
      title={
        change !== 'suspend' ? (
          <>
            {action}: <bdi>{user.username}</bdi>
          </>
        ) : (
          <>
            {action} <bdi>{user.username}</bdi>
          </>
        )
      }
      action={action}
      meanwhile={meanwhile}
      danger={danger}
      send={send}
      explain={(thrown) => errorMessage(thrown, failed(user))}
      onClose={onClose}
      question={means}
    />
  );
}
