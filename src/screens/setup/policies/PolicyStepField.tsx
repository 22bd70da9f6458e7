import { Link } from 'wouter';
import {
  changeStep,
  MAX_STEP_MINUTES,
  removeStep,
  type StepDraft,
} from '../../../state/setup/policy-draft';
import { FormError } from '../../../ui/forms/form';
import { shortUrl, type StepChoices, type StepOption } from './step-choices';
import { STEP_ACTIONS } from './policy-texts';

interface Props {
  step: StepDraft;
  /** Numbers start at 1. */
  number: number;
  /** A policy needs at least one step. */
  isOnly: boolean;
  choices: StepChoices;
  /** Why the step can't work now. */
  problem: string | undefined;
  fault: { sentence: string; fieldName: string } | undefined;
  onRemove: () => void;
}

/** The fields of one step: its time, its action, and the topic or webhook. */
export function PolicyStepField({
  step: { key, minutes, action, topicId, url },
  number,
  isOnly,
  choices,
  problem,
  fault,
  onRemove,
}: Props) {
  const isFaultOfStep = fault?.fieldName.startsWith(`${key}.`);
  const invalid = (field: string) =>
    fault?.fieldName === field
      ? { 'aria-invalid': true as const, 'aria-describedby': `${key}-error` }
      : undefined;
  const list = (
    field: string,
    name: string,
    value: string,
    options: readonly StepOption[],
    onChoose: (value: string) => void,
  ) => (
    <select
      name={`${key}.${field}`}
      aria-label={`Step ${number}: ${name}`}
      required
      value={value}
      onChange={({ currentTarget }) => onChoose(currentTarget.value)}
      {...invalid(`${key}.${field}`)}
    >
      {options.map(([option, text]) => (
        <option key={option} value={option}>
          {text}
        </option>
      ))}
    </select>
  );
  return (
    <li>
      <div>
        <label className="inline">
          After{' '}
          <input
            type="number"
            name={`${key}.after`}
            inputMode="decimal"
            min={1}
            max={MAX_STEP_MINUTES}
            step="any"
            required
            aria-label={`Step ${number}: minutes after sending`}
            value={minutes}
            onInput={({ currentTarget }) => changeStep(key, { minutes: currentTarget.value })}
            {...invalid(`${key}.after`)}
          />{' '}
          min
        </label>
        {list('action', 'what happens', action, STEP_ACTIONS, (chosen) =>
          changeStep(key, { action: chosen as StepDraft['action'] }),
        )}
        {action === 'notify' &&
          list(
            'topicId',
            'which topic',
            topicId,
            stepOptions(choices.topics, 'Choose a topic', topicId, `Topic ${topicId}`),
            (chosen) => changeStep(key, { topicId: chosen }),
          )}
        {action === 'webhook' &&
          list(
            'url',
            'which webhook',
            url,
            stepOptions(choices.webhooks, 'Choose a webhook', url, shortUrl(url)),
            (chosen) => changeStep(key, { url: chosen }),
          )}
        {!isOnly && (
          <button
            type="button"
            className="quiet last"
            aria-label={`Remove step ${number}`}
            onClick={() => {
              removeStep(key);
              onRemove();
            }}
          >
            Remove
          </button>
        )}
        {action === 'webhook' && choices.webhooks?.length === 0 && (
          <p>
            <small>
              There are no webhooks yet. Add one in <Link href="/admin/webhooks">Webhooks</Link>.
              Your changes here are kept.
            </small>
          </p>
        )}
        <p className="note" data-tone="warn" role="status">
          {problem}
        </p>
        {isFaultOfStep && <FormError id={`${key}-error`}>{fault?.sentence}</FormError>}
      </div>
    </li>
  );
}

/** The options, and the current value if no option has it. */
const stepOptions = (
  options: readonly StepOption[] = [],
  none: string,
  value: string,
  unknown: string,
): readonly StepOption[] => [
  ['', none],
  ...(value && !options.some(([optionValue]) => optionValue === value)
    ? [[value, unknown] as const]
    : []),
  ...options,
];
