/** The certificate of the stand-ins. */
import { makeCertificate, type Certificate } from '../../../server/demo/certificate';

export { trust, type Certificate } from '../../../server/demo/certificate';

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
    '127.0.0.1',
  ]);
  return made;
}
