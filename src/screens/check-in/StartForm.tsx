import { useLayoutEffect, useState } from 'react';
import { errorMessage } from '../../api/error';
import { isConnected } from '../../platform/connection';
import { isSecondTap, noteMovedButtons } from '../../platform/second-tap';
import { CHECK_IN_START_FAILED, startCheckIn } from '../../state/check-ins/own-check-ins';
import { Icon } from '../../ui/Icon';
import { Choice } from '../../ui/forms/Choice';
import { FormError, useForm } from '../../ui/forms/form';
import { NoReminders } from './NoReminders';
import { UndeliverableAlarm, canNotifyNoOne } from './UndeliverableAlarm';

const MINUTE_CHOICES = [
  ['30', '30 min'],
  ['60', '1 hour'],
  ['120', '2 hours'],
  ['', 'Other'],
] as const;

/** @param alarmTo the title of the alarm's topic, or empty */
export function StartForm({ alarmTo }: { alarmTo: string }) {
  useLayoutEffect(() => noteMovedButtons(), []);
  const [span, setSpan] = useState<(typeof MINUTE_CHOICES)[number][0]>('60');
  const [otherMinutes, setOtherMinutes] = useState('');
  const { onSubmit, error, invalid, busy } = useForm(
    async ({ minutes, note = '' }) => {
      if (isSecondTap()) return;
      await startCheckIn(Number(minutes ?? span), note.trim());
      scrollTo(0, 0);
    },
    (thrown) => errorMessage(thrown, CHECK_IN_START_FAILED),
  );
  return (
    <>
      <p className="muted">
        {canNotifyNoOne() ? (
          'Working alone? Set a time, and we’ll check on you.'
        ) : (
          <>
            Working alone? Set a time. If you don’t answer, we’ll alert{' '}
            <b>
              <bdi>{alarmTo || 'all administrators'}</bdi>
            </b>
            .
          </>
        )}
      </p>
      <NoReminders />
      <UndeliverableAlarm />
      <form className="panel pad" onSubmit={onSubmit}>
        <FormError>{error}</FormError>
        <fieldset className="four">
          <Choice
            legend="Check on me in"
            name="span"
            options={MINUTE_CHOICES}
            value={span}
            onChoose={setSpan}
          />
          <small>{reminderText(Number(span || otherMinutes))}</small>
        </fieldset>
        {span === '' && (
          <label>
            Minutes{' '}
            <input
              type="number"
              inputMode="numeric"
              name="minutes"
              min={5}
              max={720}
              required
              value={otherMinutes}
              onInput={({ currentTarget }) => setOtherMinutes(currentTarget.value)}
              aria-describedby="minutes-allowed"
              {...invalid('minutes')}
            />
          </label>
        )}
        {span === '' && <small id="minutes-allowed">From 5 to 720 minutes (12 hours).</small>}
        <label>
          Where are you, and what are you doing? <span className="muted">(optional)</span>
          <textarea rows={2} name="note" dir="auto" maxLength={200} {...invalid('note')} />
        </label>
        <button
          type="submit"
          className="tall"
          aria-busy={busy || undefined}
          disabled={busy || !isConnected.value}
        >
          <Icon name="clock" />
          {busy ? 'Starting…' : 'Start check-in'}
        </button>
        {!isConnected.value && (
          <p>
            <small>You’re offline. You can start a check-in when you’re back online.</small>
          </p>
        )}
      </form>
    </>
  );
}

/** Below ten minutes, five minutes before the end would be too early. */
const reminderText = (minutes: number): string =>
  minutes > 0 && minutes < 10
    ? 'We’ll check on you halfway through, and again when the time is up.'
    : 'We’ll check on you 5 minutes before the time is up, and again when it’s up.';
