// Whether a device is reachable, judged by what it displayed, never by a permission. A silent phone
// displays a test too, so only the person's Yes counts. A displayed message counts as heard.
import type { ReachDevice, DeviceTest } from '../../shared/contract';

/** `at` is the time of the evidence. */
export type ReachVerdict =
  | { kind: 'reachable' | 'late'; at: string; by: 'test' | 'message'; lateBy: number | null }
  /** Displayed, but the person has not said whether it made a sound. */
  | { kind: 'soundUnconfirmed'; at: string; test: string }
  | { kind: 'testing' }
  | { kind: 'untested' }
  | {
      kind: 'unreachable';
      /**
       * `test`: the test did not arrive. `mute`: no sound. `silent`: `count` pushes were not
       * displayed.
       */
      why: 'blocked' | 'unregistered' | 'rejected' | 'silent' | 'test' | 'mute';
      at?: string;
      count?: number;
    };

/** A minute of hidden delay, and one on its way. */
const TEST_OVERDUE_MS = 2 * 60_000;
/** A push displayed this long after the test is another message. */
const OTHER_MESSAGE_AFTER_MS = 2000;

/** @param asOf when the server reported it, in milliseconds since 1970 by its clock */
export function toReachVerdict(reach: ReachDevice, asOf: number): ReachVerdict {
  const { state, lastTest, lastDisplayedAt, unanswered } = reach;
  if (lastTest?.failure?.stage === 'heard')
    return { kind: 'unreachable', why: 'mute', at: lastTest.sendAt };
  const isTestDecisive = lastTest !== null && !isFollowedByMessage(lastTest, lastDisplayedAt);
  if (isTestDecisive && hasFailedOrIsOverdue(lastTest, asOf))
    return { kind: 'unreachable', why: 'test', at: lastTest.sendAt };
  if (state === 'failing') return { kind: 'unreachable', why: 'rejected' };
  if (state === 'silent') return { kind: 'unreachable', why: 'silent', count: unanswered };
  if (isTestDecisive) return toTestVerdict(lastTest, state === 'late');
  if (lastDisplayedAt === null) return { kind: 'untested' };
  const kind = state === 'late' ? 'late' : 'reachable';
  return { kind, at: lastDisplayedAt, by: 'message', lateBy: null };
}

/** Whether a message was displayed after that test. */
const isFollowedByMessage = ({ stages, sendAt }: DeviceTest, displayedAt: string | null): boolean =>
  displayedAt !== null &&
  Date.parse(displayedAt) > Date.parse(stages.displayed ?? sendAt) + OTHER_MESSAGE_AFTER_MS;

/** A push service that has not responded is retried, so it has not failed yet. */
const hasFailedOrIsOverdue = ({ failure, stages, sendAt }: DeviceTest, asOf: number): boolean =>
  stages.displayed === null &&
  ((failure !== null && failure.reason !== 'unreachable' && failure.reason !== 'busy') ||
    asOf - Date.parse(sendAt) > TEST_OVERDUE_MS);

function toTestVerdict({ id, stages, lateBy }: DeviceTest, isLate: boolean): ReachVerdict {
  const { displayed: displayedAt, heard } = stages;
  if (displayedAt === null) return { kind: 'testing' };
  if (isLate || lateBy !== null) return { kind: 'late', at: displayedAt, by: 'test', lateBy };
  if (heard === null) return { kind: 'soundUnconfirmed', at: displayedAt, test: id };
  return { kind: 'reachable', at: displayedAt, by: 'test', lateBy };
}
