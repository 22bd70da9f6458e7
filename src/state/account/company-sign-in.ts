// The company's sign-in, only with `OIDC_COMPANY`. A script in the page took the server's result
// out of the address (`src/build/app/page.mjs`).
import { jwtDecode } from 'jwt-decode';
import { call } from '../../api/call';
import { ApiError } from '../../api/error';
import { handoverSchema } from '../../shared/contract/sign-in' with { type: 'example' };
import { apiUrl } from '../../api/url';
import { toBase64url } from '../../platform/base64url';
import { queryParameter } from '../../platform/query-parameter';
import { readStored, writeStored } from '../../platform/storage/storage';
import type { ResponseOf, Claims } from '../../shared/contract';
import { pendingChallenge } from './challenge';
import { sessionClaims, signInError, isSignedIn, signIn, signOut } from '../session';

export type SignInArrival = [name: string, value: string];

/** Sentences by the server's codes (`server/accounts/company/routes.ts`). */
const REJECTIONS: Record<string, string> = {
  unknown: `No account here has your ${COMPANY} email address. Ask your administrator to add you.`,
  unverified: `${COMPANY} hasn’t verified your email address, so you can’t sign in with it.`,
  unverified_here:
    'Your email address isn’t verified here yet. Sign in with your password, then open the link in the email we sent you.',
  linked: `Your account here is linked to another ${COMPANY} account. Ask your administrator.`,
  suspended: 'This account is suspended. Contact an administrator.',
  cancelled: `You weren’t signed in. ${COMPANY} reports that the sign-in was canceled.`,
  expired: 'This sign-in started in another browser or took too long. Try again.',
  down: `${COMPANY}’s sign-in isn’t reachable. Try again in a few minutes.`,
  busy: 'Too many sign-in attempts. Try again in a few minutes.',
  off: `Signing in with ${COMPANY} isn’t set up on the server.`,
};
const DEFAULT_REJECTION = `Signing in with ${COMPANY} failed. Try again.`;
const TWO_FACTOR_REJECTION =
  'This account needs a code from an authenticator app, but this app was built without support for it. Ask your Fieldbell operator to build it with ADMIN_TOTP.';

/** The stored secret and its time. Another browser cannot redeem the server's code. */
const SIGN_IN_SECRET_STORAGE_KEY = 'company_sign_in';

/** Passes `next` on, so that the person returns to where they were going. */
export async function goToCompanySignIn(): Promise<void> {
  const secret = toBase64url(crypto.getRandomValues(new Uint8Array(32)));
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(secret));
  if (!writeStored(SIGN_IN_SECRET_STORAGE_KEY, `${Date.now()} ${secret}`)) {
    signInError.value = `This browser doesn’t store data, so you can’t sign in with ${COMPANY}.`;
    return;
  }
  const bind = toBase64url(new Uint8Array(hash));
  location.assign(apiUrl('/api/auth/oidc/start', {}, { next: queryParameter('next') ?? '', bind }));
}

/** The lifetime of the server's sign-in cookie. */
const SECRET_LIFETIME_MS = 15 * 60_000;

/** Returns undefined if this browser did not start the sign-in, or started it too long ago. */
function readSecret(): string | undefined {
  const [storedAt, secret] = (readStored(SIGN_IN_SECRET_STORAGE_KEY) ?? '').split(' ');
  const age = Date.now() - Number(storedAt);
  return secret && age >= 0 && age < SECRET_LIFETIME_MS ? secret : undefined;
}

/** Completes a sign-in only if this browser started it: a link cannot bring a session. */
export async function completeCompanySignIn([name, value]: SignInArrival): Promise<void> {
  try {
    if (name === 'refused')
      showRejection((Object.hasOwn(REJECTIONS, value) && REJECTIONS[value]) || DEFAULT_REJECTION);
    else {
      const secret = name === 'code' && readSecret();
      if (!secret) return showRejection(REJECTIONS.expired);
      const openedSignIn = await redeemCode(value, secret);
      // This comes last: a link with a forged code must not end a sign-in in another tab.
      writeStored(SIGN_IN_SECRET_STORAGE_KEY, null);
      await finishSignIn(openedSignIn);
    }
  } catch (error) {
    showRejection(error instanceof ApiError ? error.message : DEFAULT_REJECTION);
  }
}

/** Shows the reason only at the login form: a session that continues is not disturbed. */
function showRejection(sentence = DEFAULT_REJECTION): void {
  if (!isSignedIn.value) signInError.value = sentence;
}

const redeemCode = (code: string, secret: string) =>
  call('POST /api/auth/oidc/handover', {
    body: { code, secret },
    fallback: DEFAULT_REJECTION,
    like: handoverSchema,
  });

/** A live session is replaced only by its own person, or if the person confirms. */
async function finishSignIn({
  name,
  value,
}: ResponseOf<'POST /api/auth/oidc/handover'>): Promise<void> {
  const formerClaims = sessionClaims.value;
  const nextClaims = name === 'token' ? jwtDecode<Claims>(value) : undefined;
  if (formerClaims && formerClaims.id !== nextClaims?.id) {
    const question = nextClaims
      ? `You’re signed in as ${formerClaims.username}. Sign in as ${nextClaims.username} instead?`
      : `You’re signed in as ${formerClaims.username}. Sign in with ${COMPANY} instead?`;
    if (!confirm(question)) return;
  }
  if (nextClaims) await signIn('', '', Promise.resolve({ token: value }));
  else if (TWO_FACTOR && name !== 'token') {
    if (formerClaims) await signOut();
    pendingChallenge.value = { step: name, challenge: value };
  } else showRejection(TWO_FACTOR_REJECTION);
}
