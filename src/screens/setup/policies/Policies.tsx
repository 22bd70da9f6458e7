import { useEffect, useState } from 'react';
import type { Policy } from '../../../shared/contract';
import { POLICIES_FAILED, readPolicies } from '../../../state/setup/policies';
import { beginPolicyDraft, isPolicyChanged, policyDraft } from '../../../state/setup/policy-draft';
import { Failure, Skeleton, useKeepFocus } from '../../../ui/page';
import { Icon } from '../../../ui/Icon';
import { EmptyList } from '../../../ui/EmptyList';
import { useLoad } from '../../lists/use-load';
import { DeletePolicy } from './DeletePolicy';
import { PolicyForm } from './PolicyForm';
import { SetupHeader } from '../SetupHeader';
import { type TargetProblems, findTargetProblem } from './Warnings';
import { policyText } from './policy-texts';

/** The policies, and the form of the edited policy. */
export function Policies() {
  // A policy left in editing does not take the focus from the heading.
  const [draftKey] = useState(() => policyDraft.peek()?.key);
  const policies = useLoad('', readPolicies, POLICIES_FAILED);
  const { failure, loading, reload } = policies;
  const { policies: value, problems = [] } = policies.value ?? {};
  const [policyToDelete, setPolicyToDelete] = useState<Policy>();
  const draft = policyDraft.value;
  const current = value?.find(({ id }) => id === draft?.id);
  useKeepFocus(value, draft);
  // If another administrator deleted the policy, the person can add it again.
  useEffect(() => {
    if (value && draft?.id !== undefined && !current)
      policyDraft.value = { ...draft, id: undefined };
  }, [value]);

  /** Asks before discarding changes. */
  function open(policy?: Policy) {
    if (isPolicyChanged() && !confirm('You have unsaved changes. Discard them?')) return;
    beginPolicyDraft(policy);
  }
  return (
    <>
      <SetupHeader />
      <div className={draft && 'twin list-first'}>
        <section aria-labelledby="all">
          <div className="bar">
            <h2 id="all">Policies{value ? ` (${value.length.toLocaleString()})` : ''}</h2>
            <button type="button" className="plain" onClick={() => open()}>
              <Icon name="plus" />
              Add policy
            </button>
          </div>
          {failure && <Failure retry={reload}>{failure}</Failure>}
          {!value && loading && <Skeleton />}
          {value?.length === 0 && (
            <EmptyList
              icon="bell"
              title="No policies yet"
              hint="A policy decides what happens when people don’t answer, such as notifying them again, sending email or notifying others."
            >
              <button type="button" className="plain" onClick={() => open()}>
                Add your first policy
              </button>
            </EmptyList>
          )}
          {value && value.length > 0 && (
            <ul className="panel rows">
              {value.map((policy) => (
                <PolicyRow
                  key={policy.id}
                  policy={policy}
                  problems={problems}
                  isOpen={policy === current}
                  onEdit={() => open(policy)}
                />
              ))}
            </ul>
          )}
        </section>
        {draft && (
          <PolicyForm
            key={draft.key}
            draft={draft}
            isNew={draft.key !== draftKey}
            problems={problems}
            onSettled={reload}
            onDelete={current && (() => setPolicyToDelete(current))}
          />
        )}
      </div>
      {policyToDelete && (
        <DeletePolicy
          policy={policyToDelete}
          onClose={() => setPolicyToDelete(undefined)}
          onSettled={reload}
        />
      )}
    </>
  );
}

const PolicyRow = ({
  policy,
  problems,
  isOpen,
  onEdit,
}: {
  policy: Policy;
  problems: TargetProblems;
  isOpen: boolean;
  onEdit: () => void;
}) => (
  <li>
    <div>
      <span>
        <b>
          <bdi>{policy.name}</bdi>
        </b>{' '}
        <span>{policyText(policy)}</span>
      </span>
      {policy.steps.some((step) => findTargetProblem(step, problems)) && (
        <span className="chip" data-tone="warn">
          Has a problem
        </span>
      )}
      {isOpen ? (
        <span className="chip">Editing</span>
      ) : (
        <button type="button" className="quiet" aria-label={`Edit ${policy.name}`} onClick={onEdit}>
          Edit
        </button>
      )}
    </div>
  </li>
);
