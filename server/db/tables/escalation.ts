/** What happens to messages that are not answered. */
import type { Generated } from 'kysely';
import type { StepAction } from '../../../src/shared/contract';

export interface PoliciesTable {
  id: Generated<number>;
  name: string;
  /** Null: everybody has to answer. */
  quorum: number | null;
  /** As the contract has them, in the order of their times, as JSON. */
  steps: string;
}

/** What is to happen to a message, and what did: steps of its policy, and rings by hand. */
export interface EscalationStepsTable {
  /** Unique together with `position`. */
  message_id: string;
  /** From 0, in the order of their times; those by hand come behind. */
  position: number;
  action: StepAction;
  /** Of `notify`. Kept after the topic is gone, so no foreign key. */
  topic_id: number | null;
  /** Of `webhook`. Kept after the webhook is gone, so no foreign key. */
  webhook_id: number | null;
  due_at: number;
  done_at: number | null;
  people: number | null;
  /** Who rang by hand; null for a step of the policy. */
  user_id: number | null;
  /** Up to which user's id it is done, while it is done in parts. */
  written_to: Generated<number>;
  /** Of `repeat`: the round of its pushes. */
  round: number | null;
  /** Of `notify`: the message that the other topic was sent. No foreign key: it may go before. */
  sent_id: string | null;
}

/**
 * For how many people a step had which outcome. What `asked` has more than all others together is
 * still waiting. Written in the transaction that records the outcome.
 */
export interface StepOutcomesTable {
  /** Unique together with all but `people`. */
  message_id: string;
  position: number;
  outcome: 'asked' | 'done' | 'failed' | 'not-possible' | 'not-needed';
  /** A code (`OutcomeReason` of the contract), with a status behind a space; empty for none. */
  reason: Generated<string>;
  people: number;
}
