/** Verifies what an authenticator signed. `@simplewebauthn/server` is loaded at the first call. */
import type { Body } from '../../../src/shared/contract';
import type { PasskeyRow } from '../../db/schema';
import type { Services } from '../../services';

/** COSE's numbers of ES256, EdDSA and RS256. */
export const PASSKEY_ALGORITHMS = [-7, -8, -257];

/** A passkey belongs to the host of `PUBLIC_URL`. */
export const passkeyHost = ({ config }: Pick<Services, 'config'>): string =>
  new URL(config.publicUrl).hostname;

const expectedValues = (challenge: string, services: Pick<Services, 'config'>) => ({
  expectedChallenge: challenge,
  expectedOrigin: new URL(services.config.publicUrl).origin,
  expectedRPID: passkeyHost(services),
  requireUserVerification: true,
});

export type NewCredential = Pick<PasskeyRow, 'credential_id' | 'public_key' | 'sign_count'>;

/** @returns undefined unless this origin's authenticator made it, with its owner verified */
export async function verifyNewPasskey(
  { id, clientDataJSON, attestationObject }: Omit<Body<'POST /api/account/passkeys'>, 'name'>,
  challenge: string,
  services: Pick<Services, 'config'>,
): Promise<NewCredential | undefined> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  try {
    const attestation = decodeAttestationObject(Buffer.from(attestationObject, 'base64url'));
    // We ask for none. Certificates of others name addresses that a verifier would call.
    if (attestation.get('fmt') !== 'none' && attestation.get('fmt') !== 'packed') return undefined;
    if (attestation.get('attStmt').get('x5c') !== undefined) return undefined;
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      ...expectedValues(challenge, services),
      response: {
        id,
        rawId: id,
        type: 'public-key',
        response: { clientDataJSON, attestationObject },
        clientExtensionResults: {},
      },
      supportedAlgorithmIDs: PASSKEY_ALGORITHMS,
    });
    const credential = registrationInfo?.credential;
    if (!verified || credential?.id !== id) return undefined;
    return {
      credential_id: id,
      public_key: Buffer.from(credential.publicKey).toString('base64url'),
      sign_count: credential.counter,
    };
  } catch {
    // The library throws for each fault, and for data that cannot be decoded.
    return undefined;
  }
}

/** @returns the authenticator's counter; undefined if anything is wrong, such as an earlier counter */
export async function verifyPasskeySignIn(
  {
    clientDataJSON,
    authenticatorData,
    signature,
  }: Pick<Body<'POST /api/auth/passkey'>, 'clientDataJSON' | 'authenticatorData' | 'signature'>,
  { credential_id: id, public_key, sign_count }: NewCredential,
  challenge: string,
  services: Pick<Services, 'config'>,
): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      ...expectedValues(challenge, services),
      response: {
        id,
        rawId: id,
        type: 'public-key',
        response: { clientDataJSON, authenticatorData, signature },
        clientExtensionResults: {},
      },
      credential: {
        id,
        publicKey: new Uint8Array(Buffer.from(public_key, 'base64url')),
        counter: sign_count,
      },
    });
    return verified ? authenticationInfo.newCounter : undefined;
  } catch {
    return undefined;
  }
}
