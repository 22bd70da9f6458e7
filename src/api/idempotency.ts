/** Idempotency keys: a call that creates something creates it once, however often it is retried. */
import { sessionAccess } from './call';
import { ApiError } from './error';
import type { Endpoint } from '../shared/contract';

interface PendingCreate {
  key: string;
  inFlight: number;
  /**
   * Attempts whose outcome is unknown. A success settles only attempts that ended before it began.
   */
  unknown: number;
}

/** People leave fewer creates unfinished, and their texts need little memory. */
export const MAX_PENDING_CREATES = 100;

/** Creates by endpoint and content, in the order of their last attempt. */
const pendingCreates = new Map<string, PendingCreate>();

let ownerId: number | undefined;

/** Pending creates outlive an expired session, but another person must not repeat them. */
function forgetOtherPersonsCreates(): void {
  const person = sessionAccess.person();
  if (person === undefined) return;
  if (person !== ownerId) pendingCreates.clear();
  ownerId = person;
}

/**
 * Runs `send` with the idempotency key of this endpoint and content. The key stays the same until a
 * success is certain, so a retry after a lost response is safe.
 * @throws what `send` throws
 */
export async function withIdempotencyKey<T>(
  endpoint: Endpoint,
  content: unknown,
  send: (idempotencyKey: string) => Promise<T>,
): Promise<T> {
  forgetOtherPersonsCreates();
  const createName = `${endpoint} ${JSON.stringify(content)}`;
  const pendingCreate = pendingCreates.get(createName) ?? {
    key: createIdempotencyKey(),
    inFlight: 0,
    unknown: 0,
  };
  pendingCreates.delete(createName);
  pendingCreates.set(createName, pendingCreate);
  dropOldest();
  const unknownBefore = pendingCreate.unknown;
  const forgetKey = () => {
    if (pendingCreate.inFlight === 0 && pendingCreates.get(createName) === pendingCreate)
      pendingCreates.delete(createName);
  };
  pendingCreate.inFlight++;
  try {
    const result = await send(pendingCreate.key);
    pendingCreate.inFlight--;
    // If another attempt failed without an outcome meanwhile, its retry needs this key.
    if (pendingCreate.unknown === unknownBefore) forgetKey();
    return result;
  } catch (error) {
    pendingCreate.inFlight--;
    if (isConflict(error)) forgetKey();
    else pendingCreate.unknown++;
    throw error;
  }
}

/**
 * This key can never succeed: the server used it for other content, or the content already exists.
 */
const isConflict = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 409 || error.status === 422);

/** Drops the oldest creates that are not in flight. */
function dropOldest(): void {
  for (const [name, { inFlight }] of pendingCreates) {
    if (pendingCreates.size <= MAX_PENDING_CREATES) return;
    if (inFlight === 0) pendingCreates.delete(name);
  }
}

/** 128 random bits. `crypto.randomUUID` exists only on https and localhost. */
export const createIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
