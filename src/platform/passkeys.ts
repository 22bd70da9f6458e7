/**
 * The browser's passkeys (WebAuthn), with bytes as base64url, in builds with `PASSKEYS`.
 * `PublicKeyCredential.parseCreationOptionsFromJSON` is missing in Chrome before 129 and Safari before 18.4.
 */
import type { Body, PasskeyCreation, PasskeyRequest } from '../shared/contract';
import { fromBase64url, toBase64url } from './base64url';

const toText = (bytes: ArrayBuffer): string => toBase64url(new Uint8Array(bytes));

export const hasPasskeys = (): boolean => 'PublicKeyCredential' in window;

/** Whether the browser lists passkeys when someone types their username. */
export const listsPasskeys = async (): Promise<boolean> =>
  hasPasskeys() && (await PublicKeyCredential.isConditionalMediationAvailable?.()) === true;

/** @throws DOMException if the person stops or nothing fits */
export async function createPasskey(
  options: PasskeyCreation,
): Promise<Omit<Body<'POST /api/account/passkeys'>, 'name'>> {
  const { id, response } = (await navigator.credentials.create({
    publicKey: {
      ...options,
      challenge: fromBase64url(options.challenge),
      user: { ...options.user, id: fromBase64url(options.user.id) },
      excludeCredentials: options.excludeCredentials.map((credential) => ({
        ...credential,
        id: fromBase64url(credential.id),
      })),
    },
  })) as PublicKeyCredential;
  const { clientDataJSON, attestationObject } = response as AuthenticatorAttestationResponse;
  return {
    id,
    clientDataJSON: toText(clientDataJSON),
    attestationObject: toText(attestationObject),
  };
}

/**
 * @param abortSignal ends the wait for someone who types their username; without it, the browser asks now
 * @throws DOMException as above, or once `abortSignal` is aborted
 */
export async function requestPasskey(
  options: PasskeyRequest,
  abortSignal?: AbortSignal,
): Promise<Omit<Body<'POST /api/auth/passkey'>, 'clientToken'>> {
  const { id, response } = (await navigator.credentials.get({
    publicKey: { ...options, challenge: fromBase64url(options.challenge) },
    ...(abortSignal && { mediation: 'conditional', signal: abortSignal }),
  })) as PublicKeyCredential;
  const { clientDataJSON, authenticatorData, signature, userHandle } =
    response as AuthenticatorAssertionResponse;
  return {
    id,
    clientDataJSON: toText(clientDataJSON),
    authenticatorData: toText(authenticatorData),
    signature: toText(signature),
    ...(userHandle && { userHandle: toText(userHandle) }),
  };
}
