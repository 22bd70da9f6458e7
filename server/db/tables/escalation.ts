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
}
