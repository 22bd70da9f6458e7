/**
 * A service worker's world, as far as ours looks at it: events, a registration that keeps
 * notifications and a push subscription, windows, and caches.
 */

export interface FakeNotification {
  title: string;
  options: NotificationOptions & { timestamp?: number; image?: string };
}

export class FakeWindow {
  focused = false;
  /** False for one that loaded before the worker was there. */
  controlled = true;
  heard: unknown[] = [];
  /** What the page does with a message; answering on the port says that it sees to it. */
  listen: (message: unknown, port: MessagePort | undefined) => void = () => {};
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
    this.heard.push(message);
    this.listen(message, ports[0]);
  }
}

/** Notifications with the same tag replace each other, as in a browser. */
export function fakeWorld(...windows: FakeWindow[]) {
  const shown: FakeNotification[] = [];
  const opened: string[] = [];
  /** What subscriptions were made with. */
  const subscribed: unknown[] = [];
  const did: string[] = [];
  const listeners = new Map<string, (event: unknown) => void>();
  const world = {
    location: { origin: 'https://bell.example' },
    registration: {
      async showNotification(title: string, options: FakeNotification['options'] = {}) {
        const same = options.tag ? shown.findIndex((one) => one.options.tag === options.tag) : -1;
        if (same >= 0) shown.splice(same, 1);
        shown.push({ title, options });
      },
      pushManager: {
        subscribe: async (options: unknown) => void subscribed.push(options),
      },
    },
    clients: {
      matchAll: async ({ includeUncontrolled = false }: ClientQueryOptions = {}) =>
        windows.filter(({ controlled }) => controlled || includeUncontrolled),
      openWindow: async (url: string) => void opened.push(url),
      claim: async () => void did.push('claim'),
    },
    skipWaiting: async () => void did.push('skip-waiting'),
    addEventListener: (type: string, listen: (event: unknown) => void) =>
      void listeners.set(type, listen),
  };
  /**
   * Fires an event; resolves when everything is done for which the browser would keep the worker
   * alive, with whether listeners that came later, such as the messaging SDK's, would have heard of
   * it.
   */
  async function fire(type: string, event: object = {}): Promise<{ heardLater: boolean }> {
    const work: unknown[] = [];
    const outcome = { heardLater: true };
    listeners.get(type)?.({
      ...event,
      waitUntil: (promise: unknown) => work.push(promise),
      stopImmediatePropagation: () => (outcome.heardLater = false),
    });
    await Promise.all(work);
    return outcome;
  }
  return {
    worker: world as unknown as ServiceWorkerGlobalScope,
    world,
    shown,
    opened,
    subscribed,
    did,
    fire,
  };
}

/** The browser's caches, with what is in each by address. A cache that is full takes nothing. */
export function fakeCaches({ full = false } = {}) {
  const kept = new Map<string, Map<string, Response>>();
  const open = (name: string) => kept.get(name) ?? kept.set(name, new Map()).get(name)!;
  const caches = {
    open: async (name: string) => ({
      match: async ({ url }: Request) => open(name).get(url)?.clone(),
      async put({ url }: Request, response: Response) {
        if (full) throw new DOMException('The quota is used up.', 'QuotaExceededError');
        open(name).set(url, response);
      },
    }),
    delete: async (name: string) => kept.delete(name),
  };
  return { caches, kept };
}
