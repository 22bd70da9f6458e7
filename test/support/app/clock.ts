/** Timers of 200 ms and more wait for `advance`; shorter ones run as always. */
import { act } from '@testing-library/preact';

/**
 * Milliseconds for `findBy…` and `waitFor`. Odd, so that their own timer is recognized and runs.
 */
export const ASYNC_TIMEOUT_MS = 20_001;
const NOTICEABLE = 200;
const MAX_LENGTH = 2 ** 31 - 1;

interface Timer {
  at: number;
  run: () => void;
}

const real = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout };
const timers = new Map<unknown, Timer>();
let now = 0;

/** Effects run a turn after the frame was drawn. */
const afterFrame = (): Promise<void> =>
  new Promise((resolve) =>
    requestAnimationFrame(() => real.setTimeout(() => real.setTimeout(resolve))),
  );

export const clock = {
  install(): void {
    now = 0;
    timers.clear();
    const set = (run: (...given: unknown[]) => void, delay = 0, ...given: unknown[]): unknown => {
      if (delay < NOTICEABLE || delay === ASYNC_TIMEOUT_MS)
        return real.setTimeout(run, delay, ...given);
      const id = {};
      // Browsers use 1 ms for a longer one.
      timers.set(id, { at: now + (delay > MAX_LENGTH ? 1 : delay), run: () => run(...given) });
      return id;
    };
    const clear = (id: unknown): void => {
      if (!timers.delete(id)) real.clearTimeout(id as NodeJS.Timeout);
    };
    Object.assign(globalThis, { setTimeout: set, clearTimeout: clear });
  },
  remove(): void {
    Object.assign(globalThis, real);
  },
  waiting: (): number => timers.size,
  /** Runs all timers that are due by then, in order. */
  async advance(milliseconds: number): Promise<void> {
    await afterFrame();
    const end = now + milliseconds;
    for (;;) {
      const [next] = [...timers]
        .filter(([, one]) => one.at <= end)
        .sort(([, one], [, other]) => one.at - other.at);
      if (!next) break;
      const [id, timer] = next;
      timers.delete(id);
      now = timer.at;
      await act(() => timer.run());
    }
    now = end;
  },
};
