/** Policies in words. */
import type { NewPolicy, Policy, PolicyStep, StepAction } from '../../../shared/contract';
import { amount } from '../../../ui/lists/Pager';

export const ACTIONS: readonly (readonly [StepAction, string])[] = [
  ['repeat', 'Ring again'],
  ['mail', 'Send mail'],
  ['notify', 'Ring a topic'],
  ['webhook', 'Call a webhook'],
];

/** Such as `3 steps · until 1 has answered · 2 topics`. */
export const policyText = ({ steps, quorum, topics }: Policy): string =>
  [
    amount(steps.length, 'step'),
    quorum === null ? 'all must answer' : `until ${haveAnswered(quorum)}`,
    topics > 0 ? amount(topics, 'topic') : 'no topic',
  ].join(' · ');

/** Without a number yet: `enough have answered`. */
const haveAnswered = (people: number): string =>
  `${people > 0 ? people.toLocaleString() : 'enough'} ${people === 1 ? 'has' : 'have'} answered`;

/** Steps without a time are left out. @param titleOf a topic's title by its id */
export function readBack(
  { steps, quorum }: Pick<NewPolicy, 'steps' | 'quorum'>,
  titleOf: (topicId: number) => string | undefined = () => undefined,
): string {
  const deeds = steps
    .filter(({ after }) => after > 0)
    .map((step) => `${deed(step, titleOf)} after ${(step.after / 60).toLocaleString()} min`)
    .join(', ');
  const answered = quorum == null ? 'everybody has answered' : haveAnswered(quorum);
  const stops = `Stops as soon as ${answered}, or when the message ends.`;
  return deeds ? `${capital(deeds)}. ${stops}` : stops;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function deed(
  { action, topicId, url }: PolicyStep,
  titleOf: (topicId: number) => string | undefined,
): string {
  switch (action) {
    case 'mail':
      return 'mails';
    case 'notify':
      return `rings ${titleOf(topicId ?? 0) ?? 'a topic'}`;
    case 'webhook':
      return `calls ${hostOf(url ?? '') || 'a webhook'}`;
    default:
      return 'rings again';
  }
}

/** Empty if it is not a URL. */
function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return '';
  }
}
