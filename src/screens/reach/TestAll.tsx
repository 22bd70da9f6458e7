import { useState } from 'react';
import { isConnected } from '../../platform/connection';
import type { ReachBoardPage } from '../../state/reach/reach-board';
import { countedNoun } from '../../ui/lists/Pager';
import { When } from '../../ui/values/When';
import { lazy } from '../../ui/lazy';

const TestAllDialog = lazy(() => import('./TestAllDialog').then((module) => module.TestAllDialog));

/** Tests all devices after a confirmation; shows the running or last test. */
export function TestAll({
  round,
  last,
  busy,
  onTest,
}: {
  /** The running test. */
  round: ReachBoardPage['lastTests'] | undefined;
  last: ReachBoardPage['lastTests'] | undefined;
  busy: boolean;
  onTest: () => void;
}) {
  const [asking, setAsking] = useState(false);
  const skippedCount = (round ?? last)?.quietDevices;
  return (
    <>
      <small role="status">
        {round && `Testing ${countedNoun(round.devices, 'device')}…`}
        {!round && last && (
          <>
            Tested {countedNoun(last.devices, 'device')} <When iso={last.at} inside />
          </>
        )}
        {!!skippedCount &&
          ` · ${countedNoun(skippedCount, 'device')} skipped because of quiet hours`}
      </small>
      <button
        type="button"
        aria-busy={busy || undefined}
        disabled={busy || !isConnected.value}
        onClick={() => setAsking(true)}
      >
        Test all devices
      </button>
      {asking && <TestAllDialog onTest={onTest} onClose={() => setAsking(false)} />}
    </>
  );
}
