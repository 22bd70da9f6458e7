import { useState } from 'react';
import { ApiError } from '../../api/error';
import type { PasswordRules } from '../../shared/contract';
import { explainRules } from './password-rules';

/** @throws {ApiError} about the second field, where the two are not the same */
export function agreed(password: string, confirm: string | undefined): void {
  if (password !== confirm)
    throw new ApiError('refused', 'Passwords do not match.', 0, undefined, 'confirm');
}

interface Props {
  invalid: (name: string) => { 'aria-describedby'?: string } | undefined;
  /** What the server asks of a password, where it tells. */
  rules: Partial<PasswordRules> | undefined;
}

/**
 * The two fields in which a new password is chosen. What is said of its rules is a help: the server
 * checks it.
 */
export function NewPassword({ invalid, rules }: Props) {
  const [password, setPassword] = useState('');
  const [shown, setShown] = useState(false);
  const explained = explainRules(rules, password);
  const wrong = invalid('password');
  const describedBy =
    [wrong?.['aria-describedby'], explained.length && 'rules'].filter(Boolean).join(' ') ||
    undefined;
  // Shown as text, it is still no text: nothing checks its spelling, which some browsers have done
  // elsewhere.
  const field = {
    type: shown ? 'text' : 'password',
    autoComplete: 'new-password',
    autoCapitalize: 'none',
    spellCheck: 'false',
    required: true,
  } as const;
  return (
    <>
      <label>
        New password
        <input
          {...field}
          name="password"
          onInput={({ currentTarget }) => setPassword(currentTarget.value)}
          {...wrong}
          aria-describedby={describedBy}
        />
      </label>
      {explained.length > 0 && (
        <ul className="rules" id="rules">
          {explained.map(({ text, met }) => (
            <li key={text} data-tone={met ? 'ok' : undefined}>
              {text}
            </li>
          ))}
        </ul>
      )}
      <label>
        Confirm password
        <input {...field} name="confirm" {...invalid('confirm')} />
      </label>
      <label className="show">
        <input type="checkbox" checked={shown} onChange={() => setShown(!shown)} />
        Show passwords
      </label>
    </>
  );
}
