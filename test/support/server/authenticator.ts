/** A software authenticator: makes and uses passkeys as a browser on an origin would (WebAuthn). */
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { Body, PasskeyCreation, PasskeyRequest } from '../../../src/shared/contract';

const sha256 = (bytes: string | Buffer): Buffer => createHash('sha256').update(bytes).digest();
const base64url = (bytes: Buffer): string => bytes.toString('base64url');

/** CBOR (RFC 8949) of what an authenticator sends. */
function cbor(value: unknown): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string')
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)]);
  const entries = [...(value as Map<unknown, unknown>)];
  return Buffer.concat([head(5, entries.length), ...entries.flat().map(cbor)]);
}

function head(major: number, value: number): Buffer {
  const type = major << 5;
  if (value < 24) return Buffer.from([type | value]);
  if (value < 256) return Buffer.from([type | 24, value]);
  return Buffer.from([type | 25, value >> 8, value & 255]);
}

export type SentPasskey = Omit<Body<'POST /api/account/passkeys'>, 'name'>;
export type UsedPasskey = Body<'POST /api/auth/passkey'>;

/** The faults of a hostile client. */
export interface HostileChanges {
  origin?: string;
  rpId?: string;
  type?: string;
  isVerified?: boolean;
  /** The counter that is sent; by default the next one. */
  counter?: number;
  /** The attestation format, with its statement; by default `none`. */
  attestation?: { format: string; statement: Map<unknown, unknown> };
}

const [PRESENT, VERIFIED, ATTESTED] = [0x01, 0x04, 0x40];

export interface Authenticator {
  id: string;
  createPasskey(options: PasskeyCreation, hostileChanges?: HostileChanges): SentPasskey;
  usePasskey(options: PasskeyRequest, hostileChanges?: HostileChanges): UsedPasskey;
}

/**
 * One passkey.
 * @param origin where the browser is
 * @param counts whether it has a counter
 */
export function createAuthenticator(origin: string, counts = true): Authenticator {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const credentialId = randomBytes(32);
  const id = base64url(credentialId);
  let counter = 0;
  let userHandle: string | undefined;

  const clientData = (type: string, challenge: string, hostileChanges: HostileChanges): Buffer =>
    Buffer.from(
      JSON.stringify({
        type: hostileChanges.type ?? type,
        challenge,
        origin: hostileChanges.origin ?? origin,
      }),
    );
  function authenticatorData(
    rpId: string,
    hostileChanges: HostileChanges,
    attested?: Buffer,
  ): Buffer {
    counter += counts ? 1 : 0;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(hostileChanges.counter ?? counter);
    const flags =
      PRESENT |
      (hostileChanges.isVerified === false ? 0 : VERIFIED) |
      (attested === undefined ? 0 : ATTESTED);
    return Buffer.concat([
      sha256(hostileChanges.rpId ?? rpId),
      Buffer.from([flags]),
      count,
      ...(attested === undefined ? [] : [attested]),
    ]);
  }
  return {
    id,
    createPasskey({ challenge, rp, user }, hostileChanges = {}) {
      userHandle = user.id;
      const length = Buffer.from([0, credentialId.length]);
      const attested = Buffer.concat([Buffer.alloc(16), length, credentialId, coseOf(publicKey)]);
      const { format, statement } = hostileChanges.attestation ?? {
        format: 'none',
        statement: new Map(),
      };
      const attestation = new Map<string, unknown>([
        ['fmt', format],
        ['attStmt', statement],
        ['authData', authenticatorData(rp.id, hostileChanges, attested)],
      ]);
      return {
        id,
        clientDataJSON: base64url(clientData('webauthn.create', challenge, hostileChanges)),
        attestationObject: base64url(cbor(attestation)),
      };
    },
    usePasskey({ challenge, rpId }, hostileChanges = {}) {
      const bytes = clientData('webauthn.get', challenge, hostileChanges);
      const authData = authenticatorData(rpId, hostileChanges);
      return {
        id,
        clientDataJSON: base64url(bytes),
        authenticatorData: base64url(authData),
        signature: base64url(sign('sha256', Buffer.concat([authData, sha256(bytes)]), privateKey)),
        ...(userHandle !== undefined && { userHandle }),
      };
    },
  };
}

/** An ES256 key as COSE writes it (RFC 9053). */
function coseOf(publicKey: KeyObject): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  return cbor(
    new Map<number, unknown>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ]),
  );
}
