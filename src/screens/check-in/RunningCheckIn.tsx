import { useEffect, useLayoutEffect, useRef, useState } from 'react';
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
  type CheckInPhase,
} from './check-in-texts';
import { NoReminders } from './NoReminders';
import { StopAlarmDialog } from './StopAlarmDialog';
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
  const isConfirmed = useConfirmation(props.checkIn.answeredAt);
  const isAlarmOver = useAlarmEnd(phase);
  useLayoutEffect(() => noteMovedButtons(), [phase, isHelpCalled(props.checkIn)]);
  return (
    <>
      {phase === 'alarm' ? (
        <AlertedPeople {...props} />
      ) : (
        <Countdown
          {...props}
          isDue={phase === 'due'}
          isConfirmed={isConfirmed}
          isAlarmOver={isAlarmOver}
        />
      )}
      <StopAlarmDialog />
    </>
  );
}

const CONFIRMATION_MS = 4000;

/** Whether the server has just recorded another answer than the screen began with. */
function useConfirmation(answeredAt: string | null): boolean {
  const shownAnswer = useRef(answeredAt);
  const [isConfirmed, setConfirmed] = useState(false);
  useEffect(() => {
    if (answeredAt === shownAnswer.current) return undefined;
    shownAnswer.current = answeredAt;
    setConfirmed(true);
    const timer = setTimeout(() => setConfirmed(false), CONFIRMATION_MS);
    return () => clearTimeout(timer);
  }, [answeredAt]);
  return isConfirmed;
}

/** Whether an alarm ended while this screen was open, until the next question. */
function useAlarmEnd(phase: CheckInPhase): boolean {
  const wasAlarm = useRef(false);
  if (phase !== 'running') wasAlarm.current = phase === 'alarm';
  return wasAlarm.current && phase === 'running';
}

interface CountdownProps extends Props {
  isDue: boolean;
  isConfirmed: boolean;
  isAlarmOver: boolean;
}

/** One panel for both phases, so that its colors change smoothly and nothing moves. */
function Countdown({ checkIn, alarmTo, time, isDue, isConfirmed, isAlarmOver }: CountdownProps) {
  const { minutes, dueAt, askAt, alarmAt } = checkIn;
  const remainingMinutes = minutesLeft(checkIn, time);
  const leftText = plural(remainingMinutes, { one: 'minute left', other: 'minutes left' });
  const end = parseTime(isDue ? alarmAt : dueAt);
  const duration = isDue ? end - parseTime(askAt) : minutes * 60_000;
  return (
    <>
      {isAlarmOver && checkIn.lastAlarm && (
        <div className="note" data-tone="ok" role="status">
          <SentAlarms checkIn={checkIn} />
        </div>
      )}
      {!isDue && <NoReminders />}
      {!isDue && <UndeliverableAlarm />}
      <div className={isDue ? 'panel pad hot' : 'panel pad'}>
        <CountdownDial
          part={(end - time) / duration}
          {...(!isDue && { name: `${remainingMinutes} ${leftText}` })}
          tone={isDue ? 'bad' : isConfirmed ? 'ok' : undefined}
        >
          {isDue ? (
            <SecondsLeft left={end - time} />
          ) : (
            <>
              <b>{remainingMinutes}</b>
              <span>{leftText}</span>
            </>
          )}
        </CountdownDial>
        {isDue ? (
          <Question checkIn={checkIn} alarmTo={alarmTo} time={time} />
        ) : (
          <Deadline checkIn={checkIn} />
        )}
      </div>
      <CheckInAnswers>
        <EndCheckIn checkIn={checkIn} />
      </CheckInAnswers>
      {isDue ? (
        <>
          <NoReminders />
          <UndeliverableAlarm />
          <p className="mid">
            <small>
              No signal? Keep the app open. We’ll send your answer as soon as you’re back online.
            </small>
          </p>
        </>
      ) : (
        <WhatHappensNext checkIn={checkIn} alarmTo={alarmTo} isAlarmOver={isAlarmOver} />
      )}
    </>
  );
}

/** `4:59`. */
const secondsText = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;

const SecondsLeft = ({ left }: { left: number }) =>
  left > 0 ? (
    // Screen readers do not announce each second.
    <b aria-hidden="true" dir="ltr">
      {secondsText(Math.ceil(left / 1000))}
    </b>
  ) : (
    <span className="disc solid">
      <Icon name="clock" />
    </span>
  );

const Question = ({ checkIn, alarmTo, time }: Props) => (
  <div className="mid" role="alert">
    <h2>Are you OK?</h2>
    <p>
      {mayHaveAlerted(checkIn, time) ? (
        overdueText(checkIn)
      ) : canNotifyNoOne() ? (
        <>
          Answer by <b>{checkInTimeWithSeconds(checkIn.alarmAt)}</b>.
        </>
      ) : (
        <>
          Answer by <b>{checkInTimeWithSeconds(checkIn.alarmAt)}</b>, or we’ll alert{' '}
          <b>
            <bdi>{alarmTo}</bdi>
          </b>
          .
        </>
      )}
    </p>
  </div>
);

/** The check mark is drawn once for each answer that the server recorded. */
const Deadline = ({ checkIn: { answeredAt, askAt, dueAt, note } }: Pick<Props, 'checkIn'>) => (
  <div className="mid">
    <p role="status">
      {answeredAt === null ? (
        <b>Due at {timeOfDay(dueAt)}.</b>
      ) : (
        <b key={answeredAt} className="recorded" data-tone="ok">
          <Icon name="check" />
          Recorded {timeOfDay(answeredAt)} · next by {timeOfDay(dueAt)}
        </b>
      )}
    </p>
    <p>
      We’ll check on you at {timeOfDay(askAt)}.
      <br />
      <span className="muted">
        <bdi>{note}</bdi>
      </span>
    </p>
  </div>
);

/** The alarms of a check-in that goes on. */
const SentAlarms = ({ checkIn }: Pick<Props, 'checkIn'>) => (
  <>
    {sentAlarmText(checkIn)} <span>The all-clear was sent to everyone we alerted.</span>
  </>
);

function WhatHappensNext({
  checkIn,
  alarmTo,
  isAlarmOver,
}: Pick<CountdownProps, 'checkIn' | 'alarmTo' | 'isAlarmOver'>) {
  const { alarmAt, answeredAt, receivedAt } = checkIn;
  return (
    <>
      {answeredAt !== null && receivedAt !== undefined && (
        <p className="muted">
          You answered at {timeOfDay(answeredAt)}. We received your answer at{' '}
          {timeOfDay(receivedAt)}.
        </p>
      )}
      {checkIn.lastAlarm && !isAlarmOver && (
        <p className="muted">
          <SentAlarms checkIn={checkIn} />
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
