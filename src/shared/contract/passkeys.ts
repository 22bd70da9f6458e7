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
    'False for people who use only company sign-in. They cannot add passkeys.',
  ),
  passkeys: v.array(passkey),
});

const challenge = withDescription(
  v.string(),
  'In base64url. Works once, within five minutes.',
  secrets.passkey.challenge,
);
const HOST = 'bell.example';
const TIMEOUT = withDescription(v.number(), 'In milliseconds.', 300_000);
/** As in WebAuthn's `PublicKeyCredentialRequestOptionsJSON`. */
export const passkeyRequest = v.object({
  challenge,
  rpId: text(HOST),
  timeout: TIMEOUT,
  userVerification: v.literal('required'),
});
/** As in WebAuthn's `PublicKeyCredentialCreationOptionsJSON`. */
export const passkeyCreation = v.object({
  challenge,
  rp: v.object({ id: text(HOST), name: text('Fieldbell') }),
  user: v.object({
    id: withDescription(v.string(), 'In base64url.', 'Mg'),
    name: text('m.okafor'),
    displayName: text('m.okafor'),
  }),
  pubKeyCredParams: v.array(
    v.object({ type: v.literal('public-key'), alg: sample(v.number(), -7) }),
  ),
  excludeCredentials: withDescription(
    v.array(v.object({ type: v.literal('public-key'), id: text(secrets.passkey.id) })),
    'The passkeys that the person has.',
  ),
  authenticatorSelection: v.object({
    residentKey: v.literal('required'),
    requireResidentKey: v.literal(true),
    userVerification: v.literal('required'),
  }),
  attestation: v.literal('none'),
  timeout: TIMEOUT,
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
    'The response’s `clientDataJSON`, in base64url like all fields of the response.',
  );
const OVER = 'The challenge has expired or was already used.';
const OFF = 'This server does not allow passkeys';

export const passkeyCalls = {
  'POST /api/auth/passkey/begin': {
    does: 'Start signing in with a passkey',
    more: 'For `navigator.credentials.get`. It names no account: the person chooses one of the passkeys on the device.',
    response: passkeyRequest,
    errors: { 409: `${OFF}.`, 429: 'Too many sign-in attempts.' },
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
      400: OVER,
      401: 'The passkey is wrong or was removed. Or the sign-in needs two-factor authentication: then the response contains a `challenge`.',
      409: `${OFF}.`,
      429: 'Too many sign-in attempts.',
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
      409: `${OFF}, or you have no password or too many passkeys.`,
      429: 'Too many wrong passwords.',
    },
  },
  'POST /api/account/passkeys': {
    does: 'Add a passkey',
    more: 'A person loses all passkeys when they set a new password or sign out everywhere.',
    body: v.object({
      name: sample(requiredLine('Name', 60), 'Work phone'),
      id: credentialId(secrets.passkey.newId),
      clientDataJSON: clientData(secrets.passkey.madeClientData),
      attestationObject: base64url('Attestation', 16_384, secrets.passkey.attestation),
    }),
    response: passkey,
    errors: {
      400: `${OVER} Or the passkey cannot be verified.`,
      409: `${OFF}, or you have too many passkeys, or you already added this one.`,
    },
  },
  'DELETE /api/account/passkeys/:id': {
    does: 'Remove a passkey',
    params: { id: uuidField('passkey', secrets.passkey.row) },
    response: doneWith('The passkey was removed.'),
    errors: { 404: 'This passkey does not exist.' },
  },
} satisfies CallTable;
