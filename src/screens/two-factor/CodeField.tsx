import { useEffect, useId, useRef, type ReactNode } from 'react';

/** Takes the focus, so that browsers can offer the code. Recovery codes have letters. */
export function CodeField({
  children,
  'aria-describedby': error = '',
  ...marks
}: {
  children: ReactNode;
  'aria-invalid'?: true;
  'aria-describedby'?: string;
}) {
  const hint = useId();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <>
      <label>
        Code
        <input
          ref={field}
          type="text"
          name="code"
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck="false"
          maxLength={64}
          required
          aria-describedby={`${hint} ${error}`.trim()}
          {...marks}
        />
      </label>
      <p id={hint} className="muted">
        {children}
      </p>
    </>
  );
}
