// The policy in the form: kept while the person visits other screens, and dropped with their
// session.
import { signal } from '@preact/signals-react';
import type { NewPolicy, Policy, PolicyStep, StepAction } from '../../shared/contract';
import { onPersonChange } from '../session';

/** Fields that the action does not use keep their values. */
export interface StepDraft {
  key: number;
  /** Minutes after sending; text, because it may not be a number yet. */
  minutes: string;
  action: StepAction;
  topicId: string;
  url: string;
}

export interface PolicyDraft {
  /** Differs each time editing begins. */
  key: number;
  /** The policy's id, undefined for a new policy. */
  id: number | undefined;
  /** The saved name. */
  title: string;
  name: string;
  /** Whether `quorum` answers are enough. */
  hasQuorum: boolean;
  quorum: string;
  steps: readonly StepDraft[];
}

/** The server's limits. */
export const MAX_POLICY_STEPS = 8;
export const MAX_STEP_MINUTES = 1440;
/** Android silences repeated sounds that are closer together. */
const DEFAULT_STEP_GAP_MINUTES = 3;

export const policyDraft = signal<PolicyDraft | undefined>(undefined);
let savedDraftText = '';
let lastKey = 0;

/** Starts editing a policy, or a new one. */
export function beginPolicyDraft(policy?: Policy): void {
  policyDraft.value = policy
    ? {
        key: ++lastKey,
        id: policy.id,
        title: policy.name,
        name: policy.name,
        hasQuorum: policy.quorum !== null,
        quorum: String(policy.quorum ?? 1),
        steps: policy.steps.map(toDraft),
      }
    : {
        key: ++lastKey,
        id: undefined,
        title: '',
        name: '',
        hasQuorum: false,
        quorum: '1',
        steps: [toDraft({ after: DEFAULT_STEP_GAP_MINUTES * 60, action: 'repeat' })],
      };
  savedDraftText = JSON.stringify(policyDraft.peek());
}

export function changePolicyDraft(part: Partial<PolicyDraft>): void {
  const currentDraft = policyDraft.peek();
  if (currentDraft) policyDraft.value = { ...currentDraft, ...part };
}

const changeSteps = (changeList: (steps: readonly StepDraft[]) => readonly StepDraft[]): void =>
  changePolicyDraft({ steps: changeList(policyDraft.peek()?.steps ?? []) });

export const changeStep = (key: number, part: Partial<StepDraft>): void =>
  changeSteps((steps) => steps.map((step) => (step.key === key ? { ...step, ...part } : step)));

export const removeStep = (key: number): void =>
  changeSteps((steps) => steps.filter((step) => step.key !== key));

/** Adds a step that notifies again, three minutes after the last. */
export const addStep = (): void =>
  changeSteps((steps) => {
    const lastMinutes = Math.max(0, ...steps.map(parseStepMinutes).filter((time) => time > 0));
    const minutes = Math.min(lastMinutes + DEFAULT_STEP_GAP_MINUTES, MAX_STEP_MINUTES);
    return [...steps, toDraft({ after: minutes * 60, action: 'repeat' })];
  });

export const discardPolicyDraft = (): void => {
  policyDraft.value = undefined;
};
onPersonChange(discardPolicyDraft);

export function discardDraftOfPolicy(id: number): void {
  if (policyDraft.peek()?.id === id) discardPolicyDraft();
}

/** Discards the draft of a saved policy, unless it was edited meanwhile. */
export function applySavedPolicy(draft: PolicyDraft, savedPolicy: Policy): void {
  if (policyDraft.peek()?.key !== draft.key) return;
  const reference = { id: savedPolicy.id, title: savedPolicy.name };
  savedDraftText = JSON.stringify({ ...draft, ...reference });
  changePolicyDraft(reference);
  if (!isPolicyChanged()) discardPolicyDraft();
}

/** Whether there are unsaved changes. */
export const isPolicyChanged = (): boolean =>
  policyDraft.peek() !== undefined && JSON.stringify(policyDraft.peek()) !== savedDraftText;

const toDraft = ({ after, action, topicId, url = '' }: PolicyStep): StepDraft => ({
  key: ++lastKey,
  minutes: String(after / 60),
  action,
  topicId: String(topicId ?? ''),
  url,
});

/** NaN or 0 if it is not a number yet. */
export const parseStepMinutes = ({ minutes }: StepDraft): number =>
  Number(minutes.replace(',', '.'));

/** The steps, sorted by time. */
export const sortSteps = ({ steps }: PolicyDraft): readonly StepDraft[] =>
  [...steps].sort((a, b) => parseStepMinutes(a) - parseStepMinutes(b));

/** The request body, with its steps sorted by `sortSteps`. */
export const toPolicy = (draft: PolicyDraft): NewPolicy => ({
  name: draft.name.trim(),
  quorum: draft.hasQuorum ? Number(draft.quorum) : null,
  steps: sortSteps(draft).map((step) => ({
    after: Math.round(parseStepMinutes(step) * 60),
    action: step.action,
    ...(step.action === 'notify' && { topicId: Number(step.topicId) }),
    ...(step.action === 'webhook' && { url: step.url }),
  })),
});
