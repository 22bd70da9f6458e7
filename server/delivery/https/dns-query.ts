/** One DNS look-up by c-ares, which needs none of libuv's few threads. */
import { Resolver, type LookupAddress, type RecordWithTtl } from 'node:dns';

export type DnsResponse =
  | { kind: 'found'; addresses: LookupAddress[]; ttl: number }
  | { kind: 'failed'; code: string };

export interface QueryLimits {
  /** Milliseconds to wait for a response. */
  timeout: number;
  /** Milliseconds until the name servers are asked again; the second wait is twice as long. */
  retryAfter: number;
  /** Milliseconds that one family's addresses wait for the other's (RFC 8305, 3). */
  otherFamily: number;
}

/** Addresses per family that a connection tries one after the other. */
const MAX_ADDRESSES_PER_FAMILY = 4;
const ABSENT_CODES = ['ENOTFOUND', 'ENODATA'];

/**
 * Asks for IPv4 and IPv6 at once. Never rejects. Each query has its own resolver (0.2 ms), so that
 * it can be canceled alone and no other name affects it.
 * @param servers for tests
 */
export function queryDns(
  name: string,
  limits: QueryLimits,
  servers?: readonly string[],
): Promise<DnsResponse> {
  return new Promise((resolve) => {
    const answers: { 4?: RecordWithTtl[]; 6?: RecordWithTtl[] } = {};
    const failures: string[] = [];
    let hasTimedOut = false;
    let resolver: Resolver | undefined;

    const end = (): void => {
      if (hasTimedOut) return;
      hasTimedOut = true;
      clearTimeout(timer);
      resolver?.cancel();
      resolve(combineAnswers(answers[4] ?? [], answers[6] ?? [], failures));
    };
    let timer = setTimeout(end, limits.timeout);
    const collectReply =
      (family: 4 | 6) =>
      (error: NodeJS.ErrnoException | null, records: RecordWithTtl[]): void => {
        if (hasTimedOut) return;
        if (error) failures.push(error.code ?? 'EBADRESP');
        else answers[family] = records.slice(0, MAX_ADDRESSES_PER_FAMILY);
        const replies = failures.length + Object.keys(answers).length;
        if (replies === 2) return end();
        if (error) return;
        clearTimeout(timer);
        timer = setTimeout(end, limits.otherFamily);
      };
    try {
      resolver = new Resolver({ timeout: limits.retryAfter, tries: 2 });
      if (servers) resolver.setServers(servers);
      resolver.resolve4(name, { ttl: true }, collectReply(4));
      resolver.resolve6(name, { ttl: true }, collectReply(6));
    } catch (error) {
      // c-ares could not start, such as without a free file for a socket.
      failures.push((error as NodeJS.ErrnoException).code ?? 'EBADNAME');
      end();
    }
  });
}

function combineAnswers(
  four: RecordWithTtl[],
  six: RecordWithTtl[],
  failures: string[],
): DnsResponse {
  const records = [...four, ...six];
  if (records.length > 0) {
    const addresses = [
      ...four.map(({ address }) => ({ address, family: 4 })),
      ...six.map(({ address }) => ({ address, family: 6 })),
    ];
    return { kind: 'found', addresses, ttl: Math.min(...records.map(({ ttl }) => ttl)) };
  }
  const temporaryFault = failures.find((code) => !ABSENT_CODES.includes(code));
  if (temporaryFault !== undefined) return { kind: 'failed', code: temporaryFault };
  // One family is absent and the other gave no response.
  return { kind: 'failed', code: failures.length === 2 ? 'ENOTFOUND' : 'ETIMEOUT' };
}
