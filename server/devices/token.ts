import { ECDH } from 'node:crypto';
import * as v from 'valibot';
import { HttpError } from '../http/errors';

const P256_POINT_BYTES = 65;
const UNCOMPRESSED = 0x04;
const SECRET_BYTES = 16;

/** Longer ones no name server knows (RFC 1035, 3.1). */
const MAX_HOST = 253;

const decode = (text: string): Buffer => Buffer.from(text, 'base64');
const isWebAddress = (text: string): boolean => {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, hostname } = new URL(text);
  return protocol === 'https:' && username === '' && password === '' && hostname.length <= MAX_HOST;
};
/** A point that is not on the curve would only be found out by each push. */
const isPoint = (bytes: Buffer): boolean => {
  if (bytes.length !== P256_POINT_BYTES || bytes[0] !== UNCOMPRESSED) return false;
  try {
    ECDH.convertKey(bytes, 'prime256v1');
    return true;
  } catch {
    return false;
  }
};

/**
 * What `PushSubscription.toJSON()` gives (Push API, section 8), its keys as in RFC 8291, section
 * 3.1 and 3.2.
 */
const webPushSubscription = v.object({
  endpoint: v.pipe(v.string(), v.check(isWebAddress)),
  keys: v.object({
    p256dh: v.pipe(
      v.string(),
      v.check((text) => isPoint(decode(text))),
    ),
    auth: v.pipe(
      v.string(),
      v.check((text) => decode(text).length === SECRET_BYTES),
    ),
  }),
});

/** What FCM gives out: letters, digits and few signs. How long they are it does not promise. */
const FCM_TOKEN = /^[\w:.~%+/=-]+$/;

/** @throws HttpError 400 for what is no token of a browser's */
export function demandDeviceToken(text: string): void {
  if (!isDeviceToken(text))
    throw new HttpError(400, [
      { message: 'Device token is not a valid push subscription.', path: 'deviceToken' },
    ]);
}

/**
 * Text that begins with a brace must be a whole Web Push subscription; anything else is taken for
 * an FCM token.
 */
export function isDeviceToken(text: string): boolean {
  if (!text.startsWith('{')) return FCM_TOKEN.test(text);
  try {
    return v.is(webPushSubscription, JSON.parse(text));
  } catch {
    return false;
  }
}
