import { ECDH } from 'node:crypto';
import * as v from 'valibot';
import { INSTALLATION_PREFIX } from '../../src/shared/fcm-registration';
import { HttpError } from '../http/errors';

const P256_POINT_BYTES = 65;
const UNCOMPRESSED = 0x04;
const SECRET_BYTES = 16;

/** The longest host name (RFC 1035, section 3.1). */
const MAX_HOST_LENGTH = 253;

const decodeBase64 = (text: string): Buffer => Buffer.from(text, 'base64');
const isWebAddress = (text: string): boolean => {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, hostname } = new URL(text);
  return (
    protocol === 'https:' &&
    username === '' &&
    password === '' &&
    hostname.length <= MAX_HOST_LENGTH
  );
};
/** Each push would fail for a point that is not on the curve. */
const isPoint = (bytes: Buffer): boolean => {
  if (bytes.length !== P256_POINT_BYTES || bytes[0] !== UNCOMPRESSED) return false;
  try {
    ECDH.convertKey(bytes, 'prime256v1');
    return true;
  } catch {
    return false;
  }
};

/** `PushSubscription.toJSON()` (Push API, section 8); keys as in RFC 8291, sections 3.1, 3.2. */
const webPushSubscription = v.object({
  endpoint: v.pipe(v.string(), v.check(isWebAddress)),
  keys: v.object({
    p256dh: v.pipe(
      v.string(),
      v.check((text) => isPoint(decodeBase64(text))),
    ),
    auth: v.pipe(
      v.string(),
      v.check((text) => decodeBase64(text).length === SECRET_BYTES),
    ),
  }),
});

/** FCM does not specify the length of its tokens. */
const FCM_TOKEN = /^[\w:.~%+/=-]+$/;
/** The format that the Firebase SDK generates. */
const INSTALLATION_ID = /^[cdef][\w-]{21}$/;

/** @throws HttpError 400 for an invalid token */
export function requireDeviceToken(text: string): void {
  if (!isDeviceToken(text))
    throw new HttpError(400, [
      {
        message: 'Device token must be a valid push subscription, FCM token or installation ID.',
        path: 'deviceToken',
      },
    ]);
}

/**
 * Text that starts with a brace must be a Web Push subscription, and one that starts with `fid:` a
 * Firebase installation ID; anything else is an FCM token.
 */
export function isDeviceToken(text: string): boolean {
  if (text.startsWith(INSTALLATION_PREFIX))
    return INSTALLATION_ID.test(text.slice(INSTALLATION_PREFIX.length));
  if (!text.startsWith('{')) return FCM_TOKEN.test(text);
  try {
    return v.is(webPushSubscription, JSON.parse(text));
  } catch {
    return false;
  }
}
