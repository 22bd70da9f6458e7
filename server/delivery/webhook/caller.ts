/** Calls webhooks over separate connections, and not by HTTP/2, because strangers choose them. */
import { ADDRESS_REJECTED, createAddressGuard, parseHostnames } from '../https/address-guard';
import type { HttpsResponse, HttpsLimits } from '../https/response';
import { createHttpsClient, DEFAULT_LIMITS } from '../https/client';
import { createResolver, type Resolve } from '../https/resolver';
import { signCall } from './signature';

export interface WebhookCaller {
  /** A short code if the address must not be called. A name that does not resolve is allowed. */
  findAddressFault(url: URL): Promise<string | undefined>;
  /** Makes one attempt within ten seconds, without redirects. The promise never rejects. */
  call(
    webhook: { url: string; secret: string },
    call: { id: string; body: string },
  ): Promise<HttpsResponse>;
  close(): void;
}

interface CallerSettings {
  /** Hosts on private addresses or other ports: `host` or `host:port`. */
  allowedHosts: readonly string[];
  /** Milliseconds since 1970. */
  now(): number;
  /** Tests replace these members. */
  resolve?: Resolve | undefined;
  limits?: Partial<HttpsLimits>;
}

const CONNECTION_LIMITS: HttpsLimits = {
  ...DEFAULT_LIMITS,
  // Fieldbell uses only the status of a reply.
  responseBytes: 4096,
  socketsPerHost: 64,
  requestsPerHost: 64,
  connections: 128,
  idleConnections: 32,
};
/** An administrator named the host, so its name servers may take longer. */
const LOOKUP_TIMEOUT_MS = 5000;

export function createWebhookCaller({
  allowedHosts,
  now,
  resolve = createResolver({
    trustedNames: parseHostnames(allowedHosts),
    limits: { uncachedWait: LOOKUP_TIMEOUT_MS },
  }),
  limits,
}: CallerSettings): WebhookCaller {
  const guard = createAddressGuard(allowedHosts, resolve);
  const client = createHttpsClient(guard, { ...CONNECTION_LIMITS, ...limits }, () => false);
  return {
    async findAddressFault(url) {
      const fault = guard.findFault(url);
      if (fault !== undefined) return fault;
      const host = url.hostname.replace(/^\[|\]$/g, '');
      const code = await new Promise<string | undefined>((done) =>
        guard.lookupFor(url)(host, { all: true }, (error) => done(error?.code)),
      );
      return code === ADDRESS_REJECTED ? 'endpoint-address' : undefined;
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
