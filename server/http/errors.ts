import type { ErrorBody } from '../../src/shared/contract';
import { truncate } from '../../src/shared/contract/fields';

export const SERVICE_UNAVAILABLE =
  'The service is not available at the moment. Please try again soon.';
export const UNAVAILABLE_RETRY_SECONDS = 5;

/** How many faults of one body are reported. */
export const MAX_REPORTED_ISSUES = 20;
/** Bytes of all faults in a response, which may quote a caller's text. */
const MAX_ERROR_BYTES = 3500;
const MAX_QUOTED_LENGTH = 500;

export type ErrorStatus = 400 | 401 | 403 | 404 | 409 | 413 | 415 | 429 | 503;

/** An error that the caller can act on. Features throw it, `error-response.ts` turns it into a response. */
export class HttpError extends Error {
  readonly status: ErrorStatus;
  readonly error: ErrorBody['error'];
  readonly code: ErrorBody['code'];
  readonly retryAfterSeconds: number | undefined;
  readonly challenge: string | undefined;

  constructor(
    status: ErrorStatus,
    error: ErrorBody['error'],
    retryAfterSeconds?: number,
    code?: ErrorBody['code'],
    challenge?: string,
  ) {
    super(typeof error === 'string' ? error : error.map((item) => item.message).join(' '));
    this.status = status;
    this.error = error;
    this.code = code;
    this.challenge = challenge;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export const notFoundError = (message: string): HttpError => new HttpError(404, message);
export const messageNotFoundError = (): HttpError => notFoundError('This message does not exist.');
export const conflictError = (message: string, path?: string): HttpError =>
  new HttpError(409, path === undefined ? message : [{ message, path }]);

/** An error's sentences, cut to a bounded length. */
export function truncateErrors(error: ErrorBody['error']): ErrorBody['error'] {
  if (typeof error === 'string') return clipText(error);
  const details: typeof error = [];
  let bytes = 0;
  for (const { message, path } of error.slice(0, MAX_REPORTED_ISSUES)) {
    const issue = {
      message: clipText(message),
      ...(path !== undefined && { path: clipText(path) }),
    };
    bytes += Buffer.byteLength(JSON.stringify(issue));
    if (bytes > MAX_ERROR_BYTES && details.length > 0) break;
    details.push(issue);
  }
  return details;
}

const clipText = (text: string): string =>
  text.length > MAX_QUOTED_LENGTH ? truncate(text, MAX_QUOTED_LENGTH) : text;
