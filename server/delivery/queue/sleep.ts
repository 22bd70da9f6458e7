/**
 * A sleep that can be cut short. Ending it before it began counts too: the next sleep then lasts
 * one turn of the event loop.
 */
export interface Pause {
  for(milliseconds: number): Promise<void>;
  end(): void;
}

/** Lets everything else run that waits for this process: timers, sockets, requests. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export function createPause(): Pause {
  let ended = false;
  let wakeUp: (() => void) | undefined;
  return {
    for(milliseconds) {
      if (ended || milliseconds <= 0) {
        ended = false;
        // Not at once: a loop over such sleeps would keep everything else in the process from
        // running.
        return nextTurn();
      }
      return new Promise((resolve) => {
        const timer = setTimeout(finish, milliseconds);
        wakeUp = finish;
        function finish(): void {
          clearTimeout(timer);
          wakeUp = undefined;
          ended = false;
          resolve();
        }
      });
    },
    end() {
      ended = true;
      wakeUp?.();
    },
  };
}
