import type { ComposedMessage } from '../../../state/messages/composing';
import { findPolicy } from '../../../state/messages/describe-policy';
import { Select } from '../../../ui/forms/Select';
import { useLoad } from '../../lists/use-load';

const POLICY_FAILED = 'Failed to load the policy.';

/** Chooses which of several topics is first: its title and policy apply. */
export function FirstTopic({
  draft: { to, title, policyId },
  onChange,
}: {
  draft: ComposedMessage;
  onChange: (part: Partial<ComposedMessage>) => void;
}) {
  const topics = to.filter(({ kind }) => kind === 'topic');
  const [firstTopic] = topics;
  const hasTitle = title.trim() !== '';
  const policy = useLoad(
    firstTopic,
    async (topic) =>
      topic && (await findPolicy(undefined, { id: topic.id, title: topic.name })).text,
    POLICY_FAILED,
  );
  if (!firstTopic || (hasTitle && policyId !== undefined)) return null;
  return (
    <div>
      <Select
        label={
          policyId !== undefined
            ? 'Use the title of'
            : hasTitle
              ? 'Use the policy of'
              : 'Use the title and policy of'
        }
        name="firstTopic"
        options={topics.map(({ id, name }) => [String(id), name])}
        value={String(firstTopic.id)}
        onChoose={(topicId) => {
          const chosenTopic = topics.find(({ id }) => String(id) === topicId) ?? firstTopic;
          onChange({ to: [chosenTopic, ...to.filter((topic) => topic !== chosenTopic)] });
        }}
      />
      <p>
        <small role="status">
          <bdi>
            {[
              !hasTitle && `The title is “${firstTopic.name}”.`,
              policyId === undefined && (policy.failure || policy.value),
            ]
              .filter(Boolean)
              .join(' ')}
          </bdi>
        </small>
      </p>
    </div>
  );
}
