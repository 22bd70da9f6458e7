/** Tests that are under way, and looking at the board for as long as they are. */
import { useEffect } from 'react';
import { every } from '../../platform/visibility';
import type { Test } from '../../shared/contract';
import type { Board } from '../../state/reach/board';
import { timeOf } from '../../ui/values/Day';

/** What has not been shown by then is called not received, though it may still come. */
const ANSWER_MS = 60_000;
/** So much longer a round takes for each device, which leave one after the other; to ten minutes. */
const DEVICE_MS = 10;
const MAX_ROUND_MS = 600_000;
/** So long after an answer it is asked again. */
const AGAIN_MS = 3000;

/** Whether a test may still come to its end any moment. */
export function isTestOpen({ sendAt, stages, failure }: Test, now: number): boolean {
  return !failure && !stages.displayed && now < timeOf(sendAt) + ANSWER_MS;
}

/** Until when devices that are tested since then are looked at, in milliseconds since 1970. */
export const roundEnd = ({ at, until, devices }: NonNullable<Board['lastTests']>): number =>
  Math.min(
    (timeOf(until) || timeOf(at)) + ANSWER_MS + devices * DEVICE_MS,
    timeOf(at) + MAX_ROUND_MS,
  );

/** Whether somebody on this page is tested at this moment. A test for later is not waited for. */
export const isSomebodyTested = (rows: Board['rows'], now: number): boolean =>
  rows.some(({ devices }) =>
    devices.some(
      ({ lastTest }) =>
        lastTest && isTestOpen(lastTest, now) && timeOf(lastTest.sendAt) < now + AGAIN_MS,
    ),
  );

/**
 * Asks again some seconds after each answer, while `moving` and while the page is seen. An answer
 * that is late never has a second question behind it.
 */
export function useFollow(
  moving: boolean,
  { shown, failure, loading, reload }: FollowedList,
): void {
  useEffect(() => {
    if (!moving || loading) return;
    return every(AGAIN_MS, reload);
  }, [moving, shown, failure, loading]);
}

interface FollowedList {
  shown?: unknown;
  failure: string;
  loading: boolean;
  reload: () => void;
}
