/** Policies in words. */
import type { NewPolicy, Policy, PolicyStep, StepAction } from '../../../shared/contract';
import { plural } from '../../../platform/plural';
import { countedNoun } from '../../../ui/lists/Pager';

export const STEP_ACTIONS: readonly (readonly [StepAction, string])[] = [
  ['repeat', 'Notify again'],
  ['mail', 'Send email'],
  ['notify', 'Notify a topic'],
  ['webhook', 'Call a webhook'],
];

/** Summarizes a policy: `3 steps · until 1 person has answered · 2 topics`. */
export const policyText = ({ steps, quorum, topics, isForCheckIns }: Policy): string =>
  [
    countedNoun(steps.length, 'step'),
    quorum === null
      ? 'until everyone has answered'
      : plural(quorum, {
          one: 'until 1 person has answered',
          other: `until ${quorum.toLocaleString()} people have answered`,
        }),
    ...(topics > 0 || !isForCheckIns
      ? [topics > 0 ? countedNoun(topics, 'topic') : 'no topics']
      : []),
    ...(isForCheckIns ? ['check-in alarms'] : []),
  ].join(' · ');

/**
 * Steps without a time are left out.
 * @param getTopicTitle a topic's title by its id
 */
export const policySentence = (
  { steps, quorum }: Pick<NewPolicy, 'steps' | 'quorum'>,
  getTopicTitle: (topicId: number) => string | undefined = () => undefined,
): string =>
  [
    ...steps.filter(({ after }) => after > 0).map((step) => stepText(step, getTopicTitle)),
    stopText(quorum),
  ].join(' ');

/** @param quorum null: everyone; 0 while no number is written */
function stopText(quorum: NewPolicy['quorum']): string {
  if (quorum == null) return 'Stops when everyone has answered or the message expires.';
  if (!(quorum > 0)) return 'Stops when enough people have answered or the message expires.';
  return plural(quorum, {
    one: 'Stops when 1 person has answered or the message expires.',
    other: `Stops when ${quorum.toLocaleString()} people have answered or the message expires.`,
  });
}

function stepText(
  { action, after, topicId, url }: PolicyStep,
  getTopicTitle: (topicId: number) => string | undefined,
): string {
  const minutes = (after / 60).toLocaleString();
  switch (action) {
    case 'mail':
      return `Sends emails after ${minutes} min.`;
    case 'notify': {
      const topic = getTopicTitle(topicId ?? 0);
      return topic
        ? `Notifies ${topic} after ${minutes} min.`
        : `Notifies a topic after ${minutes} min.`;
    }
    case 'webhook': {
      const host = getHost(url ?? '');
      return host ? `Calls ${host} after ${minutes} min.` : `Calls a webhook after ${minutes} min.`;
    }
    default:
      return `Notifies again after ${minutes} min.`;
  }
}

/** The URL's host; empty for an invalid URL. */
function getHost(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return '';
  }
}
