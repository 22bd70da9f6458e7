import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { navigate, useSearch } from 'wouter/use-browser-location';
import { connected } from '../../platform/connection';
import { loadOwnDevices } from '../../state/device/own-devices';
import {
  beginTest,
  closeTest,
  testProgress,
  openTest,
  shownTest,
} from '../../state/reach/test-progress';
import { followTest } from '../../state/reach/follow-test';
import { isSleepTest, storedSleepTest } from '../../state/reach/sleep-test';
import { isTestOver } from '../../state/reach/test-states';
import { loadTopics, topicsShownAsOf } from '../../state/subscriptions/load-topics';
import { Icon } from '../../ui/Icon';
import { Failure, Heading, Skeleton, useFocusKept } from '../../ui/page';
import { RejectedTest, UnfitPhone, CheckingPhone } from './progress/PhoneStages';
import { SleepSection, StartTest } from './StartTest';
import { TestProgress } from './progress/TestProgress';

/** Tests this device from end to end. */
export function DeviceTest() {
  const now = testProgress.value;
  const id = shownTest.value;
  useAddress();
  useEffect(() => {
    if (now.is === 'test') return followTest(now.test.id);
  }, [now.is, id]);
  useEffect(() => {
    if (!connected.value) void loadTopics(); // the strip says that there is no network
  }, [connected.value]);
  useFocusKept(
    now.is,
    now.is === 'test' && now.test.stages.heard,
    now.is === 'test' && now.test.failure?.stage,
  );
  const offline = !connected.value || topicsShownAsOf.value !== null;
  const asleep = now.is === 'test' && isSleepTest(now.test);
  const actions = { offline, onTest: () => void start(false), onSleep: () => void start(true) };
  return (
    <>
      {asleep && (
        <Link className="back" href="/check">
          <Icon name="chevron" />
          Test notifications
        </Link>
      )}
      <Heading>{asleep ? 'Sleep test' : 'Test notifications'}</Heading>
      {now.is === 'none' && <StartTest {...actions} />}
      {now.is === 'checking' && <CheckingPhone stages={now.stages} />}
      {now.is === 'unfit' && <UnfitPhone stages={now.stages} {...actions} />}
      {now.is === 'rejected' && <RejectedTest {...now} {...actions} />}
      {now.is === 'opening' &&
        (now.failure ? (
          <>
            <Failure retry={now.missing ? undefined : () => void openTest(now.id)}>
              {now.failure}
            </Failure>
            {now.missing && <StartTest {...actions} />}
          </>
        ) : (
          <Skeleton />
        ))}
      {now.is === 'test' && <TestProgress {...now} {...actions} />}
      {now.is === 'test' && !asleep && isTestOver(now.test) && <SleepSection {...actions} />}
    </>
  );
}

/** The address names the test, so that Back, a reload and a notification find it. */
function useAddress(): void {
  useSearch(); // draws again when it changes
  const wanted = new URLSearchParams(location.search).get('test');
  const begun = useRef(false);
  useEffect(() => {
    const first = !begun.current;
    begun.current = true;
    const now = testProgress.peek();
    if (wanted) {
      if (shownTest.peek() !== wanted) void openTest(wanted);
      return;
    }
    const unfinished = now.is === 'test' && !isTestOver(now.test) ? now.test.id : storedSleepTest();
    if (now.is === 'checking') return;
    if (first && unfinished) show(unfinished);
    else closeTest();
  }, [wanted]);
}

const show = (id: string): void =>
  navigate(`/check?test=${encodeURIComponent(id)}`, { replace: true });

async function start(sleep: boolean): Promise<void> {
  const id = await beginTest(sleep);
  // Does not pull back a person who has left the screen.
  if (id && location.pathname === '/check') show(id);
  void loadOwnDevices();
}
