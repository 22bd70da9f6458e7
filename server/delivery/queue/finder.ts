/** Finds out of which queues something is to be claimed now, and when it is worth looking again. */
import type { Database } from '../../db/open';
import type { Claim } from '../../db/outbox/claim';
import type { Share } from '../../db/outbox/claims';
import { listDueAt, listDueTrusted, scanUntrusted } from '../../db/outbox/queues';
import { NO_SERVICE, prove } from '../../db/push-services';
import type { Slots, Trust } from './slots';
import type { Vouched } from './vouched';

/**
 * Queues of services not proven that are looked at in one go, and the least milliseconds until the
 * next go.
 */
const SCAN_STEPS = 64;
const SCAN_EVERY = 100;
/** How often the time at which a service last accepted a push is written. */
const PROVE_EVERY = 3600_000;
/** Services come from clients: the memory for them is bounded. */
const MAX_KEPT = 1000;

interface FinderSettings {
  db: Database;
  now: () => number;
  elapsed: () => number;
  slots: Slots;
  vouched: Vouched;
  pollEvery: number;
}

export interface Finder {
  /** How much to claim of which queues; nothing while it is not worth looking. */
  find(): Promise<Share[]>;
  /** What was claimed of what `find` said. */
  found(from: readonly Share[], claims: readonly Claim[]): void;
  /** A push of this service has ended. */
  freed(service: number): void;
  trustOf(service: number): Trust;
  /** These have accepted a push. */
  trust(services: readonly number[]): Promise<void>;
  /** Milliseconds until it is worth looking again. */
  pause(): number;
  /** Looks at everything as soon as possible. */
  wake(): void;
}

export function createFinder(settings: FinderSettings): Finder {
  const { db, now, elapsed, slots, vouched, pollEvery } = settings;
  /** When each service was last written down as proven. */
  const provenAt = new Map<number, number>();
  const proven = new Set([NO_SERVICE]);
  /** Those not proven for which somebody vouches, as far as they were met. */
  const vouchedFor = new Set<number>();
  let lookAt = 0;
  let scanAt = 0;
  let scanAfter = 0;
  let isLeftBehind = false;

  /** Due pushes at services that are not proven. */
  async function scan(): Promise<Record<Exclude<Trust, 'proven'>, number[]>> {
    const found = { vouched: [] as number[], unknown: [] as number[] };
    const hasRoom = slots.hasRoom('vouched') || slots.hasRoom('unknown');
    if (elapsed() < scanAt || !hasRoom) return found;
    // Forgotten before asking, so that a wake() during the question asks once more.
    scanAt = elapsed() + pollEvery;
    // By name first: the way through all is long where clients made up thousands.
    found.vouched = await listDueAt(db, now(), vouched.origins);
    const { services, next } = await scanUntrusted(db, now(), scanAfter, SCAN_STEPS);
    scanAfter = next;
    if (next !== 0) scanAt = Math.min(scanAt, elapsed() + SCAN_EVERY);
    for (const { id, origin } of services) {
      if (found.vouched.includes(id)) continue;
      found[origin !== null && vouched.has(origin) ? 'vouched' : 'unknown'].push(id);
    }
    return found;
  }

  function remember(met: Record<'vouched' | 'unknown', number[]>): void {
    for (const service of [...met.vouched, ...met.unknown]) {
      proven.delete(service);
      provenAt.delete(service);
    }
    if (vouchedFor.size >= MAX_KEPT) vouchedFor.clear();
    for (const service of met.vouched) vouchedFor.add(service);
  }

  const trustOf = (service: number): Trust => {
    if (proven.has(service)) return 'proven';
    return vouchedFor.has(service) ? 'vouched' : 'unknown';
  };

  return {
    async find() {
      let due: number[] = [];
      if (elapsed() >= lookAt) {
        lookAt = elapsed() + pollEvery;
        due = await listDueTrusted(db, now());
        for (const service of due) proven.add(service);
      }
      const others = await scan();
      remember(others);
      const shares = slots.share({ proven: due, ...others });
      isLeftBehind ||= shares.length < due.length;
      return shares;
    },
    found(from, claims) {
      // Where there was as much as could be taken, there may be more.
      for (const { service, limit } of from) {
        const isFull = claims.filter((claim) => claim.service === service).length >= limit;
        if (isFull && proven.has(service)) lookAt = 0;
        if (isFull && !proven.has(service)) scanAt = Math.min(scanAt, elapsed() + SCAN_EVERY);
      }
    },
    freed(service) {
      if (isLeftBehind) lookAt = 0;
      isLeftBehind = false;
      if (!proven.has(service)) scanAt = Math.min(scanAt, elapsed() + SCAN_EVERY);
    },
    trustOf,
    async trust(services) {
      for (const service of new Set(services)) {
        if (
          service === NO_SERVICE ||
          elapsed() - (provenAt.get(service) ?? -Infinity) < PROVE_EVERY
        )
          continue;
        if (provenAt.size >= MAX_KEPT) provenAt.clear();
        provenAt.set(service, elapsed());
        await prove(service, db, { now: now(), isVouched: vouchedFor.has(service) });
        lookAt = 0;
      }
    },
    pause: () => Math.max(0, Math.min(lookAt, scanAt) - elapsed()),
    wake() {
      lookAt = 0;
      scanAt = 0;
    },
  };
}
