/** Requests that may be sent again without being done again: browsers repeat a POST by themselves when a connection breaks. */
import { hash } from '../hash';
import { HttpError, conflict } from './errors';

/** @param header reads one of the request's headers. @throws HttpError 400 */
export function readIdempotencyKey(header: (name: string) => string | undefined): string | undefined {
  const key = header('idempotency-key');
  if (key !== undefined && !/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new HttpError(400, 'Idempotency-Key must be 1 to 255 visible ASCII characters.');
  }
  return key;
}

/** What a request is known by when it comes again; null if it is not meant to be known. @param sender whose key it is */
export const requestKey = (sender: string | number, idempotencyKey: string | undefined): string | null =>
  idempotencyKey === undefined ? null : hash(`${sender} ${idempotencyKey}`);

export const keyTaken = (what: string): HttpError => conflict(`This Idempotency-Key was already used for another ${what}.`);
