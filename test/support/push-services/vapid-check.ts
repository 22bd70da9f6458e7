/** The check that RFC 8292 asks of push services. */
import { createPublicKey, verify } from 'node:crypto';

interface Expected {
  audience: string;
  /** The subscription's `applicationServerKey`. */
  key: string;
}

/** Why the Authorization header is rejected; undefined if it is valid. */
export function vapidFault(
  header: string | undefined,
  { audience, key }: Expected,
): string | undefined {
  const [, head, claims, signature, sender] =
    /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), ?k=([\w-]+)=*$/.exec(header ?? '') ?? [];
  if (!head || !claims || !signature || !sender) return 'no VAPID authorization';
  if (sender !== key.replace(/=+$/, '')) return 'not the key of this subscription';

  const point = Buffer.from(sender, 'base64url');
  const [x, y] = [
    point.subarray(1, 33).toString('base64url'),
    point.subarray(33).toString('base64url'),
  ];
  const publicKey = createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y } });
  const signed = Buffer.from(`${head}.${claims}`);
  const genuine = verify(
    'sha256',
    signed,
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  if (!genuine) return 'the signature is wrong';

  const { aud, exp, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString('utf8'));
  if (aud !== audience) return `made for ${aud}`;
  const left = exp - Date.now() / 1000;
  if (!(left > 0 && left <= 24 * 3600)) return 'expired, or good for more than a day';
  return /^(mailto:|https:\/\/)/.test(sub) ? undefined : 'no address of the sender';
}
