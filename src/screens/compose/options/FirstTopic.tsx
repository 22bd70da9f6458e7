import type { ComposedMessage } from '../../../state/messages/composing';
import { describePolicy } from '../../../state/messages/describe-policy';
import { Select } from '../../../ui/forms/Select';
import { useLoad } from '../../lists/use-load';

const POLICY_FAILED = 'Failed to load the policy.';

/** Of two or more topics, the first one's title and policy apply. Lets another be first. */
export function FirstTopic({
  writing: { to, title, policyId },
  onChange,
}: {
  writing: ComposedMessage;
  onChange: (part: Partial<ComposedMessage>) => void;
}) {
  const topics = to.filter(({ kind }) => kind === 'topic');
  const [first] = topics;
  const hasTitle = title.trim() !== '';
  const policy = useLoad(
    first,
    async (topic) => (topic ? describePolicy(undefined, { id: topic.id, title: topic.name }) : ''),
    POLICY_FAILED,
  );
  if (!first || (hasTitle && policyId !== undefined)) return null;
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
        value={String(first.id)}
        onChoose={(chosen) => {
          const chosenTopic = topics.find(({ id }) => String(id) === chosen) ?? first;
          onChange({ to: [chosenTopic, ...to.filter((one) => one !== chosenTopic)] });
        }}
      />
      <p>
        <small role="status">
          <bdi>
            {[
              !hasTitle && `The title is “${first.name}”.`,
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
