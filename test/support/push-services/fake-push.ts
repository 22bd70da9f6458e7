/**
 * The browser's notifications for tests of the app: a permission, a worker with a version, and a
 * push service.
 */
import { currentPermission, missingFeatureNames } from '../../../src/platform/push/notifications';
import { missingFeatures, notificationPermission } from '../../../src/state/device/permission';

const listeners = new Map<string, Set<(event: unknown) => void>>();
let subscription: PushSubscription | null = null;
let subscriptionCount = 0;
let shared: string[] = [];
let turn: Promise<unknown> = Promise.resolve();

export const fakePush = {
  decision: 'granted' as NotificationPermission,
  /** The worker's version; null if the worker does not answer. */
  version: '0.1.0-test' as string | null,
  /** Why subscribing fails, or `silence` for no answer at all. */
  trouble: null as Error | 'silence' | null,
  /** How many attempts fail before one succeeds, as with a worker that has just started. */
  refusals: 0,
  unregistered: 0,
  shown: [] as { title: string }[],

  install(state: NotificationPermission): void {
    Object.assign(fakePush, {
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
    // All exclusive names share one lock; shared locks are separate.
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
    notificationPermission.value = state;
    missingFeatures.value = [];
  },
  remove(): void {
    for (const name of ['serviceWorker', 'locks']) Reflect.deleteProperty(navigator, name);
    for (const name of ['Notification', 'PushManager'])
      for (const where of [globalThis, window]) Reflect.deleteProperty(where, name);
    // Test files share the app: otherwise the next `focus` would report a revoked permission.
    notificationPermission.value = currentPermission();
    missingFeatures.value = missingFeatureNames();
  },
  token: (): string =>
    JSON.stringify({
      endpoint: `https://push.example/${subscriptionCount}`,
      keys: { p256dh: 'p', auth: 'a' },
    }),
  /** Removes the subscription, like a push service that forgot it. */
  dropSubscription(): void {
    subscription = null;
  },
  shared: (): readonly string[] => shared,
  /** Sends the page a worker's message. Resolves with whether the page answers. */
  tell(data: unknown): { replied: boolean } {
    const outcome = { replied: false };
    for (const listen of listeners.get('message') ?? [])
      listen({ data, ports: [{ postMessage: () => (outcome.replied = true) }] });
    return outcome;
  },
};

// biome-ignore lint/complexity/noStaticOnlyClass: the browser's Notification is a class
class FakeNotification {
  static permission: NotificationPermission = 'default';
  static async requestPermission(): Promise<NotificationPermission> {
    return (FakeNotification.permission = fakePush.decision);
  }
}

const registration = {
  active: {
    scriptURL: 'https://bell.example/firebase-messaging-sw.js',
    postMessage(message: unknown, ports: MessagePort[] = []) {
      if (message === 'version' && fakePush.version) ports[0]?.postMessage(fakePush.version);
    },
  },
  waiting: null,
  installing: null,
  addEventListener() {},
  async unregister() {
    fakePush.unregistered++;
    return true;
  },
  getNotifications: async () =>
    fakePush.shown.map((one) => ({
      ...one,
      close: () => fakePush.shown.splice(fakePush.shown.indexOf(one), 1),
    })),
  pushManager: {
    getSubscription: async () => subscription,
    async subscribe({ applicationServerKey }: { applicationServerKey: string }) {
      if (fakePush.trouble === 'silence') return new Promise(() => {});
      if (fakePush.trouble) throw fakePush.trouble;
      if (fakePush.refusals-- > 0) throw new Error('Not yet');
      subscriptionCount++;
      const token = fakePush.token();
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
