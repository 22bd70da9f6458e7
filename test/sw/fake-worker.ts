/** A service worker's world as ours uses it: events, registration, windows and caches. */

export interface FakeNotification {
  title: string;
  options: NotificationOptions & {
    timestamp?: number;
    image?: string;
    actions?: { action: string; title: string }[];
    renotify?: boolean;
    vibrate?: number[];
  };
}

export class FakeWindow {
  focused = false;
  /** False for one that loaded before the worker. */
  isControlled = true;
  receivedMessages: unknown[] = [];
  /** What the page does with a message; an answer on the port confirms it. */
  onMessage: (message: unknown, port: MessagePort | undefined) => void = () => {};
  constructor(public url: string) {}
  async focus() {
    this.focused = true;
    return this;
  }
  async navigate(url: string) {
    this.url = url;
    return this;
  }
  postMessage(message: unknown, ports: MessagePort[] = []) {
    this.receivedMessages.push(message);
    this.onMessage(message, ports[0]);
  }
}

/** Notifications with the same tag replace each other, as in a browser. */
export function createFakeWorker(...windows: FakeWindow[]) {
  const shown: FakeNotification[] = [];
  const openedUrls: string[] = [];
  const subscribeOptions: unknown[] = [];
  const lifecycleCalls: string[] = [];
  const listeners = new Map<string, (event: unknown) => void>();
  const scope = {
    location: { origin: 'https://bell.example' },
    registration: {
      async showNotification(title: string, options: FakeNotification['options'] = {}) {
        const same = options.tag ? shown.findIndex((one) => one.options.tag === options.tag) : -1;
        if (same >= 0) shown.splice(same, 1);
        shown.push({ title, options });
      },
      getNotifications: async (filter: { tag?: string } = {}) =>
        shown
          .filter(({ options: { tag = '' } }) => filter.tag === undefined || tag === filter.tag)
          .map((one) => ({
            ...one.options,
            title: one.title,
            tag: one.options.tag ?? '',
            data: one.options.data as unknown,
            close: () => void shown.splice(shown.indexOf(one), 1),
          })),
      pushManager: {
        async subscribe(options: unknown) {
          subscribeOptions.push(options);
          return createSubscription(`https://push.example/${subscribeOptions.length}`);
        },
      },
    },
    clients: {
      matchAll: async ({ includeUncontrolled = false }: ClientQueryOptions = {}) =>
        windows.filter(({ isControlled: controlled }) => controlled || includeUncontrolled),
      openWindow: async (url: string) => void openedUrls.push(url),
      claim: async () => void lifecycleCalls.push('claim'),
    },
    skipWaiting: async () => void lifecycleCalls.push('skip-waiting'),
    addEventListener: (type: string, listen: (event: unknown) => void) =>
      void listeners.set(type, listen),
  };
  /**
   * Fires an event. Resolves once the browser could end the worker, with whether later listeners
   * would have heard it.
   */
  async function fire(
    type: string,
    event: object = {},
  ): Promise<{ reachesLaterListeners: boolean }> {
    const work: unknown[] = [];
    const outcome = { reachesLaterListeners: true };
    listeners.get(type)?.({
      ...event,
      waitUntil: (promise: unknown) => work.push(promise),
      stopImmediatePropagation: () => (outcome.reachesLaterListeners = false),
    });
    await Promise.all(work);
    return outcome;
  }
  return {
    worker: scope as unknown as ServiceWorkerGlobalScope,
    scope,
    shown,
    openedUrls,
    subscribeOptions,
    lifecycleCalls,
    fire,
  };
}

/** The browser's caches, by address. A full one rejects entries. */
export function fakeCaches({ isFull = false } = {}) {
  const cacheEntries = new Map<string, Map<string, Response>>();
  const open = (name: string) =>
    cacheEntries.get(name) ?? cacheEntries.set(name, new Map()).get(name)!;
  const caches = {
    open: async (name: string) => ({
      match: async ({ url }: Request) => open(name).get(url)?.clone(),
      async put({ url }: Request, response: Response) {
        if (isFull) throw new DOMException('The quota is used up.', 'QuotaExceededError');
        open(name).set(url, response);
      },
    }),
    delete: async (name: string) => cacheEntries.delete(name),
    keys: async () => [...cacheEntries.keys()],
  };
  return { caches, cacheEntries };
}

export const createSubscription = (endpoint: string) => ({
  endpoint,
  toJSON: () => ({ endpoint, expirationTime: null, keys: { auth: 'a', p256dh: 'p' } }),
});

export interface ServerRequest {
  endpoint: string;
  key: string;
  body: unknown;
}

/** Our server, which replaces `fetch`; `status` 0 means unreachable. */
export function fakeServer() {
  const realFetch = globalThis.fetch;
  const serverRequests: ServerRequest[] = [];
  const server = {
    status: (_: ServerRequest): number | Promise<number> => 200,
    /** The response to receipts. */
    response: {},
    requests: serverRequests,
    /** All receipts that got a 200, in order. */
    recorded: [] as { messageId: string; kind: string; answer?: string; at?: string }[],
    remove: () => Object.assign(globalThis, { fetch: realFetch }),
  };
  async function fetch(url: string, { method, headers, body, signal }: RequestInit) {
    const one = {
      endpoint: `${method} ${url}`,
      key: (headers as Record<string, string>).Authorization!.replace('Bearer ', ''),
      body: JSON.parse(String(body)) as unknown,
    };
    serverRequests.push(one);
    if (!signal) throw new Error('A request without an end keeps the worker alive.');
    const status = await server.status(one);
    if (status === 0) throw new TypeError('Failed to fetch');
    const { receipts } = one.body as { receipts?: typeof server.recorded };
    if (status === 200 && receipts) server.recorded.push(...receipts);
    return new Response(JSON.stringify(server.response), { status });
  }
  Object.assign(globalThis, { fetch });
  return server;
}
