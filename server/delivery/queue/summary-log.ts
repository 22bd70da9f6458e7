import type { Log } from '../../lib/log';

const REPORT_EVERY = 10_000;

/** Counts outcomes and logs them together: when all work is done, else every ten seconds. */
export function createTally(
  log: Log,
  now: () => number,
): { add(state: string): void; report(done: boolean): void } {
  let counts: Record<string, number> = {};
  let since = now();
  return {
    add(state) {
      counts[state] = (counts[state] ?? 0) + 1;
    },
    report(done) {
      if (Object.keys(counts).length === 0 || (!done && now() - since < REPORT_EVERY)) return;
      log.info('deliveries', counts);
      counts = {};
      since = now();
    },
  };
}
