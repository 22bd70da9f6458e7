/** Advice for a person who is not reachable, as text to paste into a chat. */
import { adviceText, isComputer } from '../device-test/advice/advice';
import { guessMake, type ReportedDevice } from '../../state/reach/phone-makes';

const ALLOW_NOTIFICATIONS_STEPS = [
  'Fieldbell can’t reach your phone.',
  '1. Open the app on your phone, from the home screen or at {app}, and sign in.',
  '2. Open Notifications and press Enable Notifications.',
  '3. If notifications are blocked, follow the steps shown there.',
  '4. Press Test this phone at {app}/check.',
].join('\n');

/** Steps for the device's make; without a device, how to enable notifications. */
export const adviceForDevice = (device: ReportedDevice | undefined, isLate = false): string =>
  device
    ? `${isLate ? lateText(device) : unreachedText(device)}\n${adviceText(device)}`
    : ALLOW_NOTIFICATIONS_STEPS.replaceAll('{app}', location.origin);

const lateText = (device: ReportedDevice): string =>
  isComputer(guessMake(device))
    ? 'Messages reach your computer late.'
    : 'Messages reach your phone late.';

const unreachedText = (device: ReportedDevice): string =>
  isComputer(guessMake(device))
    ? 'Fieldbell can’t reach your computer.'
    : 'Fieldbell can’t reach your phone.';
