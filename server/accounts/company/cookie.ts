/** Binds a sign-in to the browser that started it. The server stores nothing. */
import * as v from 'valibot';
import { seal, unseal } from '../../lib/seal';
import type { SealOptions } from '../../lib/seal';
import type { Services } from '../../services';
import type { SignInFlow } from './provider';

const FLOW_LIFETIME_SECONDS = 15 * 60;
const MAX_NEXT_PATH_LENGTH = 500;

interface StartedFlow extends SignInFlow {
  next: string;
  /** The hash of the page's secret; empty without a secret. */
  bind: string;
}

const sealedFlowSchema = v.object({
  state: v.string(),
  nonce: v.string(),
  verifier: v.string(),
  next: v.string(),
  bind: v.string(),
  until: v.number(),
});

const sealOptions = ({ config }: Services): SealOptions => ({
  secret: config.jwtSecret,
  purpose: 'company sign-in',
});

/** Over TLS the prefix keeps the domain's other hosts from setting it (RFC 6265bis, 4.1.3.2). */
const isSecure = (callbackUrl: string): boolean => callbackUrl.startsWith('https:');
const nameFor = (callbackUrl: string): string =>
  isSecure(callbackUrl) ? '__Host-company' : 'company';
const writeCookie = (callbackUrl: string, value: string, seconds: number): string =>
  `${nameFor(callbackUrl)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure(callbackUrl) ? '; Secure' : ''}`;

export function flowCookie(flow: StartedFlow, callbackUrl: string, services: Services): string {
  const expiresAt = services.now() + FLOW_LIFETIME_SECONDS * 1000;
  // A cut address leads nowhere, and may end in half a character.
  const next = flow.next.length <= MAX_NEXT_PATH_LENGTH ? flow.next : '';
  return writeCookie(
    callbackUrl,
    seal({ ...flow, next, until: expiresAt }, sealOptions(services)),
    FLOW_LIFETIME_SECONDS,
  );
}

export const clearFlowCookie = (callbackUrl: string): string => writeCookie(callbackUrl, '', 0);

export function readFlowCookie(
  header: string | undefined,
  callbackUrl: string,
  services: Services,
): StartedFlow | undefined {
  const name = `${nameFor(callbackUrl)}=`;
  const value = (header ?? '')
    .split(/; */)
    .find((part) => part.startsWith(name))
    ?.slice(name.length);
  const flow = v.safeParse(sealedFlowSchema, value && unseal(value, sealOptions(services)));
  return flow.success && flow.output.until > services.now() ? flow.output : undefined;
}
