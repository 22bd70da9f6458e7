import type { SentMessage } from '../../../shared/contract';
import { parseTime } from '../../../ui/values/Day';
import { timeOfDay } from '../../../ui/values/When';
import { canCorrect, mayChangeMessage } from './allowed-changes';

interface Props {
  checkIn: NonNullable<SentMessage['checkIn']>;
  message: SentMessage;
}

/** On an alarm's page: the outcome of the check-in so far, and who can give the all-clear. */
export function AlarmedCheckIn({ checkIn, message }: Props) {
  const { allClearAt, createdAt } = message;
  const { username, needsAnswer, answeredAt, endedAt, endReason } = checkIn;
  if (endedAt !== null && endReason)
    return (
      <p className="note" data-tone="warn" role="status">
        <span>
          <bdi>{username}</bdi> was suspended by an administrator at {timeOfDay(endedAt)}, which
          ended the check-in.
        </span>{' '}
        {!allClearAt && 'We don’t know whether they’re OK.'}
      </p>
    );
  if (endedAt !== null)
    return (
      <p className="note" role="status">
        The check-in of <bdi>{username}</bdi> ended at {timeOfDay(endedAt)}.
      </p>
    );
  if (answeredAt !== null && (!needsAnswer || parseTime(answeredAt) > parseTime(createdAt)))
    return (
      <p className="note" role="status">
        <bdi>{username}</bdi> answered “I’m OK” at {timeOfDay(answeredAt)}.
      </p>
    );
  // Senders only read the alarm, because they did not send it.
  if (canCorrect(message) && !mayChangeMessage(message))
    return (
      <p className="note">
        Only administrators can give the all-clear. It’s also sent when <bdi>{username}</bdi>{' '}
        answers “I’m OK”.
      </p>
    );
  return needsAnswer && allClearAt ? (
    <p className="note" data-tone="warn" role="status">
      <bdi>{username}</bdi> still has to answer or end the check-in.
    </p>
  ) : null;
}
