/**
 * How a device token says that it is a Firebase installation ID. FCM sends to those by another
 * field than to its own tokens.
 */
export const INSTALLATION_PREFIX = 'fid:';
export type InstallationToken = `${typeof INSTALLATION_PREFIX}${string}`;
