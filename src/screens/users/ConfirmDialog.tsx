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
  busyText: string;
  doneText: (name: string) => string;
  consequence: string;
  danger?: boolean;
  applyTo: (user: User) => Promise<void>;
  failureText: (user: User) => string;
}

const CHANGES: Record<'suspend' | 'addAuditor' | 'removeAuditor', Change> = {
  suspend: {
    action: 'Suspend',
    busyText: 'Suspending…',
    doneText: (name) => `${name} is suspended.`,
    consequence:
      'They’ll be signed out everywhere. They won’t be able to sign in or get notifications. Their name, subscriptions and history stay.',
    danger: true,
    applyTo: (user) => changeSuspension(user, 'suspend'),
    failureText: (user) => suspensionFailed(user, 'suspend'),
  },
  addAuditor: {
    action: 'Add auditor access',
    busyText: 'Saving…',
    doneText: (name) => `${name} is now an auditor.`,
    consequence:
      'They’ll be able to read all messages, reachability, insights and the audit log. They can’t change any of it.',
    applyTo: (user) => changeAuditor(user, true),
    failureText: userChangeFailed,
  },
  removeAuditor: {
    action: 'Remove auditor access',
    busyText: 'Saving…',
    doneText: (name) => `${name} is no longer an auditor.`,
    consequence:
      'They’ll lose their auditor access. They’ll keep the access that their role and topics give them.',
    applyTo: (user) => changeAuditor(user, false),
    failureText: userChangeFailed,
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
  const {
    action,
    busyText,
    doneText,
    consequence,
    danger = false,
    applyTo,
    failureText,
  } = CHANGES[change];
  async function submit() {
    await applyTo(user);
    onDone();
    notify(doneText(user.username));
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
      busyText={busyText}
      danger={danger}
      submit={submit}
      explain={(thrown) => errorMessage(thrown, failureText(user))}
      onClose={onClose}
      question={consequence}
    />
  );
}
