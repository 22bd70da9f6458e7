/**
 * Push services for which somebody vouches before they accept anything: the browsers' own, FCM, and
 * the hosts that the operator lists. The first push of a fresh installation goes to one of these,
 * and must not wait behind names that clients make up.
 */
import { isBrowserService } from '../https/browser-services';

/** Those whose origins are always the same. Microsoft's are many, under one name. */
const ORIGINS = [
  'fcm',
  'https://fcm.googleapis.com',
  'https://jmt17.google.com',
  'https://updates.push.services.mozilla.com',
  'https://web.push.apple.com',
];
/** So many are asked for by name at each look; the others are met on the way through all. */
const MAX_ORIGINS = 64;

export interface Allowlist {
  /** The best known of them, for a query. */
  origins: readonly string[];
  /** @param origin as `serviceOf` says it */
  has(origin: string): boolean;
}

/** @param listed hosts of the operator's choice: `host`, or `host:port` for one port */
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
