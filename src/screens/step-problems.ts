/** Why a step can't work and what to do, both before sending and for a due step. */
import type { StepProblem } from '../shared/contract';

const PROBLEMS: Record<StepProblem, string> = {
  'mail-not-set-up': 'Email isn’t set up. An operator can set SMTP_URL.',
  'webhook-removed': 'The webhook was deleted. Check the policy’s steps.',
  'webhook-off': 'The webhook is disabled. A successful test enables it again.',
  'webhook-failing': 'The webhook is failing. Calls are retried for a day.',
  'topic-deleted': 'The topic was deleted. Check the policy’s steps.',
  'topic-empty': 'The topic has no subscribers. Add at least one.',
};

/** The sentence for a problem; undefined for one that this app does not know. */
export const problemText = (problem: string): string | undefined =>
  Object.hasOwn(PROBLEMS, problem) ? PROBLEMS[problem as StepProblem] : undefined;
