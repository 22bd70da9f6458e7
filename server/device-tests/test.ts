/**
 * A test of a device as people see it. It decides nothing; what was told is in its row. Failures
 * such as `expired` follow when the test is read: no sweep writes them, no order of reports spoils
 * them.
 */
import type { Test, TestFailureReason, TestStage } from '../../src/shared/contract';
import type { TestRow } from '../db/schema';
import { toTime, toTimeOrNull } from '../lib/clock';

/** So long a test is on its way: the phone may sleep, or have no network, for hours. */
export const TEST_LIFETIME = 24 * 3600_000;
/** What is no later than this is in time, in milliseconds. */
const LATE = 30_000;
const ORDER: readonly TestStage[] = ['queued', 'accepted', 'received', 'displayed', 'heard'];

/**
 * @param now in milliseconds since 1970
 * @param isDeviceThere whether the device is still registered, by the same person
 */
export function toTest(row: TestRow, now: number, isDeviceThere = true): Test {
  const hasLeft = now >= row.send_at;
  const reached: Record<TestStage, number | null> = {
    queued: hasLeft ? row.send_at : null,
    // Where the answer of the push service was lost, the device is the proof.
    accepted: row.accepted_at ?? row.received_at,
    received: row.received_at,
    displayed: row.displayed_at,
    heard: row.heard_at,
  };
  const late = row.displayed_at === null ? 0 : row.displayed_at - row.send_at;
  return {
    id: row.id,
    deviceId: row.device_id,
    createdAt: toTime(row.created_at),
    // The moment of a test with a delay is hidden until it is over.
    sendAt: toTime(hasLeft ? row.send_at : row.announced_at),
    stages: {
      queued: toTimeOrNull(reached.queued),
      accepted: toTimeOrNull(reached.accepted),
      received: toTimeOrNull(reached.received),
      displayed: toTimeOrNull(reached.displayed),
      heard: toTimeOrNull(reached.heard),
    },
    failure: failureOf(row, reached, { now, isDeviceThere }),
    lateBy: late > LATE ? late : null,
  };
}

/** A failure counts as long as nothing beyond it was reached. */
function failureOf(
  { failure_stage: stage, failure_reason: reason, send_at }: TestRow,
  reached: Record<TestStage, number | null>,
  { now, isDeviceThere }: { now: number; isDeviceThere: boolean },
): Test['failure'] {
  const furthest = ORDER.findLastIndex((each) => reached[each] !== null);
  const notAccepted = (why: TestFailureReason) => ({ stage: 'accepted' as const, reason: why });
  const isOnItsWay = furthest < ORDER.indexOf('accepted');
  if (isOnItsWay && !isDeviceThere && reason !== 'gone') return notAccepted('removed');
  if (stage !== null && reason !== null && ORDER.indexOf(stage) > furthest)
    return { stage, reason };
  // Nothing but its time says that it never left.
  return isOnItsWay && now >= send_at + TEST_LIFETIME ? notAccepted('expired') : null;
}
