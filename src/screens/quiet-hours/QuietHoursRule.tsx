import { changeQuietRule, type EditedRule } from '../../state/quiet-hours';
import { FormError } from '../../ui/forms/form';

const DAY_NAMES = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

interface Props {
  rule: EditedRule;
  index: number;
  fault: { sentence: string; fieldName: string } | undefined;
  onRemove: () => void;
}

export function QuietHoursRule({ rule: { key, days, from, to }, index, fault, onRemove }: Props) {
  const number = index + 1;
  const getFieldName = (field: string) => `rules.${index}.${field}`;
  const errorId = `rule-${number}-error`;
  const invalid = (field: string) =>
    fault?.fieldName === getFieldName(field)
      ? { 'aria-invalid': true as const, 'aria-describedby': errorId }
      : undefined;
  const toggleDay = (day: number) =>
    changeQuietRule(key, {
      days: days.includes(day) ? days.filter((chosenDay) => chosenDay !== day) : [...days, day],
    });
  return (
    <fieldset className="panel pad">
      <legend className="sr">Rule {number}</legend>
      <div className="bar">
        <b>Rule {number}</b>
        <button
          type="button"
          className="quiet"
          aria-label={`Remove rule ${number}`}
          onClick={onRemove}
        >
          Remove
        </button>
      </div>
      <fieldset>
        <legend>Days</legend>
        <div className="choice">
          {DAY_NAMES.map((name, at) => (
            <label key={name}>
              <input
                type="checkbox"
                name={getFieldName('days')}
                checked={days.includes(at + 1)}
                onChange={() => toggleDay(at + 1)}
                {...invalid('days')}
              />{' '}
              {name}
            </label>
          ))}
        </div>
      </fieldset>
      <div className="pair times">
        <label>
          From
          <input
            type="time"
            name={getFieldName('from')}
            required
            value={from}
            onInput={({ currentTarget }) => changeQuietRule(key, { from: currentTarget.value })}
            {...invalid('from')}
          />
        </label>
        <label>
          Until
          <input
            type="time"
            name={getFieldName('to')}
            required
            value={to}
            onInput={({ currentTarget }) => changeQuietRule(key, { to: currentTarget.value })}
            {...invalid('to')}
          />
        </label>
      </div>
      {from !== '' && from === to && (
        <p>
          <small>Same start and end means all day.</small>
        </p>
      )}
      <FormError id={errorId}>{fault?.sentence}</FormError>
    </fieldset>
  );
}
