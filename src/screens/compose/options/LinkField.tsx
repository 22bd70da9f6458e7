interface Props {
  value: string;
  onChange: (text: string) => void;
  invalid?: object | undefined;
}

export const LinkField = ({ value, onChange, invalid }: Props) => (
  <label>
    Link <span className="muted">(optional)</span>
    <input
      type="text"
      name="link"
      inputMode="url"
      autoComplete="off"
      autoCapitalize="none"
      value={value}
      onInput={({ currentTarget }) => onChange(currentTarget.value)}
      {...invalid}
    />
  </label>
);
