/** The step between a correct password and the session. */
import { signal } from '@preact/signals-react';
import { Challenged, type SecondFactorStep } from '../../api/error';

/** Null if no step is pending. Marked pure so that builds without it drop it. */
export const challenge = /* @__PURE__ */ signal<{
  step: SecondFactorStep;
  challenge: string;
} | null>(null);

/** Asks for the second step. @throws anything else */
export function takeChallenge(thrown: unknown): void {
  if (!(thrown instanceof Challenged)) throw thrown;
  challenge.value = thrown;
}
