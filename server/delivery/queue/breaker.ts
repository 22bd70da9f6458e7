/**
 * A circuit breaker for each push service: one that cannot be reached is left alone for a while,
 * then tried with a single push, and left alone for longer if that fails, too. Its queue is not
 * claimed meanwhile; moving its rows would cost reads and writes for a host that hangs.
 */

/** What an attempt told about the service itself, whatever became of the push. */
export type Heard = 'accepted' | 'answered' | 'unreachable' | 'nothing';

/**
 * Failures in a row that a service may have which has accepted pushes before; one that never did
 * has one.
 */
const PATIENCE = 5;
const FIRST_WAIT = 30_000;
const MAX_WAIT = 15 * 60_000;
/**
 * Services come from clients: beyond so many, the state that is oldest is forgotten, which costs
 * one more try.
 */
const MAX_SERVICES = 10_000;

interface Trouble {
  failures: number;
  /** Since the first failure. Milliseconds of the monotonic clock, like all times here. */
  since: number;
  /** Left alone until then; 0 while it is not. */
  openUntil: number;
  wait: number;
}

export interface Breaker {
  /** `open`: not to be tried. `probe`: with one push at a time. */
  judge(service: number): 'closed' | 'open' | 'probe';
  hear(service: number, heard: Heard, isTrusted: boolean): void;
  /** It may answer again: lets it be tried with one push now. */
  retry(service: number): void;
  /** Services that have not answered for so long, in milliseconds. */
  silentFor(milliseconds: number): number[];
}

/** @param elapsed milliseconds of the monotonic clock */
export function createBreaker(elapsed: () => number, random: () => number): Breaker {
  const troubles = new Map<number, Trouble>();

  function fail(service: number, isTrusted: boolean): void {
    const now = elapsed();
    const trouble = troubles.get(service) ?? { failures: 0, since: now, openUntil: 0, wait: 0 };
    // Those that were under way when it opened say nothing new.
    if (trouble.openUntil > now) return;
    trouble.failures += 1;
    if (trouble.failures >= (isTrusted ? PATIENCE : 1)) {
      trouble.wait = Math.min(MAX_WAIT, trouble.wait === 0 ? FIRST_WAIT : trouble.wait * 2);
      // Ten thousand that failed together shall not return together.
      trouble.openUntil = now + trouble.wait * (1 - random() / 4);
    }
    troubles.delete(service);
    troubles.set(service, trouble);
    const [oldest] = troubles.keys();
    if (troubles.size > MAX_SERVICES && oldest !== undefined) troubles.delete(oldest);
  }

  return {
    judge(service) {
      const { openUntil } = troubles.get(service) ?? { openUntil: 0 };
      if (openUntil === 0) return 'closed';
      return openUntil > elapsed() ? 'open' : 'probe';
    },
    hear(service, heard, isTrusted) {
      if (heard === 'unreachable') fail(service, isTrusted);
      else if (heard !== 'nothing') troubles.delete(service);
    },
    retry(service) {
      const trouble = troubles.get(service);
      if (trouble !== undefined && trouble.openUntil > 0) trouble.openUntil = elapsed();
    },
    silentFor: (milliseconds) =>
      [...troubles]
        .filter(([, { since }]) => elapsed() - since >= milliseconds)
        .map(([service]) => service),
  };
}
