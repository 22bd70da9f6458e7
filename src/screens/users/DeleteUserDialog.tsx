import type { User } from '../../shared/contract';
import { DeletionDialog } from '../lists/DeletionDialog';
import { CheckInWarning, useCheckInOf } from './UserCheckIn';

interface Props {
  user: User;
  onClose: () => void;
  onDone: () => void;
}

/** The server deletes no one whose check-in has not ended. */
export function DeleteUserDialog({ user, onClose, onDone }: Props) {
  const { isLoading, ...warning } = useCheckInOf(user);
  return (
    <DeletionDialog
      kind="user"
      id={user.id}
      name={user.username}
      disabled={isLoading || warning.checkIn !== undefined}
      onClose={onClose}
      onDone={onDone}
    >
      <CheckInWarning user={user} {...warning}>
        {warning.checkIn?.isAlarmOpen
          ? 'You can’t delete this user now. Suspend the user and give the all-clear first.'
          : 'You can’t delete this user now. Suspend the user first. That ends the check-in.'}
      </CheckInWarning>
    </DeletionDialog>
  );
}
