/**
 * Whether a device can be reached, as its person is told: from what really was shown there, never
 * from a permission. That a test was shown is not enough, as a silent phone shows it, too: only the
 * person's Yes makes it good. A message that was shown is one that the person had the chance to
 * hear, and counts; what the person called silent stays so until a later test rings.
 */
import type { ReachDevice, Test } from '../../shared/contract';

/** `at` is the moment that it is known from. */
export type Verdict =
  | { is: 'reachable' | 'late'; at: string; by: 'test' | 'message'; lateBy: number | null }
  /** A test was shown, and nobody said yet whether it rang. */
  | { is: 'unheard'; at: string; test: string }
  | { is: 'testing' }
  | { is: 'untested' }
  | {
      is: 'unreachable';
      /** `test`: it did not arrive. `mute`: it was silent. `silent`: so many pushes were not shown. */
      why: 'blocked' | 'unregistered' | 'refused' | 'silent' | 'test' | 'mute';
      at?: string;
      count?: number;
    };

/** A test that has not arrived by then has failed: its hidden minute, and one on the way. */
const OVERDUE_MS = 2 * 60_000;
/** What was shown so much later than a test is something else. */
const APART_MS = 2000;

/** @param asOf when the server told that, in milliseconds since 1970 by its clock */
export function verdictOf(reach: ReachDevice, asOf: number): Verdict {
  const { state, lastTest: test, lastDisplayedAt, unanswered } = reach;
  if (test?.failure?.stage === 'heard') return { is: 'unreachable', why: 'mute', at: test.sendAt };
  const counts = test !== null && !wasFollowed(test, lastDisplayedAt);
  if (counts && hasFailed(test, asOf)) return { is: 'unreachable', why: 'test', at: test.sendAt };
  if (state === 'failing') return { is: 'unreachable', why: 'refused' };
  if (state === 'silent') return { is: 'unreachable', why: 'silent', count: unanswered };
  if (counts) return ofTest(test, state === 'late');
  if (lastDisplayedAt === null) return { is: 'untested' };
  const is = state === 'late' ? 'late' : 'reachable';
  return { is, at: lastDisplayedAt, by: 'message', lateBy: null };
}

/** Whether a message was shown after that test, or after it should have been. */
const wasFollowed = ({ stages, sendAt }: Test, displayedAt: string | null): boolean =>
  displayedAt !== null &&
  Date.parse(displayedAt) > Date.parse(stages.displayed ?? sendAt) + APART_MS;

/** A push service that did not answer yet is asked again: that is no failure. */
const hasFailed = ({ failure, stages, sendAt }: Test, asOf: number): boolean =>
  stages.displayed === null &&
  ((failure !== null && failure.reason !== 'unreachable' && failure.reason !== 'busy') ||
    asOf - Date.parse(sendAt) > OVERDUE_MS);

function ofTest({ id, stages, lateBy }: Test, late: boolean): Verdict {
  const { displayed: at, heard } = stages;
  if (at === null) return { is: 'testing' };
  if (late || lateBy !== null) return { is: 'late', at, by: 'test', lateBy };
  if (heard === null) return { is: 'unheard', at, test: id };
  return { is: 'reachable', at, by: 'test', lateBy };
}
