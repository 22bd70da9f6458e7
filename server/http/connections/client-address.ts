import { BlockList, isIP } from 'node:net';
import type { Services } from '../../services';
import type { Env } from '../env';

/** Clients can forge `X-Forwarded-For`: read from the right, only past trusted proxies. */
export function clientAddress(
  socketAddress: string,
  forwardedFor: string | undefined,
  trustedProxies: BlockList,
): string {
  const hops = (forwardedFor ?? '').split(',').map((hop) => normalizeAddress(hop.trim()));
  let address = normalizeAddress(socketAddress);
  while (hops.length > 0 && isTrusted(address, trustedProxies)) {
    const hop = hops.pop() ?? '';
    if (isIP(hop) === 0) break;
    address = hop;
  }
  return address;
}

export const readAddress = (
  { incoming }: Env['Bindings'],
  forwardedFor: string | undefined,
  { config }: Services,
): string =>
  clientAddress(incoming.socket.remoteAddress ?? '', forwardedFor, config.trustedProxies);

/** Some proxies add a port; a dual-stack socket adds `::ffff:`. */
const normalizeAddress = (address: string): string =>
  address.includes(':') ? stripPort(address) : address;
const stripPort = (address: string): string =>
  address.replace(/^([\d.]+):\d+$|^\[(.+)\](?::\d+)?$/, '$1$2').replace(/^::ffff:(?=\d+\.)/i, '');

/** Caches look-ups, which are slow and repeat with every request from a proxy. */
const trustedBefore = new WeakMap<BlockList, Map<string, boolean>>();
const MAX_REMEMBERED_ADDRESSES = 1000;

function isTrusted(address: string, trustedProxies: BlockList): boolean {
  const cache = trustedBefore.get(trustedProxies) ?? new Map<string, boolean>();
  trustedBefore.set(trustedProxies, cache);
  const cachedResult = cache.get(address);
  if (cachedResult !== undefined) return cachedResult;
  const family = isIP(address);
  const result = family !== 0 && trustedProxies.check(address, family === 6 ? 'ipv6' : 'ipv4');
  if (cache.size >= MAX_REMEMBERED_ADDRESSES) cache.clear();
  cache.set(address, result);
  return result;
}

/**
 * Returns the address whose connections are counted. Undefined for a trusted proxy, because it
 * connects for many clients.
 */
export function connectionLimitAddress(
  socketAddress: string,
  trustedProxies: BlockList,
): string | undefined {
  const address = normalizeAddress(socketAddress);
  return isTrusted(address, trustedProxies) ? undefined : rateLimitAddress(address);
}

/** Returns what a rate limit counts: an IPv4 address, or the IPv6 /64 network of one customer. */
export const rateLimitAddress = (address: string): string =>
  isIP(address) === 6 ? `${expandGroups(address).slice(0, 4).join(':')}::/64` : address;

/** A /24 of IPv4, or a /48 of IPv6, which anyone can get (written as in RFC 5952). */
export const auditNetwork = (address: string): string =>
  isIP(address) === 6
    ? `${expandGroups(address).slice(0, 3).join(':')}::/48`.replace(
        /^0(:0){0,2}::|(:0){1,2}::/,
        '::',
      )
    : address.replace(/\.\d+$/, '.0/24');

function expandGroups(address: string): string[] {
  const [head = '', tail] = address.split('%')[0]?.split('::') ?? [];
  const headGroups = head === '' ? [] : head.split(':');
  const tailGroups = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from(
    { length: Math.max(0, 8 - headGroups.length - tailGroups.length) },
    () => '0',
  );
  return [...headGroups, ...zeros, ...tailGroups].map((group) =>
    Number.parseInt(group, 16).toString(16),
  );
}

/** Private addresses (RFC 1918, RFC 4193, RFC 3927, loopback): a proxy's, never a stranger's. */
const PRIVATE_ADDRESSES = new BlockList();
for (const [network, bits] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
] as const)
  PRIVATE_ADDRESSES.addSubnet(network, bits);
for (const [network, bits] of [
  ['::1', 128],
  ['fc00::', 7],
  ['fe80::', 10],
] as const)
  PRIVATE_ADDRESSES.addSubnet(network, bits, 'ipv6');

/** Limits would count all people behind an untrusted proxy as one. */
export function createProxyWarning(
  trustedProxies: BlockList,
  warn: (proxy: string) => void,
): (socketAddress: string, forwardedFor: string | undefined) => void {
  const noticedKinds = new Set<boolean>();
  return (socketAddress, forwardedFor) => {
    if (forwardedFor === undefined || noticedKinds.size === 2) return;
    const proxy = normalizeAddress(socketAddress);
    if (isIP(proxy) === 0 || isTrusted(proxy, trustedProxies)) return;
    const isPrivate = isTrusted(proxy, PRIVATE_ADDRESSES);
    if (noticedKinds.has(isPrivate)) return;
    noticedKinds.add(isPrivate);
    warn(proxy);
  };
}
