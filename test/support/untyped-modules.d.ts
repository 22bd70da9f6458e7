declare module 'http_ece' {
  import type { ECDH } from 'node:crypto';
  /** `authSecret` is base64url. Throws on any fault. */
  export function decrypt(
    body: Buffer,
    options: { version: 'aes128gcm'; privateKey: ECDH; authSecret: string },
  ): Buffer;
}

declare module 'web-push' {
  interface Subscription {
    endpoint: string;
    keys: { p256dh: string; auth: string };
  }
  interface Options {
    vapidDetails: { subject: string; publicKey: string; privateKey: string };
    TTL: number;
    urgency: string;
    contentEncoding?: 'aes128gcm';
    agent?: import('node:https').Agent;
  }
  export function generateVAPIDKeys(): { publicKey: string; privateKey: string };
  export function encrypt(
    p256dh: string,
    auth: string,
    text: string,
    encoding: 'aes128gcm',
  ): { cipherText: Buffer };
  export function generateRequestDetails(
    subscription: Subscription,
    text: string,
    options: Options,
  ): { endpoint: string; headers: Record<string, string>; body: Buffer };
  export function sendNotification(
    subscription: Subscription,
    text: string,
    options: Options,
  ): Promise<{ statusCode: number }>;
}

declare module 'lighthouse' {
  interface Category {
    score: number | null;
    auditRefs: { id: string; weight: number }[];
  }
  interface Result {
    lhr: {
      runtimeError?: { code: string; message: string };
      categories: Record<string, Category>;
      audits: Record<string, { score: number | null }>;
    };
  }
  export default function lighthouse(
    url: string,
    flags: { onlyCategories: string[]; logLevel: 'error' },
    config: undefined,
    page: import('puppeteer-core').Page,
  ): Promise<Result | undefined>;
}

declare module 'autocannon' {
  interface Client {
    setHeaders(headers: Record<string, string>): void;
    setBody(body: string): void;
  }
  interface Options {
    url: string;
    connections: number;
    duration: number;
    method?: string;
    headers?: Record<string, string>;
    setupClient?: (client: Client) => void;
  }
  interface Result {
    requests: { average: number };
    latency: { p99: number };
    non2xx: number;
    errors: number;
  }
  export default function autocannon(options: Options): Promise<Result>;
}
