/** Idempotency keys: a call that creates something creates it once, however often it is retried. */
import { session } from './call';
import { ApiError } from './error';
import type { Endpoint } from '../shared/contract';

interface Wish {
  key: string;
  inFlight: number;
  /** Attempts whose outcome is unknown. A success settles only those that ended before it began. */
  unknown: number;
}

/** More than anybody leaves unfinished, and their texts need little memory. */
export const MAX_WISHES = 100;

/** By endpoint and content, in the order of the last attempt. */
const wishes = new Map<string, Wish>();

let owner: number | undefined;

/** Outlive an expired session, because the server may have done them, but not another person. */
function forgetOthers(): void {
  const person = session.person();
  if (person === undefined) return;
  if (person !== owner) wishes.clear();
  owner = person;
}

/**
 * Runs `work` with the idempotency key of this endpoint and content. The key stays the same until a
 * success is certain, so a retry after a lost answer is safe.
 * @throws what `work` throws
 */
export async function withIdempotencyKey<T>(
  endpoint: Endpoint,
  content: unknown,
  work: (idempotencyKey: string) => Promise<T>,
): Promise<T> {
  forgetOthers();
  const name = `${endpoint} ${JSON.stringify(content)}`;
  const wish = wishes.get(name) ?? { key: createIdempotencyKey(), inFlight: 0, unknown: 0 };
  wishes.delete(name);
  wishes.set(name, wish);
  makeRoom();
  const unknownBefore = wish.unknown;
  const forget = () => {
    if (wish.inFlight === 0 && wishes.get(name) === wish) wishes.delete(name);
  };
  wish.inFlight++;
  try {
    const answer = await work(wish.key);
    wish.inFlight--;
    // Otherwise another attempt failed without an outcome, and its retry needs this key.
    if (wish.unknown === unknownBefore) forget();
    return answer;
  } catch (error) {
    wish.inFlight--;
    if (isConflict(error)) forget();
    else wish.unknown++;
    throw error;
  }
}

/** This key can never succeed: it belongs to other content, or what exists is in its way. */
const isConflict = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 409 || error.status === 422);

/** Drops the oldest, except those in flight. */
function makeRoom(): void {
  for (const [name, { inFlight }] of wishes) {
    if (wishes.size <= MAX_WISHES) return;
    if (inFlight === 0) wishes.delete(name);
  }
}

/** 128 random bits. `crypto.randomUUID` exists only on https and localhost. */
export const createIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
