/** Advice for a person who is not reachable, as text to paste into a chat. */
import { adviceText } from '../device-test/advice/advice';
import type { ReportedDevice } from '../../state/reach/phone-makes';

const ALLOW = [
  'Fieldbell can’t reach your phone.',
  '1. Open the app on your phone, from the home screen or at {app}, and sign in.',
  '2. Open Notifications and press Enable Notifications.',
  '3. If notifications are blocked, follow the steps for your phone.',
  '4. Press Test this phone at {app}/check.',
].join('\n');

/** Steps for the device's make; without a device, how to enable notifications. */
export const adviceForDevice = (device: ReportedDevice | undefined): string =>
  device
    ? `Fieldbell can’t reach your phone, or messages arrive late.\n${adviceText(device)}`
    : ALLOW.replaceAll('{app}', location.origin);
