/** Calls that make something, so that no press, retry or lost answer makes it twice. */

let tried: { wish: string; key: string } | undefined;

/**
 * Does `work` with an Idempotency-Key for this wish. The same wish keeps its key until it is known to be fulfilled: after
 * an answer that never came it is safe to press again.
 */
export async function once<T>(wish: string, work: (idempotencyKey: string) => Promise<T>): Promise<T> {
  if (tried?.wish !== wish) tried = { wish, key: makeKey() };
  const answer = await work(tried.key);
  tried = undefined;
  return answer;
}

/** 128 random bits. Not crypto.randomUUID, which exists only on https and localhost. */
export const makeKey = (): string => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
