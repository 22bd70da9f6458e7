// The policy in the form: kept while the person visits other screens, and dropped with their
// session.
import { signal } from '@preact/signals-react';
import type { NewPolicy, Policy, PolicyStep, StepAction } from '../../shared/contract';
import { onNextPerson } from '../session';

/** Fields that the action does not use keep their values. */
export interface WrittenStep {
  key: number;
  /** Minutes after sending; text, because it may not be a number yet. */
  minutes: string;
  action: StepAction;
  topicId: string;
  url: string;
}

export interface WrittenPolicy {
  /** Differs each time editing begins. */
  key: number;
  /** Undefined for a new policy. */
  id: number | undefined;
  /** The saved name. */
  title: string;
  name: string;
  /** Whether `quorum` answers are enough. */
  enough: boolean;
  quorum: string;
  steps: readonly WrittenStep[];
}

/** The server's limits. */
export const MAX_STEPS = 8;
export const MAX_MINUTES = 1440;
/** Android silences repeated sounds that are closer together. */
const GAP_MINUTES = 3;

export const writtenPolicy = signal<WrittenPolicy | undefined>(undefined);
let before = '';
let keys = 0;

/** Starts editing a policy, or a new one. */
export function beginPolicy(policy?: Policy): void {
  writtenPolicy.value = policy
    ? {
        key: ++keys,
        id: policy.id,
        title: policy.name,
        name: policy.name,
        enough: policy.quorum !== null,
        quorum: String(policy.quorum ?? 1),
        steps: policy.steps.map(toWritten),
      }
    : {
        key: ++keys,
        id: undefined,
        title: '',
        name: '',
        enough: false,
        quorum: '1',
        steps: [toWritten({ after: GAP_MINUTES * 60, action: 'repeat' })],
      };
  before = JSON.stringify(writtenPolicy.peek());
}

export function changeWrittenPolicy(part: Partial<WrittenPolicy>): void {
  const old = writtenPolicy.peek();
  if (old) writtenPolicy.value = { ...old, ...part };
}

const changeSteps = (to: (steps: readonly WrittenStep[]) => readonly WrittenStep[]): void =>
  changeWrittenPolicy({ steps: to(writtenPolicy.peek()?.steps ?? []) });

export const changeStep = (key: number, part: Partial<WrittenStep>): void =>
  changeSteps((steps) => steps.map((step) => (step.key === key ? { ...step, ...part } : step)));

export const removeStep = (key: number): void =>
  changeSteps((steps) => steps.filter((step) => step.key !== key));

/** Adds a step that notifies again, three minutes after the last. */
export const addStep = (): void =>
  changeSteps((steps) => {
    const last = Math.max(0, ...steps.map(minutesOf).filter((time) => time > 0));
    const minutes = Math.min(last + GAP_MINUTES, MAX_MINUTES);
    return [...steps, toWritten({ after: minutes * 60, action: 'repeat' })];
  });

export const discardPolicy = (): void => {
  writtenPolicy.value = undefined;
};
onNextPerson(discardPolicy);

export function forgetPolicy(id: number): void {
  if (writtenPolicy.peek()?.id === id) discardPolicy();
}

/** After saving: done, unless the policy was edited meanwhile. Another policy is left alone. */
export function settlePolicy(written: WrittenPolicy, saved: Policy): void {
  if (writtenPolicy.peek()?.key !== written.key) return;
  const known = { id: saved.id, title: saved.name };
  before = JSON.stringify({ ...written, ...known });
  changeWrittenPolicy(known);
  if (!isPolicyChanged()) discardPolicy();
}

/** Whether there are unsaved changes. */
export const isPolicyChanged = (): boolean =>
  writtenPolicy.peek() !== undefined && JSON.stringify(writtenPolicy.peek()) !== before;

const toWritten = ({ after, action, topicId, url = '' }: PolicyStep): WrittenStep => ({
  key: ++keys,
  minutes: String(after / 60),
  action,
  topicId: String(topicId ?? ''),
  url,
});

/** NaN or 0 if it is not a number yet. */
export const minutesOf = ({ minutes }: WrittenStep): number => Number(minutes.replace(',', '.'));

/** By time. */
export const inOrder = ({ steps }: WrittenPolicy): readonly WrittenStep[] =>
  [...steps].sort((a, b) => minutesOf(a) - minutesOf(b));

/** The request body, with its steps in the order of `inOrder`. */
export const policyOf = (written: WrittenPolicy): NewPolicy => ({
  name: written.name.trim(),
  quorum: written.enough ? Number(written.quorum) : null,
  steps: inOrder(written).map((step) => ({
    after: Math.round(minutesOf(step) * 60),
    action: step.action,
    ...(step.action === 'notify' && { topicId: Number(step.topicId) }),
    ...(step.action === 'webhook' && { url: step.url }),
  })),
});
