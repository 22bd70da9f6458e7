/**
 * Shares the slots for pushes in flight among push services, so that a hanging service never takes
 * all of them:
 *
 * - A proven service may use three times as many slots as stay free: three quarters if no other
 *   service sends, and fewer if others do.
 * - Allowed services together have an eighth until they are proven, one slot for each service.
 * - Unknown services together have another eighth, one slot for each service, because clients may
 *   invent thousands of services.
 */
import type { ServiceShare } from '../../db/outbox/claim-pushes';
import { NO_SERVICE } from '../../db/push-services';
import type { ServiceBreaker, ServiceReply } from './breaker';

const PUSHES_PER_FREE_SLOT = 3;
const UNPROVEN_SLOTS_DIVISOR = 8;

/**
 * `proven`: it has accepted pushes. `allowed`: not yet, but it is a browser's own or the operator
 * lists it. `unknown`: only clients name it.
 */
export type ServiceTrust = 'proven' | 'allowed' | 'unknown';

export interface ServiceSlots {
  /** What each service may claim beside its pushes in flight; those without a slot are left out. */
  share(due: Partial<Record<ServiceTrust, readonly number[]>>): ServiceShare[];
  /** Whether another unproven service could get a slot. */
  hasRoom(trust: Exclude<ServiceTrust, 'proven'>): boolean;
  begin(service: number, trust: ServiceTrust): void;
  /** Call once for each `begin`. */
  end(service: number, trust: ServiceTrust, reply: ServiceReply): void;
}

export function createServiceSlots(concurrency: number, breaker: ServiceBreaker): ServiceSlots {
  const inFlight = new Map<number, number>();
  const maxUnprovenSlots = Math.max(1, Math.floor(concurrency / UNPROVEN_SLOTS_DIVISOR));
  const takenSlots: Record<ServiceTrust, number> = { proven: 0, allowed: 0, unknown: 0 };
  const countTakenSlots = (): number => takenSlots.proven + takenSlots.allowed + takenSlots.unknown;
  const countInFlight = (service: number): number => inFlight.get(service) ?? 0;

  /** The most that keeps `countInFlight + more <= PUSHES_PER_FREE_SLOT * (free - more)`, rounded up. */
  const countAvailableSlots = (service: number, freeSlots: number): number => {
    const circuitState = service === NO_SERVICE ? 'closed' : breaker.judge(service);
    if (circuitState === 'open') return 0;
    if (circuitState === 'probe') return countInFlight(service) === 0 ? Math.min(1, freeSlots) : 0;
    return Math.max(
      0,
      Math.ceil(
        (PUSHES_PER_FREE_SLOT * freeSlots - countInFlight(service)) / (1 + PUSHES_PER_FREE_SLOT),
      ),
    );
  };

  return {
    share(dueServices) {
      let freeSlots = concurrency - countTakenSlots();
      const shares: ServiceShare[] = [];
      const addShare = (service: number, limit: number): void => {
        if (limit <= 0) return;
        shares.push({ service, limit });
        freeSlots -= limit;
      };
      // Services with the fewest pushes in flight come first.
      const leastBusyFirst = [...(dueServices.proven ?? [])].sort(
        (a, b) => countInFlight(a) - countInFlight(b),
      );
      for (const service of leastBusyFirst)
        addShare(service, countAvailableSlots(service, freeSlots));
      for (const trust of ['allowed', 'unknown'] as const) {
        let freeUnprovenSlots = Math.min(freeSlots, maxUnprovenSlots - takenSlots[trust]);
        for (const service of dueServices[trust] ?? []) {
          if (freeUnprovenSlots <= 0) break;
          if (countInFlight(service) > 0 || breaker.judge(service) === 'open') continue;
          addShare(service, 1);
          freeUnprovenSlots -= 1;
        }
      }
      return shares;
    },
    hasRoom: (trust) => takenSlots[trust] < maxUnprovenSlots && countTakenSlots() < concurrency,
    begin(service, trust) {
      inFlight.set(service, countInFlight(service) + 1);
      takenSlots[trust] += 1;
    },
    end(service, trust, reply) {
      const remainingCount = countInFlight(service) - 1;
      if (remainingCount > 0) inFlight.set(service, remainingCount);
      else inFlight.delete(service);
      takenSlots[trust] -= 1;
      if (service !== NO_SERVICE) breaker.record(service, reply, trust === 'proven');
    },
  };
}
