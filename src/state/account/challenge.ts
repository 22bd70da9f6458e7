/** What stands between a password that was right and the session. */
import { signal } from '@preact/signals-react';
import { Challenged, type SecondFactorStep } from '../../api/error';

/** What is asked of who signs in, or null. Marked so that builds without it drop it. */
export const challenge = /* @__PURE__ */ signal<{
  step: SecondFactorStep;
  challenge: string;
} | null>(null);

/** Asks for the second step. @throws whatever else a sign-in failed by */
export function takeStep(thrown: unknown): void {
  if (!(thrown instanceof Challenged)) throw thrown;
  challenge.value = thrown;
}
