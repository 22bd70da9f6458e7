/** Computed from the row: failures such as `expired` need no sweep and no order of reports. */
import type { DeviceTest, TestFailureReason, TestStage } from '../../src/shared/contract';
import type { TestRow } from '../db/schema';
import { toTime, toTimeOrNull } from '../lib/clock';

export const TEST_LIFETIME_MS = 24 * 3600_000;
const LATE_DISPLAY_MS = 30_000;
const STAGE_ORDER: readonly TestStage[] = ['queued', 'accepted', 'received', 'displayed', 'heard'];

export function toTest(row: TestRow, now: number, isDeviceThere = true): DeviceTest {
  const hasLeft = now >= row.send_at;
  const stageTimes: Record<TestStage, number | null> = {
    queued: hasLeft ? row.send_at : null,
    // If the push service's response was lost, the device's report proves the acceptance.
    accepted: row.accepted_at ?? row.received_at,
    received: row.received_at,
    displayed: row.displayed_at,
    heard: row.heard_at,
  };
  const delay = row.displayed_at === null ? 0 : row.displayed_at - row.send_at;
  return {
    id: row.id,
    deviceId: row.device_id,
    createdAt: toTime(row.created_at),
    // A delayed test shows no time until its push has left.
    sendAt: toTime(hasLeft ? row.send_at : row.announced_at),
    stages: {
      queued: toTimeOrNull(stageTimes.queued),
      accepted: toTimeOrNull(stageTimes.accepted),
      received: toTimeOrNull(stageTimes.received),
      displayed: toTimeOrNull(stageTimes.displayed),
      heard: toTimeOrNull(stageTimes.heard),
    },
    failure: toTestFailure(row, stageTimes, { now, isDeviceThere }),
    lateBy: delay > LATE_DISPLAY_MS ? delay : null,
  };
}

function toTestFailure(
  { failure_stage: stage, failure_reason: reason, send_at }: TestRow,
  stageTimes: Record<TestStage, number | null>,
  { now, isDeviceThere }: { now: number; isDeviceThere: boolean },
): DeviceTest['failure'] {
  const furthestIndex = STAGE_ORDER.findLastIndex((each) => stageTimes[each] !== null);
  const createAcceptFailure = (why: TestFailureReason) => ({
    stage: 'accepted' as const,
    reason: why,
  });
  const isOnItsWay = furthestIndex < STAGE_ORDER.indexOf('accepted');
  if (isOnItsWay && !isDeviceThere && reason !== 'gone') return createAcceptFailure('removed');
  if (stage !== null && reason !== null && STAGE_ORDER.indexOf(stage) > furthestIndex)
    return { stage, reason };
  // No report says that the push never left: only the time shows it.
  return isOnItsWay && now >= send_at + TEST_LIFETIME_MS ? createAcceptFailure('expired') : null;
}
