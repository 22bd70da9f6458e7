// The step between a correct password and the session. The code is only in builds with `ADMIN_TOTP`.
import { signal } from '@preact/signals-react';
import type { ApiError } from '../../api/error';
import type { ErrorBody } from '../../shared/contract';

/** A code, or setting up an authenticator app first. */
type TwoFactorStep = Exclude<NonNullable<ErrorBody['code']>, 'signed_out' | 'invalid_link'>;

/** Null if no step is pending. Marked pure so that builds without it drop it. */
export const pendingChallenge = /* @__PURE__ */ signal<{
  step: TwoFactorStep;
  challenge: string;
} | null>(null);

/**
 * Asks for the second step.
 * @throws anything else
 */
export function requestSecondStep(thrown: unknown): void {
  const { code, challenge } = Object((thrown as ApiError).body) as ErrorBody;
  if (!challenge || !code || code === 'signed_out' || code === 'invalid_link') throw thrown;
  pendingChallenge.value = { step: code, challenge };
}
