/** Polls the shown test until it is over. */
import { errorMessage } from '../../api/error';
import { onReconnect } from '../../platform/network';
import { watchWhileVisible } from '../../platform/visibility';
import { onWorkerMessage } from '../../platform/worker';
import type { DeviceTest } from '../../shared/contract';
import { serverNow } from '../clock';
import { testProgress, TEST_LOAD_FAILED, readTest, updateTest } from './test-progress';
import { clearSleepTest } from './sleep-test';
import { hasFailedFinally, isTestSent, isTestOver, getLatestSendTime } from './test-states';

/** Polling interval, and its limit while the person looks. */
const POLL_INTERVAL_MS = 1000;
const POLL_LIMIT_MS = 60_000;
/** A longer pause restarts polling with its full time. */
const NEW_VISIT_AFTER_MS = 15_000;
/** The maximum of a timer: 24 days. */
const LONGEST_PAUSE_MS = 2 ** 31 - 1;

/** Polls while the page is visible and the test is not over. Returns how to stop. */
export function followTest(id: string): () => void {
  let beganAt = 0;
  let lastPollAt = Number.NEGATIVE_INFINITY;
  const pollingWatch = watchWhileVisible(async () => {
    const { value } = testProgress;
    if (value.kind !== 'test' || value.test.id !== id) return LONGEST_PAUSE_MS;
    if (isTestOver(value.test)) {
      if (hasFailedFinally(value.test)) clearSleepTest(id); // the person sees the failure now
      return LONGEST_PAUSE_MS;
    }
    const time = performance.now();
    if (time - lastPollAt > NEW_VISIT_AFTER_MS) beganAt = time;
    const { test, failure } = await pollTest(value.test);
    lastPollAt = performance.now();
    if (!isTestSent(test)) {
      updateTest(id, { test, polling: { waited: 0, ...failure } });
      return Math.max(
        POLL_INTERVAL_MS,
        Math.min(getLatestSendTime(test) - serverNow(), LONGEST_PAUSE_MS),
      );
    }
    const waitedMs = lastPollAt - beganAt;
    const hasGivenUp = !isTestOver(test) && waitedMs >= POLL_LIMIT_MS;
    updateTest(id, {
      test,
      polling: { waited: waitedMs, ...failure, ...(hasGivenUp && { gaveUp: Date.now() }) },
    });
    if (hasGivenUp || hasFailedFinally(test)) clearSleepTest(id);
    return hasGivenUp || isTestOver(test)
      ? LONGEST_PAUSE_MS
      : Math.min(POLL_INTERVAL_MS, POLL_LIMIT_MS - waitedMs);
  });
  const restartPolling = () => {
    lastPollAt = Number.NEGATIVE_INFINITY;
    pollingWatch.checkNow();
  };
  const stopFunctions = [
    pollingWatch.stop,
    onReconnect(restartPolling),
    onWorkerMessage((message) => {
      if (message.type === 'shown' && message.shown.id === id) restartPolling();
    }),
  ];
  return () => stopFunctions.forEach((stop) => stop());
}

/** Returns the current test, or the unchanged test and the reason. */
async function pollTest(
  before: DeviceTest,
): Promise<{ test: DeviceTest; failure?: { failure: string } }> {
  try {
    return { test: await readTest(before.id) };
  } catch (error) {
    return { test: before, failure: { failure: errorMessage(error, TEST_LOAD_FAILED) } };
  }
}
