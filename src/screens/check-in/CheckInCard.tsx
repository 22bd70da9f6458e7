import { useEffect } from 'react';
import { plural } from '../../platform/plural';
import { followCheckIns, ownCheckIns } from '../../state/check-ins/own-check-ins';
import { CheckInHomeCard } from './CheckInHomeCard';
import { useCurrentTime } from './use-current-time';
import type { CheckIn } from '../../shared/contract';
import { hasAlerted, isUndeliverable, minutesLeft, getCheckInPhase } from './check-in-texts';
import { timeOfDay } from '../../ui/values/When';

/** On the home screen: how the person's check-in is, or a way to start one. */
export function CheckInCard() {
  useEffect(followCheckIns, []);
  const time = useCurrentTime(10_000);
  const current = ownCheckIns.value?.current;
  if (!current) return <CheckInHomeCard />;
  const remainingMinutes = minutesLeft(current, time);
  switch (getCheckInPhase(current, time)) {
    case 'running':
      return (
        <CheckInHomeCard
          title={plural(remainingMinutes, {
            one: '1 minute left',
            other: `${remainingMinutes} minutes left`,
          })}
          about={`Check-in due at ${timeOfDay(current.dueAt)}.`}
          action="Open"
        />
      );
    case 'due':
      return (
        <CheckInHomeCard
          tone="bad"
          title="Are you OK?"
          about={`Answer by ${timeOfDay(current.alarmAt)}, or we’ll alert others.`}
          action="Answer"
        />
      );
    default:
      if (current.alarm?.allClearAt)
        return (
          <CheckInHomeCard
            title="Your check-in isn’t over"
            about="Someone gave the all-clear. Tell us that you’re OK, or end the check-in."
            action="Answer"
          />
        );
      return (
        <CheckInHomeCard
          tone="bad"
          title={alarmTitle(current.alarm)}
          about="If you’re OK, send the all-clear."
          action="Answer"
        />
      );
  }
}

function alarmTitle(alarm: CheckIn['alarm']): string {
  if (isUndeliverable(alarm)) return 'We can’t notify anyone';
  return alarm && hasAlerted(alarm) ? 'We’ve alerted others' : 'We’re alerting others';
}
