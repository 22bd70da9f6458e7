/** What the app and the server agree on about messages that do not give up. Types only. */
import type { Message, Timestamp } from './common';

/** Ring again, mail, call a webhook, or send a message to another topic. */
export type StepAction = 'repeat' | 'mail' | 'webhook' | 'notify';

/** One thing that happens for those who have not answered, or not read it where nothing was asked. */
export interface PolicyStep {
  /** Seconds after the sending, 60 to 86,400. */
  after: number;
  action: StepAction;
  /** Of `notify`: the topic that hears of it. */
  topicId?: number;
  /** Of `webhook`: the address of a registered webhook. */
  url?: string;
}

/** What happens to a message that is not answered. */
export interface Policy {
  id: number;
  name: string;
  /** So many answers are enough; null: everybody has to answer. */
  quorum: number | null;
  /** One to eight, in the order of their times. */
  steps: PolicyStep[];
  /** How many topics have it. */
  topics: number;
  /** Which, a thousand at most. Only in the list of policies. */
  topicIds?: number[];
}

/** `quorum` left out is null. */
export type NewPolicy = Pick<Policy, 'name' | 'steps'> & Partial<Pick<Policy, 'quorum'>>;

/** Why a step can't work here. One of `webhook-failing` is tried all the same. */
export type StepProblem =
  | 'mail-not-set-up'
  | 'webhook-removed'
  | 'webhook-off'
  | 'webhook-failing'
  | 'topic-deleted'
  | 'topic-empty';

/** What steps can't use at this moment: mail, or the webhook or the topic that is named. */
export interface TargetProblem {
  action: Exclude<StepAction, 'repeat'>;
  topicId?: number;
  url?: string;
  problem: StepProblem;
}

/** `resolved`: the alert that the message told of is over. */
export type Stopped = 'acknowledged' | 'quorum' | 'expired' | 'cancelled' | 'resolved';

/** How a message goes on at those who have not answered. */
export interface Escalation {
  /** As it was when the message was sent; null if it has none. */
  policy: Omit<Policy, 'topics' | 'topicIds'> | null;
  stopped: Stopped | null;
  stoppedAt: Timestamp | null;
  /** A username: whose answer was the last that was needed, or who cancelled it. */
  stoppedBy: string | null;
  /** In the order of their times. */
  steps: EscalationStep[];
}

/** A step of the policy, or somebody's own `Ring again`. */
export interface EscalationStep {
  action: StepAction;
  dueAt: Timestamp;
  /** Null until then, and for ever once it is stopped. */
  doneAt: Timestamp | null;
  /**
   * How many people it rang at (`repeat`, and `notify`: in the other topic), how many it mailed, or
   * for how many the webhook was called, who had not answered. Null until it is done.
   */
  people: number | null;
  /** Of `notify`: the other topic's title, as long as there is that topic. */
  topic: string | null;
  /** The username of who rang again by hand; null for a step of the policy. */
  by: string | null;
  /** What is recorded of it. Null until it is done, and where nothing was recorded. */
  outcome?: StepOutcome | null;
  /** Of `notify`: the message that the other topic was sent. */
  messageId?: string | null;
}

/**
 * What became of a step: counts of people that sum to `people`. Those of `notify` are the people of
 * the other topic, if that was sent a message.
 */
export interface StepOutcome {
  people: number;
  /** A push service, the mail server or the webhook accepted it. */
  done: number;
  failed: number;
  /** It could not be tried for them. */
  notPossible: number;
  /** They answered before it was their turn, or the message was over. */
  notNeeded: number;
  /** It is still being tried. */
  waiting: number;
  /** It was never recorded, and is not tried any more. */
  unknown: number;
  /** The most frequent ones. */
  reasons: {
    outcome: 'failed' | 'notPossible' | 'waiting';
    reason: OutcomeReason;
    /** Of `webhook-answer`: the HTTP status. */
    status: number | null;
    people: number;
  }[];
}

export type OutcomeReason =
  | StepProblem
  /** No e-mail address, or no account any more. */
  | 'no-address'
  /** The mail server knows no such address. */
  | 'mail-refused'
  /** It accepted no mail until the message was over. */
  | 'mail-given-up'
  | 'webhook-answer'
  /** It did not answer. */
  | 'webhook-silent'
  /** Too many calls wait for it. */
  | 'webhook-full'
  | 'no-device'
  | 'muted'
  | 'unsubscribed'
  | 'quiet-hours'
  /** An earlier push is still on its way. */
  | 'push-pending'
  | 'push-expired'
  | 'push-refused'
  | 'device-gone'
  /** The message was answered, stopped or over. */
  | 'stopped'
  /** A later step mails them. */
  | 'replaced';

export interface EscalationCalls {
  /** By name. `problems` says what steps can't use now; topics without subscribers are named up to 500. */
  'GET /api/admin/policies': { answer: { policies: Policy[]; problems?: TargetProblem[] } };
  'POST /api/admin/policies': { body: NewPolicy; answer: Policy };
  /** Messages that were sent keep what they were sent with. */
  'PUT /api/admin/policies/:id': { body: NewPolicy; answer: Policy };
  /** Topics that have it have none then. */
  'DELETE /api/admin/policies/:id': { answer: Message };
  /** Has an ETag. */
  'GET /api/admin/messages/:id/escalation': { answer: Escalation };
}
