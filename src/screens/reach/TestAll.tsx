import { useState } from 'react';
import { connected } from '../../platform/connection';
import type { Board } from '../../state/reach/board';
import { lazy } from '../../ui/lazy';
import { amount } from '../../ui/lists/Pager';
import { When } from '../../ui/values/When';

const TestAllDialog = lazy(() => import('./TestAllDialog').then((module) => module.TestAllDialog));

/** Tests everybody's devices once that is confirmed; says how many are tested or when they were. */
export function TestAll({
  round,
  last,
  busy,
  onTest,
}: {
  /** The round that is under way. */
  round: Board['lastTests'] | undefined;
  last: Board['lastTests'] | undefined;
  /** One is asked for. */
  busy: boolean;
  onTest: () => void;
}) {
  const [asking, setAsking] = useState(false);
  const left = (round ?? last)?.quietDevices;
  return (
    <>
      <small role="status">
        {round && `Testing ${amount(round.devices, 'device')}…`}
        {!round && last && (
          <>
            Tested {amount(last.devices, 'device')} <When iso={last.at} inside />
          </>
        )}
        {!!left && ` · ${left.toLocaleString()} left out for quiet hours`}
      </small>
      <button
        type="button"
        aria-busy={busy || undefined}
        disabled={busy || !connected.value}
        onPointerEnter={TestAllDialog.preload}
        onClick={() => setAsking(true)}
      >
        Test all devices
      </button>
      {asking && <TestAllDialog onTest={onTest} onClose={() => setAsking(false)} />}
    </>
  );
}
