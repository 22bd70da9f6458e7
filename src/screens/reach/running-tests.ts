/** Running tests, and refreshing the board meanwhile. */
import { useEffect } from 'react';
import { repeatWhileVisible } from '../../platform/visibility';
import type { DeviceTest } from '../../shared/contract';
import type { ReachBoardPage } from '../../state/reach/reach-board';
import { parseTime } from '../../ui/values/Day';

/** A test not displayed by then counts as not received, though it may still come. */
const MAX_RESPONSE_MS = 60_000;
/** Devices are tested one after the other, so each extends the round. */
const DEVICE_TEST_MS = 10;
const MAX_ROUND_MS = 600_000;
const RELOAD_EVERY_MS = 3000;

/** Whether a test may still succeed. */
export function isTestOpen({ sendAt, stages, failure }: DeviceTest, now: number): boolean {
  return !failure && !stages.displayed && now < parseTime(sendAt) + MAX_RESPONSE_MS;
}

/** When the board stops refreshing, in milliseconds since 1970. */
export const refreshUntil = ({
  at,
  until,
  devices,
}: NonNullable<ReachBoardPage['lastTests']>): number =>
  Math.min(
    (parseTime(until) || parseTime(at)) + MAX_RESPONSE_MS + devices * DEVICE_TEST_MS,
    parseTime(at) + MAX_ROUND_MS,
  );

/** Ignores tests scheduled for later. */
export const isTestRunning = (rows: ReachBoardPage['rows'], now: number): boolean =>
  rows.some(({ devices }) =>
    devices.some(
      ({ lastTest }) =>
        lastTest && isTestOpen(lastTest, now) && parseTime(lastTest.sendAt) < now + RELOAD_EVERY_MS,
    ),
  );

/** Refreshes some seconds after each response, so requests never overlap. */
export function useRefreshDuringTests(
  isActive: boolean,
  { shown, failure, loading, reload }: FollowedList,
): void {
  useEffect(() => {
    if (!isActive || loading) return;
    return repeatWhileVisible(RELOAD_EVERY_MS, reload);
  }, [isActive, shown, failure, loading]);
}

interface FollowedList {
  shown?: unknown;
  failure: string;
  loading: boolean;
  reload: () => void;
}
