import * as v from 'valibot';
import { clientTokenSchema, typedPasswordSchema } from './accounts';
import { countSchema, withDescription, messageResponseWith, withExamples } from './common';
import type { CallTable } from './common';
import { cleanText } from './fields';
import { sampleSecrets } from './secrets';
import { signedInSchema } from './sign-in';

export const twoFactorSchema = v.object({
  mode: withDescription(
    v.picklist(['off', 'optional', 'required']),
    'Whether administrators may, or must, set up an authenticator app.',
    'optional',
  ),
  isOn: v.boolean(),
  recoveryCodesLeft: withExamples(countSchema, 10),
  hasPassword: withDescription(
    v.boolean(),
    '`false` for people who can sign in only with their company account.',
  ),
});
/** The secret of a setup in progress. It must be confirmed with a code within half an hour. */
export const twoFactorSetUpSchema = v.object({
  secret: withDescription(v.string(), 'The secret in base32.', sampleSecrets.totp),
  link: withDescription(
    v.string(),
    'The secret as an `otpauth://…` link for authenticator apps.',
    `otpauth://totp/Fieldbell:ada.lindqvist?issuer=Fieldbell&secret=${sampleSecrets.totp}&algorithm=SHA1&digits=6&period=30`,
  ),
  begun: withDescription(
    v.string(),
    'A token that identifies this setup. Send it together with the code to confirm the setup.',
    sampleSecrets.begun,
  ),
});
export const newCodesSchema = v.object({
  recoveryCodes: withDescription(
    v.array(v.string()),
    'The recovery codes. Each works once, instead of a code from the app. They are shown only once.',
    sampleSecrets.recovery,
  ),
});
export const confirmedSchema = v.object({ ...signedInSchema.entries, ...newCodesSchema.entries });

export type TwoFactor = v.InferOutput<typeof twoFactorSchema>;
export type TwoFactorSetUp = v.InferOutput<typeof twoFactorSetUpSchema>;

const sealedText = (name: string, ...examples: string[]) =>
  withExamples(v.pipe(cleanText(name), v.maxLength(2048, `${name} is too long.`)), ...examples);
const setupToken = (example: string) =>
  withDescription(
    sealedText('Setup token', example),
    'The `begun` of the response that started the setup.',
  );
/** A code from an app, or a recovery code, in any notation. */
const code = (example = '') =>
  withExamples(
    v.pipe(
      cleanText('Code'),
      v.trim(),
      v.minLength(1, 'Please enter a code.'),
      v.maxLength(64, 'This code is too long.'),
    ),
    example,
  );
const setUpChallengeSchema = sealedText('Challenge', sampleSecrets.setUpChallenge);
const [first, second, third] = sampleSecrets.ownCodes;
const TOO_MANY_CODES =
  'More than five wrong codes were entered for this account within 15 minutes, or more than 40 within a day. Each known browser has limits of its own.';
const CODE_REJECTED = 'The code is wrong or was already used.';
const WRONG_CODE_PATH = 'If the code is wrong, the error has the path `code`.';
const NOT_OFFERED =
  'This server does not offer two-factor authentication, or an authenticator app is already set up.';
const NO_AUTHENTICATOR_APP = 'No authenticator app is set up.';

export const twoFactorCalls = {
  'POST /api/auth/second-factor': {
    does: 'Complete a sign-in with a code',
    more: 'If a sign-in returns 401 with the `code` `second_factor` and a `challenge`, send that challenge here. In the body, `code` is a code from the authenticator app or a recovery code. Each code works once.',
    body: v.object({
      challenge: sealedText('Challenge', sampleSecrets.challenge),
      code: code(sampleSecrets.recovery[0]),
      clientToken: clientTokenSchema,
    }),
    response: signedInSchema,
    errors: {
      400: `The code is wrong, or the challenge has expired. ${WRONG_CODE_PATH}`,
      429: TOO_MANY_CODES,
    },
  },
  'POST /api/auth/second-factor/begin': {
    does: 'Start setting up an authenticator app while signing in',
    more: 'If a sign-in returns 401 with the `code` `second_factor_set_up` and a `challenge`, send that challenge here.',
    body: v.object({ challenge: setUpChallengeSchema }),
    response: twoFactorSetUpSchema,
  },
  'POST /api/auth/second-factor/confirm': {
    does: 'Confirm an authenticator app and sign in',
    body: v.object({
      challenge: setUpChallengeSchema,
      begun: setupToken(sampleSecrets.begun),
      code: code(sampleSecrets.code),
      clientToken: clientTokenSchema,
    }),
    response: confirmedSchema,
    errors: {
      400: `The code is wrong, or the challenge or the setup has expired. ${WRONG_CODE_PATH}`,
    },
  },
  'GET /api/account/second-factor': {
    does: 'Get your two-factor authentication settings',
    response: twoFactorSchema,
  },
  'POST /api/account/second-factor/begin': {
    does: 'Start setting up an authenticator app',
    more: 'Nothing is saved until you confirm the setup with a code. People without a password must have signed in within the last ten minutes.',
    body: v.optional(v.object({ password: v.exactOptional(typedPasswordSchema) }), {}),
    response: twoFactorSetUpSchema,
    errors: {
      400: 'The password is missing.',
      403: 'The password is wrong. Or you have no password and signed in more than ten minutes ago.',
      409: NOT_OFFERED,
      429: 'You entered more than ten wrong passwords within 15 minutes.',
    },
  },
  'POST /api/account/second-factor/confirm': {
    does: 'Confirm an authenticator app',
    body: v.object({ begun: setupToken(sampleSecrets.ownBegun), code: code(first) }),
    response: newCodesSchema,
    errors: {
      400: `The code is wrong, or the setup has expired. ${WRONG_CODE_PATH}`,
      409: NOT_OFFERED,
    },
  },
  'POST /api/account/second-factor/recovery-codes': {
    does: 'Create new recovery codes',
    more: 'The old recovery codes stop working.',
    body: v.object({ code: code(second) }),
    response: newCodesSchema,
    errors: { 400: CODE_REJECTED, 409: NO_AUTHENTICATOR_APP, 429: TOO_MANY_CODES },
  },
  'DELETE /api/account/second-factor': {
    does: 'Turn off the authenticator app',
    body: v.object({ code: code(third) }),
    response: messageResponseWith('Two-factor authentication was turned off.'),
    errors: { 400: CODE_REJECTED, 409: NO_AUTHENTICATOR_APP, 429: TOO_MANY_CODES },
  },
} satisfies CallTable;
