/**
 * What the server asks of a new password, and whose link a registration link is: told before the
 * first failure, where a server tells it.
 */
import { useEffect, useState } from 'react';
import { ApiError } from '../../api/error';
import { readPasswordRules, readRegistrationLink } from '../../state/account/signed-out';
import type { PasswordRules } from '../../shared/contract';

/** One rule, and whether a password keeps it. Undefined: only the server knows. */
export interface PasswordRule {
  text: string;
  met?: boolean;
}

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) > 1;

/** The rules in words. Of what a server says in another way than the contract, nothing is made. */
export function explainRules(
  rules: Partial<PasswordRules> | null | undefined,
  password: string,
): PasswordRule[] {
  const { minLength, maxLength, notCommon } = rules ?? {};
  const found: PasswordRule[] = [];
  if (isCount(minLength))
    found.push({
      text: `At least ${minLength.toLocaleString()} characters`,
      met: password.length >= minLength,
    });
  // A warning of a thousand characters is for people who have typed them.
  if (isCount(maxLength) && password.length > maxLength)
    found.push({ text: `At most ${maxLength.toLocaleString()} characters`, met: false });
  if (notCommon === true)
    found.push({ text: 'Not one of the most common passwords (checked when you send it)' });
  return found;
}

/** The rules of new passwords, once they are there. */
export const usePasswordRules = (): Partial<PasswordRules> | undefined =>
  useAnswer(readPasswordRules)?.answer;

/**
 * What the server says of a registration link, once it has: whose it is and the rules, or that it
 * is not good.
 */
export function useRegistrationLink(token: string): {
  username?: string;
  passwordRules?: Partial<PasswordRules>;
  refusal?: string;
} {
  const { answer, refusal } =
    useAnswer(token ? () => readRegistrationLink(token) : undefined) ?? {};
  const { username, passwordRules } = answer ?? {};
  return {
    ...(typeof username === 'string' ? { username } : undefined),
    ...(passwordRules ? { passwordRules } : undefined),
    ...(refusal ? { refusal } : undefined),
  };
}

interface Told<T> {
  /** Perhaps of another shape than promised. */
  answer?: Partial<T>;
  /** Why there is none. */
  refusal?: string;
}

/**
 * Asks once. A server that does not know the question, or does not answer, leaves the form as it is
 * without.
 */
function useAnswer<T>(ask: (() => Promise<T>) | undefined): Told<T> | undefined {
  const [got, setGot] = useState<Told<T>>();
  useEffect(() => {
    let here = true;
    ask?.().then(
      (answer) => here && setGot({ answer }),
      (thrown: unknown) =>
        here && thrown instanceof ApiError && setGot({ refusal: thrown.message }),
    );
    return () => {
      here = false;
    };
  }, []);
  return got;
}
