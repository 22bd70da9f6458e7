import type { ErrorBody } from '../shared/contract';

/**
 * Why a call failed, with a sentence for the person in `message`.
 * - `unreachable`: no response (offline, cut off, timed out). The outcome of a send is unknown.
 * - `garbled`: a response that is not ours, such as a captive portal's page.
 * - `rejected`: the server rejected it. See `status`, `retryAfter` (seconds), `path` (the invalid
 * field).
 * - `stale`: its session is over. Do not show it: `message` is empty.
 */
export class ApiError extends Error {
  constructor(
    readonly code: 'unreachable' | 'garbled' | 'rejected' | 'stale',
    message: string,
    readonly status = 0,
    readonly retryAfter?: number,
    readonly path?: string,
    readonly body?: ErrorBody,
  ) {
    super(message);
  }
}

/** The sentence to show for any thrown value; empty if nothing is to be shown. */
export const errorMessage = (error: unknown, fallback: string): string =>
  error instanceof ApiError ? error.message : fallback;
