/** Waits so many milliseconds; rejects as soon as the signal is aborted. */
export type Pause = (
  milliseconds: number,
  value: undefined,
  options: { signal: AbortSignal },
) => Promise<unknown>;
