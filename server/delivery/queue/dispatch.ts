/** Tries one claimed row with the transport of its token. */
import { getTextDirection, type Language } from '../../../src/shared/languages';
import type { ClaimedPush, SkipReason } from '../../db/outbox/claimed-push';
import type { Settlement } from '../../db/outbox/outcomes';
import { textsInLanguage } from '../../translation/message-translations';
import { translate } from '../../translation/translate';
import { describeError, type Log } from '../../lib/log';
import type { ServiceReply } from './breaker';
import type {
  PushOutcome,
  OutgoingPush,
  TransportKind,
  ServiceSignal,
  Transport,
} from '../transport';
import { createRejections } from './rejections';
import { settlePush } from './settle';
import type { WantedState } from './still-wanted';

/** Wait before an expired push is checked again while the clock is in doubt, in milliseconds. */
const UNSURE_CLOCK_WAIT_MS = 60_000;
/** Wait before a push is checked again after the database did not respond, in milliseconds. */
const DATABASE_WAIT_MS = 5_000;

interface DispatchSettings {
  log: Log;
  /** The language of people whose own is unknown. */
  defaultLanguage: Language;
  now: () => number;
  /** Milliseconds of the monotonic clock. */
  elapsed: () => number;
  /** Nothing expires while the time of day is uncertain. */
  isClockSure: () => boolean;
  /** Whether the row is still wanted, last checked at `since`. */
  checkStillWanted: (claim: ClaimedPush, since: number) => Promise<WantedState>;
  random: () => number;
  onAttempt: (service: TransportKind, outcome: PushOutcome['kind']) => void;
}

/** The row's outcome, and the push service's reply. */
export interface PushAttempt {
  settlement: Settlement;
  reply: ServiceReply;
  /** The signal is undefined if the outcome says nothing about the service. */
  signal?: ServiceSignal | undefined;
}

export interface DuePush {
  claim: ClaimedPush;
  /** When the push was last known to be wanted, by the monotonic clock. */
  since: number;
  /** Whether the push service is proven. */
  isProven: boolean;
}

/** Creates a function that tries a row, and pauses a service that rejects us. It never rejects. */
export function createDispatch(
  transports: Record<TransportKind, Transport>,
  settings: DispatchSettings,
): (duePush: DuePush) => Promise<PushAttempt> {
  const { log, defaultLanguage, now, elapsed, isClockSure, checkStillWanted, random, onAttempt } =
    settings;
  const rejections = createRejections(log, elapsed);
  const pausedUntil = new Map<TransportKind, number>();

  async function sendPush(service: TransportKind, push: OutgoingPush): Promise<PushOutcome> {
    try {
      return await transports[service](push);
    } catch (error) {
      // Our bug must cost a retry, not the process.
      log.error('push failed unexpectedly, retrying', { service, ...describeError(error) });
      return { kind: 'retry', reason: 'internal' };
    }
  }

  /** Why a row is not tried, if so. */
  function settleUntried(
    claim: ClaimedPush,
    service: TransportKind | undefined,
  ): Settlement | undefined {
    if (service === undefined) return settleSkipped(claim, claim.skipReason);
    if (claim.message.expiresAt <= now()) {
      if (isClockSure()) return { claim, state: 'failed', reason: 'expired', attempted: false };
      return {
        claim,
        state: 'pending',
        attempted: false,
        dueAt: now() + UNSURE_CLOCK_WAIT_MS,
        reason: 'clock',
      };
    }
    const pause = (pausedUntil.get(service) ?? 0) - elapsed();
    return pause > 0
      ? {
          claim,
          state: 'pending',
          attempted: false,
          dueAt: now() + Math.round(pause),
          reason: 'held',
          failure: { reason: 'refused', isOfDevice: false },
        }
      : undefined;
  }

  async function attemptPush({ claim, since, isProven }: DuePush): Promise<PushAttempt> {
    const { message, recipient } = claim;
    const service: TransportKind | undefined =
      recipient && (recipient.token.startsWith('{') ? 'web-push' : 'fcm');
    const untriedSettlement = settleUntried(claim, service);
    if (untriedSettlement || !recipient || !service)
      return {
        settlement: untriedSettlement ?? settleSkipped(claim, claim.skipReason),
        reply: 'nothing',
      };

    let state = 'wanted' as WantedState;
    const maySendNow = async (): Promise<boolean> => {
      state = await checkStillWanted(claim, since);
      return state === 'wanted';
    };
    const outcome = await sendPush(service, {
      ...toOutgoingPush(message, recipient, recipient.language ?? defaultLanguage),
      maySendNow,
    });
    if (outcome.kind === 'withdrawn')
      return {
        settlement:
          state === 'unknown' || state === 'wanted'
            ? postponeUnchecked(claim)
            : settleSkipped(claim, state),
        reply: 'nothing',
      };

    onAttempt(service, outcome.kind);
    const settlement = settlePush(claim, outcome, now(), random);
    if (outcome.kind === 'accepted') rejections.recordAcceptance(service);
    if (outcome.kind === 'misconfigured' && outcome.scope === 'device')
      rejections.recordDeviceRejection(service, outcome.reason, recipient.userId, isProven);
    if (outcome.kind === 'misconfigured' && outcome.scope === 'service') {
      rejections.recordServiceRejection(service, outcome.reason);
      if (settlement.state === 'pending')
        pausedUntil.set(service, elapsed() + settlement.dueAt - now());
    }
    return {
      settlement,
      reply: toServiceReply(outcome),
      signal: toServiceSignal(outcome, rejections.isRejectingSeveralPeople(service)),
    };
  }

  const postponeUnchecked = (claim: ClaimedPush): Settlement => ({
    claim,
    state: 'pending',
    attempted: false,
    dueAt: now() + DATABASE_WAIT_MS,
    reason: 'database',
  });
  return attemptPush;
}

const settleSkipped = (claim: ClaimedPush, reason: SkipReason = 'unsubscribed'): Settlement => ({
  claim,
  state: 'skipped',
  reason,
  attempted: false,
  failure: { reason: 'removed', isOfDevice: false },
});

function toServiceReply(outcome: PushOutcome): ServiceReply {
  if (outcome.kind === 'accepted') return 'accepted';
  return outcome.kind === 'retry' && outcome.isUnreachable ? 'unreachable' : 'responded';
}

/** @param areSeveral several people's rejections mean that it is our fault */
function toServiceSignal(outcome: PushOutcome, areSeveral: boolean): ServiceSignal | undefined {
  switch (outcome.kind) {
    case 'accepted':
      return outcome;
    case 'gone':
      return { kind: 'responded' };
    case 'retry': {
      const { reason, isUnreachable, isBusy = false, after } = outcome;
      // Our own limit or bug.
      if (reason === 'busy' || reason === 'internal') return undefined;
      return isUnreachable
        ? { kind: 'unreachable', reason }
        : { kind: 'rejected', reason, isBusy, ...(after !== undefined && { until: after }) };
    }
    case 'misconfigured':
      if (outcome.isOurs) return undefined;
      return outcome.scope === 'service' || areSeveral
        ? { kind: 'rejected', reason: outcome.reason, isSure: true }
        : { kind: 'responded' };
    default:
      return undefined;
  }
}

/** A digest has no page, so it links to its messages. A reminder opens the check-in. */
const pagePath = ({ id, isDigest, isReminder, link }: ClaimedPush['message']): string =>
  (isDigest || isReminder) && link !== null ? link : `/messages/${id}`;

/** The body of an all-clear without words. Its title begins with “All clear”. */
const DEFAULT_ALL_CLEAR_TEXT = 'The situation is over.';

function toOutgoingPush(
  message: ClaimedPush['message'],
  recipient: NonNullable<ClaimedPush['recipient']>,
  language: Language,
): OutgoingPush {
  const { testId, translations, isDigest, allClear } = message;
  const isInLanguage = isDigest || translations[language] !== undefined;
  const { title, text, answers } = textsInLanguage(message, translations, language);
  return {
    token: recipient.token,
    expiresAt: message.expiresAt,
    data: {
      title,
      body: allClear === null ? text : allClear || translate(DEFAULT_ALL_CLEAR_TEXT, language),
      lang: language,
      ...(isInLanguage && { dir: getTextDirection(language) }),
      topicId: recipient.topicId === null ? '' : String(recipient.topicId),
      messageId: testId ?? message.id,
      link: testId === null ? pagePath(message) : `/check?test=${testId}`,
      ...(testId !== null && { testId }),
      sentAt: new Date(message.sentAt).toISOString(),
      // Good news need not ring like an alarm.
      priority: allClear !== null && message.priority === 'urgent' ? 'normal' : message.priority,
      answers: JSON.stringify(allClear === null ? answers : []),
      url: isDigest ? '' : (message.link ?? ''),
      expiresAt: new Date(message.expiresAt).toISOString(),
      seq: String(recipient.seq),
      unread: String(recipient.unread),
      round: String(message.round),
      revision: String(message.revision),
      ...(allClear !== null && { allClear: 'true' }),
      ...(recipient.withdrawnIds.length > 0 && { closes: recipient.withdrawnIds.join() }),
    },
  };
}
