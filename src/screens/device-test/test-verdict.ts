/** A test's result in words. No markup. */
import { hasFailedFinally } from '../../state/reach/test-states';
import { delayText } from '../../ui/values/duration';
import { FAILURE_TEXTS, testFailureText } from './progress/test-failures';
import type { WaitingTest } from './progress/test-steps';

export interface TestVerdict {
  title: string;
  text: string;
  tone?: 'ok' | 'warn' | 'bad';
}

/** A test's verdict; undefined while the test is in progress. */
export function getTestVerdict(waitingTest: WaitingTest): TestVerdict | undefined {
  const { test, polling } = waitingTest;
  const { displayed, heard, received, accepted } = test.stages;
  const notReachable = { title: 'This device isn’t reachable.', tone: 'bad' } as const;
  if (hasFailedFinally(test)) return { ...notReachable, text: testFailureText(test) };
  if (displayed !== null) {
    const delay = delayText(Math.max(1000, Date.parse(displayed) - Date.parse(test.sendAt)));
    if (test.failure?.stage === 'heard')
      return {
        title: 'The test arrived without a sound.',
        text: 'Turn up the volume, and turn off Do Not Disturb or Focus.',
        tone: 'warn',
      };
    if (test.lateBy !== null)
      return {
        title: `The test arrived ${delayText(test.lateBy)} late.`,
        text: 'The device may have been saving power, or the network may have been weak.',
        tone: 'warn',
      };
    return heard === null
      ? { title: `The test arrived after ${delay}.`, text: '' }
      : {
          title: 'This device is reachable.',
          text: `The test arrived after ${delay} and rang.`,
          tone: 'ok',
        };
  }
  if (polling.gaveUp === undefined) return undefined;
  if (polling.failure)
    return {
      title: 'We don’t know whether the test arrived.',
      text: 'We couldn’t get the result from the server. Open this page again in a few minutes.',
      tone: 'warn',
    };
  if (received !== null)
    return {
      ...notReachable,
      text: 'This device received the test but didn’t display it within 60 seconds.',
    };
  if (accepted !== null)
    return {
      ...notReachable,
      text: 'The push service accepted the test, but this device didn’t receive it within 60 seconds.',
    };
  return {
    ...notReachable,
    text: test.failure
      ? FAILURE_TEXTS[test.failure.reason]
      : 'The push service didn’t accept the test within 60 seconds. Tell your administrator.',
  };
}
