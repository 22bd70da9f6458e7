/** Escalation policies and their steps. */
import type { Generated } from 'kysely';
import type { StepAction } from '../../../src/shared/contract';

export interface PoliciesTable {
  id: Generated<number>;
  name: string;
  /** The number of answers needed; null if everyone has to answer. */
  quorum: number | null;
  /** The contract's steps by time, as JSON. */
  steps: string;
}

/** A message's steps, planned or done: of its policy, and repeats by hand. */
export interface EscalationStepsTable {
  message_id: string;
  /** Timed steps count from 0 in order of time; repeats by hand follow them. */
  position: number;
  action: StepAction;
  /** The topic of a `notify` step. No foreign key, as it outlives the topic. */
  topic_id: number | null;
  /** The webhook of a `webhook` step. No foreign key, as it outlives the webhook. */
  webhook_id: number | null;
  due_at: number;
  done_at: number | null;
  people: number | null;
  /** Who repeated the message by hand; null for a policy's step. */
  user_id: number | null;
  /** The last user id done so far, of a step done in parts. */
  written_to: Generated<number>;
  /** The round of a `repeat` step's pushes. */
  round: number | null;
  /** The message that a `notify` step sent to the other topic. It may be deleted earlier. */
  sent_id: string | null;
}

/** Outcomes of a step by people. `asked` minus all others is the number still waiting. */
export interface StepOutcomesTable {
  /** Unique with all but `people`. */
  message_id: string;
  position: number;
  outcome: 'asked' | 'done' | 'failed' | 'not-possible' | 'not-needed';
  /** An `OutcomeReason`, with a status after a space; empty for none. */
  reason: Generated<string>;
  people: number;
}
