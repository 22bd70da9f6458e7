/**
 * Resolves the hosts of push endpoints. They are the client's word, and a name that is never
 * answered would hold one of libuv's few threads for many seconds, which the system's lookup,
 * password hashes and PostgreSQL's connections share.
 */
import { lookup, type LookupAddress, type LookupAllOptions } from 'node:dns';
import { isBrowserService } from './browser-services';
import { type DnsAnswer, type QueryLimits, queryDns } from './dns-query';
import { createHostsFile, SYSTEM_HOSTS_FILE } from './hosts-file';
import { createLookupQueue, type LookupLimits, type LookupStanding } from './lookup-queue';

/** The part of `dns.lookup` in use: our own resolver does it, tests bring theirs. */
export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export interface ResolverLimits extends QueryLimits, LookupLimits {
  /** Milliseconds for which an answer is kept at least and at most, whatever its TTL says. */
  shortest: number;
  longest: number;
  /** Milliseconds for which "there is no such name" is kept, and any other failure. */
  absent: number;
  failed: number;
  /** Milliseconds for which old addresses stand in for an answer that does not come (RFC 8767). */
  stale: number;
  /** Names whose addresses are kept, and as many whose failure is. */
  names: number;
  /**
   * Milliseconds that the first push to a name of a client's choice waits for its addresses. The
   * question goes on, and its answer serves the next try: a question without an answer must not
   * hold a slot for longer.
   */
  stranger: number;
}

export interface ResolverSettings {
  /**
   * Names for which the operator vouches. Where DNS does not know one of them, the system is asked
   * as well.
   */
  trustedNames?: ReadonlySet<string>;
  /**
   * What follows is for tests: name servers (`127.0.0.1:5300`), the hosts file, the system's
   * lookup, a clock.
   */
  servers?: readonly string[];
  hostsFile?: string;
  systemLookup?: Resolve;
  now?: () => number;
  limits?: Partial<ResolverLimits>;
}

const DEFAULT_RESOLVER_LIMITS: ResolverLimits = {
  timeout: 5000,
  retryAfter: 1500,
  otherFamily: 250,
  lookups: 256,
  reserved: 32,
  perSite: 32,
  waiting: 4096,
  patience: 5000,
  shortest: 10_000,
  longest: 300_000,
  absent: 30_000,
  failed: 5000,
  stale: 3600_000,
  names: 2000,
  stranger: 1000,
};

/** On the monotonic clock. */
interface Kept {
  answer: DnsAnswer;
  until: number;
  /** Until when it stands in for an answer that does not come. */
  staleUntil: number;
}

const ABSENT = 'ENOTFOUND';
const LOOPBACK: DnsAnswer = {
  is: 'found',
  ttl: 0,
  addresses: [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ],
};

/**
 * A stand-in for `dns.lookup` as the address guard uses it: hosts file first, then DNS, each answer
 * kept for its TTL.
 */
export function createResolver(settings: ResolverSettings = {}): Resolve {
  const {
    trustedNames = new Set(),
    servers,
    hostsFile = SYSTEM_HOSTS_FILE,
    systemLookup = lookup,
    now = () => performance.now(),
  } = settings;
  const limits = { ...DEFAULT_RESOLVER_LIMITS, ...settings.limits };
  const inHostsFile = createHostsFile(hostsFile, now);
  /** Those used longest ago come first. Apart, so that invented names drive out no good ones. */
  const good = new Map<string, Kept>();
  const bad = new Map<string, Kept>();
  const underWay = new Map<string, Promise<DnsAnswer>>();
  const queue = createLookupQueue(limits, now);
  let systemTurn: Promise<unknown> = Promise.resolve();

  function find(name: string): DnsAnswer | Promise<DnsAnswer> {
    const written = inHostsFile(name);
    if (written) return { is: 'found', ttl: 0, addresses: written };
    // RFC 6761, 6.3: never a question to DNS.
    if (name === 'localhost' || name.endsWith('.localhost')) return LOOPBACK;
    return recall(name) ?? underWay.get(name) ?? ask(name);
  }

  function recall(name: string): DnsAnswer | undefined {
    const kept = good.get(name) ?? bad.get(name);
    if (!kept || kept.until <= now()) return undefined;
    if (good.delete(name)) good.set(name, kept);
    return kept.answer;
  }

  // What other names do must never make trusted ones wait.
  function standingOf(name: string): LookupStanding {
    if (trustedNames.has(name) || isBrowserService(name)) return 'trusted';
    return good.has(name) ? 'known' : 'new';
  }

  function ask(name: string): Promise<DnsAnswer> {
    const asking = queue
      .enter(name, standingOf(name), () => inquire(name))
      .then((answer) =>
        answer ? keep(name, answer) : ({ is: 'failed', code: 'ETIMEOUT' } as const),
      )
      .finally(() => underWay.delete(name));
    underWay.set(name, asking);
    return asking;
  }

  async function inquire(name: string): Promise<DnsAnswer> {
    const answer = await queryDns(name, limits, servers);
    const mayBeLocal =
      answer.is === 'failed' && (answer.code === ABSENT || answer.code === 'ECONNREFUSED');
    return mayBeLocal && trustedNames.has(name) ? askSystem(name) : answer;
  }

  /** One after the other: should they hang after all, they hold a single thread. */
  function askSystem(name: string): Promise<DnsAnswer> {
    const answering = systemTurn.then(
      () =>
        new Promise<DnsAnswer>((resolve) => {
          systemLookup(name, { all: true }, (error, addresses) =>
            resolve(
              error
                ? { is: 'failed', code: error.code ?? ABSENT }
                : { is: 'found', addresses, ttl: 0 },
            ),
          );
        }),
    );
    systemTurn = answering;
    return answering;
  }

  function keep(name: string, answer: DnsAnswer): DnsAnswer {
    if (answer.is === 'found') {
      bad.delete(name);
      const until = now() + Math.min(limits.longest, Math.max(limits.shortest, answer.ttl * 1000));
      put(good, name, { answer, until, staleUntil: until + limits.stale });
      return answer;
    }
    const known = good.get(name);
    const isAbsent = answer.code === ABSENT;
    if (known && !isAbsent && known.staleUntil > now()) {
      put(good, name, { ...known, until: now() + limits.failed });
      return known.answer;
    }
    good.delete(name);
    put(bad, name, {
      answer,
      until: now() + (isAbsent ? limits.absent : limits.failed),
      staleUntil: 0,
    });
    return answer;
  }

  function put(kept: Map<string, Kept>, name: string, value: Kept): void {
    kept.delete(name);
    kept.set(name, value);
    const [oldest] = kept.keys();
    if (kept.size > limits.names && oldest !== undefined) kept.delete(oldest);
  }

  return (hostname, { family }, done) => {
    const name = hostname.toLowerCase().replace(/\.$/, '');
    let isTold = false;
    const tell = (answer: DnsAnswer): void => {
      if (isTold) return;
      isTold = true;
      if (answer.is === 'failed')
        return done(
          Object.assign(new Error(`${answer.code} for a host`), { code: answer.code }),
          [],
        );
      const wanted = answer.addresses.filter(
        (one) => !family || String(one.family) === String(family).replace('IPv', ''),
      );
      if (wanted.length > 0) done(null, wanted);
      else done(Object.assign(new Error('No address of this family'), { code: ABSENT }), []);
    };
    const found = find(name);
    if (!(found instanceof Promise)) return void process.nextTick(tell, found);
    if (standingOf(name) !== 'new') return void found.then(tell);
    const late = setTimeout(() => tell({ is: 'failed', code: 'ETIMEOUT' }), limits.stranger);
    void found.then((answer) => {
      clearTimeout(late);
      tell(answer);
    });
  };
}
