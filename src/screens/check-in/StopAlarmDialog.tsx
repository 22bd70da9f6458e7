import { signal } from '@preact/signals-react';
import { useEffect, useLayoutEffect } from 'react';
import { isSecondTap, noteMovedButtons } from '../../platform/second-tap';
import { ownCheckIns, unsentPress } from '../../state/check-ins/own-check-ins';
import { DialogForm } from '../../ui/forms/DialogForm';
import { isHelpCalled } from './check-in-texts';

interface UnconfirmedAction {
  action: string;
  run: () => void;
}

const unconfirmedAction = signal<UnconfirmedAction | null>(null);

/** Runs the action, or asks first during a call for help: a second tap must not cancel the call. */
export function confirmDuringHelp(action: string, run: () => void): void {
  if (isSecondTap()) return;
  if (isCallOpen()) unconfirmedAction.value = { action, run };
  else run();
}

function isCallOpen(): boolean {
  const current = ownCheckIns.peek()?.current;
  return (current && isHelpCalled(current)) || unsentPress.peek()?.kind === 'help';
}

/** Stays open while the screen changes because the call was sent. */
export function StopAlarmDialog() {
  const close = () => {
    unconfirmedAction.value = null;
  };
  useEffect(() => close, []);
  useLayoutEffect(() => noteMovedButtons(), [unconfirmedAction.value]);
  if (!unconfirmedAction.value) return null;
  const { action, run } = unconfirmedAction.value;
  return (
    <DialogForm
      title="Stop the alarm?"
      question={
        unsentPress.value?.kind === 'help'
          ? 'Your call for help hasn’t been sent yet. We’ll send it and then your answer, so everyone who gets the call also gets the all-clear.'
          : 'Everyone who got your call for help gets the all-clear.'
      }
      action={action}
      busyText={action}
      danger={false}
      dismiss="Keep the alarm"
      submit={async () => {
        if (isSecondTap()) throw new Error();
        run();
      }}
      explain={() => ''}
      onClose={close}
    />
  );
}
