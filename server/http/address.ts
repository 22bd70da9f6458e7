import { isIP } from 'node:net';
import type { BlockList } from 'node:net';

/**
 * The address that a request really comes from. `X-Forwarded-For` is written by whoever sends it, so it is read from
 * its right end and only as far as the hops are proxies of ours.
 * @param socketAddress of the connection itself
 */
export function clientAddress(socketAddress: string, forwardedFor: string | undefined, trusted: BlockList): string {
  const hops = (forwardedFor ?? '').split(',').map((hop) => plain(hop.trim()));
  let address = plain(socketAddress);
  while (isTrusted(address, trusted)) {
    const hop = hops.pop();
    if (hop === undefined || isIP(hop) === 0) break;
    address = hop;
  }
  return address;
}

/**
 * Without the port, which some proxies add (`203.0.113.5:4711`, `[2001:db8::1]:4711`). And `::ffff:10.0.0.1` is how a
 * dual-stack socket shows an IPv4 peer.
 */
const plain = (address: string): string =>
  address.replace(/^([\d.]+):\d+$|^\[(.+)\](?::\d+)?$/, '$1$2').replace(/^::ffff:(?=\d+\.)/i, '');

function isTrusted(address: string, trusted: BlockList): boolean {
  const family = isIP(address);
  return family !== 0 && trusted.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** Whom a rate limit counts: an IPv4 address, or the /64 that one IPv6 customer has all to itself. */
export function addressBlock(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.split('%')[0]?.split('::') ?? [];
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0');
  return `${[...left, ...zeros, ...right].slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
