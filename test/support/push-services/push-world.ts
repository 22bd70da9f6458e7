/**
 * A browser that can be notified, as far as the app looks at it: a permission that a person decides
 * on, a worker that tells its version, and a push service that hands out subscriptions.
 */
import { missingFeatures, permission } from '../../../src/state/device/permission';

const listeners = new Map<string, Set<(event: unknown) => void>>();
let subscription: PushSubscription | null = null;
let made = 0;
let shared: string[] = [];
let turn: Promise<unknown> = Promise.resolve();

export const pushWorld = {
  /** What the person answers when asked. */
  decision: 'granted' as NotificationPermission,
  /** What the worker answers to `version`; null: nothing. */
  version: '0.1.0-test' as string | null,
  /** Why no subscription can be made, if so; `silence`: nothing is heard of it. */
  trouble: null as Error | 'silence' | null,
  /**
   * How many attempts at a subscription fail before one succeeds, as with a worker that has just
   * started.
   */
  refusals: 0,
  unregistered: 0,
  /** What lies in the system's list of notifications. */
  shown: [] as { title: string }[],

  /** Takes the place of the browser's own, with the permission given. */
  install(state: NotificationPermission): void {
    Object.assign(pushWorld, {
      decision: 'granted',
      version: '0.1.0-test',
      trouble: null,
      refusals: 0,
      unregistered: 0,
      shown: [],
    });
    subscription = null;
    turn = Promise.resolve();
    shared = [];
    FakeNotification.permission = state;
    Object.assign(globalThis, { Notification: FakeNotification, PushManager: class {} });
    Object.assign(window, { Notification: FakeNotification, PushManager: class {} });
    Object.defineProperty(navigator, 'serviceWorker', { configurable: true, value: container });
    // One after the other, whatever the name: there is only one here, beside those that are shared.
    Object.defineProperty(navigator, 'locks', {
      configurable: true,
      value: {
        request: (name: string, { mode }: LockOptions, work: () => unknown) => {
          if (mode !== 'shared') return (turn = turn.then(work, work));
          const mine = shared;
          mine.push(name);
          return Promise.resolve(work()).then(() => void mine.splice(mine.indexOf(name), 1));
        },
      },
    });
    permission.value = state;
    missingFeatures.value = [];
  },
  /** Takes the worker away again, for tests whose browser has none. */
  remove(): void {
    for (const name of ['serviceWorker', 'locks']) Reflect.deleteProperty(navigator, name);
  },
  /** The token of the present subscription. */
  token: (): string =>
    JSON.stringify({ endpoint: `https://push.example/${made}`, keys: { p256dh: 'p', auth: 'a' } }),
  /** The browser gives the subscription up, as after its push service has forgotten it. */
  dropSubscription(): void {
    subscription = null;
  },
  /** The locks that pages share now. */
  shared: (): readonly string[] => shared,
  /** The worker says something to the page. Resolves with whether the page answers on the port. */
  tell(data: unknown): { answered: boolean } {
    const outcome = { answered: false };
    for (const listen of listeners.get('message') ?? [])
      listen({ data, ports: [{ postMessage: () => (outcome.answered = true) }] });
    return outcome;
  },
};

// biome-ignore lint/complexity/noStaticOnlyClass: the browser's Notification is a class
class FakeNotification {
  static permission: NotificationPermission = 'default';
  static async requestPermission(): Promise<NotificationPermission> {
    return (FakeNotification.permission = pushWorld.decision);
  }
}

const registration = {
  active: {
    scriptURL: 'https://bell.example/firebase-messaging-sw.js',
    postMessage(message: unknown, ports: MessagePort[] = []) {
      if (message === 'version' && pushWorld.version) ports[0]?.postMessage(pushWorld.version);
    },
  },
  waiting: null,
  installing: null,
  addEventListener() {},
  async unregister() {
    pushWorld.unregistered++;
    return true;
  },
  getNotifications: async () =>
    pushWorld.shown.map((one) => ({
      ...one,
      close: () => pushWorld.shown.splice(pushWorld.shown.indexOf(one), 1),
    })),
  pushManager: {
    getSubscription: async () => subscription,
    async subscribe({ applicationServerKey }: { applicationServerKey: string }) {
      if (pushWorld.trouble === 'silence') return new Promise(() => {});
      if (pushWorld.trouble) throw pushWorld.trouble;
      if (pushWorld.refusals-- > 0) throw new Error('Not yet');
      made++;
      const token = pushWorld.token();
      const key = Uint8Array.from(
        atob(applicationServerKey.replace(/-/g, '+').replace(/_/g, '/')),
        (char) => char.charCodeAt(0),
      );
      subscription = {
        options: { applicationServerKey: key.buffer },
        toJSON: () => JSON.parse(token) as PushSubscriptionJSON,
        unsubscribe: async () => ((subscription = null), true),
      } as unknown as PushSubscription;
      return subscription;
    },
  },
};

const container = {
  controller: null,
  ready: Promise.resolve(registration),
  register: async () => registration,
  getRegistration: async () => registration,
  getRegistrations: async () => [registration],
  startMessages() {},
  addEventListener(type: string, listen: (event: unknown) => void) {
    listeners.set(type, (listeners.get(type) ?? new Set()).add(listen));
  },
  removeEventListener(type: string, listen: (event: unknown) => void) {
    listeners.get(type)?.delete(listen);
  },
};
