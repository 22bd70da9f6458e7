/** Web Push: an encrypted POST to the browser's endpoint (RFC 8030). */
import { LANGUAGE_CODES } from '../../../src/shared/languages';
import { buildDeclarativeMessage, buildPushMessage } from '../../../src/shared/push-message';
import type { TitleMarks } from '../../../src/shared/push-message';
import { translate } from '../../translation/translate';
import { readRetryAfter } from '../../lib/backoff';
import { MAX_PLAINTEXT_BYTES, type SubscriptionKeys } from './encryption';
import type { Encryptor } from './encryptor';
import type { HttpsResponse } from '../https/response';
import type { HttpsClient } from '../https/client';
import { ttlSeconds, toUrgency, type PushOutcome, type Transport } from '../transport';
import { createPayloadCutter, type WritePayload } from '../payload';

interface WebPushSettings {
  client: HttpsClient;
  encryptor: Encryptor;
  /** The Authorization header for an origin; see `createVapid`. */
  authorize: (origin: string) => string;
  now: () => number;
  /** Safari needs this, because it opens a notification's link itself. */
  appOrigin: string;
}

/** Apple's services take the declarative form (`buildDeclarativeMessage`). */
const APPLE = /(^|\.)push\.apple\.com$/;

/** Returns undefined for English. */
function findTitleMarks(language: string | undefined): TitleMarks | undefined {
  const knownLanguage = LANGUAGE_CODES.find((code) => code === language && code !== 'en');
  return (
    knownLanguage && {
      urgent: translate('Urgent', knownLanguage),
      again: (round) => translate('{0} time', knownLanguage, String(round + 1)),
      corrected: translate('Corrected', knownLanguage),
      allClear: translate('All clear', knownLanguage),
    }
  );
}

export function createWebPush({
  client,
  encryptor,
  authorize,
  now,
  appOrigin,
}: WebPushSettings): Transport {
  const classicForm = createForm((data) => JSON.stringify(buildPushMessage(data)));
  const declarativeForm = createForm((data) =>
    JSON.stringify(buildDeclarativeMessage(data, appOrigin, findTitleMarks(data.lang))),
  );

  return async (push) => {
    const subscription = readSubscription(push.token);
    if (!subscription) return { kind: 'failed', reason: 'bad-subscription' };
    const write = APPLE.test(subscription.endpoint.hostname) ? declarativeForm : classicForm;
    const body = await encryptor.encrypt({
      text: write(push.data),
      keys: subscription.keys,
    });
    if (!body) return { kind: 'failed', reason: 'bad-keys' };
    const headers = {
      Authorization: authorize(subscription.endpoint.origin),
      'Content-Encoding': 'aes128gcm',
      'Content-Type': 'application/octet-stream',
      TTL: String(ttlSeconds(push.expiresAt, now())),
      Urgency: toUrgency(push.data.priority),
    };
    return toPushOutcome(
      await client.post(subscription.endpoint, headers, body, push.maySendNow),
      now(),
    );
  };
}

function createForm(write: WritePayload): WritePayload {
  const cutToFit = createPayloadCutter(MAX_PLAINTEXT_BYTES, write);
  return (data) => write(cutToFit(data));
}

/** RFC 8030, 5 and RFC 8292, 4.2 define the statuses. */
function toPushOutcome(response: HttpsResponse, now: number): PushOutcome {
  if (response.kind === 'withdrawn') return response;
  if (response.kind === 'rejected') return { kind: 'failed', reason: response.reason };
  if (response.kind === 'unreachable')
    return { kind: 'retry', reason: response.reason, isUnreachable: true };
  const { status } = response;
  const reason = `status-${status}`;
  if (status >= 200 && status < 300) return { kind: 'accepted' };
  if (status === 404 || status === 410) return { kind: 'gone', reason };
  // Our signature was rejected, or the subscription belongs to another key. We cannot tell which.
  if (status === 401 || status === 403) return { kind: 'misconfigured', reason, scope: 'device' };
  if (status === 408 || status === 425 || status === 429 || status >= 500) {
    const retryAt = readRetryAfter(response.retryAfter, now);
    return {
      kind: 'retry',
      reason,
      ...(retryAt !== undefined && { after: retryAt }),
      ...(status === 429 && { isBusy: true }),
    };
  }
  return { kind: 'failed', reason };
}

interface WebPushSubscription {
  endpoint: URL;
  keys: SubscriptionKeys;
}

/** The device token as a subscription; undefined if invalid, as its registration may be old. */
function readSubscription(token: string): WebPushSubscription | undefined {
  try {
    const { endpoint, keys } = JSON.parse(token) as { endpoint: string; keys: SubscriptionKeys };
    const { p256dh, auth } = keys;
    const complete = typeof p256dh === 'string' && typeof auth === 'string';
    return complete ? { endpoint: new URL(endpoint), keys: { p256dh, auth } } : undefined;
  } catch {
    return undefined;
  }
}
