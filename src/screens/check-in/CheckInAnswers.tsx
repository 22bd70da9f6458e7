import { type ReactNode, useState } from 'react';
import { errorMessage } from '../../api/error';
import { isConnected } from '../../platform/connection';
import { isSecondTap } from '../../platform/second-tap';
import type { CheckIn } from '../../shared/contract';
import { CHECK_IN_END_FAILED, endCheckIn, pressCheckIn } from '../../state/check-ins/own-check-ins';
import { Icon } from '../../ui/Icon';
import { notify } from '../../ui/notices';
import { lengthText } from './check-in-texts';
import { confirmDuringHelp } from './StopAlarmDialog';
import { UnsentAnswer } from './UnsentAnswer';

/**
 * A child of the page, because the two buttons stay at its bottom edge, where nothing may cover them.
 * @param isHelp help is on its way, so only “I’m OK” is left to say
 */
export function CheckInAnswers({ isHelp, children }: { isHelp?: boolean; children?: ReactNode }) {
  return (
    <>
      <div className="stack pinned">
        <button type="button" className="tall" onClick={() => sendOk()}>
          <Icon name="check" />
          I’m OK
        </button>
        {!isHelp && (
          <button
            type="button"
            className="tall solid"
            onClick={() => isSecondTap() || void sendPress('help')}
          >
            <Icon name="alert" />I need help
          </button>
        )}
      </div>
      <div className="stack">
        <UnsentAnswer />
        {children}
      </div>
    </>
  );
}

async function sendPress(kind: 'ok' | 'help', minutes?: number): Promise<void> {
  const failure = await pressCheckIn(kind, minutes);
  if (failure) notify(failure, 'bad');
}

const sendOk = (minutes?: number) =>
  confirmDuringHelp('I’m OK', () => void sendPress('ok', minutes));

/** The third answer: the work is done. */
export function EndCheckIn({ checkIn: { id } }: { checkIn: CheckIn }) {
  const [busy, setBusy] = useState(false);
  async function endAndNotify() {
    setBusy(true);
    try {
      await endCheckIn(id);
      notify('Check-in ended.');
    } catch (thrown) {
      notify(errorMessage(thrown, CHECK_IN_END_FAILED), 'bad');
    }
    setBusy(false);
  }
  return (
    <>
      <button
        type="button"
        className="quiet"
        aria-busy={busy || undefined}
        disabled={busy || !isConnected.value}
        aria-describedby={isConnected.value ? undefined : 'end-offline'}
        onClick={() => confirmDuringHelp('End check-in', () => void endAndNotify())}
      >
        End check-in
      </button>
      {!isConnected.value && (
        <small id="end-offline">You need a connection to end the check-in.</small>
      )}
    </>
  );
}

const MORE_TIME_MINUTES = [30, 60, 120];

/** Restarts the check-in with another duration. */
export const MoreTimeButtons = () => (
  <details className="panel">
    <summary>Check on me in…</summary>
    <div className="answers">
      {MORE_TIME_MINUTES.map((minutes) => (
        <button
          key={minutes}
          type="button"
          className="plain"
          aria-label={`I’m OK, check on me in ${lengthText(minutes)}`}
          onClick={() => sendOk(minutes)}
        >
          {lengthText(minutes)}
        </button>
      ))}
    </div>
  </details>
);
