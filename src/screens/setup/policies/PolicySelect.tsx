import { POLICIES_FAILED, readPolicies } from '../../../state/setup/policies';
import { Failure } from '../../../ui/page';
import { useLoad } from '../../lists/use-load';
import { Warnings } from './Warnings';
import { policySentence } from './policy-texts';

interface Props {
  /** The chosen policy: null for none, undefined for the topic's policy. */
  value: number | null | undefined;
  /** A message's topics, in the sender's order: it may also use their policy. */
  topicIds?: readonly number[];
  onChoose: (policyId: number | null | undefined) => void;
  invalid?: object | undefined;
}

const NO_POLICY = 'none';

/** Selects the policy for an unanswered message, or none. */
export function PolicySelect({ value, topicIds, onChoose, invalid }: Props) {
  const {
    value: { policies, problems } = { policies: [], problems: [] },
    failure,
    loading,
    reload,
  } = useLoad('', readPolicies, POLICIES_FAILED);
  const chosenPolicy = policies.find(({ id }) => id === value);
  // The first topic with a policy decides.
  const ofTopics = topicIds?.flatMap((topic) =>
    policies.filter((policy) => policy.topicIds?.includes(topic)),
  );
  const usedPolicy = chosenPolicy ?? (value === undefined ? ofTopics?.[0] : undefined);
  const options = [
    ...(topicIds?.length ? [['', 'Use the topic’s policy']] : []),
    [NO_POLICY, 'None'],
    // Keeps a policy that is not in the list, or not yet.
    ...(typeof value === 'number' && !chosenPolicy
      ? [[String(value), loading ? 'Loading…' : failure ? 'Unknown policy' : 'Deleted policy']]
      : []),
    ...policies.map(({ id, name }) => [String(id), name]),
  ];
  return (
    <div>
      <label>
        Escalation
        <select
          name="policyId"
          value={
            typeof value === 'number'
              ? String(value)
              : topicIds?.length && value === undefined
                ? ''
                : NO_POLICY
          }
          onChange={({ currentTarget: { value: wanted } }) =>
            onChoose(wanted === NO_POLICY ? null : wanted ? Number(wanted) : undefined)
          }
          {...invalid}
        >
          {options.map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
        </select>
      </label>
      {usedPolicy && (
        <p>
          <small>
            {!chosenPolicy && (
              <>
                The topic’s policy is <bdi>{usedPolicy.name}</bdi>.{' '}
              </>
            )}
            <bdi>{policySentence(usedPolicy)}</bdi>
          </small>
        </p>
      )}
      {usedPolicy && <Warnings steps={usedPolicy.steps} problems={problems} />}
      {failure && <Failure retry={reload}>{failure}</Failure>}
    </div>
  );
}

/** Warns if a policy's steps cannot work. */
export function PolicyWarning({ policyId }: { policyId: number }) {
  const { value } = useLoad('', readPolicies, POLICIES_FAILED);
  const policy = value?.policies.find(({ id }) => id === policyId);
  return policy ? <Warnings steps={policy.steps} problems={value?.problems ?? []} /> : null;
}
