/**
 * How webhooks are called: as pushes leave, but over connections of their own, so that neither takes
 * any from the other. Never over HTTP/2: the addresses are of a stranger's choice.
 */
import { ADDRESS_REFUSED, createAddressGuard, namesOf } from '../https/address-guard';
import type { HttpsAnswer, HttpsLimits } from '../https/answer';
import { createHttpsClient, DEFAULT_LIMITS } from '../https/client';
import { createResolver, type Resolve } from '../https/resolver';
import { signCall } from './signature';

export interface WebhookCaller {
  /**
   * Why this address must not be called, as a short code; undefined if nothing speaks against it. A
   * name that cannot be resolved now may be another time.
   */
  fault(url: URL): Promise<string | undefined>;
  /** One attempt, within ten seconds. Never rejects, and follows no redirect. */
  call(
    webhook: { url: string; secret: string },
    call: { id: string; body: string },
  ): Promise<HttpsAnswer>;
  close(): void;
}

interface CallerSettings {
  /** `host` or `host:port`: hosts on private addresses or other ports that may be called. */
  allowedHosts: readonly string[];
  /** Milliseconds since 1970. */
  now(): number;
  /** What follows is for tests. */
  resolve?: Resolve | undefined;
  limits?: Partial<HttpsLimits>;
}

const LIMITS: HttpsLimits = {
  ...DEFAULT_LIMITS,
  // Nothing that is answered is looked at but its status.
  answerBytes: 4096,
  socketsPerHost: 64,
  requestsPerHost: 64,
  connections: 128,
  idleConnections: 32,
};
/** An administrator named the host: its name servers may take longer than those of anybody's. */
const LOOKUP_MILLISECONDS = 5000;

export function createWebhookCaller({
  allowedHosts,
  now,
  resolve = createResolver({
    trustedNames: namesOf(allowedHosts),
    limits: { stranger: LOOKUP_MILLISECONDS },
  }),
  limits,
}: CallerSettings): WebhookCaller {
  const guard = createAddressGuard(allowedHosts, resolve);
  const client = createHttpsClient(guard, { ...LIMITS, ...limits }, () => false);
  return {
    async fault(url) {
      const fault = guard.fault(url);
      if (fault !== undefined) return fault;
      const host = url.hostname.replace(/^\[|\]$/g, '');
      const code = await new Promise<string | undefined>((done) =>
        guard.lookupFor(url)(host, { all: true }, (error) => done(error?.code)),
      );
      return code === ADDRESS_REFUSED ? 'endpoint-address' : undefined;
    },
    call({ url, secret }, { id, body }) {
      const headers = {
        'Content-Type': 'application/json',
        'User-Agent': 'Fieldbell-Webhook',
        ...signCall({ id, body, secret }, now()),
      };
      return client.post(new URL(url), headers, Buffer.from(body));
    },
    close: () => client.close(),
  };
}
