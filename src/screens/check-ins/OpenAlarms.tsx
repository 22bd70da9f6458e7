import { useEffect, useLayoutEffect } from 'react';
import { Link } from 'wouter';
import { plural } from '../../platform/plural';
import { repeatWhileVisible } from '../../platform/visibility';
import type { CheckIn } from '../../shared/contract';
import { CHECK_INS_FAILED, readOpenAlarms } from '../../state/check-ins/check-in-board';
import { sessionClaims, isAdmin } from '../../state/session';
import { timeOfDay } from '../../ui/values/When';
import { displayedText, unreachableText } from '../check-in/check-in-texts';
import { useLoad } from '../lists/use-load';

const REFRESH_INTERVAL_MS = 15_000;

/**
 * The uncleared alarms, at the top of helpers' start page. Shows nothing without an alarm.
 * @param onShown gets the IDs of their messages, which the page does not repeat
 */
export function OpenAlarms({ onShown }: { onShown?: (messageIds: string) => void }) {
  const { value, reload } = useLoad('', readOpenAlarms, CHECK_INS_FAILED);
  useEffect(() => repeatWhileVisible(REFRESH_INTERVAL_MS, reload), []);
  // The person's own check-in has a separate card.
  const alarms = value?.filter(
    (row) => isAlarmOpen(row) && row.person.id !== sessionClaims.value?.id,
  );
  const shownAlarms = (alarms ?? []).slice(0, MAX_SHOWN_ALARMS);
  const messageIds = shownAlarms.map(({ alarm }) => alarm?.messageId).join();
  useLayoutEffect(() => onShown?.(messageIds), [messageIds]);
  return <AlarmNotes alarms={shownAlarms} />;
}

/** Further alarms are only in the board's table. */
const MAX_SHOWN_ALARMS = 3;

export const AlarmNotes = ({ alarms }: { alarms: readonly CheckIn[] }) => (
  <>
    {alarms.slice(0, MAX_SHOWN_ALARMS).map((alarm) => (
      <AlarmNote key={alarm.id} checkIn={alarm} />
    ))}
  </>
);

/** An alarm, until someone gives the all-clear. */
export const isAlarmOpen = ({ state, alarm }: CheckIn): boolean =>
  (state === 'missed' || state === 'help') && !alarm?.allClearAt;

/** Administrators and watchers read a message at different places. */
export const getAlarmPath = (id: string): string =>
  `${isAdmin.value ? '/admin/messages' : '/sent'}/${id}`;

/** Watchers cannot see an alarm that went only to administrators. */
export const canViewAlarm = ({ isToAdmins, topicTitle }: NonNullable<CheckIn['alarm']>): boolean =>
  isAdmin.value || !isToAdmins || topicTitle !== undefined;

function AlarmNote({ checkIn: { person, state, note, dueAt, alarm } }: { checkIn: CheckIn }) {
  return (
    <div className="note bar hot" data-tone="bad" role="alert">
      <span>
        <b>
          {state === 'help' ? (
            <>
              <bdi>{person.username}</bdi> needs help.
            </>
          ) : (
            <>
              <bdi>{person.username}</bdi> missed a check-in.
            </>
          )}
        </b>{' '}
        <bdi>{note}</bdi>
        <br />
        {alarm ? (
          <>
            {state === 'help' ? (
              <>We sent the alarm at {timeOfDay(alarm.at)}.</>
            ) : (
              <>
                Due at {timeOfDay(dueAt)}. We sent the alarm at {timeOfDay(alarm.at)}.
              </>
            )}{' '}
            {plural(alarm.people, {
              one: `${alarm.answered} of 1 person has answered.`,
              other: `${alarm.answered} of ${alarm.people} people have answered.`,
            })}{' '}
            {displayedText(alarm)} {unreachableText(alarm)}
          </>
        ) : (
          'We’re sending the alarm.'
        )}
      </span>
      {alarm && canViewAlarm(alarm) && (
        <Link className="press" href={getAlarmPath(alarm.messageId)}>
          View alarm
        </Link>
      )}
    </div>
  );
}
