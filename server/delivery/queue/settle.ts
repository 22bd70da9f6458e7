/** Turns what a transport reports into what the outbox records. */
import type { Claim } from '../../db/outbox/claim';
import type { PushFailure, Settlement } from '../../db/outbox/outcomes';
import { backoff } from '../../lib/backoff';
import type { PushOutcome } from '../transport';

/**
 * How long rows wait while our credentials are refused: long enough for a person to act, short
 * enough to notice it.
 */
const HOLD = 5 * 60_000;

/** @param now milliseconds since 1970, when the attempt ended */
export function settlePush(
  claim: Claim,
  outcome: Exclude<PushOutcome, { is: 'withdrawn' }>,
  now: number,
  random: () => number,
): Settlement {
  if (outcome.is === 'accepted')
    return { claim, state: 'accepted', reason: null, attempted: true, at: now };
  const { reason } = outcome;
  const ended = { claim, reason, attempted: true, at: now, failure: failureOf(outcome) };
  switch (outcome.is) {
    case 'gone':
    case 'failed':
      return { ...ended, state: outcome.is };
    case 'retry': {
      // Claims of processes that died are counted as attempts, but say nothing about the push
      // service.
      const dueAt = Math.max(
        now + backoff(claim.attempts - claim.lost + 1, random),
        outcome.after ?? 0,
      );
      return later(ended, dueAt);
    }
    case 'misconfigured':
      return later(ended, now + HOLD * (1 + random() / 10));
  }
}

/** What it says of the way to the device. Trouble of a push service, or of ours, is not its own. */
function failureOf(
  outcome: Exclude<PushOutcome, { is: 'withdrawn' } | { is: 'accepted' }>,
): PushFailure {
  switch (outcome.is) {
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

/**
 * An expired message is not wanted, so a push that could be tried again only after that is given up
 * at once.
 */
function later(ended: Omit<Settlement, 'state'>, dueAt: number): Settlement {
  if (dueAt >= ended.claim.message.expiresAt) return { ...ended, state: 'failed' };
  return { ...ended, state: 'pending', dueAt: Math.round(dueAt) };
}
