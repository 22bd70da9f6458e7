import { useEffect, useRef, type TextareaHTMLAttributes } from 'react';

type Attributes = TextareaHTMLAttributes<HTMLTextAreaElement>;

interface Props extends Omit<Attributes, 'rows' | 'onInput' | 'onChange'> {
  /** Minimum and maximum height in rows. */
  rows: readonly [number, number];
  value: string;
  onText: (text: string) => void;
}

/** A text field as high as its text, within limits. CSS does it where supported. */
export function GrowingText({ rows: [minRows, maxRows], value, onText, ...rest }: Props) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    const element = field.current;
    if (!element || CSS.supports('field-sizing', 'content')) return;
    element.rows = minRows;
    while (element.rows < maxRows && element.scrollHeight > element.clientHeight) element.rows++;
  }, [value]);
  return (
    <textarea
      ref={field}
      rows={minRows}
      dir="auto"
      value={value}
      onInput={({ currentTarget }) => onText(currentTarget.value)}
      {...rest}
    />
  );
}
