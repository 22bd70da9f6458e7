/**
 * One name asked for at the name servers of the system, by c-ares, which needs none of the few
 * threads of libuv.
 */
import { Resolver, type LookupAddress, type RecordWithTtl } from 'node:dns';

export type DnsAnswer =
  | { is: 'found'; addresses: LookupAddress[]; ttl: number }
  | { is: 'failed'; code: string };

export interface QueryLimits {
  /** Milliseconds until an answer is awaited no longer. */
  timeout: number;
  /**
   * Milliseconds until the name servers are asked a second time; the wait for that is twice as
   * long.
   */
  retryAfter: number;
  /** Milliseconds that the addresses of one family wait for those of the other (RFC 8305, 3). */
  otherFamily: number;
}

/** Addresses of one family that are used: a connection tries one after the other. */
const MAX_ADDRESSES = 4;
const ABSENT = ['ENOTFOUND', 'ENODATA'];

/**
 * Asks for IPv4 and IPv6 addresses at once; c-ares follows CNAMEs. Never rejects. Each query has a
 * resolver of its own: it can be cancelled alone, it reads the system's configuration anew, and
 * what other names do to c-ares' opinion of a name server is nothing to it. That costs 0.2 ms.
 * @param servers instead of the system's
 */
export function queryDns(
  name: string,
  limits: QueryLimits,
  servers?: readonly string[],
): Promise<DnsAnswer> {
  return new Promise((resolve) => {
    const found: { 4?: RecordWithTtl[]; 6?: RecordWithTtl[] } = {};
    const failures: string[] = [];
    let isOver = false;
    let resolver: Resolver | undefined;

    const end = (): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      resolver?.cancel();
      resolve(conclude(found[4] ?? [], found[6] ?? [], failures));
    };
    let timer = setTimeout(end, limits.timeout);
    const take =
      (family: 4 | 6) =>
      (error: NodeJS.ErrnoException | null, records: RecordWithTtl[]): void => {
        if (isOver) return;
        if (error) failures.push(error.code ?? 'EBADRESP');
        else found[family] = records.slice(0, MAX_ADDRESSES);
        const answered = failures.length + Object.keys(found).length;
        if (answered === 2) return end();
        if (error) return;
        clearTimeout(timer);
        timer = setTimeout(end, limits.otherFamily);
      };
    try {
      resolver = new Resolver({ timeout: limits.retryAfter, tries: 2 });
      if (servers) resolver.setServers(servers);
      resolver.resolve4(name, { ttl: true }, take(4));
      resolver.resolve6(name, { ttl: true }, take(6));
    } catch (error) {
      // What c-ares does not even begin with, such as having no file left for a socket.
      failures.push((error as NodeJS.ErrnoException).code ?? 'EBADNAME');
      end();
    }
  });
}

function conclude(four: RecordWithTtl[], six: RecordWithTtl[], failures: string[]): DnsAnswer {
  const records = [...four, ...six];
  if (records.length > 0) {
    const addresses = [
      ...four.map(({ address }) => ({ address, family: 4 })),
      ...six.map(({ address }) => ({ address, family: 6 })),
    ];
    return { is: 'found', addresses, ttl: Math.min(...records.map(({ ttl }) => ttl)) };
  }
  const passing = failures.find((code) => !ABSENT.includes(code));
  if (passing !== undefined) return { is: 'failed', code: passing };
  // One family is not there and the other was not heard of.
  return { is: 'failed', code: failures.length === 2 ? 'ENOTFOUND' : 'ETIMEOUT' };
}
