/** A self-signed certificate. Node can't write certificates, and OpenSSL is not everywhere. */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';
import tls from 'node:tls';
import { DAY_MS } from '../../lib/durations';

export interface Certificate {
  key: string;
  cert: string;
}

function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size =
    length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const SEQUENCE = 0x30;
const OCTETS = 0x04;
const hex = (text: string): Buffer => Buffer.from(text, 'hex');
const sequence = (...parts: readonly Uint8Array[]): Buffer => der(SEQUENCE, ...parts);
const bits = (content: Uint8Array): Buffer => der(0x03, Buffer.from([0]), content);
const time = (at: number): Buffer =>
  der(0x18, Buffer.from(`${new Date(at).toISOString().replace(/\D/g, '').slice(0, 14)}Z`));

const ECDSA_WITH_SHA256 = sequence(hex('06082a8648ce3d040302'));
const COMMON_NAME = hex('0603550403');
const ALTERNATIVE_NAMES = hex('0603551d11');
/** Critical, and a certificate authority: its own. */
const AUTHORITY = sequence(hex('0603551d13'), hex('0101ff'), der(OCTETS, hex('30030101ff')));

export function makeCertificate(hosts: readonly string[], now = Date.now()): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(
    der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from('Fieldbell stand-in')))),
  );
  const names = hosts.map((host) =>
    isIPv4(host)
      ? der(0x87, Buffer.from(host.split('.').map(Number)))
      : der(0x82, Buffer.from(host)),
  );
  const toSign = sequence(
    hex('a003020102'), // version 3
    der(0x02, Buffer.from([1]), randomBytes(8)),
    ECDSA_WITH_SHA256,
    name,
    sequence(time(now - DAY_MS / 24), time(now + 2 * DAY_MS)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(ALTERNATIVE_NAMES, der(OCTETS, sequence(...names))), AUTHORITY)),
  );
  const certificate = sequence(toSign, ECDSA_WITH_SHA256, bits(sign('sha256', toSign, privateKey)));
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
  };
}

/** The returned function ends the trust. Node.js reads NODE_EXTRA_CA_CERTS only when it starts. */
export function trustCertificate(
  { cert }: Certificate,
  otherHosts: readonly string[] = [],
): () => void {
  const original = tls.createSecureContext;
  const ca = [cert, ...otherHosts];
  tls.createSecureContext = (options) => original({ ...options, ca: options?.ca ?? ca });
  return () => {
    tls.createSecureContext = original;
  };
}
