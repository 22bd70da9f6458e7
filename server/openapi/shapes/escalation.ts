/** Policies and what becomes of them. */
import * as v from 'valibot';
import type {
  Escalation,
  EscalationStep,
  Policy,
  PolicyStep,
  StepOutcome,
  TargetProblem,
} from '../../../src/shared/contract';
import { shapeOf } from '../call';
import { count, id, maybeText, maybeTime, text, time, uri } from './common';

const action = v.picklist(['repeat', 'mail', 'webhook', 'notify']);

export const policyStep = shapeOf<PolicyStep>()(
  v.object({
    after: v.pipe(count, v.description('Seconds after the sending.')),
    action,
    topicId: v.exactOptional(id),
    url: v.exactOptional(uri),
  }),
);
const ofPolicy = {
  id,
  name: text,
  quorum: v.pipe(
    v.nullable(id),
    v.description('So many answers are enough; null: everybody has to answer.'),
  ),
  steps: v.array(policyStep),
};
export const policy = shapeOf<Policy>()(
  v.object({
    ...ofPolicy,
    topics: v.pipe(count, v.description('How many topics have it.')),
    topicIds: v.exactOptional(
      v.pipe(
        v.array(id),
        v.description('Which, a thousand at most. Only in the list of policies.'),
      ),
    ),
  }),
);

const reasons = v.picklist([
  'mail-not-set-up',
  'webhook-removed',
  'webhook-off',
  'webhook-failing',
  'topic-deleted',
  'topic-empty',
  'no-address',
  'mail-refused',
  'mail-given-up',
  'webhook-answer',
  'webhook-silent',
  'webhook-full',
  'no-device',
  'muted',
  'unsubscribed',
  'quiet-hours',
  'push-pending',
  'push-expired',
  'push-refused',
  'device-gone',
  'stopped',
  'replaced',
]);
export const targetProblem = shapeOf<TargetProblem>()(
  v.object({
    action: v.picklist(['mail', 'webhook', 'notify']),
    topicId: v.exactOptional(id),
    url: v.exactOptional(uri),
    problem: v.picklist([
      'mail-not-set-up',
      'webhook-removed',
      'webhook-off',
      'webhook-failing',
      'topic-deleted',
      'topic-empty',
    ]),
  }),
);
export const stepOutcome = shapeOf<StepOutcome>()(
  v.object({
    people: v.pipe(count, v.description('The sum of the counts that follow.')),
    done: v.pipe(
      count,
      v.description('Accepted by a push service, the mail server or the webhook.'),
    ),
    failed: count,
    notPossible: v.pipe(count, v.description('It could not be tried for them.')),
    notNeeded: v.pipe(count, v.description('They answered before, or the message was over.')),
    waiting: v.pipe(count, v.description('It is still being tried.')),
    unknown: v.pipe(count, v.description('It was never recorded.')),
    reasons: v.array(
      v.object({
        outcome: v.picklist(['failed', 'notPossible', 'waiting']),
        reason: reasons,
        status: v.pipe(v.nullable(count), v.description('Of `webhook-answer`.')),
        people: count,
      }),
    ),
  }),
);

export const escalationStep = shapeOf<EscalationStep>()(
  v.object({
    action,
    dueAt: time,
    doneAt: maybeTime,
    people: v.pipe(
      v.nullable(count),
      v.description('For how many who had not answered it was done.'),
    ),
    topic: maybeText,
    by: v.pipe(maybeText, v.description('Who rang again by hand; null for a step of the policy.')),
    outcome: v.exactOptional(
      v.pipe(
        v.nullable(stepOutcome),
        v.description('What is recorded of it; null until it is done, and where nothing is.'),
      ),
    ),
    messageId: v.exactOptional(
      v.pipe(maybeText, v.description('Of `notify`: the message that the other topic was sent.')),
    ),
  }),
);
export const escalation = shapeOf<Escalation>()(
  v.object({
    policy: v.nullable(v.object(ofPolicy)),
    stopped: v.nullable(v.picklist(['acknowledged', 'quorum', 'expired', 'cancelled', 'resolved'])),
    stoppedAt: maybeTime,
    stoppedBy: maybeText,
    steps: v.array(escalationStep),
  }),
);
