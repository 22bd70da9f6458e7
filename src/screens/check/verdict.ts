/** A test's result in words. No markup. */
import { hasFailed } from '../../state/reach/test';
import { delayText } from '../../ui/values/duration';
import { FAILURES, whyFailed } from './course/failures';
import { lateness, type WaitingTest } from './course/steps';

export interface TestVerdict {
  title: string;
  text: string;
  tone?: 'ok' | 'warn' | 'bad';
}

/** Undefined while it is in progress. */
export function verdict(now: WaitingTest): TestVerdict | undefined {
  const { test, looking } = now;
  const { displayed, heard, received, accepted } = test.stages;
  const unreached = { title: 'This phone cannot be reached.', tone: 'bad' } as const;
  if (hasFailed(test)) return { ...unreached, text: whyFailed(test) };
  if (displayed !== null) {
    const took = delayText(Math.max(1000, Date.parse(displayed) - Date.parse(test.sendAt)));
    if (test.failure?.stage === 'heard')
      return {
        title: 'The test arrived, but it was silent.',
        text: 'Look at the sound of this phone, and at Do not disturb.',
        tone: 'warn',
      };
    if (test.lateBy !== null)
      return {
        title: `The test arrived${lateness(test)}.`,
        text: 'The phone was saving power, or the network was weak.',
        tone: 'warn',
      };
    return heard === null
      ? { title: `The test arrived after ${took}.`, text: 'Did it ring?' }
      : {
          title: 'This phone can be reached.',
          text: `The test arrived after ${took} and it rang.`,
          tone: 'ok',
        };
  }
  if (looking.gaveUp === undefined) return undefined;
  if (looking.failure)
    return {
      title: 'It is not known whether the test arrived.',
      text: 'There was no connection to the server. When there is one, look here again.',
      tone: 'warn',
    };
  if (received !== null)
    return {
      ...unreached,
      text: 'It received the test, but after 60 s the screen had not shown it.',
    };
  if (accepted !== null)
    return {
      ...unreached,
      text: 'The push service took the test, but after 60 s this phone had not received it.',
    };
  return {
    ...unreached,
    text: test.failure
      ? FAILURES[test.failure.reason]
      : 'After 60 s the push service had not taken the test. Tell your administrator.',
  };
}
