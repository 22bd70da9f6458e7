/** One try of one row, by the transport that its token belongs to. */
import type { Claim, Settlement } from '../db/outbox';
import { describeError, type Log } from '../log';
import { createAlerts } from './alerts';
import type { Outcome, Push, Service, Transport } from './outcome';
import { settle } from './settle';

/** Where a click on one of our notifications leads. */
const LINK = '/subscriptions';

interface AttemptSettings {
  log: Log;
  now: () => number;
  random: () => number;
}

/** The function that tries a row, and leaves a service alone for a while once it does not let us in. Never rejects. */
export function createAttempt(
  transports: Record<Service, Transport>,
  { log, now, random }: AttemptSettings,
): (claim: Claim) => Promise<Settlement> {
  const alert = createAlerts(log, now);
  const heldUntil = new Map<Service, number>();

  async function send(service: Service, push: Push): Promise<Outcome> {
    try {
      return await transports[service](push);
    } catch (error) {
      // A mistake of ours must cost this row a retry, not the process.
      log.error('delivery failed unexpectedly', { service, ...describeError(error) });
      return { is: 'retry', reason: 'internal' };
    }
  }

  return async (claim) => {
    const { message, recipient } = claim;
    if (!recipient) return { claim, state: 'skipped', reason: 'unsubscribed', attempted: false };
    if (message.expiresAt <= now()) return { claim, state: 'failed', reason: 'expired', attempted: false };

    const service: Service = recipient.token.startsWith('{') ? 'web-push' : 'fcm';
    const held = heldUntil.get(service) ?? 0;
    if (held > now()) return { claim, state: 'pending', attempted: false, dueAt: held, reason: 'held' };

    const outcome = await send(service, pushOf(message, recipient));
    const settlement = settle(claim, outcome, now(), random);
    if (outcome.is === 'misconfigured') {
      alert(service, outcome.reason);
      if (outcome.scope === 'service' && settlement.state === 'pending') heldUntil.set(service, settlement.dueAt);
    }
    return settlement;
  };
}

function pushOf(message: Claim['message'], recipient: NonNullable<Claim['recipient']>): Push {
  return {
    token: recipient.token,
    expiresAt: message.expiresAt,
    data: {
      title: message.title,
      body: message.text,
      topicId: String(recipient.topicId),
      messageId: message.id,
      link: LINK,
      sentAt: new Date(message.createdAt).toISOString(),
    },
  };
}
