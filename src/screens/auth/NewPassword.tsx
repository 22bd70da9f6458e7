import { useState } from 'react';
import { ApiError } from '../../api/error';
import type { PasswordRules } from '../../shared/contract';
import { usePasswords } from '../../ui/forms/passwords';
import { explainRules } from './password-rules';

/** @throws {ApiError} about the second field if they differ */
export function requireSamePasswords(password: string, confirm: string | undefined): void {
  if (password !== confirm)
    throw new ApiError('rejected', 'Passwords do not match.', 0, undefined, 'confirm');
}

interface Props {
  invalid: (name: string) => { 'aria-describedby'?: string } | undefined;
  /** The server's password rules, if the server has any. */
  rules: Partial<PasswordRules> | undefined;
}

export function NewPassword({ invalid, rules }: Props) {
  const { field, checkbox } = usePasswords('Show passwords');
  return (
    <>
      <PasswordWithRules field={field} invalidMarks={invalid('password')} rules={rules} />
      <label>
        Confirm password
        <input {...field} autoComplete="new-password" name="confirm" {...invalid('confirm')} />
      </label>
      {checkbox}
    </>
  );
}

/** The rules shown are only a help: the server checks them. */
export function PasswordWithRules({
  field,
  invalidMarks,
  rules,
}: {
  field: ReturnType<typeof usePasswords>['field'];
  invalidMarks: ReturnType<Props['invalid']>;
  rules: Props['rules'];
}) {
  const [password, setPassword] = useState('');
  const explainedRules = explainRules(rules, password);
  const describedBy =
    [invalidMarks?.['aria-describedby'], explainedRules.length && 'rules']
      .filter(Boolean)
      .join(' ') || undefined;
  return (
    <>
      <label>
        New password
        <input
          {...field}
          autoComplete="new-password"
          name="password"
          onInput={({ currentTarget }) => setPassword(currentTarget.value)}
          {...invalidMarks}
          aria-describedby={describedBy}
        />
      </label>
      {explainedRules.length > 0 && (
        <ul className="rules" id="rules">
          {explainedRules.map(({ text, met }) => (
            <li key={text} data-tone={met ? 'ok' : undefined}>
              {met && <span className="sr">Requirement met: </span>}
              {text}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
