import * as v from 'valibot';
import {
  clientToken,
  newPassword,
  passwordRules,
  type role,
  typedPassword,
  user,
} from './accounts';
import { described, done, doneWith, sample, text } from './common';
import type { CallTable } from './common';
import { cleanText, emailAddress } from './fields';
import { secrets } from './secrets';
import { firstScreen } from './subscriptions';

/** The contents of a login token (a JWT). */
export interface Claims {
  id: number;
  username: string;
  role: v.InferOutput<typeof role>;
  type?: string;
  /** Seconds since 1970. */
  exp: number;
  /** The session, the same in all of its tokens. */
  sid?: string;
}

export const sessionToken = v.object({ token: text(secrets.session) });
/** A completed sign-in, with or without a second step. */
export const signedIn = v.object({
  ...sessionToken.entries,
  user,
  clientToken: described(
    v.optional(v.nullable(v.string())),
    'Random: to be kept, and sent with the next sign-in in this browser.',
    secrets.client,
  ),
});
export const doneAndKnown = v.object({
  ...done.entries,
  clientToken: signedIn.entries.clientToken,
});
export const registration = v.object({ username: text('p.novak'), passwordRules });
/** From the company's sign-in: a session token, or the challenge of a second step. */
export const handover = v.object({
  name: v.picklist(['token', 'second_factor', 'second_factor_set_up']),
  value: text(secrets.session),
});

const typed = (name: string, most = 1024) =>
  v.pipe(cleanText(name), v.maxLength(most, `${name} is too long.`));
const token = typed('Token');
const doneAnd = (message: string) => sample(doneAndKnown, { message, clientToken: secrets.client });
const TOO_MANY_MAILS = 'Too many mails were asked for.';
const LINK_TRIED = 'The link was tried too often.';

export const signInCalls = {
  'POST /api/auth/login': {
    does: 'Sign in',
    more: '`username` may be the e-mail address, too. The token is sent with all other calls as `Authorization: Bearer TOKEN`.',
    body: v.object({
      username: sample(typed('Username'), 'm.okafor'),
      password: typedPassword,
      clientToken,
    }),
    answer: v.object({ ...signedIn.entries, firstScreen: v.exactOptional(firstScreen) }),
    refusals: {
      401: 'Name or password is wrong; or the sign-in needs a second step: then it has a `challenge`.',
      429: 'Too many attempts to sign in.',
    },
  },
  'POST /api/auth/refresh': {
    does: 'Get another token for the session',
    more: 'It lasts 30 days, for administrators 12 hours from the sign-in.',
    answer: sessionToken,
  },
  'POST /api/auth/oidc/handover': {
    does: 'Read what became of a sign-in by the company',
    more: 'For the page that began: `/api/auth/oidc/start` was asked with `bind`, the SHA-256 of its secret in base64url, and its callback led to `/login#code=CODE`. Works once. `value` is the token of a session, or the challenge of a second step.',
    body: v.object({
      code: sample(typed('Code', 4096), secrets.handover),
      secret: sample(typed('Secret', 4096), secrets.handoverKey),
    }),
    answer: handover,
    refusals: { 400: 'It was begun elsewhere or too long ago, or was read before.' },
  },
  'GET /api/auth/registration/:token': {
    does: 'Tell whose registration link it is',
    more: 'Uses nothing up.',
    params: {
      token: described(
        v.string(),
        'The secret part of the registration link.',
        secrets.registration,
      ),
    },
    answer: registration,
    refusals: { 400: 'The link is not good, or not any more.', 429: LINK_TRIED },
  },
  'GET /api/auth/password-rules': {
    does: 'Tell what is asked of a new password',
    answer: passwordRules,
  },
  'POST /api/auth/complete-registration': {
    does: 'Complete a registration',
    more: 'A link for the e-mail address is mailed.',
    body: v.object({
      token: sample(token, secrets.registration),
      password: sample(newPassword, secrets.password),
      email: sample(emailAddress, 'p.novak@northgrid.example'),
      clientToken,
    }),
    isRepeatable: true,
    answer: doneAnd('Registration complete! You can now log in.'),
    refusals: { 409: 'The e-mail address is in use.', 429: LINK_TRIED },
  },
  'POST /api/auth/request-password-reset': {
    does: 'Mail a link for a new password',
    more: 'The answer is the same whether or not there is such an account.',
    body: v.object({ email: sample(emailAddress, 'm.okafor@northgrid.example') }),
    answer: doneWith('If an account with that email exists, a password reset link has been sent.'),
    refusals: { 429: TOO_MANY_MAILS },
  },
  'POST /api/auth/reset-password': {
    does: 'Set a new password',
    more: 'Ends all sessions of the account.',
    body: v.object({ token: sample(token, secrets.reset), password: newPassword, clientToken }),
    answer: doneAnd('Password reset! You can now log in.'),
    refusals: { 429: LINK_TRIED },
  },
  'GET /api/auth/verify-email/:token': {
    does: 'Verify an e-mail address',
    params: {
      token: described(
        v.string(),
        'The secret part of the link in the mail.',
        secrets.verification,
      ),
    },
    answer: doneWith('Email verified! You can now log in.'),
    refusals: { 400: 'The link is not good, or not any more.' },
  },
  'POST /api/auth/resend-verification': {
    does: 'Mail the link for an e-mail address again',
    body: v.object({ email: sample(emailAddress, 'p.novak@northgrid.example') }),
    answer: doneWith('Verification email sent! Please check your inbox.'),
    refusals: { 429: TOO_MANY_MAILS },
  },
} satisfies CallTable;
