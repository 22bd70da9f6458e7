/** Escalation policies, and the outcome of each step. */
import * as v from 'valibot';
import {
  count,
  described,
  doneWith,
  id,
  idOf,
  maybeTime,
  noted,
  sample,
  text,
  time,
  uuidOf,
} from './common';
import type { CallTable } from './common';
import { cleanText, listOf, requiredLine, rowId } from './fields';

const action = v.picklist(['repeat', 'mail', 'webhook', 'notify']);

export const policyStep = v.object({
  after: described(count, 'Seconds after the sending.', 180),
  action,
  topicId: v.exactOptional(described(id, 'Of `notify`.')),
  url: v.exactOptional(
    noted(v.string(), { format: 'uri', description: 'Of `webhook`: that of a registered one.' }),
  ),
});
const ofPolicy = {
  id,
  name: text('Until somebody answers'),
  quorum: described(
    v.nullable(id),
    'So many answers are enough; null: everybody has to answer.',
    1,
  ),
  steps: described(v.array(policyStep), 'One to eight, in the order of their times.'),
};
export const policy = v.object({
  ...ofPolicy,
  topics: described(count, 'How many topics have it.', 3),
  topicIds: v.exactOptional(
    described(v.array(id), 'Which, a thousand at most. Only in the list of policies.'),
  ),
});

const PROBLEMS = [
  'mail-not-set-up',
  'webhook-removed',
  'webhook-off',
  'webhook-failing',
  'topic-deleted',
  'topic-empty',
] as const;
/** What steps can't use now: mail, a webhook or a topic. */
export const targetProblem = v.object({
  action: v.picklist(['mail', 'webhook', 'notify']),
  topicId: v.exactOptional(id),
  url: v.exactOptional(noted(v.string(), { format: 'uri' })),
  problem: described(v.picklist(PROBLEMS), 'A webhook that fails is tried all the same.'),
});
export const policies = v.object({
  policies: v.array(policy),
  problems: v.exactOptional(v.array(targetProblem)),
});

/** Why a step failed, waits, or can't be tried. */
const outcomeReason = v.picklist([
  ...PROBLEMS,
  /** No email address, or the account was deleted. */
  'no-address',
  /** The mail server rejected the address. */
  'mail-refused',
  /** The mail server accepted no mail before the message was over. */
  'mail-given-up',
  'webhook-answer',
  /** No answer. */
  'webhook-silent',
  /** Its queue is full. */
  'webhook-full',
  'no-device',
  'muted',
  'unsubscribed',
  'quiet-hours',
  /** An earlier push is still on its way. */
  'push-pending',
  'push-expired',
  'push-refused',
  'device-gone',
  /** The message was answered, stopped or over. */
  'stopped',
  /** A later step mails them. */
  'replaced',
]);
/** For `notify`, counts the other topic's recipients, if it was sent a message. */
export const stepOutcome = v.object({
  people: described(count, 'The sum of the counts that follow.', 15),
  done: described(count, 'Accepted by a push service, the mail server or the webhook.', 12),
  failed: count,
  notPossible: described(count, 'It could not be tried for them.', 2),
  notNeeded: described(count, 'They answered before, or the message was over.', 0),
  waiting: described(count, 'It is still being tried.', 0),
  unknown: described(count, 'It was never recorded.', 0),
  reasons: described(
    v.array(
      v.object({
        outcome: v.picklist(['failed', 'notPossible', 'waiting']),
        reason: sample(outcomeReason, 'push-refused'),
        status: described(v.nullable(count), 'Of `webhook-answer`.', null),
        people: count,
      }),
    ),
    'The most frequent ones.',
  ),
});
/** A step of the policy, or a person's own repeat. */
export const escalationStep = v.object({
  action,
  dueAt: time,
  doneAt: described(maybeTime, 'Null until then, and for ever once it is stopped.'),
  people: described(v.nullable(count), 'For how many who had not answered it was done.', 15),
  topic: described(v.nullable(v.string()), 'Of `notify`: the title of the other topic.', null),
  by: described(
    v.nullable(v.string()),
    'Who rang again by hand; null for a step of the policy.',
    'ada.lindqvist',
  ),
  outcome: v.exactOptional(
    described(
      v.nullable(stepOutcome),
      'What is recorded of it; null until it is done, and where nothing is.',
    ),
  ),
  messageId: v.exactOptional(
    described(v.nullable(v.string()), 'Of `notify`: the message that the other topic was sent.'),
  ),
});
export const escalation = v.object({
  policy: described(v.nullable(v.object(ofPolicy)), 'As it was when the message was sent.'),
  stopped: v.nullable(
    sample(v.picklist(['acknowledged', 'quorum', 'expired', 'cancelled', 'resolved']), 'quorum'),
  ),
  stoppedAt: maybeTime,
  stoppedBy: described(
    v.nullable(v.string()),
    'Whose answer was the last that was needed, or who cancelled it.',
    'm.okafor',
  ),
  steps: described(v.array(escalationStep), 'In the order of their times.'),
});

export type StepAction = v.InferOutput<typeof action>;
export type PolicyStep = v.InferOutput<typeof policyStep>;
export type Policy = v.InferOutput<typeof policy>;
export type StepProblem = (typeof PROBLEMS)[number];
export type TargetProblem = v.InferOutput<typeof targetProblem>;
export type Escalation = v.InferOutput<typeof escalation>;
export type Stopped = NonNullable<Escalation['stopped']>;
export type EscalationStep = v.InferOutput<typeof escalationStep>;
export type StepOutcome = v.InferOutput<typeof stepOutcome>;
export type OutcomeReason = v.InferOutput<typeof outcomeReason>;

const MAX_STEPS = 8;
const SECONDS = { least: 60, most: 86_400 };
const AFTER = 'A step must come 1 minute to 24 hours after the sending.';
const newStep = v.object({
  after: v.pipe(
    v.number(),
    v.safeInteger('After must be a whole number of seconds.'),
    v.minValue(SECONDS.least, AFTER),
    v.maxValue(SECONDS.most, AFTER),
  ),
  action,
  topicId: v.exactOptional(rowId('Topic')),
  url: v.exactOptional(
    v.pipe(cleanText('Address'), v.maxLength(2000, 'Address must have at most 2,000 characters.')),
  ),
});
export const newPolicy = v.object({
  name: sample(requiredLine('Name', 100), 'Until somebody answers'),
  quorum: v.exactOptional(
    sample(
      v.nullable(
        v.pipe(
          v.number(),
          v.safeInteger('How many have to answer must be a whole number.'),
          v.minValue(1, 'At least one person has to answer.'),
          v.maxValue(1_000_000, 'At most 1,000,000 people can be asked for.'),
        ),
      ),
      1,
    ),
  ),
  steps: sample(
    v.pipe(
      listOf(newStep, MAX_STEPS, `A policy can have at most ${MAX_STEPS} steps.`),
      v.minLength(1, 'A policy needs at least one step.'),
    ),
    [
      { after: 180, action: 'repeat' },
      { after: 600, action: 'mail' },
    ],
  ),
});
export type NewPolicy = v.InferInput<typeof newPolicy>;

const ofOne = { id: idOf('policy') };
const STEPS =
  'Steps come `after` so many seconds, 60 to 86,400. `notify` names a `topicId`, `webhook` the `url` of a registered webhook.';
const NAME_TAKEN = 'Another policy has this name, or there are too many.';

export const policyCalls = {
  'GET /api/admin/policies': {
    does: 'List policies',
    more: '`problems` says what steps can’t use now; topics without subscribers are named up to 500.',
    answer: policies,
  },
  'POST /api/admin/policies': {
    does: 'Add a policy',
    more: STEPS,
    body: sample(newPolicy, {
      name: 'Mail after an hour',
      steps: [{ after: 3600, action: 'mail' }],
    }),
    isRepeatable: true,
    answer: policy,
    refusals: { 409: NAME_TAKEN },
  },
  'PUT /api/admin/policies/:id': {
    does: 'Change a policy',
    more: `Messages that were sent keep what they were sent with. ${STEPS}`,
    params: ofOne,
    body: newPolicy,
    answer: policy,
    refusals: { 409: NAME_TAKEN },
  },
  'DELETE /api/admin/policies/:id': {
    does: 'Delete a policy',
    more: 'Topics that have it have none then.',
    params: ofOne,
    answer: doneWith('The policy was deleted.'),
  },
} satisfies CallTable;

export const escalationCalls = {
  'GET /api/admin/messages/:id/escalation': {
    does: 'Read how a message goes on',
    params: { id: uuidOf('message') },
    hasTag: true,
    answer: escalation,
  },
} satisfies CallTable;
