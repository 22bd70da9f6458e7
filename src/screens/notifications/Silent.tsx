import { supported } from '../../state/device/permission';
import { Blocked } from './Blocked';
import { Unsupported } from './Unsupported';

/** Why this device cannot be notified, where pressing a button does not help. */
export const Silent = () => (supported.value ? <Blocked /> : <Unsupported />);
