/**
 * Decides which name is looked up next. Names that never resolve must not take all places, so known
 * names have some reserved, and trusted names more.
 */
export interface LookupLimits {
  /** Concurrent look-ups. */
  lookups: number;
  /** Places that new names leave to known ones, and as many more to trusted ones. */
  reserved: number;
  /** The limit per untrusted site (the last two labels): a domain has any number of names. */
  perSite: number;
  /** Waiting names. */
  waiting: number;
  /** Milliseconds that a name waits. */
  maxWait: number;
}

/** `known`: it resolved before. `trusted`: not a client's, or a browser's own push service. */
export type LookupTrust = 'new' | 'known' | 'trusted';

interface WaitingLookup {
  site: string;
  trust: LookupTrust;
  since: number;
  begin: () => void;
  abandon: () => void;
}

export interface LookupQueue {
  /** Runs the work in its turn; undefined if its turn does not come in time. */
  enter<Result>(
    name: string,
    trust: LookupTrust,
    work: () => Promise<Result>,
  ): Promise<Result | undefined>;
}

/** @param now milliseconds of a monotonic clock */
export function createLookupQueue(limits: LookupLimits, now: () => number): LookupQueue {
  const waitingLookups = new Set<WaitingLookup>();
  const bySite = new Map<string, number>();
  let runningCount = 0;

  function mayBegin({ site, trust }: WaitingLookup): boolean {
    if (trust === 'trusted') return runningCount < limits.lookups;
    const leftFree = trust === 'known' ? limits.reserved : 2 * limits.reserved;
    return runningCount < limits.lookups - leftFree && (bySite.get(site) ?? 0) < limits.perSite;
  }

  function beginNext(): void {
    for (const lookup of waitingLookups) {
      const isLate = now() - lookup.since > limits.maxWait;
      if (!isLate && !mayBegin(lookup)) continue;
      waitingLookups.delete(lookup);
      if (isLate) lookup.abandon();
      else lookup.begin();
    }
  }

  function countRunning(site: string, change: 1 | -1): void {
    runningCount += change;
    const remainingCount = (bySite.get(site) ?? 0) + change;
    if (remainingCount > 0) bySite.set(site, remainingCount);
    else bySite.delete(site);
  }

  return {
    enter: (name, trust, work) =>
      new Promise((resolve, reject) => {
        const site = name.split('.').slice(-2).join('.');
        const begin = (): void => {
          countRunning(site, 1);
          const end = (): void => {
            countRunning(site, -1);
            beginNext();
          };
          work().then(resolve, reject).finally(end);
        };
        const entry = { site, trust, since: now(), begin, abandon: () => resolve(undefined) };
        if (mayBegin(entry)) return begin();
        if (waitingLookups.size >= limits.waiting) return resolve(undefined);
        waitingLookups.add(entry);
      }),
  };
}
