import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { navigate, useSearch } from 'wouter/use-browser-location';
import { isConnected } from '../../platform/connection';
import { loadOwnDevices } from '../../state/device/own-devices';
import {
  beginTest,
  closeTest,
  testProgress,
  openTest,
  shownTest,
} from '../../state/reach/test-progress';
import { followTest } from '../../state/reach/follow-test';
import { isSleepTest, readStoredSleepTest } from '../../state/reach/sleep-test';
import { isTestOver } from '../../state/reach/test-states';
import { loadTopics, topicsShownAsOf } from '../../state/subscriptions/load-topics';
import { Icon } from '../../ui/Icon';
import { Failure, Heading, Skeleton, useKeepFocus } from '../../ui/page';
import { RejectedTest, UnfitPhone, CheckingPhone } from './progress/PhoneStages';
import { SleepSection, StartTest } from './StartTest';
import { TestProgress } from './progress/TestProgress';

/** Tests this device from end to end. */
export function DeviceTest() {
  const state = testProgress.value;
  const id = shownTest.value;
  useTestInAddress();
  useEffect(() => {
    if (state.kind === 'test') return followTest(state.test.id);
  }, [state.kind, id]);
  useEffect(() => {
    if (!isConnected.value) void loadTopics(); // the strip says that there is no network
  }, [isConnected.value]);
  useKeepFocus(
    state.kind,
    state.kind === 'test' && state.test.stages.heard,
    state.kind === 'test' && state.test.failure?.stage,
  );
  const isOffline = !isConnected.value || topicsShownAsOf.value !== null;
  const isAsleep = state.kind === 'test' && isSleepTest(state.test);
  const actions = {
    isOffline,
    onTest: () => void startDeviceTest(false),
    onSleep: () => void startDeviceTest(true),
  };
  return (
    <>
      {isAsleep && (
        <Link className="back" href="/check">
          <Icon name="chevron" />
          Test notifications
        </Link>
      )}
      <Heading>{isAsleep ? 'Sleep test' : 'Test notifications'}</Heading>
      {state.kind === 'none' && <StartTest {...actions} />}
      {state.kind === 'checking' && <CheckingPhone stages={state.stages} />}
      {state.kind === 'unfit' && <UnfitPhone stages={state.stages} {...actions} />}
      {state.kind === 'rejected' && <RejectedTest {...state} {...actions} />}
      {state.kind === 'opening' &&
        (state.failure ? (
          <>
            <Failure retry={state.isMissing ? undefined : () => void openTest(state.id)}>
              {state.failure}
            </Failure>
            {state.isMissing && <StartTest {...actions} />}
          </>
        ) : (
          <Skeleton />
        ))}
      {state.kind === 'test' && <TestProgress {...state} {...actions} />}
      {state.kind === 'test' && !isAsleep && isTestOver(state.test) && (
        <SleepSection {...actions} />
      )}
    </>
  );
}

/** The address names the test, so that Back, a reload and a notification find it. */
function useTestInAddress(): void {
  useSearch(); // renders again when the signal changes
  const testId = new URLSearchParams(location.search).get('test');
  const hasBegun = useRef(false);
  useEffect(() => {
    const isFirstRun = !hasBegun.current;
    hasBegun.current = true;
    const state = testProgress.peek();
    if (testId) {
      if (shownTest.peek() !== testId) void openTest(testId);
      return;
    }
    const unfinishedId =
      state.kind === 'test' && !isTestOver(state.test) ? state.test.id : readStoredSleepTest();
    if (state.kind === 'checking') return;
    if (isFirstRun && unfinishedId) showTest(unfinishedId);
    else closeTest();
  }, [testId]);
}

const showTest = (id: string): void =>
  navigate(`/check?test=${encodeURIComponent(id)}`, { replace: true });

async function startDeviceTest(shouldSleep: boolean): Promise<void> {
  const id = await beginTest(shouldSleep);
  // Does not pull back a person who has left the screen.
  if (id && location.pathname === '/check') showTest(id);
  void loadOwnDevices();
}
