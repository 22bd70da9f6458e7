import { errorMessage } from '../../api/error';
import type { User } from '../../shared/contract';
import { changeSuspension, suspensionFailed } from '../../state/users/change-users';
import { DialogForm } from '../../ui/forms/DialogForm';
import { notify } from '../../ui/notices';
import { CheckInWarning, useCheckInOf } from './UserCheckIn';

interface Props {
  user: User;
  onClose: () => void;
  onDone: () => void;
}

export function SuspendDialog({ user, onClose, onDone }: Props) {
  const { isLoading, ...warning } = useCheckInOf(user);
  async function submit() {
    await changeSuspension(user, 'suspend');
    onDone();
    notify(`${user.username} is suspended.`);
  }
  return (
    <DialogForm
      title={
        <>
          Suspend <bdi>{user.username}</bdi>
        </>
      }
      action="Suspend"
      busyText="Suspending…"
      disabled={isLoading}
      submit={submit}
      explain={(thrown) => errorMessage(thrown, suspensionFailed(user, 'suspend'))}
      onClose={onClose}
      question="They’ll be signed out everywhere. They won’t be able to sign in or get notifications. Their name, subscriptions and history stay."
    >
      <CheckInWarning user={user} {...warning}>
        <Consequence {...warning} user={user} />
      </CheckInWarning>
    </DialogForm>
  );
}

function Consequence({ checkIn, user: { username } }: { checkIn: User['checkIn']; user: User }) {
  const name = <bdi>{username}</bdi>;
  if (checkIn?.isAlarmOpen)
    return (
      <>
        The alarm stays open until someone gives the all-clear. We’ll tell everyone who got it that{' '}
        {name} can’t answer.
      </>
    );
  return checkIn?.state === 'running' || checkIn?.state === 'due' ? (
    <>
      Suspending ends it, and we won’t send an alarm. We’ll tell everyone who gets the alarms that
      we don’t know whether {name} is OK.
    </>
  ) : (
    'Suspending ends the check-in.'
  );
}
