/** Certificates for the stand-ins. They live in a temporary folder and for two days. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';

export interface Certificate {
  key: string;
  cert: string;
}

let made: Certificate | undefined;

/**
 * A self-signed certificate for localhost and for each host of Google's and Apple's that a stand-in plays. Made
 * once a process.
 */
export function localCertificate(): Certificate {
  made ??= makeCertificate([
    'localhost',
    '*.push.localhost',
    '*.googleapis.com',
    'jmt17.google.com',
    'mtalk.google.com',
    '*.push.apple.com',
  ]);
  return made;
}

function makeCertificate(hosts: string[]): Certificate {
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const names = [...hosts.map((host) => `DNS:${host}`), 'IP:127.0.0.1'].join(',');
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const subject = ['-subj', '/CN=Fieldbell test stand-in', '-addext', `subjectAltName=${names}`];
  execFileSync(
    'openssl',
    ['req', '-x509', ...curve, '-days', '2', ...subject, '-keyout', key, '-out', cert],
    { stdio: 'ignore' },
  );
  const certificate = { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  rmSync(folder, { recursive: true });
  return certificate;
}

/**
 * Lets this process trust the certificate, until the returned function is called. A process of its
 * own is better told by NODE_EXTRA_CA_CERTS, which is read only at its start.
 */
export function trust({ cert }: Certificate): () => void {
  const original = tls.createSecureContext;
  tls.createSecureContext = (options) => original({ ...options, ca: options?.ca ?? cert });
  return () => {
    tls.createSecureContext = original;
  };
}
