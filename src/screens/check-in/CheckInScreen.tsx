import { useEffect, useState } from 'react';
import { connected } from '../../platform/connection';
import {
  checkInFailure,
  followCheckIns,
  loadCheckIns,
  ownCheckIns,
  recordedPress,
  unsentPresses,
} from '../../state/check-ins/own-check-ins';
import type { CheckIn } from '../../shared/contract';
import { Icon } from '../../ui/Icon';
import { notify } from '../../ui/notices';
import { Failure, Heading, Skeleton, useKeepFocus } from '../../ui/page';
import { Moment, timeOfDay } from '../../ui/values/When';
import { parseTime } from '../../ui/values/Day';
import { plural } from '../../platform/plural';
import { RunningCheckIn } from './RunningCheckIn';
import { StartForm } from './StartForm';
import { useCurrentTime } from './use-current-time';
import { lengthText, getCheckInPhase, sentAlarmText } from './check-in-texts';

// Loaded with the screen: a file of its own would be one more in the worker's list.
export { isCheckInRunning } from '../../state/check-ins/own-check-ins';
export { SignOutDuringCheckIn } from './SignOutDuringCheckIn';

/** A person who works alone: starts a check-in, and answers that they are OK. */
export function CheckInScreen() {
  useEffect(followCheckIns, []);
  const time = useCurrentTime(5000);
  const checkIns = ownCheckIns.value;
  const failure = checkInFailure.value;
  const current = checkIns?.current;
  useKeepFocus(checkIns === null, current?.id, current && getCheckInPhase(current, time));
  return (
    <>
      <Heading>Check-in</Heading>
      <Unsent />
      {failure && (!checkIns || connected.value) && (
        <Failure retry={() => void loadCheckIns()}>{failure}</Failure>
      )}
      {!checkIns && !failure && <Skeleton />}
      {checkIns && !current && !checkIns.enabled && (
        <p className="note" role="status">
          Check-ins are turned off.
        </p>
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

/** A press that is sent at once needs no warning. */
const WARN_AFTER_MS = 700;

/** What this phone could not tell yet, and what the server recorded. */
function Unsent() {
  const [press] = unsentPresses.value;
  const lastPress = recordedPress.value;
  const [isLate, setIsLate] = useState(false);
  const at = press?.at;
  useEffect(() => {
    setIsLate(false);
    if (at === undefined) return undefined;
    const timer = setTimeout(() => setIsLate(true), WARN_AFTER_MS);
    return () => clearTimeout(timer);
  }, [at]);
  useEffect(() => {
    if (lastPress === null) return;
    recordedPress.value = null;
    // After a call for help, the screen says whom the server alerts.
    if (lastPress.kind === 'ok') notify('We’ve received “I’m OK”.');
  }, [lastPress]);
  const latePress = isLate ? press : undefined;
  return (
    <div className="note" data-tone={latePress && 'bad'} role="status">
      {latePress && (
        <span>
          <b>
            {latePress.kind === 'ok'
              ? '“I’m OK” hasn’t been sent yet.'
              : '“I need help” hasn’t been sent yet.'}
          </b>{' '}
          You pressed it at {timeOfDay(latePress.at)}. Keep the app open. We’ll keep trying until
          it’s sent.
        </span>
      )}
      {latePress?.kind === 'help' && (
        <p>
          <b>Call for help in another way, too.</b>
        </p>
      )}
    </div>
  );
}

const Earlier = ({ checkIns }: { checkIns: readonly CheckIn[] }) => (
  <section aria-labelledby="earlier">
    <h2 id="earlier">Earlier check-ins</h2>
    <ul className="panel rows">
      {checkIns.map(({ id, startedAt, endedAt, minutes, answers, note, ...alarms }) => (
        <li key={id}>
          <div className="line">
            <span className="disc" data-tone={alarms.lastAlarm ? 'warn' : 'ok'}>
              <Icon name={alarms.lastAlarm ? 'alert' : 'check'} />
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
              {alarms.lastAlarm && <small>{sentAlarmText(alarms)}</small>}
            </span>
          </div>
        </li>
      ))}
    </ul>
  </section>
);
