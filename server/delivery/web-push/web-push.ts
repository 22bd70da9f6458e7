/** Web Push: an encrypted POST to the address that the browser gave (RFC 8030). */
import { buildPushMessage, type TopicMessageData } from '../../../src/shared/push-message';
import { readRetryAfter } from '../queue/backoff';
import { MAX_PLAINTEXT, type SubscriptionKeys } from './encryption';
import type { Encryptor } from './encryptor';
import type { Answer } from '../https/answer';
import type { HttpsClient } from '../https/client';
import { ttlSeconds, type Outcome, type Transport } from '../transport';
import { createFit } from '../payload';

interface WebPushSettings {
  client: HttpsClient;
  encryptor: Encryptor;
  /** Authorization for a push service's origin; see `createVapid`. */
  authorize: (origin: string) => string;
  now: () => number;
}

/** Sends to a Web Push subscription with this server's own key. */
export function createWebPush({ client, encryptor, authorize, now }: WebPushSettings): Transport {
  const fit = createFit(MAX_PLAINTEXT, writePayload);
  // A fan-out asks for the same text thousands of times; `fit` answers with the same object as long
  // as it is the same message.
  let last: { data: TopicMessageData; plaintext: Buffer } | undefined;
  const plaintextOf = (data: TopicMessageData): Buffer => {
    const fitting = fit(data);
    if (last?.data !== fitting)
      last = { data: fitting, plaintext: Buffer.from(writePayload(fitting)) };
    return last.plaintext;
  };

  return async (push) => {
    const subscription = readSubscription(push.token);
    if (!subscription) return { is: 'failed', reason: 'bad-subscription' };
    const body = await encryptor.encrypt({
      plaintext: plaintextOf(push.data),
      keys: subscription.keys,
    });
    if (!body) return { is: 'failed', reason: 'bad-keys' };
    const headers = {
      Authorization: authorize(subscription.endpoint.origin),
      'Content-Encoding': 'aes128gcm',
      'Content-Type': 'application/octet-stream',
      TTL: String(ttlSeconds(push.expiresAt, now())),
      // Anything less may wait until the phone wakes up by itself (RFC 8030, 5.3).
      Urgency: 'high',
    };
    return judge(await client.post(subscription.endpoint, headers, body, push.mayLeave), now());
  };
}

function writePayload(data: TopicMessageData): string {
  return JSON.stringify(buildPushMessage(data));
}

/** What a push service's answer means for the row (RFC 8030, 5; RFC 8292, 4.2). */
function judge(answer: Answer, now: number): Outcome {
  if (answer.is === 'withdrawn') return answer;
  if (answer.is === 'refused') return { is: 'failed', reason: answer.reason };
  if (answer.is === 'unreachable')
    return { is: 'retry', reason: answer.reason, isUnreachable: true };
  const { status } = answer;
  const reason = `status-${status}`;
  if (status >= 200 && status < 300) return { is: 'accepted' };
  if (status === 404 || status === 410) return { is: 'gone', reason };
  // Our signature is refused, or this subscription was made for another key: which one, only a
  // person can tell.
  if (status === 401 || status === 403) return { is: 'misconfigured', reason, scope: 'device' };
  if (status === 408 || status === 425 || status === 429 || status >= 500) {
    const after = readRetryAfter(answer.retryAfter, now);
    return { is: 'retry', reason, ...(after !== undefined && { after }) };
  }
  return { is: 'failed', reason };
}

interface Subscription {
  endpoint: URL;
  keys: SubscriptionKeys;
}

/**
 * The device token as a subscription, or undefined: it was checked when it was registered, but that
 * may be long ago.
 */
function readSubscription(token: string): Subscription | undefined {
  try {
    const { endpoint, keys } = JSON.parse(token) as { endpoint: string; keys: SubscriptionKeys };
    const { p256dh, auth } = keys;
    const complete = typeof p256dh === 'string' && typeof auth === 'string';
    return complete ? { endpoint: new URL(endpoint), keys: { p256dh, auth } } : undefined;
  } catch {
    return undefined;
  }
}
