/** Escalation policies, and the outcome of each step. */
import * as v from 'valibot';
import {
  countSchema,
  withDescription,
  messageResponseWith,
  idSchema,
  idField,
  nullableTimestampSchema,
  withNote,
  withExamples,
  sampleText,
  timestampSchema,
  uuidField,
} from './common';
import type { CallTable } from './common';
import { cleanText, listOf, requiredLine, rowIdField } from './fields';

const stepActionSchema = v.picklist(['repeat', 'mail', 'webhook', 'notify']);

export const policyStepSchema = v.object({
  after: withDescription(
    countSchema,
    'The step runs this many seconds after the message is sent.',
    180,
  ),
  action: stepActionSchema,
  topicId: v.exactOptional(withDescription(idSchema, 'Only for `notify`: the topic to notify.')),
  url: v.exactOptional(
    withNote(v.string(), {
      format: 'uri',
      description: 'Only for `webhook`: the URL of a registered webhook.',
    }),
  ),
});
const policyParams = {
  id: idSchema,
  name: sampleText('Until someone answers'),
  quorum: withDescription(
    v.nullable(idSchema),
    'The escalation stops after this many answers. If null, the escalation stops after everyone has answered. Answers that call for help, such as “Need help”, never count. While someone calls for help, the escalation does not stop, and a new call for help continues a stopped one with its next step.',
    1,
  ),
  steps: withDescription(v.array(policyStepSchema), 'One to eight steps, earliest first.'),
};
export const policySchema = v.object({
  ...policyParams,
  topics: withDescription(countSchema, 'How many topics use the policy.', 3),
  topicIds: v.exactOptional(
    withDescription(
      v.array(idSchema),
      'The ids of the topics that use the policy. At most 1,000 ids are listed. Only `GET /api/admin/policies` returns this field.',
    ),
  ),
  isForCheckIns: v.exactOptional(
    withDescription(
      v.boolean(),
      '`true` if alarms of check-ins use the policy, so that it cannot be deleted: the settings of check-ins name it, or they name none and the alarm’s topic has it. Absent otherwise. Only `GET /api/admin/policies` returns this field.',
      true,
    ),
  ),
});

const STEP_PROBLEMS = [
  'mail-not-set-up',
  'webhook-removed',
  'webhook-off',
  'webhook-failing',
  'topic-deleted',
  'topic-empty',
] as const;
/** What steps can't use now: mail, a webhook or a topic. */
export const targetProblemSchema = v.object({
  action: v.picklist(['mail', 'webhook', 'notify']),
  topicId: v.exactOptional(idSchema),
  url: v.exactOptional(withNote(v.string(), { format: 'uri' })),
  problem: withDescription(
    v.picklist(STEP_PROBLEMS),
    'Why steps with this `action`, `topicId` or `url` cannot work now. With `webhook-failing`, the server still calls the webhook.',
  ),
});
export const policiesSchema = v.object({
  policies: v.array(policySchema),
  problems: v.exactOptional(v.array(targetProblemSchema)),
});

/** Why a step failed, waits, or can't be tried. */
const outcomeReasonSchema = v.picklist([
  ...STEP_PROBLEMS,
  /** No email address, or the account was deleted. */
  'no-address',
  /** The mail server rejected the address. */
  'mail-refused',
  /** The mail server accepted no mail before the message was over. */
  'mail-given-up',
  'webhook-answer',
  /** No answer. */
  'webhook-silent',
  /** The webhook's queue is full. */
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
/** A `notify` step counts the other topic's recipients, if that topic was sent a message. */
export const stepOutcomeSchema = v.object({
  people: withDescription(
    countSchema,
    'How many people the step was for: the sum of `done`, `failed`, `notPossible`, `notNeeded`, `waiting` and `unknown`.',
    15,
  ),
  done: withDescription(
    countSchema,
    'For how many people a push service, the mail server or the webhook accepted the step’s notification.',
    12,
  ),
  failed: countSchema,
  notPossible: withDescription(
    countSchema,
    'For how many people the step was not possible, for example because they have no device or no email address.',
    2,
  ),
  notNeeded: withDescription(
    countSchema,
    'How many people no longer needed the step: they had answered, a later email replaced this one, or the escalation or the message had ended.',
    0,
  ),
  waiting: withDescription(countSchema, 'For how many people the step is still running.', 0),
  unknown: withDescription(countSchema, 'For how many people the outcome was not recorded.', 0),
  reasons: withDescription(
    v.array(
      v.object({
        outcome: v.picklist(['failed', 'notPossible', 'waiting']),
        reason: withExamples(outcomeReasonSchema, 'push-refused'),
        status: withDescription(
          v.nullable(countSchema),
          'The HTTP status with which the webhook responded. Null for reasons other than `webhook-answer`.',
          null,
        ),
        people: countSchema,
      }),
    ),
    'The most frequent reasons for `failed`, `notPossible` and `waiting`.',
  ),
});
/** A step of the policy, or a person's own repeat. */
export const escalationStepSchema = v.object({
  action: stepActionSchema,
  dueAt: timestampSchema,
  doneAt: withDescription(
    nullableTimestampSchema,
    'Null until the step runs. Stays null if the escalation stops first.',
  ),
  people: withDescription(
    v.nullable(countSchema),
    'How many people the step notified, emailed or included in webhook calls. For `notify`, people in `topic`. Null until the step runs.',
    15,
  ),
  topic: withDescription(
    v.nullable(v.string()),
    'Only for `notify`: the title of the topic that the step notifies.',
    null,
  ),
  by: withDescription(
    v.nullable(v.string()),
    'The user who pressed “Notify again”. Null for a step of the policy, or if that user was deleted.',
    'ada.lindqvist',
  ),
  outcome: v.exactOptional(
    withDescription(
      v.nullable(stepOutcomeSchema),
      'What the step achieved. Null until the step runs, or if its outcome was not recorded.',
    ),
  ),
  messageId: v.exactOptional(
    withDescription(
      v.nullable(v.string()),
      'Only for `notify`: the id of the message that was sent to the other topic.',
    ),
  ),
});
export const escalationSchema = v.object({
  policy: withDescription(
    v.nullable(v.object(policyParams)),
    'The policy as it was when the message was sent or scheduled.',
  ),
  stopped: v.nullable(
    withExamples(
      v.picklist(['acknowledged', 'quorum', 'expired', 'cancelled', 'resolved', 'all-clear']),
      'quorum',
    ),
  ),
  stoppedAt: nullableTimestampSchema,
  stoppedBy: withDescription(
    v.nullable(v.string()),
    'Who stopped the escalation. If enough people answered, the person who gave the last answer needed. If no answer was requested, reading the message counts as answering. If the message was canceled or got an all-clear, the person who did that. Null if no person stopped the escalation.',
    'm.okafor',
  ),
  steps: withDescription(v.array(escalationStepSchema), 'All steps, earliest first.'),
});

export type StepAction = v.InferOutput<typeof stepActionSchema>;
export type PolicyStep = v.InferOutput<typeof policyStepSchema>;
export type Policy = v.InferOutput<typeof policySchema>;
export type StepProblem = (typeof STEP_PROBLEMS)[number];
export type TargetProblem = v.InferOutput<typeof targetProblemSchema>;
export type Escalation = v.InferOutput<typeof escalationSchema>;
export type EscalationStopReason = NonNullable<Escalation['stopped']>;
export type EscalationStep = v.InferOutput<typeof escalationStepSchema>;
export type StepOutcome = v.InferOutput<typeof stepOutcomeSchema>;
export type OutcomeReason = v.InferOutput<typeof outcomeReasonSchema>;

const MAX_POLICY_STEPS = 8;
const STEP_SECONDS = { min: 60, max: 86_400 };
const AFTER_RULE_TEXT =
  'Each step must start between 1 minute and 24 hours after the message is sent.';
const newStepSchema = v.object({
  after: v.pipe(
    v.number(),
    v.safeInteger('`after` must be a whole number of seconds.'),
    v.minValue(STEP_SECONDS.min, AFTER_RULE_TEXT),
    v.maxValue(STEP_SECONDS.max, AFTER_RULE_TEXT),
  ),
  action: stepActionSchema,
  topicId: v.exactOptional(rowIdField('Topic')),
  url: v.exactOptional(
    v.pipe(cleanText('URL'), v.maxLength(2000, 'URL is too long. Use 2,000 characters or fewer.')),
  ),
});
export const newPolicySchema = v.object({
  name: withExamples(requiredLine('Name', 100), 'Until someone answers'),
  quorum: v.exactOptional(
    withExamples(
      v.nullable(
        v.pipe(
          v.number(),
          v.safeInteger('The number of needed answers must be a whole number.'),
          v.minValue(1, 'The number of needed answers must be at least 1.'),
          v.maxValue(1_000_000, 'The number of needed answers must be at most 1,000,000.'),
        ),
      ),
      1,
    ),
  ),
  steps: withExamples(
    v.pipe(
      listOf(
        newStepSchema,
        MAX_POLICY_STEPS,
        `A policy can have at most ${MAX_POLICY_STEPS} steps.`,
      ),
      v.minLength(1, 'A policy needs at least one step.'),
    ),
    [
      { after: 180, action: 'repeat' },
      { after: 600, action: 'mail' },
    ],
  ),
});
export type NewPolicy = v.InferInput<typeof newPolicySchema>;

const escalationParams = { id: idField('policy') };
const STEP_RULES_TEXT =
  '`after` is 60 to 86,400 seconds. Steps with the action `repeat` must be at least 60 seconds apart. The action `notify` needs a `topicId`. The action `webhook` needs the `url` of a registered webhook.';
const POLICY_NAME_TAKEN = 'Another policy already has this name.';

export const policyCalls = {
  'GET /api/admin/policies': {
    does: 'List policies',
    more: '`problems` lists the webhooks and topics that steps cannot use now, and why. Email is listed if no mail server is set up. Up to 500 topics without subscribers are listed even if no policy notifies them.',
    response: policiesSchema,
  },
  'POST /api/admin/policies': {
    does: 'Add a policy',
    more: STEP_RULES_TEXT,
    body: withExamples(newPolicySchema, {
      name: 'Email after an hour',
      steps: [{ after: 3600, action: 'mail' }],
    }),
    isRepeatable: true,
    response: policySchema,
    errors: { 409: 'Another policy already has this name, or there are already 100 policies.' },
  },
  'PUT /api/admin/policies/:id': {
    does: 'Change a policy',
    more: `Messages that were already sent or scheduled keep the old version of the policy. ${STEP_RULES_TEXT}`,
    params: escalationParams,
    body: newPolicySchema,
    response: policySchema,
    errors: { 409: POLICY_NAME_TAKEN },
  },
  'DELETE /api/admin/policies/:id': {
    does: 'Delete a policy',
    more: 'Topics that use the policy then have no policy.',
    params: escalationParams,
    response: messageResponseWith('The policy was deleted.'),
    errors: { 409: 'Alarms of check-ins use the policy.' },
  },
} satisfies CallTable;

export const escalationCalls = {
  'GET /api/admin/messages/:id/escalation': {
    does: 'Get a message’s escalation',
    params: { id: uuidField('message') },
    hasTag: true,
    response: escalationSchema,
  },
} satisfies CallTable;
