import { Fragment } from 'react';
import { Link } from 'wouter';
import type { SentMessage } from '../../../shared/contract';
import { getMessageArea } from '../../../state/messages/call-area';
import { readRecipients, RECIPIENTS_FAILED } from '../../../state/messages/sent-messages';
import { isAdmin } from '../../../state/session';
import { parseTime } from '../../../ui/values/Day';
import { timeOfDay } from '../../../ui/values/When';
import { useLoad } from '../../lists/use-load';
import { canGiveAllClear, mayChangeMessage } from './allowed-changes';

interface Props {
  checkIn: NonNullable<SentMessage['checkIn']>;
  message: SentMessage;
}

/** On an alarm's page: who is coming, the outcome so far, and who can give the all-clear. */
export const AlarmedCheckIn = ({ checkIn, message }: Props) => (
  <>
    {checkIn.newerAlarm && <NewerAlarm alarm={checkIn.newerAlarm} />}
    {message.people.acknowledged > 0 && <Responders message={message} />}
    <Outcome checkIn={checkIn} message={message} />
  </>
);

/** Watchers cannot see an alarm that went only to administrators. */
const NewerAlarm = ({ alarm }: { alarm: NonNullable<Props['checkIn']['newerAlarm']> }) => (
  <div className="note bar" data-tone="warn" role="status">
    <span>We sent a newer alarm of this check-in at {timeOfDay(alarm.at)}.</span>
    {isAdmin.value && (
      <Link className="press" href={`/admin/messages/${alarm.messageId}`}>
        Show the newer alarm
      </Link>
    )}
  </div>
);

const MAX_NAMED_RESPONDERS = 5;

/** The first people who answered the alarm. If they can't be read, the list below says so. */
function Responders({ message }: { message: SentMessage }) {
  const { value } = useLoad(
    message,
    ({ id }) =>
      readRecipients(getMessageArea(message), id, 'acknowledged', {
        page: 1,
        limit: MAX_NAMED_RESPONDERS,
        query: '',
      }),
    RECIPIENTS_FAILED,
  );
  const names = value?.rows.flatMap(({ user }) => user?.username ?? []) ?? [];
  if (!value || names.length === 0) return null;
  const hiddenCount = value.total - names.length;
  return (
    <p className="note" data-tone="ok" role="status">
      <b>
        {/* Alarms offer a single answer. */}
        <bdi>{message.answers[0]}</bdi>:
      </b>{' '}
      {names.map((name, index) => (
        <Fragment key={name}>
          {index > 0 && ', '}
          <bdi>{name}</bdi>
        </Fragment>
      ))}{' '}
      {hiddenCount > 0 && <span>and {hiddenCount} more</span>}
    </p>
  );
}

function Outcome({ checkIn, message }: Props) {
  const { allClearAt, createdAt } = message;
  const { username, needsAnswer, answeredAt, endedAt, endReason, isSuspended } = checkIn;
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
  if (needsAnswer && isSuspended)
    return (
      <p className="note" data-tone="warn" role="status">
        <span>
          <bdi>{username}</bdi> is suspended, and can’t answer.
        </span>{' '}
        {!allClearAt && 'Only administrators can give the all-clear.'}
      </p>
    );
  // Senders only read the alarm, because they did not send it.
  if (canGiveAllClear(message) && !mayChangeMessage(message))
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
