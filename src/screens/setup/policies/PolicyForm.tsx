import { useEffect, useRef, type FormEvent } from 'react';
import {
  addStep,
  changePolicyDraft,
  discardPolicyDraft,
  MAX_POLICY_STEPS,
  toPolicy,
  type PolicyDraft,
  policyDraft,
} from '../../../state/setup/policy-draft';
import { Icon } from '../../../ui/Icon';
import { FormError } from '../../../ui/forms/form';
import { Choice } from '../../../ui/forms/Choice';
import { useStepChoices } from './step-choices';
import { usePolicySaving } from './use-policy-saving';
import { PolicyStepField } from './PolicyStepField';
import { type TargetProblems, findTargetProblem } from './Warnings';
import { policySentence } from './policy-texts';

interface Props {
  draft: PolicyDraft;
  /** Whether a press has just opened the form. */
  isNew: boolean;
  problems: TargetProblems;
  /** Called after an attempt to save. */
  onSettled: () => void;
  /** A new policy cannot be deleted, so this is undefined. */
  onDelete: (() => void) | undefined;
}

/** The policy's form, and a summary of the policy in words. */
export function PolicyForm({ draft, isNew, problems, onSettled, onDelete }: Props) {
  const { id, title, name, hasQuorum: enough, quorum, steps } = draft;
  const form = useRef<HTMLFormElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const choices = useStepChoices(steps);
  const { busy, fault, save } = usePolicySaving(form, onSettled);
  useEffect(() => {
    if (isNew) heading.current?.focus();
  }, []);

  /** Focuses a field once the form is rendered. */
  const focusField = (field: string) =>
    setTimeout(() => (form.current?.elements.namedItem(field) as HTMLElement | null)?.focus());
  const errorAt = (field: string) => (fault?.fieldName === field ? fault.sentence : undefined);
  const invalid = (field: string) =>
    errorAt(field)
      ? { 'aria-invalid': true as const, 'aria-describedby': `${field}-error` }
      : undefined;
  const error = (field: string) => <FormError id={`${field}-error`}>{errorAt(field)}</FormError>;

  function onSubmit(event: FormEvent) {
    event.preventDefault();
    void save(draft);
  }
  function addStepAndFocus() {
    addStep();
    const { key } = policyDraft.peek()?.steps.at(-1) ?? {};
    focusField(`${key}.after`);
  }

  return (
    <section aria-labelledby="edit">
      <h2 ref={heading} id="edit" tabIndex={-1}>
        {id === undefined ? (
          'Add policy'
        ) : (
          <>
            Edit “<bdi>{title}</bdi>”
          </>
        )}
      </h2>
      <form ref={form} onSubmit={onSubmit}>
        <label>
          Name
          <input
            type="text"
            name="name"
            autoComplete="off"
            dir="auto"
            required
            maxLength={100}
            value={name}
            onInput={({ currentTarget }) => changePolicyDraft({ name: currentTarget.value })}
            {...invalid('name')}
          />
        </label>
        {error('name')}
        <fieldset>
          <Choice
            legend="Stop when"
            name="stop"
            options={[
              ['all', 'Everyone has answered'],
              ['enough', 'Enough people have answered'],
            ]}
            value={enough ? 'enough' : 'all'}
            onChoose={(stop) => changePolicyDraft({ hasQuorum: stop === 'enough' })}
          />
          {enough && (
            <>
              <label className="inline">
                Answers needed{' '}
                <input
                  type="number"
                  name="quorum"
                  inputMode="numeric"
                  min={1}
                  max={1_000_000}
                  required
                  value={quorum}
                  onInput={({ currentTarget }) =>
                    changePolicyDraft({ quorum: currentTarget.value })
                  }
                  {...invalid('quorum')}
                />
              </label>
              {error('quorum')}
            </>
          )}
        </fieldset>
        <fieldset>
          <legend>Steps</legend>
          {error('steps')}
          <ol className="panel rows steps">
            {steps.map((step, index) => (
              <PolicyStepField
                key={step.key}
                step={step}
                number={index + 1}
                isOnly={steps.length === 1}
                choices={choices}
                problem={findTargetProblem(
                  { action: step.action, topicId: Number(step.topicId), url: step.url },
                  problems,
                )}
                fault={fault}
                onRemove={() => focusField('add')}
              />
            ))}
          </ol>
          {choices.failures}
          {steps.length < MAX_POLICY_STEPS && (
            <button type="button" name="add" className="plain" onClick={addStepAndFocus}>
              <Icon name="plus" />
              Add a step
            </button>
          )}{' '}
          <small role="status">
            {steps.length === MAX_POLICY_STEPS
              ? `${MAX_POLICY_STEPS} of ${MAX_POLICY_STEPS} steps. Remove a step to add another.`
              : `${steps.length} of ${MAX_POLICY_STEPS} steps`}
          </small>
        </fieldset>
        <p className="note" id="read-back">
          <bdi>
            {policySentence(toPolicy(draft), (topicId) => choices.getTopicTitle(String(topicId)))}
          </bdi>
        </p>
        <div className="foot">
          <FormError>{fault && !fault.fieldName ? fault.sentence : undefined}</FormError>
          <div className="bar">
            {onDelete && (
              <button type="button" className="quiet" onClick={onDelete}>
                Delete
              </button>
            )}
            <div>
              <button type="button" className="quiet" onClick={discardPolicyDraft}>
                Cancel
              </button>
              <button
                type="submit"
                aria-describedby="read-back"
                aria-busy={busy || undefined}
                disabled={busy}
              >
                {busy ? 'Saving…' : 'Save policy'}
              </button>
            </div>
          </div>
        </div>
      </form>
    </section>
  );
}
