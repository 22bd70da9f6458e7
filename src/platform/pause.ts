/** Resolves with nothing after so many milliseconds. */
export const pause = (milliseconds: number): Promise<undefined> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** What a slow phone needs to open a database, and little enough to wait for where it never opens. */
const SOON_MS = 300;

/** What the promise resolves with, or nothing where that takes long. */
export const soon = <T>(promise: Promise<T>): Promise<T | undefined> =>
  Promise.race([promise, pause(SOON_MS)]);
