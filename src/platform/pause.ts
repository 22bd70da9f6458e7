export const pause = (milliseconds: number): Promise<undefined> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Enough for a slow phone to open a database, and short enough if it never opens. */
const MAX_SOON_WAIT_MS = 300;

/** Resolves with the promise's value, or with undefined if the promise takes too long. */
export const valueIfSoon = <T>(promise: Promise<T>): Promise<T | undefined> =>
  Promise.race([promise, pause(MAX_SOON_WAIT_MS)]);
