import type { ErrorBody } from '../../src/shared/contract';
import { cut } from '../../src/shared/contract/fields';

/** What is said where the database cannot be reached, and when to come again. */
export const UNAVAILABLE = 'The service is not available at the moment. Please try again soon.';
export const UNAVAILABLE_RETRY_SECONDS = 5;

/** Of a body that is refused so many faults are told. */
export const MAX_ISSUES = 20;
/** Bytes of all that an answer says of a fault: somebody else may have written a part of it. */
const MAX_SAID = 3500;
const MAX_TEXT = 500;

export type ErrorStatus = 400 | 401 | 403 | 404 | 409 | 413 | 415 | 429 | 503;

/**
 * A refusal that the caller can act on. Thrown by routes and feature modules, answered in one
 * place.
 */
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

export const missing = (message: string): HttpError => new HttpError(404, message);
export const noSuchMessage = (): HttpError => missing('This message does not exist.');
/** @param path the field of the body that it is about, where there is one */
export const conflict = (message: string, path?: string): HttpError =>
  new HttpError(409, path === undefined ? message : [{ message, path }]);

/** A refusal's sentences as they are answered: never long, whatever was quoted in them. */
export function bounded(error: ErrorBody['error']): ErrorBody['error'] {
  if (typeof error === 'string') return clip(error);
  const told: typeof error = [];
  let bytes = 0;
  for (const { message, path } of error.slice(0, MAX_ISSUES)) {
    const issue = { message: clip(message), ...(path !== undefined && { path: clip(path) }) };
    bytes += Buffer.byteLength(JSON.stringify(issue));
    if (bytes > MAX_SAID && told.length > 0) break;
    told.push(issue);
  }
  return told;
}

const clip = (text: string): string => (text.length > MAX_TEXT ? cut(text, MAX_TEXT) : text);
