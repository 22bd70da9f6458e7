import type { DeviceTest } from '../../shared/contract';
import { thisDevice } from '../../state/device/own-devices';
import { isTestOver } from '../../state/reach/test-states';
import { When } from '../../ui/values/When';
import { OwnDevices } from './OwnDevices';

export interface DeviceTestActions {
  /** Nothing can be tested offline. */
  isOffline: boolean;
  onTest: () => void;
  onSleep: () => void;
}

/** Explains the test before it starts, and shows the last result. */
export function StartTest(actions: DeviceTestActions) {
  const lastTest = thisDevice.value?.reach?.lastTest;
  return (
    <>
      <div className="panel pad">
        <p>
          Fieldbell sends a test to this device, the same way as a real message. The test takes
          about 10 seconds.
        </p>
        <div className="bar">
          <button
            type="button"
            className="full"
            disabled={actions.isOffline}
            onClick={actions.onTest}
          >
            Test this phone
          </button>
          {lastTest && <LastTest test={lastTest} />}
        </div>
      </div>
      <SleepSection {...actions} />
      <OwnDevices />
    </>
  );
}

function LastTest({ test }: { test: DeviceTest }) {
  const { failure, lateBy, stages, sendAt } = test;
  if (!isTestOver(test)) return null;
  const [tone, text] =
    stages.displayed === null
      ? (['bad', 'The last test failed'] as const)
      : failure
        ? (['warn', 'The last test made no sound'] as const)
        : lateBy !== null
          ? (['warn', 'The last test arrived late'] as const)
          : stages.heard !== null
            ? (['ok', 'The last test passed'] as const)
            : ([undefined, 'The last test arrived'] as const);
  return (
    <span className="chip" data-tone={tone}>
      {text} · <When iso={stages.displayed ?? sendAt} inside />
    </span>
  );
}

export const SleepSection = ({ isOffline: offline, onSleep }: DeviceTestActions) => (
  <section aria-labelledby="sleep">
    <h2 id="sleep">Sleep test</h2>
    <div className="panel pad">
      <p>
        Some phones delay messages while they sleep. Start the test, lock the phone, and come back
        after 15 minutes.
      </p>
      <button type="button" className="plain" disabled={offline} onClick={onSleep}>
        Start the sleep test
      </button>
    </div>
  </section>
);

export const TestAgain = ({
  isBusy: busy,
  isMain: main,
  isOffline: offline,
  onTest,
}: DeviceTestActions & { isBusy?: boolean; isMain?: boolean }) => (
  <p>
    <button
      type="button"
      className={main ? 'full' : 'plain full'}
      aria-busy={busy || undefined}
      disabled={busy || offline}
      onClick={onTest}
    >
      {busy ? 'Testing…' : 'Test again'}
    </button>
  </p>
);
