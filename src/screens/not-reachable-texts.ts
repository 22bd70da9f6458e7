/** Why someone is not reachable, in the same words everywhere. */
export const NO_DEVICE = 'No device to notify';
export const NOT_REGISTERED = 'Hasn’t registered yet';
export const DEVICE_GONE = 'The push service no longer recognizes the device';
