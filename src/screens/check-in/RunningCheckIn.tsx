import { useLayoutEffect } from 'react';
import { plural } from '../../platform/plural';
import { noteMovedButtons } from '../../platform/second-tap';
import type { CheckIn } from '../../shared/contract';
import { Icon } from '../../ui/Icon';
import { parseTime } from '../../ui/values/Day';
import { AlertedPeople } from './AlertedPeople';
import { CheckInAnswers, EndCheckIn, MoreTimeButtons } from './CheckInAnswers';
import { CountdownDial } from './CountdownDial';
import {
  isHelpCalled,
  minutesLeft,
  getCheckInPhase,
  checkInTimeWithSeconds,
  mayHaveAlerted,
  overdueText,
  sentAlarmText,
} from './check-in-texts';
import { NoReminders } from './NoReminders';
import { StopAlarmDialog } from './StopAlarmDialog';
import { useCurrentTime } from './use-current-time';
import { UndeliverableAlarm, canNotifyNoOne } from './UndeliverableAlarm';
import { timeOfDay } from '../../ui/values/When';

interface Props {
  checkIn: CheckIn;
  /** Who is alerted. */
  alarmTo: string;
  /** Milliseconds since 1970. */
  time: number;
}

/** Shows a check-in that has not ended, with its answer buttons. */
export function RunningCheckIn(props: Props) {
  const phase = getCheckInPhase(props.checkIn, props.time);
  useLayoutEffect(() => noteMovedButtons(), [phase, isHelpCalled(props.checkIn)]);
  return (
    <>
      {phase === 'alarm' ? (
        <AlertedPeople {...props} />
      ) : phase === 'due' ? (
        <Due {...props} />
      ) : (
        <Waiting {...props} />
      )}
      <StopAlarmDialog />
    </>
  );
}

function Waiting({ checkIn, alarmTo, time }: Props) {
  const remainingMinutes = minutesLeft(checkIn, time);
  const { minutes, note, dueAt, askAt, alarmAt, answeredAt, receivedAt } = checkIn;
  const leftText = plural(remainingMinutes, { one: 'minute left', other: 'minutes left' });
  return (
    <>
      <NoReminders />
      <UndeliverableAlarm />
      <div className="panel pad">
        <CountdownDial
          part={(parseTime(dueAt) - time) / (minutes * 60_000)}
          name={`${remainingMinutes} ${leftText}`}
        >
          <b>{remainingMinutes}</b>
          <span>{leftText}</span>
        </CountdownDial>
        <p className="mid">
          <b>Due at {timeOfDay(dueAt)}.</b> We’ll check on you at {timeOfDay(askAt)}.
          <br />
          <span className="muted">
            <bdi>{note}</bdi>
          </span>
        </p>
      </div>
      <CheckInAnswers>
        <EndCheckIn checkIn={checkIn} />
      </CheckInAnswers>
      {answeredAt !== null && receivedAt !== undefined && (
        <p className="muted">
          You answered at {timeOfDay(answeredAt)}. We received your answer at{' '}
          {timeOfDay(receivedAt)}.
        </p>
      )}
      {checkIn.lastAlarm && (
        <p className="muted">
          {sentAlarmText(checkIn)} <span>The all-clear was sent to everyone we alerted.</span>
        </p>
      )}
      <MoreTimeButtons />
      <small>
        {canNotifyNoOne() ? (
          '“I’m OK” restarts the check-in timer.'
        ) : (
          <>
            “I’m OK” restarts the check-in timer. If you don’t answer, for example because your
            phone is offline, we’ll alert <bdi>{alarmTo}</bdi> at {timeOfDay(alarmAt)}.
          </>
        )}
      </small>
    </>
  );
}

/** `4:59`. */
const secondsText = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;

function Due({ checkIn, alarmTo, time }: Props) {
  const { alarmAt, askAt } = checkIn;
  const duration = parseTime(alarmAt) - parseTime(askAt);
  const left = parseTime(alarmAt) - useCurrentTime(1000);
  return (
    <>
      <div className="panel pad hot" role="alert" aria-atomic="false">
        <CountdownDial part={left / duration} tone="bad">
          {left > 0 ? (
            // Screen readers do not announce each second.
            <b aria-hidden="true" dir="ltr">
              {secondsText(Math.ceil(left / 1000))}
            </b>
          ) : (
            <span className="disc solid">
              <Icon name="clock" />
            </span>
          )}
        </CountdownDial>
        <h2 className="mid">Are you OK?</h2>
        <p className="mid">
          {mayHaveAlerted(checkIn, time) ? (
            overdueText(checkIn)
          ) : canNotifyNoOne() ? (
            <>
              Answer by <b>{checkInTimeWithSeconds(alarmAt)}</b>.
            </>
          ) : (
            <>
              Answer by <b>{checkInTimeWithSeconds(alarmAt)}</b>, or we’ll alert{' '}
              <b>
                <bdi>{alarmTo}</bdi>
              </b>
              .
            </>
          )}
        </p>
      </div>
      <CheckInAnswers>
        <EndCheckIn checkIn={checkIn} />
      </CheckInAnswers>
      <NoReminders />
      <UndeliverableAlarm />
      <p className="mid">
        <small>
          No signal? Keep the app open. We’ll send your answer as soon as you’re back online.
        </small>
      </p>
    </>
  );
}
