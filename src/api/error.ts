/** Why a call failed. Screens read this, and never call. */

/**
 * Why a call failed, with a sentence for the person in `message`.
 * - `unreachable`: no answer came (offline, cut off, too late). For a send, the outcome is unknown.
 * - `garbled`: an answer came that is not ours, such as a captive portal's page.
 * - `refused`: the server said no; `status`, and perhaps `retryAfter` (seconds) and `path` (the
 * field that is wrong) say more.
 * - `stale`: the session in which it was asked is over. It is not to be shown: its sentence
 * is empty.
 */
export class ApiError extends Error {
  constructor(
    readonly code: 'unreachable' | 'garbled' | 'refused' | 'stale',
    message: string,
    readonly status = 0,
    readonly retryAfter?: number,
    readonly path?: string,
  ) {
    super(message);
  }
}

/** A sign-in that is right so far, and has a second step. Only a build with `ADMIN_TOTP` makes it. */
export class Challenged extends ApiError {
  constructor(
    message: string,
    readonly step: SecondFactorStep,
    readonly challenge: string,
  ) {
    super('refused', message, 401);
  }
}
/** What the second step asks: a code, or to set up first what makes codes. */
export type SecondFactorStep = 'second_factor' | 'second_factor_set_up';

/** The sentence to show for any thrown value; empty where none is to be shown any more. */
export const errorMessage = (error: unknown, fallback: string): string =>
  error instanceof ApiError ? error.message : fallback;
