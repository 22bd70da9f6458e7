import * as v from 'valibot';
import {
  clientTokenSchema,
  newPasswordSchema,
  passwordRulesSchema,
  type roleSchema,
  typedPasswordSchema,
  userSchema,
} from './accounts';
import {
  withDescription,
  messageResponseSchema,
  messageResponseWith,
  withExamples,
  sampleText,
} from './common';
import type { CallTable } from './common';
import { cleanText, emailAddressSchema } from './fields';
import { sampleSecrets } from './secrets';
import { firstScreenSchema, ownRightsFields } from './subscriptions';

/** The contents of a login token (a JWT). */
export interface Claims {
  id: number;
  username: string;
  role: v.InferOutput<typeof roleSchema>;
  type?: string;
  /** Seconds since 1970. */
  exp: number;
  /** The session, the same in all of its tokens. */
  sid?: string;
}

export const sessionTokenSchema = v.object({ token: sampleText(sampleSecrets.session) });
/** A completed sign-in, with or without a second step. */
export const signedInSchema = v.object({
  ...sessionTokenSchema.entries,
  user: userSchema,
  clientToken: withDescription(
    v.optional(v.nullable(v.string())),
    'A random value that identifies this browser. Store it, and send it with the next sign-in in this browser.',
    sampleSecrets.client,
  ),
  ...ownRightsFields,
});
export const doneWithClientTokenSchema = v.object({
  ...messageResponseSchema.entries,
  clientToken: signedInSchema.entries.clientToken,
});
export const registrationSchema = v.object({
  username: sampleText('p.novak'),
  language: userSchema.entries.language,
  passwordRules: passwordRulesSchema,
});
/** The company's sign-in hands over a login token, or the challenge of a second step. */
export const handoverSchema = v.object({
  name: v.picklist(['token', 'second_factor', 'second_factor_set_up']),
  value: sampleText(sampleSecrets.session),
});

const typedText = (name: string, maxLength = 1024) =>
  v.pipe(cleanText(name), v.maxLength(maxLength, `${name} is too long.`));
const tokenSchema = typedText('Token');
const messageResponseWithToken = (message: string) =>
  withExamples(doneWithClientTokenSchema, { message, clientToken: sampleSecrets.client });
const TOO_MANY_MAILS = 'More than 300 emails were requested from one IP address within an hour.';
const PHONE_LINK_OVER = 'The link is invalid, has expired, or has already been used.';
const INVALID_LINKS =
  'More than 60 invalid links were tried from one IP address within 15 minutes.';

export const signInCalls = {
  'POST /api/auth/login': {
    does: 'Sign in',
    more: '`username` can also be the email address. Send the returned token as `Authorization: Bearer TOKEN` with all calls that need a sign-in.',
    body: v.object({
      username: withExamples(typedText('Username'), 'm.okafor'),
      password: typedPasswordSchema,
      clientToken: clientTokenSchema,
    }),
    response: v.object({
      ...signedInSchema.entries,
      firstScreen: v.exactOptional(firstScreenSchema),
    }),
    errors: {
      401: 'The username or password is wrong, the account is suspended, or password sign-in is disabled. If the response contains a `challenge`, the password is right, but the sign-in also needs two-factor authentication.',
      429: 'Too many sign-in attempts, such as more than ten failed attempts for one account within 15 minutes.',
    },
  },
  'POST /api/auth/refresh': {
    does: 'Renew the session’s token',
    more: 'The new token is valid for 30 days. An administrator’s new token is valid until 12 hours after the sign-in.',
    response: v.object({
      ...sessionTokenSchema.entries,
      language: userSchema.entries.language,
      ...ownRightsFields,
    }),
  },
  'POST /api/auth/phone-link/owner': {
    does: 'Get the owner of a sign-in link',
    more: 'This call does not use up the link.',
    body: v.object({ token: withExamples(tokenSchema, sampleSecrets.phone) }),
    response: v.object({ username: sampleText('m.okafor') }),
    errors: { 400: PHONE_LINK_OVER, 429: INVALID_LINKS },
  },
  'POST /api/auth/phone-link': {
    does: 'Sign in on a new phone',
    more: '`token` is the part after `#` of a sign-in link for a new phone.',
    body: v.object({
      token: withExamples(tokenSchema, sampleSecrets.phone),
      clientToken: clientTokenSchema,
    }),
    response: v.object({
      ...signedInSchema.entries,
      firstScreen: v.exactOptional(firstScreenSchema),
    }),
    errors: { 400: PHONE_LINK_OVER, 429: INVALID_LINKS },
  },
  'POST /api/auth/oidc/handover': {
    does: 'Get the result of a company sign-in',
    more: 'The page that started the sign-in makes this call. First, the page opens `/api/auth/oidc/start?bind=HASH`, where HASH is the SHA-256 hash of a secret’s text, encoded in base64url. After the sign-in, the server redirects to `/login#code=CODE`. The page then sends that code and its secret here. Each code works once. `value` is a login token, or the challenge of a two-factor sign-in.',
    body: v.object({
      code: withExamples(typedText('Code', 4096), sampleSecrets.handover),
      secret: withExamples(typedText('Secret', 4096), sampleSecrets.handoverKey),
    }),
    response: handoverSchema,
    errors: {
      400: 'The code has expired or was already used, or another page started this sign-in.',
    },
  },
  'GET /api/auth/registration/:token': {
    does: 'Get the owner of a registration link',
    more: 'This call does not use up the link.',
    params: {
      token: withDescription(
        v.string(),
        'The secret part of the registration link.',
        sampleSecrets.registration,
      ),
    },
    response: registrationSchema,
    errors: { 400: 'The link is invalid or has expired.', 429: INVALID_LINKS },
  },
  'GET /api/auth/password-rules': {
    does: 'Get the password rules',
    response: passwordRulesSchema,
  },
  'POST /api/auth/complete-registration': {
    does: 'Complete a registration',
    more: 'The server emails a link that verifies the address.',
    body: v.object({
      token: withExamples(tokenSchema, sampleSecrets.registration),
      password: withExamples(newPasswordSchema, sampleSecrets.password),
      email: withExamples(emailAddressSchema, 'p.novak@northgrid.example'),
      clientToken: clientTokenSchema,
    }),
    isRepeatable: true,
    response: messageResponseWithToken('Registration complete! You can now log in.'),
    errors: {
      409: 'The email address is already in use.',
      429: 'Too many attempts with this link, such as more than five within a day.',
    },
  },
  'POST /api/auth/request-password-reset': {
    does: 'Email a link to reset the password',
    more: 'The response is the same whether or not the account exists.',
    body: v.object({ email: withExamples(emailAddressSchema, 'm.okafor@northgrid.example') }),
    response: messageResponseWith(
      'If an account with that email exists, a password reset link has been sent.',
    ),
    errors: { 429: TOO_MANY_MAILS },
  },
  'POST /api/auth/reset-password': {
    does: 'Set a new password',
    more: 'Signs the account out everywhere.',
    body: v.object({
      token: withExamples(tokenSchema, sampleSecrets.reset),
      password: newPasswordSchema,
      clientToken: clientTokenSchema,
    }),
    response: messageResponseWithToken('Password reset! You can now log in.'),
    errors: { 429: 'More than five attempts with this link within an hour.' },
  },
  'GET /api/auth/verify-email/:token': {
    does: 'Verify an email address',
    params: {
      token: withDescription(
        v.string(),
        'The secret part of the link in the email.',
        sampleSecrets.verification,
      ),
    },
    response: messageResponseWith('Email verified! You can now log in.'),
    errors: {
      400: 'The link is invalid or has expired.',
      409: 'Another account now uses the email address.',
    },
  },
  'POST /api/auth/resend-verification': {
    does: 'Email the verification link again',
    body: v.object({ email: withExamples(emailAddressSchema, 'p.novak@northgrid.example') }),
    response: messageResponseWith('Verification email sent! Please check your inbox.'),
    errors: { 429: TOO_MANY_MAILS },
  },
} satisfies CallTable;
