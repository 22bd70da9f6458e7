import { POLICIES_FAILED, readPolicies } from '../../../state/setup/policies';
import { Failure } from '../../../ui/page';
import { useLoad } from '../../lists/load';
import { Warnings } from './Warnings';
import { readBack } from './words';

interface Props {
  /** Null for none; undefined where the topic says it. */
  value: number | null | undefined;
  /** Of a message: it may leave it to its topic. */
  ofMessage?: boolean;
  /** The message’s topics, in the sender’s order. */
  topicIds?: readonly number[];
  onChoose: (policyId: number | null | undefined) => void;
  invalid?: object | undefined;
}

const NONE = 'none';

/** What happens if a message is not answered: one of the policies, or nothing. */
export function PolicySelect({ value, ofMessage, topicIds, onChoose, invalid }: Props) {
  const {
    value: { policies, problems } = { policies: [], problems: [] },
    failure,
    loading,
    reload,
  } = useLoad('', readPolicies, POLICIES_FAILED);
  const chosen = policies.find(({ id }) => id === value);
  // The first topic with a policy decides.
  const ofTopics = topicIds?.flatMap((topic) =>
    policies.filter((one) => one.topicIds?.includes(topic)),
  );
  const used = chosen ?? (value === undefined ? ofTopics?.[0] : undefined);
  const options = [
    ...(ofMessage ? [['', 'As the topic says']] : []),
    [NONE, 'None'],
    // One that is not among them any more, or not yet: it is kept all the same.
    ...(typeof value === 'number' && !chosen
      ? [[String(value), loading || failure ? `Policy ${value}` : 'A policy that was deleted']]
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
            typeof value === 'number' ? String(value) : ofMessage && value === undefined ? '' : NONE
          }
          onChange={({ currentTarget: { value: wanted } }) =>
            onChoose(wanted === NONE ? null : wanted ? Number(wanted) : undefined)
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
      {used && (
        <p>
          <small>
            {!chosen && (
              <>
                The topic’s policy is <bdi>{used.name}</bdi>.{' '}
              </>
            )}
            <bdi>{readBack(used)}</bdi>
          </small>
        </p>
      )}
      {used && <Warnings steps={used.steps} problems={problems} />}
      {failure && <Failure retry={reload}>{failure}</Failure>}
    </div>
  );
}

/** Of a message that has this policy: whether its steps can work. Says nothing where they can. */
export function PolicyWarning({ policyId }: { policyId: number }) {
  const { value } = useLoad('', readPolicies, POLICIES_FAILED);
  const policy = value?.policies.find(({ id }) => id === policyId);
  return policy ? <Warnings steps={policy.steps} problems={value?.problems ?? []} /> : null;
}
