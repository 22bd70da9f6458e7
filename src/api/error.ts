/**
 * Why a call failed, with a sentence for the person in `message`.
 * - `unreachable`: no answer (offline, cut off, timed out). The outcome of a send is unknown.
 * - `garbled`: an answer that is not ours, such as a captive portal's page.
 * - `refused`: the server rejected it. See `status`, `retryAfter` (seconds), `path` (the invalid
 * field).
 * - `stale`: its session is over. Do not show it: `message` is empty.
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

/** The password is right and a second step follows. Only with `ADMIN_TOTP`. */
export class Challenged extends ApiError {
  constructor(
    message: string,
    readonly step: SecondFactorStep,
    readonly challenge: string,
  ) {
    super('refused', message, 401);
  }
}
/** A code, or setting up an authenticator app first. */
export type SecondFactorStep = 'second_factor' | 'second_factor_set_up';

/** The sentence to show for any thrown value; empty if there is none to show. */
export const errorMessage = (error: unknown, fallback: string): string =>
  error instanceof ApiError ? error.message : fallback;
