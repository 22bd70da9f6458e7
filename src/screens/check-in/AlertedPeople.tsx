import type { ReactNode } from 'react';
import { plural } from '../../platform/plural';
import type { CheckIn } from '../../shared/contract';
import { hasAlerted } from '../../state/check-ins/own-check-ins';
import { parseTime } from '../../ui/values/Day';
import { CheckInAnswers, EndCheckIn } from './CheckInAnswers';
import {
  alarmRecipientsText,
  allClearText,
  displayedText,
  isHelpCalled,
  reminderReachText,
  unreachableText,
} from './check-in-texts';
import { timeOfDay } from '../../ui/values/When';
import { reachesNoOne } from './UndeliverableAlarm';

const MAX_NAMED_RESPONDERS = 3;

/**
 * Others are alerted: what happened, by what was recorded.
 * @param alarmTo who is alerted
 */
export function AlertedPeople({
  checkIn,
  alarmTo,
  time,
}: {
  checkIn: CheckIn;
  alarmTo: string;
  /** Milliseconds since 1970. */
  time: number;
}) {
  const { alarm, state, alarmAt, startedAt, note, responders = [] } = checkIn;
  const isHelp = state === 'help';
  const people = alarm?.people ?? 0;
  const recipients = alarm ? alarmRecipientsText(alarm, alarmTo) : alarmTo;
  const cannotNotify = reachesNoOne(alarm);
  const namedResponders = responders.slice(0, MAX_NAMED_RESPONDERS);
  // The server names at most 20 people, but counts everyone.
  const comingCount = Math.max(responders.length, alarm?.answered ?? 0);
  const hiddenCount =
    responders.length > MAX_NAMED_RESPONDERS ? comingCount - MAX_NAMED_RESPONDERS : 0;
  return (
    <>
      {alarm?.allClearAt && (
        <div className="note" data-tone="warn" role="status">
          <b>Your check-in isn’t over</b>
          <br />
          {allClearText(alarm)} We won’t check on you again until you answer. If you’re still
          working alone, press “I’m OK”. Otherwise, end the check-in.
        </div>
      )}
      <div
        className="note"
        data-tone={alarm?.allClearAt ? undefined : 'bad'}
        role={alarm?.allClearAt ? undefined : 'alert'}
      >
        <b>
          {alarm?.allClearAt ? (
            'The alarm is over'
          ) : cannotNotify ? (
            <>
              We can’t notify <bdi>{recipients}</bdi>
            </>
          ) : alarm && hasAlerted(alarm) ? (
            <>
              We’ve alerted <bdi>{recipients}</bdi>
            </>
          ) : (
            <>
              We’re alerting <bdi>{recipients}</bdi>
            </>
          )}
        </b>
        <br />
        {isHelp ? 'You asked for help.' : `You didn’t answer by ${timeOfDay(alarmAt)}.`}{' '}
        {alarm &&
          !cannotNotify &&
          (note
            ? plural(people, {
                one: 'The alarm went to 1 person. It includes your name, note and start time.',
                other: `The alarm went to ${people} people. It includes your name, note and start time.`,
              })
            : plural(people, {
                one: 'The alarm went to 1 person. It includes your name and start time.',
                other: `The alarm went to ${people} people. It includes your name and start time.`,
              }))}{' '}
        {alarm && !alarm.allClearAt && people > 0 && (
          <>
            {displayedText(alarm)} {unreachableText(alarm)}
          </>
        )}
        {cannotNotify && !alarm?.allClearAt && ' Call for help in another way.'}
        {isHelp && alarm && isUnanswered(alarm, time) && !cannotNotify && (
          <div>
            <b>No one has answered yet. Call for help in another way, too.</b>
          </div>
        )}
        {hiddenCount > 0 && (
          <div>
            <b>{comingCount} people are on their way.</b>
          </div>
        )}
        {namedResponders.map(({ username, comment }) => (
          <div key={username}>
            <b>
              <bdi>{username}</bdi>: On my way
            </b>{' '}
            <bdi>{comment}</bdi>
          </div>
        ))}
        {hiddenCount > 0 && <div>and {hiddenCount} more</div>}
      </div>
      <CheckInAnswers isHelp={isHelpCalled(checkIn)} />
      <div className="panel pad">
        <h2 className="sr">What happened</h2>
        <ol className="stages">
          <li data-tone="ok">
            <b>Started at {timeOfDay(startedAt)}</b>
            <small>
              <bdi>{note}</bdi>
            </small>
          </li>
          {listStages(checkIn)}
          {alarm && (
            <li data-tone="bad">
              <b>
                {cannotNotify || !hasAlerted(alarm) ? (
                  <>Alarm at {timeOfDay(alarm.at)}</>
                ) : (
                  <>
                    Alerted <bdi>{recipients}</bdi> at {timeOfDay(alarm.at)}
                  </>
                )}
              </b>
              <small>
                {alarm.answered} of {plural(people, { one: '1 person', other: `${people} people` })}{' '}
                answered
              </small>
            </li>
          )}
          {alarm?.allClearAt && (
            <li data-tone="ok">
              <b>{allClearText(alarm)}</b>
            </li>
          )}
        </ol>
      </div>
      <div className="stack">
        <EndCheckIn checkIn={checkIn} />
        {alarm && !alarm.allClearAt && people > 0 && (
          <small className="mid">Ending the check-in also sends the all-clear.</small>
        )}
      </div>
      {alarm && !alarm.allClearAt && people > 0 && (
        <small>
          {plural(people, {
            one: '“I’m OK” sends the all-clear to the same person.',
            other: `“I’m OK” sends the all-clear to the same ${people} people.`,
          })}
        </small>
      )}
    </>
  );
}

const LONG_WAIT_MS = 3 * 60_000;

const isUnanswered = (
  { allClearAt, answered, at }: NonNullable<CheckIn['alarm']>,
  time: number,
): boolean => !allClearAt && answered === 0 && time - parseTime(at) >= LONG_WAIT_MS;

/** The recorded reminders, presses and earlier alarms, the oldest first. */
function listStages({
  alarm,
  lastAlarm,
  earlierAlarms = [],
  answeredAt,
  receivedAt,
  reminders = [],
  presses = [],
}: CheckIn): ReactNode[] {
  const stages = reminders.map(({ at, state }, nth) => ({
    at: parseTime(at),
    stage: (
      <li key={at} data-tone="warn">
        <b>
          {nth === 0
            ? `Asked “Are you OK?” at ${timeOfDay(at)}`
            : `Asked again at ${timeOfDay(at)}`}
        </b>
        <small>{reminderReachText(state)}</small>
      </li>
    ),
  }));
  // The last answer has a separate stage, which also shows when the answer arrived.
  const lastOk = presses.map(({ kind }) => kind).lastIndexOf('ok');
  for (const [nth, { kind, at }] of presses.entries())
    if (nth !== lastOk)
      stages.push({
        at: parseTime(at),
        stage: (
          <li key={`press${nth}`} data-tone={kind === 'ok' ? 'ok' : 'bad'}>
            <b>
              {kind === 'ok'
                ? `Answered “I’m OK” at ${timeOfDay(at)}`
                : `Asked for help at ${timeOfDay(at)}`}
            </b>
          </li>
        ),
      });
  for (const { at, messageId } of lastAlarm ? [...earlierAlarms, lastAlarm] : [])
    if (at !== null && messageId !== alarm?.messageId)
      stages.push({
        at: parseTime(at),
        stage: (
          <li key={`alarm${at}`} data-tone="bad">
            <b>Alarm at {timeOfDay(at)}</b>
          </li>
        ),
      });
  if (answeredAt !== null)
    stages.push({
      at: parseTime(answeredAt),
      stage: (
        <li key="answer" data-tone="ok">
          <b>Last answer at {timeOfDay(answeredAt)}</b>
          {receivedAt !== undefined && <small>Received at {timeOfDay(receivedAt)}</small>}
        </li>
      ),
    });
  return stages.sort((a, b) => a.at - b.at).map(({ stage }) => stage);
}
