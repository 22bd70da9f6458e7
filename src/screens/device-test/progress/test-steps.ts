/** A test's stages in words. No markup. */
import type { DeviceTest, TestFailureReason } from '../../../shared/contract';
import type { TestPolling } from '../../../state/reach/test-progress';
import {
  hasFailedFinally,
  isTestSent,
  isSoundKnown,
  isTestOver,
} from '../../../state/reach/test-states';
import { delayText } from '../../../ui/values/duration';
import { clockText, formatWithSeconds } from '../../../ui/values/Day';
import { timeText } from '../../../ui/values/When';
import { testFailureText } from './test-failures';

export interface ShownStage {
  title: string;
  text: string;
  tone?: 'ok' | 'warn' | 'bad';
  /** The step is in progress. */
  isCurrent?: boolean;
}

export const currentTitle = (steps: readonly ShownStage[]): string | undefined =>
  steps.find(({ isCurrent: current }) => current)?.title;

/** Formats a time with its seconds: `14:31:02`. */
export const timeWithSeconds = (time: number): string => timeText(time, formatWithSeconds);
const isoTimeWithSeconds = (iso: string): string => timeWithSeconds(Date.parse(iso));

/** `, late by 40 s`, or empty. */
export const lateText = ({ lateBy }: DeviceTest): string =>
  lateBy === null ? '' : `, late by ${delayText(lateBy)}`;

/** The server's threshold for `lateBy`. */
const MAX_DELAY_MS = 30_000;

const isLate = (test: DeviceTest, time: string): boolean =>
  test.lateBy !== null && Date.parse(time) - Date.parse(test.sendAt) > MAX_DELAY_MS;

export interface WaitingTest {
  test: DeviceTest;
  polling: TestPolling;
}

const hasEnded = ({ test, polling }: WaitingTest): boolean =>
  hasFailedFinally(test) || polling.gaveUp !== undefined;

/** The push's stages, from the server to the person. */
export function testSteps(waitingTest: WaitingTest): ShownStage[] {
  const { test } = waitingTest;
  const { queued, accepted, received, displayed } = test.stages;
  // If a stage's report was lost, a later stage proves it.
  const arrivedAt = received ?? displayed;
  // The device's report may be recorded before the push service's.
  const acceptedAt =
    accepted && arrivedAt && arrivedAt < accepted ? arrivedAt : (accepted ?? arrivedAt);
  const wasLateAtArrival = arrivedAt !== null && isLate(test, arrivedAt);
  return [
    { title: 'Sent', text: isoTimeWithSeconds(queued ?? test.createdAt), tone: 'ok' },
    reachedStage('Accepted by the push service', acceptedAt) ??
      missedStage(
        waitingTest,
        true,
        'Accepted by the push service',
        'Not accepted by the push service',
      ),
    reachedStage('Received by this device', arrivedAt, wasLateAtArrival ? lateText(test) : '') ??
      missedStage(
        waitingTest,
        acceptedAt !== null,
        'Received by this device',
        'Not received by this device',
      ),
    reachedStage('Displayed on the screen', displayed, wasLateAtArrival ? '' : lateText(test)) ??
      missedStage(
        waitingTest,
        arrivedAt !== null,
        'Displayed on the screen',
        'Not displayed on the screen',
      ),
    ringStep(waitingTest, 'We’ll ask you at the end'),
  ];
}

const reachedStage = (title: string, iso: string | null, lateNote = ''): ShownStage | undefined =>
  iso === null
    ? undefined
    : { title, text: isoTimeWithSeconds(iso) + lateNote, tone: lateNote ? 'warn' : 'ok' };

/** A stage not reached: failed, in progress, or after one of these. */
function missedStage(
  waitingTest: WaitingTest,
  next: boolean,
  title: string,
  failedTitle: string,
): ShownStage {
  const { test, polling } = waitingTest;
  if (!next) return { title, text: hasEnded(waitingTest) ? 'Didn’t get this far' : 'Not yet' };
  if (hasFailedFinally(test))
    return { title: failedTitle, text: testFailureText(test), tone: 'bad' };
  if (polling.gaveUp !== undefined)
    return polling.failure
      ? { title, text: `We couldn’t get the result. ${polling.failure}`, tone: 'bad' }
      : {
          title: failedTitle,
          text: `Stopped waiting at ${timeWithSeconds(polling.gaveUp)}`,
          tone: 'bad',
        };
  if (polling.failure) return { title, text: `${polling.failure} Retrying.`, isCurrent: true };
  const waitingText = `Waiting (${Math.floor(polling.waited / 1000)} s)`;
  const trouble = test.failure ? ` · ${TROUBLE_TEXTS[test.failure.reason] ?? ''}` : '';
  return { title, text: waitingText + trouble, isCurrent: true };
}

function ringStep(waitingTest: WaitingTest, before: string): ShownStage {
  const { failure, stages } = waitingTest.test;
  const title = 'Did it ring?';
  if (failure?.stage === 'heard') return { title: 'No sound', text: 'You confirmed', tone: 'bad' };
  if (stages.heard !== null)
    return {
      title: 'It rang',
      text: `You confirmed at ${isoTimeWithSeconds(stages.heard)}`,
      tone: 'ok',
    };
  if (stages.displayed !== null) return { title, text: 'Waiting for your answer' };
  return { title, text: hasEnded(waitingTest) ? 'Didn’t get this far' : before };
}

/** While the server retries. */
const TROUBLE_TEXTS: Partial<Record<TestFailureReason, string>> = {
  unreachable: 'the push service isn’t responding',
  busy: 'the push service is busy',
};

/** `14:46 and 14:47`: the server hides when within the minute a sleep test is sent. */
export function sendWindowText({ sendAt }: DeviceTest): string {
  const plannedTime = new Date(sendAt);
  return `${clockText(plannedTime)} and ${clockText(new Date(plannedTime.getTime() + 60_000))}`;
}

/** The stages of a sleep test. */
export function sleepSteps(waitingTest: WaitingTest): ShownStage[] {
  const { test } = waitingTest;
  const plannedAt = timeText(Date.parse(test.createdAt));
  const scheduledStage: ShownStage = { title: 'Scheduled', text: plannedAt, tone: 'ok' };
  if (!isTestSent(test) && !isTestOver(test))
    return [
      scheduledStage,
      { title: 'Phone asleep', text: 'Lock it now', isCurrent: true },
      { title: 'Test sent', text: `Between ${sendWindowText(test)}` },
      { title: 'Received and displayed', text: 'We’ll measure the delay' },
      { title: 'Did it ring?', text: 'We’ll ask when you come back' },
    ];
  const { accepted, received, displayed } = test.stages;
  const leftAt = accepted ?? received ?? displayed;
  return [
    scheduledStage,
    {
      title: 'Phone asleep',
      text: `${plannedAt} to ${clockText(new Date(test.sendAt))}`,
      tone: 'ok',
    },
    reachedStage('Test sent', leftAt === null ? null : test.sendAt) ??
      missedStage(waitingTest, true, 'Test sent', 'Test not sent'),
    reachedStage('Received and displayed', displayed, lateText(test)) ??
      missedStage(
        waitingTest,
        leftAt !== null,
        'Received and displayed',
        received ? 'Not displayed' : 'Not received',
      ),
    ringStep(waitingTest, 'We’ll ask when you come back'),
  ];
}

export const asksIfRang = (test: DeviceTest): boolean =>
  test.stages.displayed !== null && !isSoundKnown(test);
