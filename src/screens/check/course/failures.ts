/** Why the push service or the system failed, and what to do. */
import type { Test, TestFailureReason } from '../../../shared/contract';

export const FAILURES: Record<TestFailureReason, string> = {
  gone: 'The push service has forgotten this phone. Test again: that registers it anew.',
  refused:
    'The push service refused the test. Tell your administrator: only the server can mend it.',
  unreachable:
    'The server does not reach the push service of your browser. Tell your administrator: this phone is not at fault.',
  busy: 'The push service has too much to do. Test again in a few minutes.',
  expired: 'The push service did not take the test before it expired. Test again.',
  removed: 'This phone was signed out meanwhile. Log out, log in again, then test again.',
  silent: '',
};

export const whyFailed = ({ failure }: Test): string =>
  failure?.stage === 'displayed'
    ? 'The system did not take the notification. Allow notifications in the settings of the phone.'
    : FAILURES[failure?.reason ?? 'silent'];
