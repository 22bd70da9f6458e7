/** What a test says by itself: whether it has left, is over, or failed. */
import type { Test } from '../../shared/contract';
import { now } from '../clock';
import { isSleepTest } from './sleep';

/** Whether the test has left, by the server's clock: until then nobody looks at it. */
export const hasLeft = (test: Test): boolean =>
  !isSleepTest(test) || test.stages.accepted !== null || now() >= leaves(test);
/** The latest moment at which it leaves. The server hides which of a minute it is. */
export const leaves = ({ sendAt }: Test): number => Date.parse(sendAt) + HIDDEN_MS;
const HIDDEN_MS = 60_000;

const FINAL = ['gone', 'refused', 'expired', 'removed'];
/** Whether it has failed for good. What the push service does not answer is tried again. */
export const hasFailed = ({ failure, stages }: Test): boolean =>
  failure !== null &&
  stages.displayed === null &&
  (failure.stage === 'displayed' || FINAL.includes(failure.reason));
/** Whether looking again would show anything new by itself. */
export const isOver = (test: Test): boolean => test.stages.displayed !== null || hasFailed(test);
/** Whether the person has said if it rang. */
export const isAnswered = ({ stages, failure }: Test): boolean =>
  stages.heard !== null || failure?.stage === 'heard';
