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
  onAttempt: (service: Service, outcome: Outcome['is']) => void;
}

interface Attempt {
  /** Tries a row, and leaves a service alone for a while once it does not let us in. Never rejects. */
  attempt: (claim: Claim) => Promise<Settlement>;
  /** Whether a service is left alone at the moment. */
  isRefused: () => boolean;
}

export function createAttempt(
  transports: Record<Service, Transport>,
  { log, now, random, onAttempt }: AttemptSettings,
): Attempt {
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

  async function attempt(claim: Claim): Promise<Settlement> {
    const { message, recipient } = claim;
    if (!recipient) return { claim, state: 'skipped', reason: 'unsubscribed', attempted: false };
    if (message.expiresAt <= now()) return { claim, state: 'failed', reason: 'expired', attempted: false };

    const service: Service = recipient.token.startsWith('{') ? 'web-push' : 'fcm';
    const held = heldUntil.get(service) ?? 0;
    if (held > now()) return { claim, state: 'pending', attempted: false, dueAt: held, reason: 'held' };

    const outcome = await send(service, pushOf(message, recipient));
    onAttempt(service, outcome.is);
    const settlement = settle(claim, outcome, now(), random);
    if (outcome.is === 'misconfigured') {
      alert(service, outcome.reason);
      if (outcome.scope === 'service' && settlement.state === 'pending') heldUntil.set(service, settlement.dueAt);
    }
    return settlement;
  }

  return { attempt, isRefused: () => [...heldUntil.values()].some((until) => until > now()) };
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
