/**
 * The policy that a person writes, as the form has it: kept while they look at another screen, and
 * gone with their session.
 */
import { signal } from '@preact/signals-react';
import type { NewPolicy, Policy, PolicyStep, StepAction } from '../../shared/contract';
import { onNextPerson } from '../session';

/** What the form holds of a step: fields that the action has no use for keep what was in them. */
export interface WrittenStep {
  /** Tells steps apart as long as they are written. */
  key: number;
  /** After the sending; text, since it may be no number yet. */
  minutes: string;
  action: StepAction;
  topicId: string;
  url: string;
}

export interface WrittenPolicy {
  /** Another one for each time that somebody begins. */
  key: number;
  /** Of the policy that is changed; undefined for a new one. */
  id: number | undefined;
  /** Its name before. */
  title: string;
  name: string;
  /** Whether so many as `quorum` are enough. */
  enough: boolean;
  quorum: string;
  steps: readonly WrittenStep[];
}

/** What the server takes. */
export const MAX_STEPS = 8;
export const MAX_MINUTES = 1440;
/** Android makes what rings again sooner silent. */
const GAP_MINUTES = 3;

/** What is being written. */
export const writtenPolicy = signal<WrittenPolicy | undefined>(undefined);
let before = '';
let keys = 0;

/** Begins with a policy as it is, or with a new one. */
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

/** Changes the steps, if any are written. */
const changeSteps = (to: (steps: readonly WrittenStep[]) => readonly WrittenStep[]): void =>
  changeWrittenPolicy({ steps: to(writtenPolicy.peek()?.steps ?? []) });

export const changeStep = (key: number, part: Partial<WrittenStep>): void =>
  changeSteps((steps) => steps.map((step) => (step.key === key ? { ...step, ...part } : step)));

export const removeStep = (key: number): void =>
  changeSteps((steps) => steps.filter((step) => step.key !== key));

/** Three minutes after the last one it rings again. */
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

/** Forgets what is written of a policy that was deleted. */
export function forgetPolicy(id: number): void {
  if (writtenPolicy.peek()?.id === id) discardPolicy();
}

/**
 * What was written is saved, and done. What was changed in it meanwhile is still to be saved, and
 * another policy that was begun is left alone.
 */
export function settlePolicy(written: WrittenPolicy, saved: Policy): void {
  if (writtenPolicy.peek()?.key !== written.key) return;
  const known = { id: saved.id, title: saved.name };
  before = JSON.stringify({ ...written, ...known });
  changeWrittenPolicy(known);
  if (!isPolicyChanged()) discardPolicy();
}

/** Whether something would be lost by another policy in its place. */
export const isPolicyChanged = (): boolean =>
  writtenPolicy.peek() !== undefined && JSON.stringify(writtenPolicy.peek()) !== before;

const toWritten = ({ after, action, topicId, url = '' }: PolicyStep): WrittenStep => ({
  key: ++keys,
  minutes: String(after / 60),
  action,
  topicId: String(topicId ?? ''),
  url,
});

/** NaN or 0 for what is no number yet. */
export const minutesOf = ({ minutes }: WrittenStep): number => Number(minutes.replace(',', '.'));

/** In the order in which they happen. */
export const inOrder = ({ steps }: WrittenPolicy): readonly WrittenStep[] =>
  [...steps].sort((a, b) => minutesOf(a) - minutesOf(b));

/** As the server is told it: its steps are those of `inOrder`. */
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
