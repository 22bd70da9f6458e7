import { BlockList, isIP } from 'node:net';
import type { Services } from '../../services';
import type { Env } from '../env';

/**
 * The address that a request really comes from. The sender writes `X-Forwarded-For`, so it is read
 * from its right end and only as far as the hops are proxies of ours.
 * @param socketAddress of the connection itself
 */
export function clientAddress(
  socketAddress: string,
  forwardedFor: string | undefined,
  trusted: BlockList,
): string {
  const hops = (forwardedFor ?? '').split(',').map((hop) => plain(hop.trim()));
  let address = plain(socketAddress);
  while (hops.length > 0 && isTrusted(address, trusted)) {
    const hop = hops.pop() ?? '';
    if (isIP(hop) === 0) break;
    address = hop;
  }
  return address;
}

/** The address that a request really comes from. */
export const readAddress = (
  { incoming }: Env['Bindings'],
  forwardedFor: string | undefined,
  { config }: Services,
): string =>
  clientAddress(incoming.socket.remoteAddress ?? '', forwardedFor, config.trustedProxies);

/**
 * Without the port, which some proxies add (`203.0.113.5:4711`, `[2001:db8::1]:4711`). And
 * `::ffff:10.0.0.1` is how a
 * dual-stack socket shows an IPv4 peer.
 */
const plain = (address: string): string => (address.includes(':') ? bare(address) : address);
const bare = (address: string): string =>
  address.replace(/^([\d.]+):\d+$|^\[(.+)\](?::\d+)?$/, '$1$2').replace(/^::ffff:(?=\d+\.)/i, '');

/** Proxies are few, and each is asked for with every request: looking one up takes its time. */
const answers = new WeakMap<BlockList, Map<string, boolean>>();
const MAX_ANSWERS = 1000;

function isTrusted(address: string, trusted: BlockList): boolean {
  const known = answers.get(trusted) ?? new Map<string, boolean>();
  answers.set(trusted, known);
  const before = known.get(address);
  if (before !== undefined) return before;
  const family = isIP(address);
  const answer = family !== 0 && trusted.check(address, family === 6 ? 'ipv6' : 'ipv4');
  if (known.size >= MAX_ANSWERS) known.clear();
  known.set(address, answer);
  return answer;
}

/**
 * Whose connection it is, as limits count; undefined for a proxy of ours, which brings many
 * clients.
 */
export function connectionBlock(socketAddress: string, trusted: BlockList): string | undefined {
  const address = plain(socketAddress);
  return isTrusted(address, trusted) ? undefined : addressBlock(address);
}

/**
 * Whom a rate limit counts: an IPv4 address, or the /64 that one IPv6 customer has all to itself.
 */
export const addressBlock = (address: string): string =>
  isIP(address) === 6 ? `${groupsOf(address).slice(0, 4).join(':')}::/64` : address;

/**
 * Who may have many addresses: the /24 of an IPv4 address, or the /48 that is handed out to anyone
 * who asks. As people write it (RFC 5952): it is shown in the audit log.
 */
export const addressNetwork = (address: string): string =>
  isIP(address) === 6
    ? `${groupsOf(address).slice(0, 3).join(':')}::/48`.replace(/^0(:0){0,2}::|(:0){1,2}::/, '::')
    : address.replace(/\.\d+$/, '.0/24');

/** The eight groups of an IPv6 address, each in its shortest form. */
function groupsOf(address: string): string[] {
  const [head = '', tail] = address.split('%')[0]?.split('::') ?? [];
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0');
  return [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16).toString(16));
}

/**
 * Addresses that proxies have and strangers on the internet have not (RFC 1918, RFC 4193, RFC 3927,
 * loopback).
 */
const PRIVATE = new BlockList();
for (const [network, bits] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
] as const)
  PRIVATE.addSubnet(network, bits);
for (const [network, bits] of [
  ['::1', 128],
  ['fc00::', 7],
  ['fe80::', 10],
] as const)
  PRIVATE.addSubnet(network, bits, 'ipv6');

/**
 * Notices a proxy of the operator's that is not trusted: limits then count all people behind it as
 * one.
 * @param warn is called with its address, once for a private and once for a public one: anybody can
 * pretend to be the latter
 */
export function createProxyNotice(
  trusted: BlockList,
  warn: (proxy: string) => void,
): (socketAddress: string, forwardedFor: string | undefined) => void {
  const noticed = new Set<boolean>();
  return (socketAddress, forwardedFor) => {
    if (forwardedFor === undefined || noticed.size === 2) return;
    const proxy = plain(socketAddress);
    if (isIP(proxy) === 0 || isTrusted(proxy, trusted)) return;
    const isPrivate = isTrusted(proxy, PRIVATE);
    if (noticed.has(isPrivate)) return;
    noticed.add(isPrivate);
    warn(proxy);
  };
}
