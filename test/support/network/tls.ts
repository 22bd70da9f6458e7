import { makeCertificate, type Certificate } from '../../../server/demo/phones/certificate';

export {
  trustCertificate as trust,
  type Certificate,
} from '../../../server/demo/phones/certificate';

let certificate: Certificate | undefined;

/**
 * A self-signed certificate, created once per process, for localhost and each host that a stand-in
 * replaces.
 */
export function localCertificate(): Certificate {
  certificate ??= makeCertificate([
    'localhost',
    '*.push.localhost',
    '*.googleapis.com',
    'jmt17.google.com',
    'mtalk.google.com',
    '*.push.apple.com',
    '127.0.0.1',
  ]);
  return certificate;
}
