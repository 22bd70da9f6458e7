import { useEffect, useId, useRef, type ReactNode } from 'react';

/**
 * The field for a code of an authenticator app, which has the focus: browsers offer the code where
 * they know it. A recovery code fits, too, so it takes letters.
 */
export function CodeField({
  children,
  'aria-describedby': error = '',
  ...marks
}: {
  /** What is to be typed. */
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
