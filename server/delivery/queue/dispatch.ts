/** Tries one claimed row with the transport of its token. */
import type { Claim, SkipReason } from '../../db/outbox/claimed-push';
import type { Settlement } from '../../db/outbox/outcomes';
import { describeError, type Log } from '../../lib/log';
import type { ServiceReply } from './breaker';
import type { PushOutcome, OutgoingPush, Service, ServiceSignal, Transport } from '../transport';
import { createRejections } from './rejections';
import { settlePush } from './settle';
import type { StillWanted } from './still-wanted';

/** Milliseconds until an expired row is looked at again while the clock is uncertain. */
const UNTIL_SURE = 60_000;
/** … and after the database did not respond. */
const UNTIL_ASKED = 5_000;

interface AttemptSettings {
  log: Log;
  now: () => number;
  /** Milliseconds of the monotonic clock. */
  elapsed: () => number;
  /** Nothing expires while the time of day is uncertain. */
  isClockSure: () => boolean;
  /** Whether the row is still wanted, last checked at `since`. */
  ask: (claim: Claim, since: number) => Promise<StillWanted>;
  random: () => number;
  onAttempt: (service: Service, outcome: PushOutcome['is']) => void;
}

/** The row's outcome, and what was learnt about its push service. */
export interface PushAttempt {
  settlement: Settlement;
  reply: ServiceReply;
  /** Undefined if it says nothing about the service. */
  signal?: ServiceSignal | undefined;
}

export interface DuePush {
  claim: Claim;
  /** When it was last known to be wanted, by the monotonic clock. */
  since: number;
  /** Whether its push service is proven. */
  isProven: boolean;
}

/** Creates a function that tries a row, and pauses a service that rejects us. It never rejects. */
export function createAttempt(
  transports: Record<Service, Transport>,
  settings: AttemptSettings,
): (given: DuePush) => Promise<PushAttempt> {
  const { log, now, elapsed, isClockSure, ask, random, onAttempt } = settings;
  const rejections = createRejections(log, elapsed);
  const heldUntil = new Map<Service, number>();

  async function send(service: Service, push: OutgoingPush): Promise<PushOutcome> {
    try {
      return await transports[service](push);
    } catch (error) {
      // Our bug must cost a retry, not the process.
      log.error('push failed unexpectedly, retrying', { service, ...describeError(error) });
      return { is: 'retry', reason: 'internal' };
    }
  }

  /** Why a row is not tried, if so. */
  function settleUntried(claim: Claim, service: Service | undefined): Settlement | undefined {
    if (service === undefined) return skipped(claim, claim.skipReason);
    if (claim.message.expiresAt <= now()) {
      if (isClockSure()) return { claim, state: 'failed', reason: 'expired', attempted: false };
      return {
        claim,
        state: 'pending',
        attempted: false,
        dueAt: now() + UNTIL_SURE,
        reason: 'clock',
      };
    }
    const held = (heldUntil.get(service) ?? 0) - elapsed();
    return held > 0
      ? {
          claim,
          state: 'pending',
          attempted: false,
          dueAt: now() + Math.round(held),
          reason: 'held',
          failure: { reason: 'refused', isOfDevice: false },
        }
      : undefined;
  }

  async function attempt({ claim, since, isProven }: DuePush): Promise<PushAttempt> {
    const { message, recipient } = claim;
    const service: Service | undefined =
      recipient && (recipient.token.startsWith('{') ? 'web-push' : 'fcm');
    const untried = settleUntried(claim, service);
    if (untried || !recipient || !service)
      return { settlement: untried ?? skipped(claim, claim.skipReason), reply: 'nothing' };

    let state = 'wanted' as StillWanted;
    const mayLeave = async (): Promise<boolean> => {
      state = await ask(claim, since);
      return state === 'wanted';
    };
    const outcome = await send(service, { ...pushOf(message, recipient), mayLeave });
    if (outcome.is === 'withdrawn')
      return {
        settlement:
          state === 'unknown' || state === 'wanted' ? unasked(claim) : skipped(claim, state),
        reply: 'nothing',
      };

    onAttempt(service, outcome.is);
    const settlement = settlePush(claim, outcome, now(), random);
    if (outcome.is === 'accepted') rejections.accept(service);
    if (outcome.is === 'misconfigured' && outcome.scope === 'device')
      rejections.rejectDevice(service, outcome.reason, recipient.userId, isProven);
    if (outcome.is === 'misconfigured' && outcome.scope === 'service') {
      rejections.rejectService(service, outcome.reason);
      if (settlement.state === 'pending')
        heldUntil.set(service, elapsed() + settlement.dueAt - now());
    }
    return {
      settlement,
      reply: replyOf(outcome),
      signal: signalOf(outcome, rejections.areSeveral(service)),
    };
  }

  const unasked = (claim: Claim): Settlement => ({
    claim,
    state: 'pending',
    attempted: false,
    dueAt: now() + UNTIL_ASKED,
    reason: 'database',
  });
  return attempt;
}

const skipped = (claim: Claim, reason: SkipReason = 'unsubscribed'): Settlement => ({
  claim,
  state: 'skipped',
  reason,
  attempted: false,
  failure: { reason: 'removed', isOfDevice: false },
});

function replyOf(outcome: PushOutcome): ServiceReply {
  if (outcome.is === 'accepted') return 'accepted';
  return outcome.is === 'retry' && outcome.isUnreachable ? 'unreachable' : 'responded';
}

/** @param areSeveral several people's rejections mean that it is our fault */
function signalOf(outcome: PushOutcome, areSeveral: boolean): ServiceSignal | undefined {
  switch (outcome.is) {
    case 'accepted':
      return outcome;
    case 'gone':
      return { is: 'responded' };
    case 'retry': {
      const { reason, isUnreachable, isBusy = false } = outcome;
      // Our own limit or bug.
      if (reason === 'busy' || reason === 'internal') return undefined;
      return isUnreachable ? { is: 'unreachable', reason } : { is: 'refused', reason, isBusy };
    }
    case 'misconfigured':
      if (outcome.isOurs) return undefined;
      return outcome.scope === 'service' || areSeveral
        ? { is: 'refused', reason: outcome.reason, isSure: true }
        : { is: 'responded' };
    default:
      return undefined;
  }
}

/** A digest has no page; it links to its messages. */
const pageOf = ({ id, isDigest, link }: Claim['message']): string =>
  isDigest && link !== null ? link : `/messages/${id}`;

function pushOf(
  message: Claim['message'],
  recipient: NonNullable<Claim['recipient']>,
): OutgoingPush {
  const { testId } = message;
  return {
    token: recipient.token,
    expiresAt: message.expiresAt,
    data: {
      title: message.title,
      body: message.text,
      topicId: recipient.topicId === null ? '' : String(recipient.topicId),
      messageId: testId ?? message.id,
      link: testId === null ? pageOf(message) : `/check?test=${testId}`,
      ...(testId !== null && { testId }),
      sentAt: new Date(message.sentAt).toISOString(),
      priority: message.priority,
      answers: JSON.stringify(message.answers),
      url: message.isDigest ? '' : (message.link ?? ''),
      expiresAt: new Date(message.expiresAt).toISOString(),
      seq: String(recipient.seq),
      unread: String(recipient.unread),
      round: String(message.round),
    },
  };
}
