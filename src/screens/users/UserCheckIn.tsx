/** Warnings before a change that ends a user's check-in. */
import type { ReactNode } from 'react';
import type { User } from '../../shared/contract';
import { CHECK_IN_OF_USER_FAILED, readUser } from '../../state/users/users';
import { useLoad } from '../lists/use-load';

/** The user's check-in as it is now: the list may be older. */
export function useCheckInOf({ id }: User) {
  const { value, failure } = useLoad(id, readUser, CHECK_IN_OF_USER_FAILED);
  return { checkIn: value?.checkIn, isLoading: !value && !failure, isUnknown: !value && !!failure };
}

interface Props {
  user: User;
  checkIn: User['checkIn'];
  isUnknown: boolean;
  /** What the change means for the check-in. */
  children: ReactNode;
}

/** Renders nothing if all check-ins of the user have ended. */
export function CheckInWarning({ user: { username }, checkIn, isUnknown, children }: Props) {
  const name = <bdi>{username}</bdi>;
  if (isUnknown)
    return (
      <p className="note" data-tone="warn" role="status">
        We couldn’t check whether {name} has a check-in running.
      </p>
    );
  if (!checkIn) return null;
  const { state, isAlarmOpen } = checkIn;
  return (
    <p className="note" data-tone={isAlarmOpen ? 'bad' : 'warn'} role="status">
      <b>
        {state === 'running' || state === 'due' ? (
          <>{name} has a check-in running.</>
        ) : !isAlarmOpen ? (
          <>{name} still has to answer or end a check-in.</>
        ) : state === 'help' ? (
          <>{name} asked for help, and the alarm is still open.</>
        ) : (
          <>{name} missed a check-in, and the alarm is still open.</>
        )}
      </b>{' '}
      {children}
    </p>
  );
}
