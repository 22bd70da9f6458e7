interface Props<Value extends string> {
  legend: string;
  name: string;
  options: readonly (readonly [Value, string])[];
  value: Value;
  onChoose: (value: Value) => void;
}

/** Radio buttons, all visible. */
export function Choice<Value extends string>({
  legend,
  name,
  options,
  value,
  onChoose,
}: Props<Value>) {
  return (
    <>
      <legend>{legend}</legend>
      <div className="choice">
        {options.map(([option, text]) => (
          <label key={option}>
            <input
              type="radio"
              name={name}
              value={option}
              checked={option === value}
              onChange={() => onChoose(option)}
            />{' '}
            {text}
          </label>
        ))}
      </div>
    </>
  );
}
