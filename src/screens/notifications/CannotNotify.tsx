import { isPushSupported } from '../../state/device/permission';
import { BlockedSteps } from './BlockedSteps';
import { Unsupported } from './Unsupported';

/** Why this device cannot be notified, if no button helps. */
export const CannotNotify = () => (isPushSupported.value ? <BlockedSteps /> : <Unsupported />);
