export const pause = (milliseconds: number): Promise<undefined> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Enough for a slow phone to open a database, and short enough if it never opens. */
const SOON_MS = 300;

/** The promise's value, or undefined if it takes too long. */
export const valueIfSoon = <T>(promise: Promise<T>): Promise<T | undefined> =>
  Promise.race([promise, pause(SOON_MS)]);
