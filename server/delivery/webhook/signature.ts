/** Webhook secrets and signatures by Standard Webhooks 1.0.0 (standardwebhooks.com). */
import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
/** The standard requires 24. */
const SECRET_BYTES = 32;

export const generateWebhookSecret = (): string =>
  PREFIX + randomBytes(SECRET_BYTES).toString('base64');

/**
 * The headers that prove the sender. Receivers check the time, so it is the attempt's; the id stays.
 * @param id without a dot
 * @param now milliseconds since 1970
 */
export function signCall(
  { id, body, secret }: { id: string; body: string; secret: string },
  now: number,
): Record<string, string> {
  const seconds = Math.floor(now / 1000);
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${signature}`,
  };
}
