/** Selects the queues to claim from now, and decides when to look again. */
import type { Database } from '../../db/open';
import type { ClaimedPush } from '../../db/outbox/claimed-push';
import type { ServiceShare } from '../../db/outbox/claim-pushes';
import { RETRY_ORDER_START } from '../../db/outbox/queue-order';
import {
  listDueUnprovenServices,
  listDueProvenQueues,
  scanDueUnprovenServices,
} from '../../db/outbox/queues';
import { consumePushRate } from '../../db/push-pacing';
import { NO_SERVICE, markProven } from '../../db/push-services';
import type { ServiceSlots, ServiceTrust } from './service-slots';
import type { Allowlist } from './allowlist';

/** Unproven queues per scan, and the minimum milliseconds between scans. */
const SCAN_STEPS = 64;
const SCAN_EVERY_MS = 100;
/** Milliseconds until a queue is read from its beginning again. */
const RESTART_EVERY_MS = 1000;
/** Retries get this part of a share when the queue is read from its beginning. */
const RETRY_SHARE_DIVISOR = 4;
/** Milliseconds until a service that throttles us is looked at again. */
const PACED_QUERY_EVERY_MS = 500;
/** How often a service's proof is renewed in the database. */
const RENEW_PROOF_EVERY_MS = 3600_000;
/** Bounds the memory, because clients name services. */
const MAX_REMEMBERED_SERVICES = 1000;

interface QueueSelectorSettings {
  db: Database;
  now: () => number;
  elapsed: () => number;
  slots: ServiceSlots;
  allowlist: Allowlist;
  pollEveryMs: number;
}

export interface QueueSelector {
  /** How much to claim from each queue; nothing if it is too early to look. */
  selectShares(): Promise<ServiceShare[]>;
  /** Reports the claims made with shares from `selectShares`. */
  recordClaims(from: readonly ServiceShare[], claims: readonly ClaimedPush[]): void;
  /** Reports that a push of this service ended. */
  recordPushEnd(service: number): void;
  getTrust(service: number): ServiceTrust;
  /** Reports services that accepted a push. */
  recordAccepts(services: readonly number[]): Promise<void>;
  /** Milliseconds until the next look. */
  nextLookIn(): number;
  /** Looks at everything as soon as possible. */
  wake(): void;
}

export function createQueueSelector(settings: QueueSelectorSettings): QueueSelector {
  const { db, now, elapsed, slots, allowlist, pollEveryMs } = settings;
  /** When each service was last stored as accepting pushes. */
  const provenAt = new Map<number, number>();
  const provenServices = new Set([NO_SERVICE]);
  /** Unproven services of the allowlist seen so far. */
  const allowedServices = new Set<number>();
  let queryAt = 0;
  let scanAt = 0;
  let lastScannedId = 0;
  /** Proven services with due rows, as far as is known. */
  const servicesWithMore = new Set<number>();
  /** Services that throttle us, and until when. Milliseconds since 1970. */
  const throttledServices = new Map<number, number>();
  /** Look again at once: more rows were due than claimed, or a push ended. */
  let mustLookAgain = false;
  /** How far each queue was claimed, and until when that holds. */
  const claimedTo = new Map<number, { key: number; claimedUntil: number }>();

  async function findUnprovenServices(): Promise<
    Record<Exclude<ServiceTrust, 'proven'>, number[]>
  > {
    const unprovenServices = { allowed: [] as number[], unknown: [] as number[] };
    const hasRoom = slots.hasRoom('allowed') || slots.hasRoom('unknown');
    if (elapsed() < scanAt || !hasRoom) return unprovenServices;
    // The time is set before the query, so that a wake() during the query scans again.
    scanAt = elapsed() + pollEveryMs;
    // Allowed services are looked up by name first: a full scan is long if clients made up thousands.
    unprovenServices.allowed = await listDueUnprovenServices(db, now(), allowlist.origins);
    const { services, next } = await scanDueUnprovenServices(db, now(), lastScannedId, SCAN_STEPS);
    lastScannedId = next;
    if (next !== 0) scanAt = Math.min(scanAt, elapsed() + SCAN_EVERY_MS);
    for (const { id, origin } of services) {
      if (unprovenServices.allowed.includes(id)) continue;
      unprovenServices[origin !== null && allowlist.has(origin) ? 'allowed' : 'unknown'].push(id);
    }
    return unprovenServices;
  }

  function recordUnproven(seenServices: Record<'allowed' | 'unknown', number[]>): void {
    for (const service of [...seenServices.allowed, ...seenServices.unknown]) {
      provenServices.delete(service);
      servicesWithMore.delete(service);
      provenAt.delete(service);
    }
    if (allowedServices.size >= MAX_REMEMBERED_SERVICES) allowedServices.clear();
    for (const service of seenServices.allowed) allowedServices.add(service);
  }

  /** Untried rows are ordered, so all up to the last one were claimed by some process. */
  function rememberClaimedRange(service: number, claims: readonly ClaimedPush[]): void {
    const firstTries = claims.filter(({ sortKey }) => sortKey < RETRY_ORDER_START);
    const key = firstTries.reduce((highestKey, { sortKey }) => Math.max(highestKey, sortKey), 0);
    const claimedUntil = claimedTo.get(service)?.claimedUntil ?? elapsed() + RESTART_EVERY_MS;
    if (key === 0) claimedTo.delete(service);
    else claimedTo.set(service, { key, claimedUntil });
  }

  function continueAfterClaimed(share: ServiceShare): ServiceShare {
    const claimedRange = claimedTo.get(share.service);
    if (claimedRange === undefined) return share;
    if (elapsed() < claimedRange.claimedUntil) return { ...share, from: claimedRange.key };
    claimedTo.delete(share.service);
    return { ...share, retries: Math.ceil(share.limit / RETRY_SHARE_DIVISOR) };
  }

  async function limitToPace(shares: readonly ServiceShare[]): Promise<ServiceShare[]> {
    const pacedShares: ServiceShare[] = [];
    for (const share of shares) {
      const { service, limit: shareLimit } = share;
      const isPaced = (throttledServices.get(service) ?? 0) > now();
      const limit = isPaced ? await consumePushRate(service, shareLimit, db, now()) : shareLimit;
      if (limit < shareLimit) queryAt = Math.min(queryAt, elapsed() + PACED_QUERY_EVERY_MS);
      if (limit > 0) pacedShares.push({ ...share, limit });
    }
    return pacedShares;
  }

  const getTrust = (service: number): ServiceTrust => {
    if (provenServices.has(service)) return 'proven';
    return allowedServices.has(service) ? 'allowed' : 'unknown';
  };

  return {
    async selectShares() {
      const isQueryDue = elapsed() >= queryAt;
      if (isQueryDue) {
        queryAt = elapsed() + pollEveryMs;
        servicesWithMore.clear();
        throttledServices.clear();
        for (const { id, throttledUntil } of await listDueProvenQueues(db, now())) {
          provenServices.add(id);
          servicesWithMore.add(id);
          if (throttledUntil !== null) throttledServices.set(id, throttledUntil);
        }
      }
      const dueServices = isQueryDue || mustLookAgain ? [...servicesWithMore] : [];
      mustLookAgain = false;
      const otherServices = await findUnprovenServices();
      recordUnproven(otherServices);
      const shares = slots.share({ proven: dueServices, ...otherServices });
      return (await limitToPace(shares)).map(continueAfterClaimed);
    },
    recordClaims(from, claims) {
      // A full share means that more may be due.
      for (const { service, limit } of from) {
        const ownClaims = claims.filter((claim) => claim.service === service);
        const isFull = ownClaims.length >= limit;
        if (!provenServices.has(service)) {
          if (isFull) scanAt = Math.min(scanAt, elapsed() + SCAN_EVERY_MS);
          continue;
        }
        rememberClaimedRange(service, ownClaims);
        if (!isFull) servicesWithMore.delete(service);
        mustLookAgain ||= isFull;
        // Lets other services have a turn.
        if (isFull) queryAt = Math.min(queryAt, elapsed() + SCAN_EVERY_MS);
      }
    },
    recordPushEnd(service) {
      mustLookAgain ||= servicesWithMore.size > 0;
      if (!provenServices.has(service)) scanAt = Math.min(scanAt, elapsed() + SCAN_EVERY_MS);
    },
    getTrust,
    async recordAccepts(services) {
      for (const service of new Set(services)) {
        if (
          service === NO_SERVICE ||
          elapsed() - (provenAt.get(service) ?? -Infinity) < RENEW_PROOF_EVERY_MS
        )
          continue;
        if (provenAt.size >= MAX_REMEMBERED_SERVICES) provenAt.clear();
        provenAt.set(service, elapsed());
        await markProven(service, db, { now: now(), isAllowed: allowedServices.has(service) });
        queryAt = 0;
      }
    },
    nextLookIn: () => (mustLookAgain ? 0 : Math.max(0, Math.min(queryAt, scanAt) - elapsed())),
    wake() {
      queryAt = 0;
      scanAt = 0;
      claimedTo.clear();
    },
  };
}
