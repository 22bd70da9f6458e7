/**
 * Prevents server-side request forgery by push endpoints, which clients name. Checks the URL first,
 * and each address when connecting, against DNS rebinding.
 */
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { createResolver, type Resolve } from './resolver';

/** The error code of a connection to a rejected address. */
export const ADDRESS_REJECTED = 'ADDRESS_REJECTED';

export interface AddressGuard {
  /** A short code if the URL must not be contacted. */
  findFault(url: URL): string | undefined;
  /** Resolves the URL's host to public addresses only; a listed host to any. */
  lookupFor(url: URL): LookupFunction;
}

/** @param allowedHosts hosts without restrictions: `host`, or `host:port` for one port */
export function createAddressGuard(
  allowedHosts: readonly string[],
  resolve = createResolver({ trustedNames: parseHostnames(allowedHosts) }),
): AddressGuard {
  const isListed = matchHosts(allowedHosts);
  return {
    findFault(url) {
      if (url.protocol !== 'https:') return 'endpoint-not-https';
      if (url.username || url.password) return 'endpoint-with-userinfo';
      if (isListed(url)) return undefined;
      if (url.port) return 'endpoint-port';
      // An address is not looked up, so it is checked here. `URL` normalizes forms like 0x7f.1.
      const host = url.hostname.replace(/^\[|\]$/g, '');
      return isIP(host) && !isPublicAddress(host) ? 'endpoint-address' : undefined;
    },
    lookupFor: (url) => createLookup(resolve, isListed(url) ? () => true : isPublicAddress),
  };
}

const normalizeHosts = (hosts: readonly string[]): string[] =>
  hosts.map((host) => host.trim().toLowerCase());

/** @param hosts `host` for any port, or `host:port` */
export function matchHosts(hosts: readonly string[]): (url: URL) => boolean {
  const allowedHosts = new Set(normalizeHosts(hosts));
  return ({ hostname, port }) =>
    allowedHosts.has(hostname) || allowedHosts.has(`${hostname}:${port || '443'}`);
}

/** The hosts without their ports. */
export const parseHostnames = (hosts: readonly string[]): Set<string> =>
  new Set(normalizeHosts(hosts).map((host) => host.replace(/:\d+$/, '')));

function createLookup(resolve: Resolve, accepts: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      const acceptedAddresses = addresses.filter(({ address }) => accepts(address));
      const firstAddress = acceptedAddresses[0];
      if (!firstAddress)
        return callback(
          Object.assign(new Error('The host has no public address'), { code: ADDRESS_REJECTED }),
          '',
          0,
        );
      if (options.all) return callback(null, acceptedAddresses);
      callback(null, firstAddress.address, firstAddress.family);
    });
  };
}

/** IANA's special-purpose registries (RFC 6890) list the addresses that are not public. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !specialIPv4.check(address);
  // Outside 2000::/3 are loopback, link-local, unique local, multicast, and IPv4 embedded as mapped
  // (::ffff:0:0/96) or NAT64 (64:ff9b::/96, 64:ff9b:1::/48).
  return (
    family === 6 && globalUnicast.check(address, 'ipv6') && !specialIPv6.check(address, 'ipv6')
  );
}

const specialIPv4 = createBlockList('ipv4', [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]);
const globalUnicast = createBlockList('ipv6', ['2000::/3']);
/** Protocol assignments with Teredo, two documentation ranges, 6to4. */
const specialIPv6 = createBlockList('ipv6', [
  '2001::/23',
  '2001:db8::/32',
  '3fff::/20',
  '2002::/16',
]);

function createBlockList(family: 'ipv4' | 'ipv6', ranges: string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', length] = range.split('/');
    list.addSubnet(network, Number(length), family);
  }
  return list;
}
