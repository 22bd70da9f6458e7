/** Signing in, registration, and what is mailed for them. */
import * as v from 'valibot';
import type { AccountCalls } from '../../../src/shared/contract';
import { shapeOf, tokenOf } from '../call';
import type { Area } from '../call';
import { pending, secrets, subscription, technician } from '../samples';
import { passwordRules, user } from '../../../src/shared/contract/accounts';
import { firstScreen } from '../../../src/shared/contract/subscriptions';
import { clientToken } from '../shapes/accounts';
import { done, text } from '../shapes/common';

/** Of the people in the examples. */
export const password = 'grey harbour crane 41';
const { client } = secrets;
const rules = { minLength: 8, maxLength: 128, notCommon: true };
const doneAndKnown = v.object({ message: text, clientToken });
const TOO_MANY_MAILS = 'Too many mails were asked for.';
const LINK_TRIED = 'The link was tried too often.';

export const signInCalls = {
  'POST /api/auth/login': {
    does: 'Sign in',
    more: '`username` may be the e-mail address, too. The token is sent with all other calls as `Authorization: Bearer TOKEN`.',
    body: { username: technician.username, password, clientToken: null },
    shape: shapeOf<AccountCalls['POST /api/auth/login']['answer']>()(
      v.object({ token: text, user, clientToken, firstScreen: v.exactOptional(firstScreen) }),
    ),
    answer: {
      token: secrets.session,
      user: technician,
      clientToken: client,
      firstScreen: {
        subscriptions: [subscription],
        preferences: [{ topicId: subscription.topic.id, enabled: true }],
      },
    },
    refusals: {
      401: 'Name or password is wrong; or the sign-in needs a second step: then it has a `challenge`.',
      429: 'Too many attempts to sign in.',
    },
  },
  'POST /api/auth/refresh': {
    does: 'Get another token for the session',
    more: 'It lasts 30 days, for administrators 12 hours from the sign-in.',
    shape: v.object({ token: text }),
    answer: { token: secrets.session },
  },
  'POST /api/auth/oidc/handover': {
    does: 'Read what became of a sign-in by the company',
    more: 'For the page that began: `/api/auth/oidc/start` was asked with `bind`, the SHA-256 of its secret in base64url, and its callback led to `/login#code=CODE`. Works once. `value` is the token of a session, or the challenge of a second step.',
    body: { code: secrets.handover, secret: secrets.handoverKey },
    shape: shapeOf<AccountCalls['POST /api/auth/oidc/handover']['answer']>()(
      v.object({
        name: v.picklist(['token', 'second_factor', 'second_factor_set_up']),
        value: text,
      }),
    ),
    answer: { name: 'token' as const, value: secrets.session },
    refusals: { 400: 'It was begun elsewhere or too long ago, or was read before.' },
  },
  'GET /api/auth/registration/:token': {
    does: 'Tell whose registration link it is',
    more: 'Uses nothing up.',
    params: { token: tokenOf('registration link', secrets.registration) },
    shape: v.object({ username: text, passwordRules }),
    answer: { username: pending.username, passwordRules: rules },
    refusals: { 400: 'The link is not good, or not any more.', 429: LINK_TRIED },
  },
  'GET /api/auth/password-rules': {
    does: 'Tell what is asked of a new password',
    shape: passwordRules,
    answer: rules,
  },
  'POST /api/auth/complete-registration': {
    does: 'Complete a registration',
    more: 'A link for the e-mail address is mailed.',
    body: {
      token: secrets.registration,
      password,
      email: 'p.novak@northgrid.example',
      clientToken: null,
    },
    isRepeatable: true,
    shape: doneAndKnown,
    answer: { message: 'Registration complete! You can now log in.', clientToken: client },
    refusals: { 409: 'The e-mail address is in use.', 429: LINK_TRIED },
  },
  'POST /api/auth/request-password-reset': {
    does: 'Mail a link for a new password',
    more: 'The answer is the same whether or not there is such an account.',
    body: { email: 'm.okafor@northgrid.example' },
    shape: done,
    answer: {
      message: 'If an account with that email exists, a password reset link has been sent.',
    },
    refusals: { 429: TOO_MANY_MAILS },
  },
  'POST /api/auth/reset-password': {
    does: 'Set a new password',
    more: 'Ends all sessions of the account.',
    body: { token: secrets.reset, password: 'brown meadow lantern 7', clientToken: null },
    shape: doneAndKnown,
    answer: { message: 'Password reset! You can now log in.', clientToken: client },
    refusals: { 429: LINK_TRIED },
  },
  'GET /api/auth/verify-email/:token': {
    does: 'Verify an e-mail address',
    params: { token: tokenOf('link in the mail', secrets.verification) },
    shape: done,
    answer: { message: 'Email verified! You can now log in.' },
    refusals: { 400: 'The link is not good, or not any more.' },
  },
  'POST /api/auth/resend-verification': {
    does: 'Mail the link for an e-mail address again',
    body: { email: 'p.novak@northgrid.example' },
    shape: done,
    answer: { message: 'Verification email sent! Please check your inbox.' },
    refusals: { 429: TOO_MANY_MAILS },
  },
} satisfies Partial<Area<AccountCalls>>;
