/** Policies in words. */
import type { NewPolicy, Policy, PolicyStep, StepAction } from '../../../shared/contract';
import { countedNoun } from '../../../ui/lists/Pager';

export const STEP_ACTIONS: readonly (readonly [StepAction, string])[] = [
  ['repeat', 'Notify again'],
  ['mail', 'Send email'],
  ['notify', 'Notify a topic'],
  ['webhook', 'Call a webhook'],
];

/** Such as `3 steps · until 1 has answered · 2 topics`. */
export const policyText = ({ steps, quorum, topics }: Policy): string =>
  [
    countedNoun(steps.length, 'step'),
    quorum === null ? 'until everyone has answered' : `until ${haveAnswered(quorum)}`,
    topics > 0 ? countedNoun(topics, 'topic') : 'no topics',
  ].join(' · ');

/** Without a number yet: `enough have answered`. */
const haveAnswered = (people: number): string =>
  `${people > 0 ? people.toLocaleString() : 'enough'} ${people === 1 ? 'has' : 'have'} answered`;

/** Steps without a time are left out. @param titleOf a topic's title by its id */
export function policySentence(
  { steps, quorum }: Pick<NewPolicy, 'steps' | 'quorum'>,
  titleOf: (topicId: number) => string | undefined = () => undefined,
): string {
  const actions = steps
    .filter(({ after }) => after > 0)
    .map((step) => `${stepText(step, titleOf)} after ${(step.after / 60).toLocaleString()} min`)
    .join(', ');
  const answered = quorum == null ? 'everyone has answered' : haveAnswered(quorum);
  const stops = `Stops when ${answered} or the message expires.`;
  return actions ? `${capital(actions)}. ${stops}` : stops;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function stepText(
  { action, topicId, url }: PolicyStep,
  titleOf: (topicId: number) => string | undefined,
): string {
  switch (action) {
    case 'mail':
      return 'emails';
    case 'notify':
      return `notifies ${titleOf(topicId ?? 0) ?? 'a topic'}`;
    case 'webhook':
      return `calls ${hostOf(url ?? '') || 'a webhook'}`;
    default:
      return 'notifies again';
  }
}

/** The URL's host; empty for an invalid URL. */
function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return '';
  }
}
