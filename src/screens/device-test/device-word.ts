import { guessDeviceType } from '../../platform/push/notifications';
import type { DeviceType } from '../../shared/contract';

/** What the app calls a device. */
export const deviceWord = (type: DeviceType = guessDeviceType()): string =>
  type === 'web' ? 'computer' : 'phone';
