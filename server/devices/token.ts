import * as v from 'valibot';

const P256_POINT_BYTES = 65;
const UNCOMPRESSED = 0x04;
const SECRET_BYTES = 16;

const decode = (text: string): Buffer => Buffer.from(text, 'base64');
const isWebAddress = (text: string): boolean => {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return protocol === 'https:' && username === '' && password === '';
};

/** What `PushSubscription.toJSON()` gives (Push API, section 8), its keys as in RFC 8291, section 3.1 and 3.2. */
const webPushSubscription = v.object({
  endpoint: v.pipe(v.string(), v.check(isWebAddress)),
  keys: v.object({
    p256dh: v.pipe(v.string(), v.check((text) => decode(text).length === P256_POINT_BYTES && decode(text)[0] === UNCOMPRESSED)),
    auth: v.pipe(v.string(), v.check((text) => decode(text).length === SECRET_BYTES)),
  }),
});

/** Text that begins with a brace must be a whole Web Push subscription; anything else is taken for an FCM token. */
export function isDeviceToken(text: string): boolean {
  if (!text.startsWith('{')) return !/\s/.test(text);
  try {
    return v.is(webPushSubscription, JSON.parse(text));
  } catch {
    return false;
  }
}
