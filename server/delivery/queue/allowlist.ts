/**
 * Push services that are known before they accept a push: browsers', FCM and those that the operator
 * lists. A new installation's first push must not wait behind names that clients make up.
 */
import { isBrowserService } from '../https/browser-services';

/** Fixed origins. Microsoft has many under one name. */
const ORIGINS = [
  'fcm',
  'https://fcm.googleapis.com',
  'https://jmt17.google.com',
  'https://updates.push.services.mozilla.com',
  'https://web.push.apple.com',
];
/** Origins queried by name; a scan finds the others. */
const MAX_ORIGINS = 64;

export interface Allowlist {
  /** For a query by name. */
  origins: readonly string[];
  /** @param origin from `serviceOf` */
  has(origin: string): boolean;
}

/** @param listed the operator's hosts: `host`, or `host:port` for one port */
export function createAllowlist(listed: readonly string[]): Allowlist {
  const hosts = new Set(listed.map((host) => host.trim().toLowerCase()));
  const named = [...hosts].flatMap((host) =>
    URL.canParse(`https://${host}`) ? new URL(`https://${host}`).origin : [],
  );
  return {
    origins: [...new Set([...ORIGINS, ...named])].slice(0, MAX_ORIGINS),
    has(origin) {
      if (origin === 'fcm') return true;
      if (!URL.canParse(origin)) return false;
      const { protocol, hostname, port } = new URL(origin);
      if (protocol !== 'https:') return false;
      if (hosts.has(hostname) || hosts.has(`${hostname}:${port || '443'}`)) return true;
      return port === '' && isBrowserService(hostname);
    },
  };
}
