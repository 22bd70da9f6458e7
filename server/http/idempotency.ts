/** Makes repeats safe: browsers resend a POST by themselves when a connection breaks. */
import type { Transaction } from 'kysely';
import type { Tables } from '../db/schema';
import { sha256 } from '../lib/sha256';
import { HttpError, conflictError } from './errors';

/** How long we recognize a repeat. Messages carry their own key for as long as they are kept. */
export const IDEMPOTENCY_KEY_LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;

/** @throws HttpError 400 */
export function readIdempotencyKey(
  header: (name: string) => string | undefined,
): string | undefined {
  const key = header('idempotency-key');
  if (key !== undefined && !/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new HttpError(400, 'Idempotency-Key must be 1 to 255 visible ASCII characters.');
  }
  return key;
}

export interface IdempotentRequest {
  key: string;
  operation: string;
  userId: number;
  fingerprint: string;
}

/** @param sender the owner of the key, such as an id or a link's token */
export const requestKey = (
  operation: string,
  sender: string | number,
  idempotencyKey: string,
): string => sha256(`${operation} ${sender} ${idempotencyKey}`);

/** @param body as its schema returns it, so that its fields have a fixed order */
export function idempotentRequest(
  action: string,
  userId: number,
  idempotencyKey: string | undefined,
  body: object,
): IdempotentRequest | undefined {
  if (idempotencyKey === undefined) return undefined;
  return {
    key: requestKey(action, userId, idempotencyKey),
    operation: action,
    userId,
    fingerprint: sha256(JSON.stringify(body)),
  };
}

/**
 * Returns undefined if this transaction must do the work. Repeats of the request wait for it.
 * @throws HttpError 409 if the key was used for another request
 */
export async function claimOrReadResponse(
  request: IdempotentRequest | undefined,
  transaction: Transaction<Tables>,
  now: number,
): Promise<string | undefined> {
  if (request === undefined) return undefined;
  const { key, operation, userId, fingerprint } = request;
  const row = {
    user_id: userId,
    fingerprint,
    made: '',
    ends_at: now + IDEMPOTENCY_KEY_LIFETIME_MS,
  };
  const insertedRow = await transaction
    .insertInto('requests')
    .values({ key, ...row })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet(row).where('requests.ends_at', '<=', now),
    )
    .returning('key')
    .executeTakeFirst();
  if (insertedRow !== undefined) return undefined;
  const storedRequest = await transaction
    .selectFrom('requests')
    .select(['fingerprint', 'made'])
    .where('key', '=', key)
    .executeTakeFirstOrThrow();
  if (storedRequest.fingerprint !== fingerprint) throw idempotencyConflictError(operation);
  return storedRequest.made;
}

export async function storeResponse(
  request: IdempotentRequest | undefined,
  response: string,
  transaction: Transaction<Tables>,
): Promise<void> {
  if (request !== undefined)
    await transaction
      .updateTable('requests')
      .set({ made: response })
      .where('key', '=', request.key)
      .execute();
}

export const idempotencyConflictError = (operation: string): HttpError =>
  conflictError(`This Idempotency-Key was already used for another ${operation}.`);
