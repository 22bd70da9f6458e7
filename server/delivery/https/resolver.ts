/**
 * Resolves hosts of push endpoints. Clients name them, and a name that never resolves would block
 * one of libuv's few threads, which password hashes and PostgreSQL share.
 */
import { lookup, type LookupAddress, type LookupAllOptions } from 'node:dns';
import { isBrowserService } from './browser-services';
import { type DnsResponse, type QueryLimits, queryDns } from './dns-query';
import { createHostsFile, SYSTEM_HOSTS_FILE } from './hosts-file';
import { createLookupQueue, type LookupLimits, type LookupTrust } from './lookup-queue';

/** The used part of `dns.lookup`; tests replace it. */
export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export interface ResolverLimits extends QueryLimits, LookupLimits {
  /** Milliseconds that a response is kept, whatever its TTL. */
  shortest: number;
  longest: number;
  /** Milliseconds that "no such name" is kept, and any other failure. */
  absent: number;
  failed: number;
  /** Milliseconds that old addresses replace a missing response (RFC 8767). */
  stale: number;
  /** Names with kept addresses, and as many with kept failures. */
  names: number;
  /** Maximum wait of a push for a host name that is not cached. A late answer serves the retry. */
  uncachedWait: number;
}

export interface ResolverSettings {
  /** The operator's names. Where DNS does not know one, the system is asked too. */
  trustedNames?: ReadonlySet<string>;
  /** Tests replace name servers (`127.0.0.1:5300`), hosts file, system look-up and clock. */
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
  maxWait: 5000,
  shortest: 10_000,
  longest: 300_000,
  absent: 30_000,
  failed: 5000,
  stale: 3600_000,
  names: 2000,
  uncachedWait: 1000,
};

/** Times are of the monotonic clock. */
interface KeptAddresses {
  response: DnsResponse;
  until: number;
  /** The time until which a kept response replaces a missing one. */
  staleUntil: number;
}

const ABSENT_CODE = 'ENOTFOUND';
const LOOPBACK: DnsResponse = {
  kind: 'found',
  ttl: 0,
  addresses: [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ],
};

/** Replaces `dns.lookup`: hosts file first, then DNS with responses cached by TTL. */
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
  /** The least recently used name comes first. Invented names displace no good names. */
  const positiveCache = new Map<string, KeptAddresses>();
  const negativeCache = new Map<string, KeptAddresses>();
  const pendingLookups = new Map<string, Promise<DnsResponse>>();
  const queue = createLookupQueue(limits, now);
  let systemTurn: Promise<unknown> = Promise.resolve();

  function findName(name: string): DnsResponse | Promise<DnsResponse> {
    const hostsEntry = inHostsFile(name);
    if (hostsEntry) return { kind: 'found', ttl: 0, addresses: hostsEntry };
    // RFC 6761, 6.3: never a DNS query.
    if (name === 'localhost' || name.endsWith('.localhost')) return LOOPBACK;
    return readCache(name) ?? pendingLookups.get(name) ?? startLookup(name);
  }

  function readCache(name: string): DnsResponse | undefined {
    const cachedResponse = positiveCache.get(name) ?? negativeCache.get(name);
    if (!cachedResponse || cachedResponse.until <= now()) return undefined;
    if (positiveCache.delete(name)) positiveCache.set(name, cachedResponse);
    return cachedResponse.response;
  }

  // Other names must never delay trusted ones.
  function findTrust(name: string): LookupTrust {
    if (trustedNames.has(name) || isBrowserService(name)) return 'trusted';
    return positiveCache.has(name) ? 'known' : 'new';
  }

  function startLookup(name: string): Promise<DnsResponse> {
    const pendingResponse = queue
      .enter(name, findTrust(name), () => queryDnsOrSystem(name))
      .then((response) =>
        response ? cacheResponse(name, response) : ({ kind: 'failed', code: 'ETIMEOUT' } as const),
      )
      .finally(() => pendingLookups.delete(name));
    pendingLookups.set(name, pendingResponse);
    return pendingResponse;
  }

  async function queryDnsOrSystem(name: string): Promise<DnsResponse> {
    const response = await queryDns(name, limits, servers);
    const mayBeLocal =
      response.kind === 'failed' &&
      (response.code === ABSENT_CODE || response.code === 'ECONNREFUSED');
    return mayBeLocal && trustedNames.has(name) ? querySystem(name) : response;
  }

  /** System look-ups run one at a time, so that they block only one thread. */
  function querySystem(name: string): Promise<DnsResponse> {
    const pendingResponse = systemTurn.then(
      () =>
        new Promise<DnsResponse>((resolve) => {
          systemLookup(name, { all: true }, (error, addresses) =>
            resolve(
              error
                ? { kind: 'failed', code: error.code ?? ABSENT_CODE }
                : { kind: 'found', addresses, ttl: 0 },
            ),
          );
        }),
    );
    systemTurn = pendingResponse;
    return pendingResponse;
  }

  function cacheResponse(name: string, response: DnsResponse): DnsResponse {
    if (response.kind === 'found') {
      negativeCache.delete(name);
      const until =
        now() + Math.min(limits.longest, Math.max(limits.shortest, response.ttl * 1000));
      putInCache(positiveCache, name, { response, until, staleUntil: until + limits.stale });
      return response;
    }
    const cachedResponse = positiveCache.get(name);
    const isAbsent = response.code === ABSENT_CODE;
    if (cachedResponse && !isAbsent && cachedResponse.staleUntil > now()) {
      putInCache(positiveCache, name, { ...cachedResponse, until: now() + limits.failed });
      return cachedResponse.response;
    }
    positiveCache.delete(name);
    putInCache(negativeCache, name, {
      response,
      until: now() + (isAbsent ? limits.absent : limits.failed),
      staleUntil: 0,
    });
    return response;
  }

  function putInCache(cache: Map<string, KeptAddresses>, name: string, value: KeptAddresses): void {
    cache.delete(name);
    cache.set(name, value);
    const [oldest] = cache.keys();
    if (cache.size > limits.names && oldest !== undefined) cache.delete(oldest);
  }

  return (hostname, { family }, callback) => {
    const name = hostname.toLowerCase().replace(/\.$/, '');
    let isAnswered = false;
    const finish = (response: DnsResponse): void => {
      if (isAnswered) return;
      isAnswered = true;
      if (response.kind === 'failed')
        return callback(
          Object.assign(new Error(`DNS lookup failed: ${response.code}`), { code: response.code }),
          [],
        );
      const addresses = response.addresses.filter(
        (address) => !family || String(address.family) === String(family).replace('IPv', ''),
      );
      if (addresses.length > 0) callback(null, addresses);
      else
        callback(
          Object.assign(new Error('The host has no suitable IPv4 or IPv6 address'), {
            code: ABSENT_CODE,
          }),
          [],
        );
    };
    const pendingResponse = findName(name);
    if (!(pendingResponse instanceof Promise))
      return void process.nextTick(finish, pendingResponse);
    if (findTrust(name) !== 'new') return void pendingResponse.then(finish);
    const timer = setTimeout(
      () => finish({ kind: 'failed', code: 'ETIMEOUT' }),
      limits.uncachedWait,
    );
    void pendingResponse.then((response) => {
      clearTimeout(timer);
      finish(response);
    });
  };
}
