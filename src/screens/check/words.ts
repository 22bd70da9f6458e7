/** What the check and the chip call the device in somebody's hands. */
import { guessDeviceType } from '../../platform/push/notifications';
import type { DeviceType } from '../../shared/contract';

/** `phone`, or `computer` where it is no phone. */
export const deviceWord = (type: DeviceType = guessDeviceType()): string =>
  type === 'web' ? 'computer' : 'phone';
