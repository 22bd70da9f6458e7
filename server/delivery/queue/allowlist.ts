/**
 * Push services that are known before they accept a push: browsers', FCM and those that the
 * operator lists. A new installation's first push must not wait behind names that clients make up.
 */
import { matchHosts } from '../https/address-guard';
import { isBrowserService } from '../https/browser-services';

/** Fixed origins. Microsoft has many origins under one name. */
const BROWSER_ORIGINS = [
  'fcm',
  'https://fcm.googleapis.com',
  'https://jmt17.google.com',
  'https://updates.push.services.mozilla.com',
  'https://web.push.apple.com',
];
/** Origins queried by name; a scan finds the others. */
const MAX_QUERIED_ORIGINS = 64;

export interface Allowlist {
  /** The worker looks for due pushes of these origins by name. */
  origins: readonly string[];
  /** @param origin from `getPushServiceName` */
  has(origin: string): boolean;
}

/** @param entries the operator's hosts: `host`, or `host:port` for one port */
export function createAllowlist(entries: readonly string[]): Allowlist {
  const isListed = matchHosts(entries);
  const hostNames = entries
    .map((host) => `https://${host.trim()}`)
    .flatMap((url) => (URL.canParse(url) ? new URL(url).origin : []));
  return {
    origins: [...new Set([...BROWSER_ORIGINS, ...hostNames])].slice(0, MAX_QUERIED_ORIGINS),
    has(origin) {
      if (origin === 'fcm') return true;
      if (!URL.canParse(origin)) return false;
      const url = new URL(origin);
      if (url.protocol !== 'https:') return false;
      return isListed(url) || (url.port === '' && isBrowserService(url.hostname));
    },
  };
}
