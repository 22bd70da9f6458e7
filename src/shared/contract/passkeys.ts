/** Passkeys (WebAuthn), as an option beside the password. */
import * as v from 'valibot';
import { clientToken, typedPassword } from './accounts';
import {
  withDescription,
  doneWith,
  maybeTime,
  sample,
  text,
  time,
  uuid,
  uuidField,
} from './common';
import type { CallTable } from './common';
import { requiredLine } from './fields';
import { secrets } from './secrets';
import { signedIn } from './sign-in';
import { firstScreen } from './subscriptions';

export const passkey = v.object({
  id: uuid,
  name: text('Work phone'),
  createdAt: time,
  lastUsedAt: maybeTime,
});
export const passkeys = v.object({
  isOn: withDescription(v.boolean(), 'Whether the server allows passkeys.'),
  hasPassword: withDescription(
    v.boolean(),
    '`false` for people who can sign in only with their company account. They cannot add passkeys.',
  ),
  passkeys: v.array(passkey),
});

const challenge = withDescription(
  v.string(),
  'The challenge in base64url. It works once, and only for five minutes.',
  secrets.passkey.challenge,
);
const EXAMPLE_HOST = 'bell.example';
const timeoutField = withDescription(
  v.number(),
  'How many milliseconds the person has to complete the prompt.',
  300_000,
);
/** The shape is WebAuthn's `PublicKeyCredentialRequestOptionsJSON`. */
export const passkeyRequest = v.object({
  challenge,
  rpId: text(EXAMPLE_HOST),
  timeout: timeoutField,
  userVerification: v.literal('required'),
});
/** The shape is WebAuthn's `PublicKeyCredentialCreationOptionsJSON`. */
export const passkeyCreation = v.object({
  challenge,
  rp: v.object({ id: text(EXAMPLE_HOST), name: text('Fieldbell') }),
  user: v.object({
    id: withDescription(v.string(), 'The WebAuthn user id in base64url.', 'Mg'),
    name: text('m.okafor'),
    displayName: text('m.okafor'),
  }),
  pubKeyCredParams: v.array(
    v.object({ type: v.literal('public-key'), alg: sample(v.number(), -7) }),
  ),
  excludeCredentials: withDescription(
    v.array(v.object({ type: v.literal('public-key'), id: text(secrets.passkey.id) })),
    'The passkeys that the person already has.',
  ),
  authenticatorSelection: v.object({
    residentKey: v.literal('required'),
    requireResidentKey: v.literal(true),
    userVerification: v.literal('required'),
  }),
  attestation: v.literal('none'),
  timeout: timeoutField,
});

export type Passkey = v.InferOutput<typeof passkey>;
export type Passkeys = v.InferOutput<typeof passkeys>;
export type PasskeyRequest = v.InferOutput<typeof passkeyRequest>;
export type PasskeyCreation = v.InferOutput<typeof passkeyCreation>;

/** Twice what authenticators are known to send. WebAuthn limits only ids, to 1,023 bytes. */
const base64url = (name: string, maxLength: number, example: string) =>
  sample(
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
    response: passkeyRequest,
    errors: {
      409: `${PASSKEYS_DISABLED}.`,
      429: 'Too many sign-ins were started, such as more than 300 from one IP address within 15 minutes.',
    },
  },
  'POST /api/auth/passkey': {
    does: 'Sign in with a passkey',
    body: v.object({
      id: credentialId(secrets.passkey.id),
      clientDataJSON: clientData(secrets.passkey.usedClientData),
      authenticatorData: base64url('Authenticator data', 4096, secrets.passkey.authenticatorData),
      signature: base64url('Signature', 2048, secrets.passkey.signature),
      userHandle: v.exactOptional(base64url('User handle', 128, secrets.passkey.userHandle)),
      clientToken,
    }),
    response: v.object({ ...signedIn.entries, firstScreen: v.exactOptional(firstScreen) }),
    errors: {
      400: CHALLENGE_EXPIRED,
      401: 'The passkey is wrong or was removed. Or the account is suspended, or can sign in only with the company account. If the response contains a `challenge`, the passkey is right, but the sign-in also needs two-factor authentication.',
      409: `${PASSKEYS_DISABLED}.`,
      429: 'Too many sign-in attempts, such as more than ten failed attempts for one account within 15 minutes.',
    },
  },
  'GET /api/account/passkeys': { does: 'List your passkeys', response: passkeys },
  'POST /api/account/passkeys/begin': {
    does: 'Start adding a passkey',
    more: 'Returns the options for `navigator.credentials.create`. Nothing is saved until you send the new passkey.',
    body: v.object({ password: typedPassword }),
    response: passkeyCreation,
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
      name: sample(requiredLine('Name', 60), 'Work phone'),
      id: credentialId(secrets.passkey.newId),
      clientDataJSON: clientData(secrets.passkey.madeClientData),
      attestationObject: base64url('Attestation', 16_384, secrets.passkey.attestation),
    }),
    response: passkey,
    errors: {
      400: `${CHALLENGE_EXPIRED} Or the passkey cannot be verified.`,
      409: `${PASSKEYS_DISABLED}, or you already have ten passkeys, or you already added this passkey.`,
    },
  },
  'DELETE /api/account/passkeys/:id': {
    does: 'Remove a passkey',
    params: { id: uuidField('passkey', secrets.passkey.row) },
    response: doneWith('The passkey was removed.'),
    errors: { 404: 'This passkey does not exist.' },
  },
} satisfies CallTable;
