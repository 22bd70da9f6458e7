/** The test of this device on screen: its state and what changes it. */
import { computed, signal } from '@preact/signals-react';
import { call } from '../../api/call';
import { ApiError, errorMessage } from '../../api/error';
import type { DeviceTest } from '../../shared/contract';
import { deviceTestSchema } from '../../shared/contract/device-tests' with { type: 'example' };
import { latestOnly } from '../latest-only';
import { onSessionEndOrPersonChange } from '../session';
import { checkDevice, type DeviceStage } from './device-checks';
import { clearSleepTest, storeSleepTest, SLEEP_TEST_SECONDS } from './sleep-test';

export const DEVICE_TEST_FAILED = 'Failed to send the test.';
export const TEST_LOAD_FAILED = 'Failed to load the test.';
export const SOUND_ANSWER_FAILED = 'Failed to send your answer.';

/** Polling, until the test is over. */
export interface TestPolling {
  /** Milliseconds since polling began. */
  waited: number;
  /** When polling stopped: milliseconds since 1970. */
  gaveUp?: number;
  /** Why the last poll failed: a sentence. */
  failure?: string;
}

export type TestProgressState =
  | { kind: 'none' }
  | { kind: 'checking'; stages: DeviceStage[] }
  /** The last stage failed on the device itself. */
  | { kind: 'unfit'; stages: DeviceStage[] }
  /** The server rejected the test, with its sentence. `isLimitReached`: too many tests. */
  | { kind: 'rejected'; stages: DeviceStage[]; message: string; isLimitReached: boolean }
  /** Loading the test named in the address. */
  | { kind: 'opening'; id: string; failure: string; isMissing?: boolean }
  | { kind: 'test'; stages: DeviceStage[]; test: DeviceTest; polling: TestPolling };

export const testProgress = signal<TestProgressState>({ kind: 'none' });
export const shownTest = computed(() => {
  const { value } = testProgress;
  return value.kind === 'test' ? value.test.id : value.kind === 'opening' ? value.id : undefined;
});

const startRequest = latestOnly();
onSessionEndOrPersonChange(closeTest);

export function closeTest(): void {
  startRequest();
  testProgress.value = { kind: 'none' };
}

/**
 * Call it from a press.
 * @param shouldSleep delay the push until the phone has been idle for a while
 * @returns the test's id, if one has started
 */
export async function beginTest(shouldSleep: boolean): Promise<string | undefined> {
  const previous = testProgress.peek();
  const isDeviceGone = previous.kind === 'test' && previous.test.failure?.reason === 'gone';
  closeTest();
  const isCurrent = startRequest();
  let stages: DeviceStage[] = [];
  testProgress.value = { kind: 'checking', stages };
  const deviceId = await checkDevice(isDeviceGone, (stage) => {
    stages = [...stages, stage];
    if (isCurrent()) testProgress.value = { kind: 'checking', stages };
  });
  if (!isCurrent()) return undefined;
  if (deviceId === undefined) {
    testProgress.value = { kind: 'unfit', stages };
    return undefined;
  }
  try {
    const test = await call('POST /api/notifications/tests', {
      body: shouldSleep ? { deviceId, delay: SLEEP_TEST_SECONDS } : { deviceId },
      fallback: DEVICE_TEST_FAILED,
      like: deviceTestSchema,
    });
    if (!isCurrent()) return undefined;
    if (shouldSleep) storeSleepTest(test.id);
    testProgress.value = { kind: 'test', stages, test, polling: { waited: 0 } };
    return test.id;
  } catch (error) {
    const message = errorMessage(error, DEVICE_TEST_FAILED);
    const isLimitReached = error instanceof ApiError && error.status === 429;
    if (isCurrent()) testProgress.value = { kind: 'rejected', stages, message, isLimitReached };
    return undefined;
  }
}

/** Shows a test by its id, such as after a press on its notification. */
export async function openTest(id: string): Promise<void> {
  closeTest();
  const isCurrent = startRequest();
  testProgress.value = { kind: 'opening', id, failure: '' };
  try {
    const test = await readTest(id);
    if (isCurrent())
      testProgress.value = { kind: 'test', stages: [], test, polling: { waited: 0 } };
  } catch (error) {
    const isMissing = isNotFound(error);
    if (isMissing) clearSleepTest(id);
    if (isCurrent())
      testProgress.value = {
        kind: 'opening',
        id,
        failure: errorMessage(error, TEST_LOAD_FAILED),
        isMissing,
      };
  }
}

export const readTest = (id: string): Promise<DeviceTest> =>
  call('GET /api/notifications/tests/:id', {
    params: { id },
    fallback: TEST_LOAD_FAILED,
    like: deviceTestSchema,
  });

const isNotFound = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

/**
 * Records whether the test made a sound; the last answer counts.
 * @throws {ApiError}
 */
export async function confirmSound(wasHeard: boolean): Promise<void> {
  const previous = testProgress.peek();
  if (previous.kind !== 'test') return;
  const test = await call('POST /api/notifications/tests/:id/heard', {
    params: { id: previous.test.id },
    body: { heard: wasHeard },
    fallback: SOUND_ANSWER_FAILED,
    like: deviceTestSchema,
  });
  clearSleepTest(test.id);
  updateTest(test.id, { test });
}

/** Updates the test if it is still shown. */
export function updateTest(
  id: string,
  changes: Partial<Extract<TestProgressState, { kind: 'test' }>>,
): void {
  const { value } = testProgress;
  if (value.kind === 'test' && value.test.id === id) testProgress.value = { ...value, ...changes };
}
