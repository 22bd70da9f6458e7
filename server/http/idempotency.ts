/**
 * Requests that may be sent again without being done again: browsers repeat a POST by themselves
 * when a connection breaks.
 */
import type { Transaction } from 'kysely';
import type { Tables } from '../db/schema';
import { sha256 } from '../lib/sha256';
import { HttpError, conflict } from './errors';

/**
 * How long a request is known again. None is repeated later; messages know their own for as long as
 * they are kept.
 */
export const KNOWN_MILLISECONDS = 7 * 24 * 60 * 60 * 1000;

/** @param header reads one of the request's headers. @throws HttpError 400 */
export function readIdempotencyKey(
  header: (name: string) => string | undefined,
): string | undefined {
  const key = header('idempotency-key');
  if (key !== undefined && !/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new HttpError(400, 'Idempotency-Key must be 1 to 255 visible ASCII characters.');
  }
  return key;
}

/** A request that may come again. */
export interface Repeatable {
  key: string;
  /** What it makes, as the refusal calls it. */
  what: string;
  userId: number;
  fingerprint: string;
}

/**
 * What a request is known by when it comes again. @param sender whose key it is, such as an id or a
 * link's token
 */
export const requestKey = (what: string, sender: string | number, idempotencyKey: string): string =>
  sha256(`${what} ${sender} ${idempotencyKey}`);

/**
 * @param asked all that was asked for, as its schema made it, so that the same is always in the
 * same order
 * @returns undefined without a key: it is not meant to be known again
 */
export function repeatable(
  what: string,
  userId: number,
  idempotencyKey: string | undefined,
  asked: object,
): Repeatable | undefined {
  if (idempotencyKey === undefined) return undefined;
  return {
    key: requestKey(what, userId, idempotencyKey),
    what,
    userId,
    fingerprint: sha256(JSON.stringify(asked)),
  };
}

/**
 * Reads what a request made before; if nothing, it is this transaction's to do, and equal ones wait.
 * @throws HttpError 409 if the key was used for something else
 */
export async function readAnswer(
  request: Repeatable | undefined,
  transaction: Transaction<Tables>,
  now: number,
): Promise<string | undefined> {
  if (request === undefined) return undefined;
  const { key, what, userId, fingerprint } = request;
  const row = { user_id: userId, fingerprint, made: '', ends_at: now + KNOWN_MILLISECONDS };
  const first = await transaction
    .insertInto('requests')
    .values({ key, ...row })
    .onConflict((known) =>
      known.column('key').doUpdateSet(row).where('requests.ends_at', '<=', now),
    )
    .returning('key')
    .executeTakeFirst();
  if (first !== undefined) return undefined;
  const before = await transaction
    .selectFrom('requests')
    .select(['fingerprint', 'made'])
    .where('key', '=', key)
    .executeTakeFirstOrThrow();
  if (before.fingerprint !== fingerprint) throw keyTaken(what);
  return before.made;
}

/** Notes what a request made, for `recall`. */
export async function storeAnswer(
  request: Repeatable | undefined,
  made: string,
  transaction: Transaction<Tables>,
): Promise<void> {
  if (request !== undefined)
    await transaction
      .updateTable('requests')
      .set({ made })
      .where('key', '=', request.key)
      .execute();
}

export const keyTaken = (what: string): HttpError =>
  conflict(`This Idempotency-Key was already used for another ${what}.`);
