/**
 * Which name is asked for next. Names that are never answered hold their place until they are given
 * up: they must not take all places. Those that were answered before have some of their own, and
 * those of our own choice some more.
 */
export interface LookupLimits {
  /** Lookups under way. */
  lookups: number;
  /** Of these, how many new names leave free for known ones, and as many more for trusted ones. */
  reserved: number;
  /**
   * For names that end in the same two labels, unless they are trusted: one domain has any number
   * of names.
   */
  perSite: number;
  /** Names that wait for their turn. */
  waiting: number;
  /** Milliseconds that one waits. */
  patience: number;
}

/**
 * `known`: it was answered before. `trusted`: it is not from a client, or is a browser's own push
 * service.
 */
export type LookupStanding = 'new' | 'known' | 'trusted';

interface Waiting {
  site: string;
  standing: LookupStanding;
  since: number;
  begin: () => void;
  giveUp: () => void;
}

export interface LookupQueue {
  /** Does the work in its turn. Resolves with undefined if that does not come. */
  enter<Result>(
    name: string,
    standing: LookupStanding,
    work: () => Promise<Result>,
  ): Promise<Result | undefined>;
}

/** @param now milliseconds on a clock that does not jump */
export function createLookupQueue(limits: LookupLimits, now: () => number): LookupQueue {
  const waiting = new Set<Waiting>();
  const bySite = new Map<string, number>();
  let underWay = 0;

  function mayBegin({ site, standing }: Waiting): boolean {
    if (standing === 'trusted') return underWay < limits.lookups;
    const leftFree = standing === 'known' ? limits.reserved : 2 * limits.reserved;
    return underWay < limits.lookups - leftFree && (bySite.get(site) ?? 0) < limits.perSite;
  }

  function beginNext(): void {
    for (const one of waiting) {
      const isLate = now() - one.since > limits.patience;
      if (!isLate && !mayBegin(one)) continue;
      waiting.delete(one);
      if (isLate) one.giveUp();
      else one.begin();
    }
  }

  function count(site: string, change: 1 | -1): void {
    underWay += change;
    const rest = (bySite.get(site) ?? 0) + change;
    if (rest > 0) bySite.set(site, rest);
    else bySite.delete(site);
  }

  return {
    enter: (name, standing, work) =>
      new Promise((resolve, reject) => {
        const site = name.split('.').slice(-2).join('.');
        const begin = (): void => {
          count(site, 1);
          const end = (): void => {
            count(site, -1);
            beginNext();
          };
          work().then(resolve, reject).finally(end);
        };
        const entry = { site, standing, since: now(), begin, giveUp: () => resolve(undefined) };
        if (mayBegin(entry)) return begin();
        if (waiting.size >= limits.waiting) return resolve(undefined);
        waiting.add(entry);
      }),
  };
}
