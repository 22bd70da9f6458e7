/** Topics and webhooks for steps, loaded once a step needs them. */
import type { ReactNode } from 'react';
import type { StepDraft } from '../../../state/setup/policy-draft';
import { readWebhooks, WEBHOOKS_FAILED } from '../../../state/setup/webhooks';
import { readAllTopics, TOPICS_FAILED } from '../../../state/topics/all-topics';
import { Failure } from '../../../ui/page';
import { useLoad } from '../../lists/use-load';

export type StepOption = readonly [value: string, text: string];

export interface StepChoices {
  /** The topics are undefined until they are loaded. */
  topics: readonly StepOption[] | undefined;
  webhooks: readonly StepOption[] | undefined;
  /** Returns undefined for an unknown topic. */
  getTopicTitle: (id: string) => string | undefined;
  /** Why some are missing, with Retry. */
  failures: ReactNode;
}

const topicOptions = async (isWanted: boolean): Promise<readonly StepOption[] | undefined> =>
  isWanted ? (await readAllTopics()).map(({ id, title }) => [String(id), title]) : undefined;

const webhookOptions = async (isWanted: boolean): Promise<readonly StepOption[] | undefined> =>
  isWanted ? (await readWebhooks()).map(({ url }) => [url, shortUrl(url)]) : undefined;

/** Shortens a URL for a list on a phone. */
export const shortUrl = (url: string): string => url.replace(/^https:\/\//, '');

export function useStepChoices(steps: readonly StepDraft[]): StepChoices {
  const hasAction = (wanted: StepDraft['action']) => steps.some(({ action }) => action === wanted);
  const topics = useLoad(hasAction('notify'), topicOptions, TOPICS_FAILED);
  const webhooks = useLoad(hasAction('webhook'), webhookOptions, WEBHOOKS_FAILED);
  return {
    topics: topics.value,
    webhooks: webhooks.value,
    getTopicTitle: (wanted) => topics.value?.find(([id]) => id === wanted)?.[1],
    failures: [topics, webhooks].map(
      ({ failure, reload }, index) =>
        failure && (
          // biome-ignore lint/suspicious/noArrayIndexKey: there are always these two
          <Failure key={index} retry={reload}>
            {failure}
          </Failure>
        ),
    ),
  };
}
