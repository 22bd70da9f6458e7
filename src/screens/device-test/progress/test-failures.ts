/** Why the push service or the system failed, and what to do. */
import type { DeviceTest, TestFailureReason } from '../../../shared/contract';

export const FAILURE_TEXTS: Record<TestFailureReason, string> = {
  gone: 'The push service no longer recognizes this device. Test again to register it.',
  refused:
    'The push service rejected the test. Tell your administrator. The problem must be fixed on the server.',
  unreachable:
    'The server can’t reach your browser’s push service. Tell your administrator. The problem isn’t on this device.',
  busy: 'The push service is busy. Test again in a few minutes.',
  expired: 'The push service didn’t accept the test before it expired. Test again.',
  removed:
    'This device’s registration was removed during the test. Sign out, sign in again, then test again.',
  silent: '',
};

export const testFailureText = ({ failure }: DeviceTest): string =>
  failure?.stage === 'displayed'
    ? 'The device rejected the notification. Allow notifications in the device’s settings.'
    : FAILURE_TEXTS[failure?.reason ?? 'silent'];
