/** Finds out of which queues something is to be claimed now, and when it is worth looking again. */
import type { Database } from '../../db/open';
import type { Claim } from '../../db/outbox/claim';
import type { Share } from '../../db/outbox/claims';
import { PARKED } from '../../db/outbox/order';
import { listDueAt, listDueTrusted, scanUntrusted } from '../../db/outbox/queues';
import { NO_SERVICE, prove } from '../../db/push-services';
import type { Slots, Trust } from './slots';
import type { Allowlist } from './allowlist';

/**
 * Queues of services not proven that are looked at in one go, and the least milliseconds until the
 * next go.
 */
const SCAN_STEPS = 64;
const SCAN_EVERY = 100;
/** For so many milliseconds a queue is not looked through from its beginning again. */
const BEGIN_EVERY = 1000;
/** How often the time at which a service last accepted a push is written. */
const PROVE_EVERY = 3600_000;
/** Services come from clients: the memory for them is bounded. */
const MAX_KEPT = 1000;

interface FinderSettings {
  db: Database;
  now: () => number;
  elapsed: () => number;
  slots: Slots;
  vouched: Allowlist;
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
  /** Queues of proven services that hold something due, as far as is known. */
  const more = new Set<number>();
  /** Whether to ask them again: there was more than could be taken, or a push has ended. */
  let isAgain = false;
  /** Up to where each queue was claimed, and until when that is believed. */
  const claimedTo = new Map<number, { key: number; until: number }>();

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
      more.delete(service);
      provenAt.delete(service);
    }
    if (vouchedFor.size >= MAX_KEPT) vouchedFor.clear();
    for (const service of met.vouched) vouchedFor.add(service);
  }

  /** What was never tried lies in one order: all of it up to the last was claimed, by whomever. */
  function noteClaimed(service: number, taken: readonly Claim[]): void {
    const key = taken.reduce((last, { sortKey }) => Math.max(last, sortKey), 0);
    const until = claimedTo.get(service)?.until ?? elapsed() + BEGIN_EVERY;
    if (key === 0 || key >= PARKED) claimedTo.delete(service);
    else claimedTo.set(service, { key, until });
  }

  function withBeginning(share: Share): Share {
    const known = claimedTo.get(share.service);
    if (known === undefined) return share;
    if (elapsed() < known.until) return { ...share, from: known.key };
    claimedTo.delete(share.service);
    return share;
  }

  const trustOf = (service: number): Trust => {
    if (proven.has(service)) return 'proven';
    return vouchedFor.has(service) ? 'vouched' : 'unknown';
  };

  return {
    async find() {
      const isTime = elapsed() >= lookAt;
      if (isTime) {
        lookAt = elapsed() + pollEvery;
        more.clear();
        for (const service of await listDueTrusted(db, now())) {
          proven.add(service);
          more.add(service);
        }
      }
      const due = isTime || isAgain ? [...more] : [];
      isAgain = false;
      const others = await scan();
      remember(others);
      return slots.share({ proven: due, ...others }).map(withBeginning);
    },
    found(from, claims) {
      // Where there was as much as could be taken, there may be more.
      for (const { service, limit } of from) {
        const taken = claims.filter((claim) => claim.service === service);
        const isFull = taken.length >= limit;
        if (!proven.has(service)) {
          if (isFull) scanAt = Math.min(scanAt, elapsed() + SCAN_EVERY);
          continue;
        }
        noteClaimed(service, taken);
        if (!isFull) more.delete(service);
        isAgain ||= isFull;
        // Others have their turn, too.
        if (isFull) lookAt = Math.min(lookAt, elapsed() + SCAN_EVERY);
      }
    },
    freed(service) {
      isAgain ||= more.size > 0;
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
    pause: () => (isAgain ? 0 : Math.max(0, Math.min(lookAt, scanAt) - elapsed())),
    wake() {
      lookAt = 0;
      scanAt = 0;
      claimedTo.clear();
    },
  };
}
