import { POLICIES_FAILED, readPolicies } from '../../../state/setup/policies';
import { Failure } from '../../../ui/page';
import { useLoad } from '../../lists/load';
import { readBack } from './words';

interface Props {
  /** Null for none; undefined where the topic says it. */
  value: number | null | undefined;
  /** Of a message: it may leave it to its topic. */
  ofMessage?: boolean;
  onChoose: (policyId: number | null | undefined) => void;
  invalid?: object | undefined;
}

const NONE = 'none';

/** What happens if a message is not answered: one of the policies, or nothing. */
export function PolicySelect({ value, ofMessage, onChoose, invalid }: Props) {
  const {
    value: policies = [],
    failure,
    loading,
    reload,
  } = useLoad('', readPolicies, POLICIES_FAILED);
  const chosen = policies.find(({ id }) => id === value);
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
      {chosen && (
        <p>
          <small>
            <bdi>{readBack(chosen)}</bdi>
          </small>
        </p>
      )}
      {failure && <Failure retry={reload}>{failure}</Failure>}
    </div>
  );
}
