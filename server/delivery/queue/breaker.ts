/** A circuit breaker per push service: pauses an unreachable one, then probes it with one push. */

/** What an attempt revealed about the service, whatever happened to the push. */
export type ServiceReply = 'accepted' | 'responded' | 'unreachable' | 'nothing';

/** Failures in a row that pause a proven service; others are paused after one. */
const MAX_FAILURES = 5;
const FIRST_WAIT_MS = 30_000;
const MAX_WAIT_MS = 15 * 60_000;
/** Clients name services, so the oldest state is dropped, which costs one more try. */
const MAX_TROUBLED_SERVICES = 10_000;

interface ServiceTrouble {
  failures: number;
  /** The first failure. Milliseconds of the monotonic clock, as all times here. */
  since: number;
  /** The time until which the service is paused; 0 if it is not paused. */
  openUntil: number;
  wait: number;
}

export interface ServiceBreaker {
  /** `open`: do not try. `probe`: one push at a time. */
  judge(service: number): 'closed' | 'open' | 'probe';
  record(service: number, reply: ServiceReply, isProven: boolean): void;
  /** Allows a probe now. */
  retry(service: number): void;
  /** Services without any reply for that time. */
  silentFor(milliseconds: number): number[];
}

/** @param elapsed milliseconds of the monotonic clock */
export function createBreaker(elapsed: () => number, random: () => number): ServiceBreaker {
  const troubleByService = new Map<number, ServiceTrouble>();

  function recordFailure(service: number, isProven: boolean): void {
    const elapsedNow = elapsed();
    const trouble = troubleByService.get(service) ?? {
      failures: 0,
      since: elapsedNow,
      openUntil: 0,
      wait: 0,
    };
    // Pushes that were in flight when the breaker opened say nothing new.
    if (trouble.openUntil > elapsedNow) return;
    trouble.failures += 1;
    if (trouble.failures >= (isProven ? MAX_FAILURES : 1)) {
      trouble.wait = Math.min(MAX_WAIT_MS, trouble.wait === 0 ? FIRST_WAIT_MS : trouble.wait * 2);
      // Jitter, so that services that failed together do not return together.
      trouble.openUntil = elapsedNow + trouble.wait * (1 - random() / 4);
    }
    troubleByService.delete(service);
    troubleByService.set(service, trouble);
    const [oldest] = troubleByService.keys();
    if (troubleByService.size > MAX_TROUBLED_SERVICES && oldest !== undefined)
      troubleByService.delete(oldest);
  }

  return {
    judge(service) {
      const { openUntil } = troubleByService.get(service) ?? { openUntil: 0 };
      if (openUntil === 0) return 'closed';
      return openUntil > elapsed() ? 'open' : 'probe';
    },
    record(service, reply, isProven) {
      if (reply === 'unreachable') recordFailure(service, isProven);
      else if (reply !== 'nothing') troubleByService.delete(service);
    },
    retry(service) {
      const trouble = troubleByService.get(service);
      if (trouble !== undefined && trouble.openUntil > 0) trouble.openUntil = elapsed();
    },
    silentFor: (milliseconds) =>
      [...troubleByService]
        .filter(([, { since }]) => elapsed() - since >= milliseconds)
        .map(([service]) => service),
  };
}
