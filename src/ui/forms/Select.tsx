interface Props<Value extends string> {
  label: string;
  name: string;
  options: readonly (readonly [Value, string])[];
  value: Value;
  onChoose: (value: Value) => void;
}

export function Select<Value extends string>({
  label,
  name,
  options,
  value,
  onChoose,
}: Props<Value>) {
  return (
    <label>
      {label}
      <select
        name={name}
        value={value}
        onChange={({ currentTarget }) => onChoose(currentTarget.value as Value)}
      >
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
