/**
 * What binds a sign-in to the browser that began it: a cookie with all that the server needs when
 * the browser comes back. It is sealed, and kept nowhere else.
 */
import * as v from 'valibot';
import { seal, unseal } from '../../lib/seal';
import type { Sealing } from '../../lib/seal';
import type { Services } from '../../services';
import type { Flow } from './provider';

/** What it takes at the provider, with a phone that is looked for. */
const LIFETIME_SECONDS = 15 * 60;
const MAX_NEXT = 500;

/** A flow, and where in the app the person was going. */
interface Begun extends Flow {
  next: string;
  /** The hash of the secret that the page keeps; empty without one. */
  bind: string;
}

const form = v.object({
  state: v.string(),
  nonce: v.string(),
  verifier: v.string(),
  next: v.string(),
  bind: v.string(),
  until: v.number(),
});

const sealingOf = ({ config }: Services): Sealing => ({
  secret: config.jwtSecret,
  purpose: 'company sign-in',
});

/**
 * Over TLS the prefix keeps other hosts of the domain from planting one (RFC 6265bis, section
 * 4.1.3.2). Lax, as the browser comes from the provider with it.
 */
const isSecure = (callbackUrl: string): boolean => callbackUrl.startsWith('https:');
const nameFor = (callbackUrl: string): string =>
  isSecure(callbackUrl) ? '__Host-company' : 'company';
const write = (callbackUrl: string, value: string, seconds: number): string =>
  `${nameFor(callbackUrl)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure(callbackUrl) ? '; Secure' : ''}`;

export function cookieOf(begun: Begun, callbackUrl: string, services: Services): string {
  const until = services.now() + LIFETIME_SECONDS * 1000;
  // Half of an address leads nowhere, and may end in half a letter.
  const next = begun.next.length <= MAX_NEXT ? begun.next : '';
  return write(callbackUrl, seal({ ...begun, next, until }, sealingOf(services)), LIFETIME_SECONDS);
}

/** Removes it. */
export const noCookie = (callbackUrl: string): string => write(callbackUrl, '', 0);

/** @returns undefined where there is none of ours, or it is too old */
export function readCookie(
  header: string | undefined,
  callbackUrl: string,
  services: Services,
): Begun | undefined {
  const name = `${nameFor(callbackUrl)}=`;
  const found = (header ?? '')
    .split(/; */)
    .find((one) => one.startsWith(name))
    ?.slice(name.length);
  const said = v.safeParse(form, found && unseal(found, sealingOf(services)));
  return said.success && said.output.until > services.now() ? said.output : undefined;
}
