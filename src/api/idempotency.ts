/**
 * Idempotency-Keys: calls that make something make it once, however often and from however many
 * dialogs that is tried.
 */
import { session } from './call';
import { ApiError } from './error';
import type { Endpoint } from '../shared/contract';

/** A thing to be made, and the key under which the server is asked for it. */
interface Wish {
  key: string;
  /** Attempts that have no answer yet. */
  inFlight: number;
  /**
   * Attempts whose outcome is unknown. A success counts for those before it, not for one that ended
   * while it was on its way.
   */
  unknown: number;
}

/**
 * So many wishes are remembered: more than a person leaves unfulfilled, and their texts take no
 * memory to speak of.
 */
export const MAX_WISHES = 100;

/** By endpoint and content; the one tried last is the last. */
const wishes = new Map<string, Wish>();

/** Whose wishes these are. */
let owner: number | undefined;

/**
 * Wishes outlive a session that ends by itself, since what was tried in it may have been done;
 * another person has other wishes.
 */
function forgetOthers(): void {
  const person = session.person();
  if (person === undefined) return;
  if (person !== owner) wishes.clear();
  owner = person;
}

/**
 * Does `work` with the Idempotency-Key of this wish. A wish, which is an endpoint with all that is
 * sent to it, keeps its key until it is known to be fulfilled: after an answer that never came it
 * is safe to try again. A success of another wish changes nothing.
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
    // Else another attempt was told that it can be repeated, and has to find this key.
    if (wish.unknown === unknownBefore) forget();
    return answer;
  } catch (error) {
    wish.inFlight--;
    if (isConflict(error)) forget();
    else wish.unknown++;
    throw error;
  }
}

/**
 * Under this key it can never be made: the key stands for something else, or what exists is in its
 * way.
 */
const isConflict = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 409 || error.status === 422);

/** Forgets the wishes that were tried longest ago, but none that is on its way. */
function makeRoom(): void {
  for (const [name, { inFlight }] of wishes) {
    if (wishes.size <= MAX_WISHES) return;
    if (inFlight === 0) wishes.delete(name);
  }
}

/** 128 random bits. Not crypto.randomUUID, which exists only on https and localhost. */
export const createIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
