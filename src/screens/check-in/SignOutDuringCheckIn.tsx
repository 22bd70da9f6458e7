import { errorMessage } from '../../api/error';
import { CHECK_IN_END_FAILED, endCheckIn, ownCheckIns } from '../../state/check-ins/own-check-ins';
import { signOut } from '../../state/session';
import { DialogForm } from '../../ui/forms/DialogForm';
import { canNotifyNoOne } from './UndeliverableAlarm';
import { timeOfDay } from '../../ui/values/When';

/** Says what signing out does to the running check-in. */
export function SignOutDuringCheckIn({ onClose }: { onClose: () => void }) {
  const { current, alarmTo } = ownCheckIns.value ?? {};
  // The check-in may end meanwhile, on another device.
  if (!current) return null;
  const isAlarmOut = current.state === 'missed' || current.state === 'help';
  return (
    <DialogForm
      title="Your check-in is still running"
      question={
        isAlarmOut ? (
          'Signing out doesn’t end the alarm. You can’t send the all-clear from this device afterwards.'
        ) : canNotifyNoOne() ? (
          'Signing out doesn’t end the check-in. We can’t remind you on this device afterwards.'
        ) : (
          <>
            Signing out doesn’t end the check-in. We can’t remind you on this device afterwards.
            Without your answer, we’ll alert <bdi>{alarmTo || 'all administrators'}</bdi> at{' '}
            {timeOfDay(current.alarmAt)}.
          </>
        )
      }
      danger={false}
      action="End check-in and sign out"
      busyText="Ending…"
      submit={async () => {
        await endCheckIn(current.id);
        await signOut();
      }}
      explain={(thrown) => errorMessage(thrown, CHECK_IN_END_FAILED)}
      onClose={onClose}
    >
      <button type="button" className="quiet" onClick={() => void signOut()}>
        Sign out and keep the check-in running
      </button>
    </DialogForm>
  );
}
