import { errorMessage } from '../../api/error';
import type { User } from '../../shared/contract';
import { changeAuditor, userChangeFailed } from '../../state/users/change-users';
import { DialogForm } from '../../ui/forms/DialogForm';
import { notify } from '../../ui/notices';

interface Change {
  action: string;
  busyText: string;
  doneText: (name: string) => string;
  consequence: string;
  applyTo: (user: User) => Promise<void>;
}

const CHANGES: Record<'addAuditor' | 'removeAuditor', Change> = {
  addAuditor: {
    action: 'Add auditor access',
    busyText: 'Saving…',
    doneText: (name) => `${name} is now an auditor.`,
    consequence:
      'They’ll be able to read all messages, reachability, insights and the audit log. They can’t change any of it.',
    applyTo: (user) => changeAuditor(user, true),
  },
  removeAuditor: {
    action: 'Remove auditor access',
    busyText: 'Saving…',
    doneText: (name) => `${name} is no longer an auditor.`,
    consequence:
      'They’ll lose their auditor access. They’ll keep the access that their role and topics give them.',
    applyTo: (user) => changeAuditor(user, false),
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
  const { action, busyText, doneText, consequence, applyTo } = CHANGES[change];
  async function submit() {
    await applyTo(user);
    onDone();
    notify(doneText(user.username));
  }
  return (
    <DialogForm
      title={
        <>
          {action}: <bdi>{user.username}</bdi>
        </>
      }
      action={action}
      busyText={busyText}
      danger={false}
      submit={submit}
      explain={(thrown) => errorMessage(thrown, userChangeFailed(user))}
      onClose={onClose}
      question={consequence}
    />
  );
}
