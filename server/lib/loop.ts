/** Background loops, and pauses that can be cut short. */
import { setTimeout as wait } from 'node:timers/promises';

/** Yields to waiting timers, sockets and requests. */
export const yieldToEventLoop = (): Promise<void> =>
  new Promise((resolve) => setImmediate(resolve));

/** Resolves with the work or after that time. Leaves no timer behind. */
export function waitAtMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    work.then(end, end);
  });
}

/** A sleep that can be ended early. Ended before it begins, it lasts one turn of the event loop. */
export interface Pause {
  for(milliseconds: number): Promise<void>;
  end(): void;
}

export function createPause(): Pause {
  let isEnded = false;
  let wakeUp: (() => void) | undefined;
  return {
    for(milliseconds) {
      if (isEnded || milliseconds <= 0) {
        isEnded = false;
        // A loop over such sleeps must not starve the process.
        return yieldToEventLoop();
      }
      return new Promise((resolve) => {
        const timer = setTimeout(finish, milliseconds);
        wakeUp = finish;
        function finish(): void {
          clearTimeout(timer);
          wakeUp = undefined;
          isEnded = false;
          resolve();
        }
      });
    },
    end() {
      isEnded = true;
      wakeUp?.();
    },
  };
}

export interface Loop {
  /** Polls now, or again after the current poll. */
  wake(): void;
  /** Resolves after the current poll. */
  stop(): Promise<void>;
}

/**
 * Polls repeatedly until the loop is stopped.
 * @param poll resolves with the milliseconds until the next poll
 * @param onFault handles a failed poll; returns the same
 */
export function startLoop(poll: () => Promise<number>, onFault: (error: unknown) => number): Loop {
  const pause = createPause();
  let isStopping = false;
  async function runLoop(): Promise<void> {
    while (!isStopping) {
      const pauseMs = await poll().catch(onFault);
      if (!isStopping) await pause.for(pauseMs);
    }
  }
  const loopEnd = runLoop();
  return {
    wake: () => pause.end(),
    stop() {
      isStopping = true;
      pause.end();
      return loopEnd;
    },
  };
}

const BATCH_PAUSE_MS = 20;

/** Repeats a step until it returns false or is aborted, with pauses for other writers. */
export async function runInBatches(
  step: () => Promise<boolean>,
  stopSignal: AbortSignal,
): Promise<void> {
  while (!stopSignal.aborted && (await step())) await wait(BATCH_PAUSE_MS);
}
