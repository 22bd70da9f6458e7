/** Turns what a transport reports into what the outbox records. */
import type { Claim } from '../../db/outbox/claim';
import type { Settlement } from '../../db/outbox/outcomes';
import { backoff } from './backoff';
import type { Outcome } from '../transport';

/**
 * How long rows wait while our credentials are refused: long enough for a person to act, short
 * enough to notice it.
 */
const HOLD = 5 * 60_000;

/** @param now milliseconds since 1970, when the attempt ended */
export function settle(
  claim: Claim,
  outcome: Exclude<Outcome, { is: 'withdrawn' }>,
  now: number,
  random: () => number,
): Settlement {
  switch (outcome.is) {
    case 'accepted':
      return { claim, state: 'accepted', reason: null, attempted: true };
    case 'gone':
    case 'failed':
      return { claim, state: outcome.is, reason: outcome.reason, attempted: true };
    case 'retry': {
      // Claims of processes that died are counted as attempts, but say nothing about the push
      // service.
      const dueAt = Math.max(
        now + backoff(claim.attempts - claim.lost + 1, random),
        outcome.after ?? 0,
      );
      return later(claim, dueAt, outcome.reason);
    }
    case 'misconfigured':
      return later(claim, now + HOLD * (1 + random() / 10), outcome.reason);
  }
}

/**
 * An expired message is not wanted, so a push that could be tried again only after that is given up
 * at once.
 */
function later(claim: Claim, dueAt: number, reason: string): Settlement {
  if (dueAt >= claim.message.expiresAt) return { claim, state: 'failed', reason, attempted: true };
  return { claim, state: 'pending', dueAt: Math.round(dueAt), reason, attempted: true };
}
