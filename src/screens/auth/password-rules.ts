// Password rules and the registration link's user, shown before the first failure.
import { useEffect, useState } from 'react';
import {
  isInvalidLink,
  readPasswordRules,
  readRegistrationLink,
} from '../../state/account/signed-out';
import type { PasswordRules } from '../../shared/contract';

/** `met` is undefined if only the server can tell. */
export interface PasswordRule {
  text: string;
  met?: boolean;
}

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) > 1;

/** The rules in words. Ignores fields that break the contract. */
export function explainRules(
  rules: Partial<PasswordRules> | null | undefined,
  password: string,
): PasswordRule[] {
  const { minLength, maxLength, notCommon } = rules ?? {};
  const explainedRules: PasswordRule[] = [];
  if (isCount(minLength))
    explainedRules.push({
      text: `At least ${minLength.toLocaleString()} characters`,
      met: password.length >= minLength,
    });
  // The limit is shown only once a password exceeds it.
  if (isCount(maxLength) && password.length > maxLength)
    explainedRules.push({ text: `At most ${maxLength.toLocaleString()} characters`, met: false });
  if (notCommon === true)
    explainedRules.push({ text: 'Not a common password (checked when you submit)' });
  return explainedRules;
}

export const usePasswordRules = (): Partial<PasswordRules> | undefined =>
  useResponse(readPasswordRules)?.response;

/** The link's user and rules, or that it is invalid; empty until the server responds. */
export function useRegistrationLink(token: string): {
  username?: string;
  passwordRules?: Partial<PasswordRules>;
  isInvalid?: boolean;
} {
  const { response, isInvalid } =
    useResponse(token ? () => readRegistrationLink(token) : undefined) ?? {};
  const { username, passwordRules } = response ?? {};
  return {
    ...(typeof username === 'string' ? { username } : undefined),
    ...(passwordRules ? { passwordRules } : undefined),
    ...(isInvalid ? { isInvalid } : undefined),
  };
}

interface RulesResult<T> {
  /** May have another shape than promised. */
  response?: Partial<T>;
  isInvalid?: boolean;
}

/** Asks the server once. The form also works without the response. */
function useResponse<T>(ask: (() => Promise<T>) | undefined): RulesResult<T> | undefined {
  const [result, setResult] = useState<RulesResult<T>>();
  useEffect(() => {
    let here = true;
    ask?.().then(
      (response) => here && setResult({ response }),
      (thrown: unknown) => here && setResult({ isInvalid: isInvalidLink(thrown) }),
    );
    return () => {
      here = false;
    };
  }, []);
  return result;
}
