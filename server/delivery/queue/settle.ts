/** Turns a transport's outcome into a settlement for the outbox. */
import type { ClaimedPush } from '../../db/outbox/claimed-push';
import type { PushFailure, Settlement } from '../../db/outbox/outcomes';
import { backoff } from '../../lib/backoff';
import type { PushOutcome } from '../transport';

/** How long rows wait while our credentials are rejected: a person must notice and act. */
const REJECTED_CREDENTIALS_WAIT_MS = 5 * 60_000;

/** @param now when the attempt ended, in milliseconds since 1970 */
export function settlePush(
  claim: ClaimedPush,
  outcome: Exclude<PushOutcome, { kind: 'withdrawn' }>,
  now: number,
  random: () => number,
): Settlement {
  if (outcome.kind === 'accepted')
    return { claim, state: 'accepted', reason: null, attempted: true, at: now };
  const { reason } = outcome;
  const endedPush = { claim, reason, attempted: true, at: now, failure: toPushFailure(outcome) };
  switch (outcome.kind) {
    case 'gone':
    case 'failed':
      return { ...endedPush, state: outcome.kind };
    case 'retry': {
      // Attempts of dead processes say nothing about the push service.
      const dueAt = Math.max(
        now + backoff(claim.attempts - claim.lostClaims + 1, random),
        outcome.after ?? 0,
      );
      return retryLater(endedPush, dueAt);
    }
    case 'misconfigured':
      return retryLater(endedPush, now + REJECTED_CREDENTIALS_WAIT_MS * (1 + random() / 10));
  }
}

/** What the outcome says about the device. Faults of ours, or of a push service, say nothing. */
function toPushFailure(
  outcome: Exclude<PushOutcome, { kind: 'withdrawn' } | { kind: 'accepted' }>,
): PushFailure {
  switch (outcome.kind) {
    case 'gone':
      return { reason: 'gone', isOfDevice: true };
    case 'failed':
      return { reason: 'refused', isOfDevice: true };
    case 'retry':
      return { reason: outcome.isBusy ? 'busy' : 'unreachable', isOfDevice: false };
    case 'misconfigured':
      return { reason: 'refused', isOfDevice: outcome.scope === 'device' && !outcome.isOurs };
  }
}

/** A push that could be retried only after its message expires is abandoned at once. */
function retryLater(endedPush: Omit<Settlement, 'state'>, dueAt: number): Settlement {
  if (dueAt >= endedPush.claim.message.expiresAt) return { ...endedPush, state: 'failed' };
  return { ...endedPush, state: 'pending', dueAt: Math.round(dueAt) };
}
