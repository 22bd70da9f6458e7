/**
 * Coming back from the company's sign-in: the page's own script took what the server said out of
 * the address (`src/build/app/page.mjs`). In no build without `OIDC_COMPANY`.
 */
import { challenge } from './challenge';
import { ended, signIn } from '../session';

/** What the server said: a name and its value. */
export type Arrival = [name: string, value: string];

/** By what the server calls them (`server/accounts/company/routes.ts`). */
const REFUSALS: Record<string, string> = {
  unknown: `Nobody here has your e-mail address at ${COMPANY}. Ask your administrator to add you.`,
  unverified: `${COMPANY} has not verified your e-mail address, so Fieldbell cannot tell who you are.`,
  unverified_here:
    'Your e-mail address is not verified here yet. Log in with your password, and open the link in the mail that you got.',
  linked: `Your account here belongs to another sign-in at ${COMPANY}. Ask your administrator.`,
  cancelled: `You were not signed in: ${COMPANY} says that it was cancelled.`,
  expired: 'This sign-in was begun in another browser, or too long ago. Please try again.',
  down: `The sign-in of ${COMPANY} cannot be reached. Please try again later.`,
  busy: 'Too many attempts to sign in. Please try again in some minutes.',
  off: `Signing in with ${COMPANY} is not set up on the server.`,
};
const REFUSED = `Signing in with ${COMPANY} failed. Please try again.`;
const NEEDS_CODE =
  'This account asks for a code of an authenticator app, for which this app was not built. Ask whoever runs Fieldbell.';

/** Signs in, asks for the second step, or says at the login form why not. */
export async function arrive([name, value]: Arrival): Promise<void> {
  if (name === 'token') {
    await signIn('', '', Promise.resolve({ token: value })).catch(() => {
      ended.value = REFUSED;
    });
    return;
  }
  if (name === 'second_factor' || name === 'second_factor_set_up') {
    if (SECOND_FACTOR) challenge.value = { step: name, challenge: value };
    else ended.value = NEEDS_CODE;
    return;
  }
  ended.value = (Object.hasOwn(REFUSALS, value) && REFUSALS[value]) || REFUSED;
}
