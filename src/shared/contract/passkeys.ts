/** Passkeys (WebAuthn), as an option beside the password. */
import * as v from 'valibot';
import { clientTokenSchema, typedPasswordSchema } from './accounts';
import {
  withDescription,
  messageResponseWith,
  nullableTimestampSchema,
  withExamples,
  sampleText,
  timestampSchema,
  uuidSchema,
  uuidField,
} from './common';
import type { CallTable } from './common';
import { requiredLine } from './fields';
import { sampleSecrets } from './secrets';
import { signedInSchema } from './sign-in';
import { firstScreenSchema } from './subscriptions';

export const passkeySchema = v.object({
  id: uuidSchema,
  name: sampleText('Work phone'),
  createdAt: timestampSchema,
  lastUsedAt: nullableTimestampSchema,
});
export const passkeysSchema = v.object({
  isOn: withDescription(v.boolean(), 'Whether the server allows passkeys.'),
  hasPassword: withDescription(
    v.boolean(),
    '`false` for people who can sign in only with their company account. They cannot add passkeys.',
  ),
  passkeys: v.array(passkeySchema),
});

const challengeSchema = withDescription(
  v.string(),
  'The challenge in base64url. It works once, and only for five minutes.',
  sampleSecrets.passkey.challenge,
);
const EXAMPLE_HOST = 'bell.example';
const timeoutSchema = withDescription(
  v.number(),
  'How many milliseconds the person has to complete the prompt.',
  300_000,
);
/** The shape is WebAuthn's `PublicKeyCredentialRequestOptionsJSON`. */
export const passkeyRequestSchema = v.object({
  challenge: challengeSchema,
  rpId: sampleText(EXAMPLE_HOST),
  timeout: timeoutSchema,
  userVerification: v.literal('required'),
});
/** The shape is WebAuthn's `PublicKeyCredentialCreationOptionsJSON`. */
export const passkeyCreationSchema = v.object({
  challenge: challengeSchema,
  rp: v.object({ id: sampleText(EXAMPLE_HOST), name: sampleText('Fieldbell') }),
  user: v.object({
    id: withDescription(v.string(), 'The WebAuthn user id in base64url.', 'Mg'),
    name: sampleText('m.okafor'),
    displayName: sampleText('m.okafor'),
  }),
  pubKeyCredParams: v.array(
    v.object({ type: v.literal('public-key'), alg: withExamples(v.number(), -7) }),
  ),
  excludeCredentials: withDescription(
    v.array(v.object({ type: v.literal('public-key'), id: sampleText(sampleSecrets.passkey.id) })),
    'The passkeys that the person already has.',
  ),
  authenticatorSelection: v.object({
    residentKey: v.literal('required'),
    requireResidentKey: v.literal(true),
    userVerification: v.literal('required'),
  }),
  attestation: v.literal('none'),
  timeout: timeoutSchema,
});

export type Passkey = v.InferOutput<typeof passkeySchema>;
export type Passkeys = v.InferOutput<typeof passkeysSchema>;
export type PasskeyRequest = v.InferOutput<typeof passkeyRequestSchema>;
export type PasskeyCreation = v.InferOutput<typeof passkeyCreationSchema>;

/** Twice what authenticators are known to send. WebAuthn limits only ids, to 1,023 bytes. */
const base64url = (name: string, maxLength: number, example: string) =>
  withExamples(
    v.pipe(
      v.string(),
      v.maxLength(maxLength, `${name} is too long.`),
      v.regex(/^[\w-]+$/, `${name} must be base64url.`),
    ),
    example,
  );
const credentialId = (example: string) => base64url('Id', 1364, example);
const clientData = (example: string) =>
  withDescription(
    base64url('Client data', 4096, example),
    'The `clientDataJSON` of the WebAuthn response. All fields of that response are in base64url.',
  );
const CHALLENGE_EXPIRED = 'The challenge has expired or was already used.';
const PASSKEYS_DISABLED = 'This server does not allow passkeys';

export const passkeyCalls = {
  'POST /api/auth/passkey/begin': {
    does: 'Start signing in with a passkey',
    more: 'Returns the options for `navigator.credentials.get`. They do not name an account, because the person chooses a passkey on the device.',
    response: passkeyRequestSchema,
    errors: {
      409: `${PASSKEYS_DISABLED}.`,
      429: 'Too many sign-ins were started, such as more than 300 from one IP address within 15 minutes.',
    },
  },
  'POST /api/auth/passkey': {
    does: 'Sign in with a passkey',
    body: v.object({
      id: credentialId(sampleSecrets.passkey.id),
      clientDataJSON: clientData(sampleSecrets.passkey.usedClientData),
      authenticatorData: base64url(
        'Authenticator data',
        4096,
        sampleSecrets.passkey.authenticatorData,
      ),
      signature: base64url('Signature', 2048, sampleSecrets.passkey.signature),
      userHandle: v.exactOptional(base64url('User handle', 128, sampleSecrets.passkey.userHandle)),
      clientToken: clientTokenSchema,
    }),
    response: v.object({
      ...signedInSchema.entries,
      firstScreen: v.exactOptional(firstScreenSchema),
    }),
    errors: {
      400: CHALLENGE_EXPIRED,
      401: 'The passkey is wrong or was removed. Or the account is suspended, or can sign in only with the company account. If the response contains a `challenge`, the passkey is right, but the sign-in also needs two-factor authentication.',
      409: `${PASSKEYS_DISABLED}.`,
      429: 'Too many sign-in attempts, such as more than ten failed attempts for one account within 15 minutes.',
    },
  },
  'GET /api/account/passkeys': { does: 'List your passkeys', response: passkeysSchema },
  'POST /api/account/passkeys/begin': {
    does: 'Start adding a passkey',
    more: 'Returns the options for `navigator.credentials.create`. Nothing is saved until you send the new passkey.',
    body: v.object({ password: typedPasswordSchema }),
    response: passkeyCreationSchema,
    errors: {
      403: 'The password is wrong.',
      409: `${PASSKEYS_DISABLED}, or you have no password, or you already have ten passkeys.`,
      429: 'You entered more than ten wrong passwords within 15 minutes.',
    },
  },
  'POST /api/account/passkeys': {
    does: 'Add a passkey',
    more: 'When a person sets a new password or signs out everywhere, all passkeys of that person are removed.',
    body: v.object({
      name: withExamples(requiredLine('Name', 60), 'Work phone'),
      id: credentialId(sampleSecrets.passkey.newId),
      clientDataJSON: clientData(sampleSecrets.passkey.madeClientData),
      attestationObject: base64url('Attestation', 16_384, sampleSecrets.passkey.attestation),
    }),
    response: passkeySchema,
    errors: {
      400: `${CHALLENGE_EXPIRED} Or the passkey cannot be verified.`,
      409: `${PASSKEYS_DISABLED}, or you already have ten passkeys, or you already added this passkey.`,
    },
  },
  'DELETE /api/account/passkeys/:id': {
    does: 'Remove a passkey',
    params: { id: uuidField('passkey', sampleSecrets.passkey.row) },
    response: messageResponseWith('The passkey was removed.'),
    errors: { 404: 'This passkey does not exist.' },
  },
} satisfies CallTable;
