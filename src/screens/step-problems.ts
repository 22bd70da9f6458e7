/** Why a step of a policy can’t work here, and what to do about it: before, and of a step that was due. */
import type { StepProblem } from '../shared/contract';

const PROBLEMS: Record<StepProblem, string> = {
  'mail-not-set-up': 'Email isn’t set up. An operator can set SMTP_URL.',
  'webhook-removed': 'The webhook was removed. Choose another one in the policy.',
  'webhook-off': 'The webhook is switched off. A test that succeeds switches it on.',
  'webhook-failing': 'The webhook is failing. Calls are retried for a day.',
  'topic-deleted': 'The topic was deleted. Choose another one in the policy.',
  'topic-empty': 'The topic has no subscribers. Add at least one.',
};

/** Undefined for what this version does not know, or is no problem. */
export const problemText = (problem: string): string | undefined =>
  Object.hasOwn(PROBLEMS, problem) ? PROBLEMS[problem as StepProblem] : undefined;
