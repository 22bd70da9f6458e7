/** What a test's record says: whether it has been sent, is over, or failed. */
import type { DeviceTest } from '../../shared/contract';
import { serverNow } from '../clock';
import { isSleepTest } from './sleep-test';

/** Whether the test has been sent, by the server's clock. */
export const isTestSent = (test: DeviceTest): boolean =>
  !isSleepTest(test) || test.stages.accepted !== null || serverNow() >= getLatestSendTime(test);
/** The latest time at which the test is sent. The server hides the exact second within a minute. */
export const getLatestSendTime = ({ sendAt }: DeviceTest): number =>
  Date.parse(sendAt) + MAX_HIDDEN_DELAY_MS;
const MAX_HIDDEN_DELAY_MS = 60_000;

const FINAL_FAILURES = ['gone', 'refused', 'expired', 'removed'];
/**
 * Whether the test has failed for good. The server retries when a push service does not respond.
 */
export const hasFailedFinally = ({ failure, stages }: DeviceTest): boolean =>
  failure !== null &&
  stages.displayed === null &&
  (failure.stage === 'displayed' || FINAL_FAILURES.includes(failure.reason));
export const isTestOver = (test: DeviceTest): boolean =>
  test.stages.displayed !== null || hasFailedFinally(test);
export const isSoundKnown = ({ stages, failure }: DeviceTest): boolean =>
  stages.heard !== null || failure?.stage === 'heard';
