/**
 * Which push service may have how many of the slots. A service that hangs keeps its slots for as
 * long as an attempt may take, so it must never have all of them:
 *
 * - A proven service (it has accepted pushes before) may hold three times as many as are still
 *   free. Alone it gets three quarters; the more there are, the less each gets; and something is
 *   left for the next one to come.
 * - Those that somebody vouches for, until they are proven, have an eighth, each of them one.
 * - All others together have another eighth, each of them one: they may be made up by the thousand.
 */
import type { Share } from '../../db/outbox/claims';
import { NO_SERVICE } from '../../db/push-services';
import type { Breaker, Heard } from './breaker';

const TIMES_FREE = 3;
const PART = 8;

/**
 * Why a service gets slots. `proven`: it has accepted pushes before. `vouched`: it has not, but it is
 * a browser's own or listed by the operator. `unknown`: it is a client's word.
 */
export type Trust = 'proven' | 'vouched' | 'unknown';

export interface Slots {
  /**
   * What each of these services may have claimed now, beside what it has in flight. Only those that
   * may have any.
   */
  share(due: Partial<Record<Trust, readonly number[]>>): Share[];
  /** Whether one more service that is not proven could get a slot. */
  hasRoom(trust: Exclude<Trust, 'proven'>): boolean;
  begin(service: number, trust: Trust): void;
  /** To be called once for each `begin`. */
  end(service: number, trust: Trust, heard: Heard): void;
}

export function createSlots(concurrency: number, breaker: Breaker): Slots {
  const inFlight = new Map<number, number>();
  const most = Math.max(1, Math.floor(concurrency / PART));
  const taken: Record<Trust, number> = { proven: 0, vouched: 0, unknown: 0 };
  const allTaken = (): number => taken.proven + taken.vouched + taken.unknown;
  const held = (service: number): number => inFlight.get(service) ?? 0;

  /** The most that keeps `held + more <= TIMES_FREE * (free - more)`, rounded up. */
  const roomFor = (service: number, free: number): number => {
    const judged = service === NO_SERVICE ? 'closed' : breaker.judge(service);
    if (judged === 'open') return 0;
    if (judged === 'probe') return held(service) === 0 ? Math.min(1, free) : 0;
    return Math.max(0, Math.ceil((TIMES_FREE * free - held(service)) / (1 + TIMES_FREE)));
  };

  return {
    share(due) {
      let free = concurrency - allTaken();
      const shares: Share[] = [];
      const add = (service: number, limit: number): void => {
        if (limit <= 0) return;
        shares.push({ service, limit });
        free -= limit;
      };
      // Those that hold the least come first, and one of those that are not proven cannot take
      // what they left.
      const inTurn = [...(due.proven ?? [])].sort((one, other) => held(one) - held(other));
      for (const service of inTurn) add(service, roomFor(service, free));
      for (const trust of ['vouched', 'unknown'] as const) {
        let room = Math.min(free, most - taken[trust]);
        for (const service of due[trust] ?? []) {
          if (room <= 0) break;
          if (held(service) > 0 || breaker.judge(service) === 'open') continue;
          add(service, 1);
          room -= 1;
        }
      }
      return shares;
    },
    hasRoom: (trust) => taken[trust] < most && allTaken() < concurrency,
    begin(service, trust) {
      inFlight.set(service, held(service) + 1);
      taken[trust] += 1;
    },
    end(service, trust, heard) {
      const rest = held(service) - 1;
      if (rest > 0) inFlight.set(service, rest);
      else inFlight.delete(service);
      taken[trust] -= 1;
      if (service !== NO_SERVICE) breaker.hear(service, heard, trust === 'proven');
    },
  };
}
