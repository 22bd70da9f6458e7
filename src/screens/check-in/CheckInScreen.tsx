import { useEffect } from 'react';
import { Link } from 'wouter';
import { isConnected } from '../../platform/connection';
import {
  checkInFailure,
  followCheckIns,
  loadCheckIns,
  ownCheckIns,
  recordedPress,
  unsentPress,
} from '../../state/check-ins/own-check-ins';
import type { CheckIn } from '../../shared/contract';
import { EmptyList } from '../../ui/EmptyList';
import { Icon } from '../../ui/Icon';
import { notify } from '../../ui/notices';
import { Failure, Heading, Skeleton, useKeepFocus } from '../../ui/page';
import { Moment, timeOfDay } from '../../ui/values/When';
import { parseTime } from '../../ui/values/Day';
import { plural } from '../../platform/plural';
import { RunningCheckIn } from './RunningCheckIn';
import { StartForm } from './StartForm';
import { UnsentAnswer } from './UnsentAnswer';
import { serverNow } from '../../state/clock';
import { useCurrentTime } from './use-current-time';
import { lengthText, getCheckInPhase, sentAlarmText } from './check-in-texts';

// The code loads with the screen: a separate file would lengthen the worker's list.
export { isCheckInRunning } from '../../state/check-ins/own-check-ins';
export { SignOutDuringCheckIn } from './SignOutDuringCheckIn';

/** A person who works alone: starts a check-in, and answers that they are OK. */
export function CheckInScreen() {
  useEffect(followCheckIns, []);
  useRecordedNotice();
  const checkIns = ownCheckIns.value;
  const failure = checkInFailure.value;
  const current = checkIns?.current;
  // Seconds count while the person has to answer.
  const isDue = current && getCheckInPhase(current, serverNow()) === 'due';
  const time = useCurrentTime(isDue ? 1000 : 5000);
  useKeepFocus(checkIns === null, current?.id, current && getCheckInPhase(current, time));
  return (
    <>
      <Heading>Check-in</Heading>
      {!current && <UnsentAnswer />}
      {failure &&
        (!checkIns || isConnected.value) &&
        // A running check-in works without the server, and loads again by itself.
        (current ? (
          <p className="muted" role="status">
            {failure}
          </p>
        ) : (
          <Failure retry={() => void loadCheckIns()}>{failure}</Failure>
        ))}
      {!checkIns && !failure && <Skeleton />}
      {checkIns && !current && !checkIns.enabled && (
        <div role="status">
          <EmptyList
            icon="clock"
            title="Check-ins are off"
            hint="Ask an administrator to turn them on."
          >
            <Link className="press" href="/messages">
              Go to your inbox
            </Link>
          </EmptyList>
        </div>
      )}
      {checkIns && !current && checkIns.enabled && <StartForm alarmTo={checkIns.alarmTo} />}
      {checkIns && current && (
        <RunningCheckIn
          checkIn={current}
          alarmTo={checkIns.alarmTo || 'all administrators'}
          time={time}
        />
      )}
      {checkIns && !current && checkIns.earlier.length > 0 && (
        <Earlier checkIns={checkIns.earlier} />
      )}
    </>
  );
}

/** Says that the alarm is still on after an answer. Otherwise the screen shows what was recorded. */
function useRecordedNotice(): void {
  const lastPress = recordedPress.value;
  useEffect(() => {
    if (lastPress === null) return;
    recordedPress.value = null;
    // An answer that this device has not sent yet may end the alarm.
    if (lastPress.kind === 'help' || unsentPress.peek()) return;
    const current = ownCheckIns.peek()?.current;
    const isAlarm = current?.state === 'missed' || current?.state === 'help';
    if (isAlarm && !current.alarm?.allClearAt)
      notify(
        `We’ve received your “I’m OK” from ${timeOfDay(lastPress.at)}, but the alarm is still on. If you’re OK, press “I’m OK” again.`,
        'warn',
        RECORDED_NOTICE_MS,
      );
  }, [lastPress]);
}
/** The notice stays long enough for someone who does not expect it. */
const RECORDED_NOTICE_MS = 20_000;

const Earlier = ({ checkIns }: { checkIns: readonly CheckIn[] }) => (
  <section aria-labelledby="earlier">
    <h2 id="earlier">Earlier check-ins</h2>
    <ul className="panel rows">
      {checkIns.map(({ id, startedAt, endedAt, endReason, minutes, answers, note, ...alarms }) => (
        <li key={id}>
          <div className="line">
            <span className="disc" data-tone={alarms.lastAlarm || endReason ? 'warn' : 'ok'}>
              <Icon name={alarms.lastAlarm || endReason ? 'alert' : 'check'} />
            </span>
            <span>
              <b>
                <Moment time={parseTime(startedAt)} /> · {lengthText(minutes)}
              </b>
              <small>
                {answers > 0 &&
                  `${plural(answers, { one: 'Answered once', other: `Answered ${answers} times` })} · `}
                Ended at {timeOfDay(endedAt ?? '')}
                {note && (
                  <>
                    {' · '}
                    <bdi>{note}</bdi>
                  </>
                )}
              </small>
              {endReason && <small>Your account was suspended.</small>}
              {alarms.lastAlarm && <small>{sentAlarmText(alarms)}</small>}
            </span>
          </div>
        </li>
      ))}
    </ul>
  </section>
);
