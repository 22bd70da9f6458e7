/** Timers of 200 ms and more wait for `advance`; shorter ones run as always. */
import { act } from '@testing-library/preact';

/**
 * Milliseconds for `findBy…` and `waitFor`. Odd, so that their own timer is recognized and runs.
 */
export const ASYNC_TIMEOUT_MS = 20_001;
const MIN_FAKE_DELAY_MS = 200;
const MAX_DELAY_MS = 2 ** 31 - 1;

interface Timer {
  at: number;
  run: () => void;
}

const realTimers = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout };
const timers = new Map<unknown, Timer>();
let fakeNow = 0;

/** Effects run a turn after the frame was drawn. */
const afterFrame = (): Promise<void> =>
  new Promise((resolve) =>
    requestAnimationFrame(() => realTimers.setTimeout(() => realTimers.setTimeout(resolve))),
  );

export const clock = {
  install(): void {
    fakeNow = 0;
    timers.clear();
    const setFakeTimeout = (
      run: (...values: unknown[]) => void,
      delay = 0,
      ...timerArguments: unknown[]
    ): unknown => {
      if (delay < MIN_FAKE_DELAY_MS || delay === ASYNC_TIMEOUT_MS)
        return realTimers.setTimeout(run, delay, ...timerArguments);
      const id = {};
      // Browsers use 1 ms for a longer one.
      timers.set(id, {
        at: fakeNow + (delay > MAX_DELAY_MS ? 1 : delay),
        run: () => run(...timerArguments),
      });
      return id;
    };
    const clearFakeTimeout = (id: unknown): void => {
      if (!timers.delete(id)) realTimers.clearTimeout(id as NodeJS.Timeout);
    };
    Object.assign(globalThis, { setTimeout: setFakeTimeout, clearTimeout: clearFakeTimeout });
  },
  remove(): void {
    Object.assign(globalThis, realTimers);
  },
  countTimers: (): number => timers.size,
  /** Runs all timers that are due by then, in order. */
  async advance(milliseconds: number): Promise<void> {
    await afterFrame();
    const endsAt = fakeNow + milliseconds;
    for (;;) {
      const [nextEntry] = [...timers]
        .filter(([, each]) => each.at <= endsAt)
        .sort(([, each], [, other]) => each.at - other.at);
      if (!nextEntry) break;
      const [id, timer] = nextEntry;
      timers.delete(id);
      fakeNow = timer.at;
      await act(() => timer.run());
    }
    fakeNow = endsAt;
  },
};
