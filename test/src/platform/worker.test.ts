import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { resetApp, workerVersion } from '../../../src/platform/maintenance';
import { runOnce, registerWorker } from '../../../src/platform/worker-start';
import { hasNewVersion } from '../../../src/state/app-version';
import { clock } from '../../support/app/clock';
import { fakePush } from '../../support/push-services/fake-push';

const test = suite('worker');
const OURS = 'https://bell.example/firebase-messaging-sw.js';

test.before.each(() => {
  clock.install();
  hasNewVersion.value = false;
});
test.after.each(() => clock.remove());

class FakeWorker extends EventTarget {
  received: unknown[] = [];
  state = 'activated';
  constructor(public scriptURL = OURS) {
    super();
  }
  postMessage(message: unknown) {
    this.received.push(message);
  }
}
class FakeRegistration extends EventTarget {
  waiting: FakeWorker | null = null;
  installing: FakeWorker | null = null;
  gone = false;
  constructor(public active: FakeWorker | null = new FakeWorker()) {
    super();
  }
  async unregister() {
    return (this.gone = true);
  }
}
class FakeContainer extends EventTarget {
  controller: FakeWorker | null = null;
  registered: unknown[] = [];
  ready: Promise<unknown> = Promise.resolve();
  constructor(public there: FakeRegistration[] = []) {
    super();
  }
  async getRegistrations() {
    return this.there;
  }
  async register(...given: unknown[]) {
    this.registered.push(given);
    return new FakeRegistration();
  }
}
const startWorker = (container: FakeContainer, first: FakeWorker | null = null) =>
  registerWorker(container as unknown as ServiceWorkerContainer, first as ServiceWorker | null);
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test('registers a worker at scope /, and allows it a second to start', async () => {
  const container = new FakeContainer();
  let isReady = false;
  const starting = startWorker(container).then(() => (isReady = true));
  await nextTurn();
  assert.equal(container.registered, [
    ['/firebase-messaging-sw.js', { scope: '/', updateViaCache: 'none' }],
  ]);
  await clock.advance(999);
  await nextTurn();
  assert.is(isReady, false);
  await clock.advance(1);
  await starting;
});

test('reuses our own worker at once', async () => {
  const container = new FakeContainer([new FakeRegistration()]);
  await startWorker(container);
  assert.equal(container.registered, []);
});

test('replaces a worker of another language, which is no new version', async () => {
  const arabic = new FakeRegistration(new FakeWorker(`${OURS}?ar`));
  const container = new FakeContainer([arabic]);
  container.controller = arabic.active;
  const starting = startWorker(container, arabic.active);
  await nextTurn();
  assert.equal([container.registered.length, arabic.gone], [1, false]);
  container.dispatchEvent(new Event('controllerchange'));
  assert.is(hasNewVersion.value, false);
  container.dispatchEvent(new Event('controllerchange'));
  assert.is(hasNewVersion.value, true);
  await clock.advance(1000);
  await starting;
});

test('unregisters workers of other scripts, not ours', async () => {
  const ours = new FakeRegistration();
  const foreignRegistration = new FakeRegistration(new FakeWorker('https://bell.example/sw.js'));
  await startWorker(new FakeContainer([foreignRegistration, ours]));
  assert.is(foreignRegistration.gone, true);
  assert.is(ours.gone, false);
});

test('removes another script’s worker before registering ours, and reports one that stays', async () => {
  const [foreignRegistration, remainingRegistration] = [1, 2].map(
    () => new FakeRegistration(new FakeWorker('https://bell.example/sw.js')),
  );
  let go = (): void => {};
  foreignRegistration.unregister = () => new Promise((resolve) => (go = () => resolve(true)));
  const container = new FakeContainer([foreignRegistration]);
  const starting = startWorker(container);
  await nextTurn();
  assert.equal(container.registered, []);
  go();
  await nextTurn();
  assert.is(container.registered.length, 1);
  await clock.advance(1000);
  await starting;
  remainingRegistration.unregister = () => Promise.reject(new Error('It stays.'));
  const failing = startWorker(new FakeContainer([remainingRegistration])).catch(
    (error: Error) => error.message,
  );
  assert.is(await failing, 'It stays.');
});

test('gives up on a worker that is not active after 10 s', async () => {
  const container = new FakeContainer();
  container.ready = new Promise(() => {});
  const failing = startWorker(container).catch((error: Error) => error.message);
  await nextTurn();
  await clock.advance(10_000);
  assert.is(
    await failing,
    'The part of Fieldbell that runs in the background didn’t start in time',
  );
});

test('tells a new waiting worker to skip waiting', async () => {
  const registration = new FakeRegistration();
  registration.waiting = new FakeWorker();
  await startWorker(new FakeContainer([registration]));
  assert.equal(registration.waiting.received, ['skip-waiting']);
});

test('tells a later worker to skip waiting, but not the very first one', async () => {
  const registration = new FakeRegistration();
  const container = new FakeContainer([registration]);
  await startWorker(container);
  const arrive = () => {
    registration.installing = registration.waiting = new FakeWorker();
    registration.dispatchEvent(new Event('updatefound'));
    registration.installing.state = 'installed';
    registration.installing.dispatchEvent(new Event('statechange'));
    return registration.waiting.received;
  };
  assert.equal(arrive(), []);
  container.controller = new FakeWorker();
  assert.equal(arrive(), ['skip-waiting']);
});

test('asks for a restart when another worker takes over, not when the first does', async () => {
  for (const state of ['installing', 'activating']) {
    const registration = new FakeRegistration(null);
    const worker = Object.assign(new FakeWorker(), { state });
    Object.assign(
      registration,
      state === 'installing' ? { installing: worker } : { active: worker },
    );
    const first = new FakeContainer([registration]);
    await startWorker(first);
    first.dispatchEvent(new Event('controllerchange'));
    assert.is(hasNewVersion.value, false, state);
    first.dispatchEvent(new Event('controllerchange'));
    assert.is(hasNewVersion.value, true, state);
    hasNewVersion.value = false;
  }
});

test('reports itself as old when another worker takes over a page without one', async () => {
  const container = new FakeContainer([new FakeRegistration()]);
  await startWorker(container);
  container.dispatchEvent(new Event('controllerchange'));
  assert.is(hasNewVersion.value, true);
});

test('calls itself the old version when its worker was replaced before anyone looked', async () => {
  const worker = new FakeWorker();
  const container = new FakeContainer([new FakeRegistration()]);
  container.controller = worker;
  await startWorker(container, worker);
  assert.is(hasNewVersion.value, false);
  container.controller = new FakeWorker();
  await startWorker(container, worker);
  assert.is(hasNewVersion.value, true);
});

test('calls itself the old version when the worker already controlled it', async () => {
  const later = new FakeContainer([new FakeRegistration()]);
  later.controller = new FakeWorker();
  await startWorker(later);
  later.dispatchEvent(new Event('controllerchange'));
  assert.is(hasNewVersion.value, true);
});

test('gives up on a worker that does not report its version within 5 s', async () => {
  fakePush.install('default');
  fakePush.version = null;
  const failing = workerVersion().catch((error: Error) => error.message);
  await nextTurn();
  await clock.advance(5000);
  assert.is(await failing, 'Service worker version request timed out');
});

test('tells each of several new workers to skip waiting, once', async () => {
  const registration = new FakeRegistration();
  const container = new FakeContainer([registration]);
  container.controller = new FakeWorker();
  await startWorker(container, container.controller);
  for (const _ of [1, 2, 3]) {
    const next = new FakeWorker();
    next.state = 'installing';
    registration.installing = next;
    registration.dispatchEvent(new Event('updatefound'));
    registration.installing = null;
    registration.waiting = next;
    next.state = 'installed';
    next.dispatchEvent(new Event('statechange'));
    assert.equal(next.received, ['skip-waiting']);
    registration.waiting = null;
    next.state = 'activated';
    next.dispatchEvent(new Event('statechange'));
    assert.equal(next.received, ['skip-waiting']);
  }
});

test('retries a failed registration at the next call, and registers once', async () => {
  let attempts = 0;
  const registered = runOnce(async () => {
    if (++attempts < 3) throw new Error(`no ${attempts}`);
    return attempts;
  });
  const outcome = () => registered().catch((error: Error) => error.message);
  assert.equal(await Promise.all([outcome(), outcome()]), ['no 1', 'no 1'], 'one for all callers');
  assert.is(await outcome(), 'no 2');
  for (const _ of [1, 2]) assert.is(await outcome(), 3);
});

test('passes the worker’s messages to all listeners, answers on their ports, and stops when asked', async () => {
  const { onWorkerMessage } = await import('../../../src/platform/worker');
  const container = Object.assign(new FakeContainer(), {
    started: 0,
    startMessages: () => container.started++,
  });
  Object.defineProperty(navigator, 'serviceWorker', { configurable: true, value: container });
  const heard: unknown[][] = [[], []];
  const replied: unknown[] = [];
  const stops = heard.map((list, index) =>
    onWorkerMessage((message, reply) => (list.push(message), index || reply())),
  );
  const dispatchMessage = (data: unknown) =>
    container.dispatchEvent(
      Object.assign(new Event('message'), {
        data,
        ports: [{ postMessage: (value: unknown) => replied.push(value) }],
      }),
    );
  dispatchMessage({ type: 'renewed' });
  dispatchMessage({ type: 'renewed' });
  stops[0]();
  dispatchMessage({ type: 'renewed' });
  stops[1]();
  dispatchMessage({ type: 'renewed' });
  assert.equal(
    heard.map(({ length }) => length),
    [2, 3],
  );
  assert.equal(replied, [true, true]);
  assert.ok(container.started > 0, 'else nothing is delivered');
  Reflect.deleteProperty(navigator, 'serviceWorker');
  onWorkerMessage(() => {})();
});

test('leaves nothing of the app in the browser after a reset', async () => {
  fakePush.install('granted');
  const deleted: string[] = [];
  Object.assign(globalThis, {
    caches: {
      keys: async () => ['precache', 'assets-on-demand'],
      delete: async (name: string) => deleted.push(name),
    },
  });
  localStorage.setItem('jwt_token', 'x');
  sessionStorage.setItem('reloaded', 'x');
  await resetApp();
  assert.is(fakePush.unregistered, 1);
  assert.equal(deleted, ['precache', 'assets-on-demand']);
  assert.is(localStorage.length + sessionStorage.length, 0);
  Reflect.deleteProperty(globalThis, 'caches');
});

test('waits for workers and caches to go at a reset, and reports what stays', async () => {
  fakePush.install('granted');
  const { serviceWorker } = navigator;
  /** The running removals, and how each can end. */
  const ends: Record<string, { succeed: () => void; fail: (why: Error) => void }> = {};
  const removal = (name: string) => () =>
    new Promise<boolean>((resolve, fail) => {
      ends[name] = { succeed: () => resolve(true), fail };
    });
  const getRegistrations = async () =>
    ['first', 'second'].map((name) => ({ unregister: removal(name) }));
  Object.defineProperty(navigator, 'serviceWorker', {
    configurable: true,
    value: { getRegistrations },
  });
  Object.assign(globalThis, {
    caches: { keys: async () => ['precache'], delete: removal('cache') },
  });
  try {
    for (const slow of ['first', 'second', 'cache']) {
      for (const end of ['succeed', 'fail'] as const) {
        localStorage.setItem('jwt_token', 'x');
        for (const name of Object.keys(ends)) delete ends[name];
        let outcome = 'under way';
        const resetting = resetApp().then(
          () => (outcome = 'removed'),
          (error: Error) => (outcome = error.message),
        );
        await nextTurn();
        for (const name of ['first', 'second']) if (name !== slow) ends[name].succeed();
        await nextTurn();
        assert.equal([outcome, localStorage.length], ['under way', 1], slow);
        assert.is('cache' in ends, slow === 'cache', 'the workers go first');
        ends[slow][end](new Error(`The ${slow} is locked.`));
        await nextTurn();
        if (slow !== 'cache' && end === 'succeed') ends.cache.succeed();
        await resetting;
        assert.equal(
          [outcome, localStorage.length],
          end === 'fail' ? [`The ${slow} is locked.`, 1] : ['removed', 0],
        );
      }
    }
  } finally {
    Reflect.deleteProperty(globalThis, 'caches');
    Object.defineProperty(navigator, 'serviceWorker', { configurable: true, value: serviceWorker });
    localStorage.clear();
  }
});

// test/e2e/stories/push/push-device.test.ts tests the same in browsers.
test('empties each existing database at a reset, creates none, and leaves none open', async () => {
  fakePush.install('granted');
  const storesByDatabase: Record<string, string[]> = {
    'keyval-store': ['keyval', 'more'],
    fieldbell: ['kept'],
    'firebase-messaging-database': [],
  };
  const [did, open]: [string[], string[]] = [[], []];
  const fail = Object.assign(new Error('There was none.'), { name: 'AbortError' });
  const opening = (name: string) => {
    const request: Record<string, unknown> = { transaction: { abort: () => did.push('abort') } };
    const fireEvent = (event: string) => (request[event] as (() => void) | undefined)?.();
    const stores = storesByDatabase[name];
    queueMicrotask(() => {
      if (!stores) {
        fireEvent('onupgradeneeded');
        request.error = fail;
        return fireEvent('onerror');
      }
      open.push(name);
      const transaction: Record<string, unknown> = {
        objectStore: (store: string) => ({ clear: () => did.push(`clear ${store}`) }),
      };
      request.result = {
        objectStoreNames: stores,
        close: () => open.splice(open.indexOf(name), 1),
        transaction: (names: string[], mode: string) => {
          if (names.length === 0) throw new DOMException('No store', 'InvalidAccessError');
          assert.equal([names, mode], [stores, 'readwrite']);
          queueMicrotask(() => (transaction.oncomplete as () => void)());
          return transaction;
        },
      };
      fireEvent('onsuccess');
    });
    return request;
  };
  Object.assign(globalThis, { indexedDB: { open: opening } });
  Object.defineProperty(window, 'indexedDB', { configurable: true, value: { open: opening } });
  try {
    await resetApp();
    assert.equal(did.sort(), ['abort', 'abort', 'clear kept', 'clear keyval', 'clear more']);
    assert.equal(open, [], 'an open database keeps the next page waiting');
  } finally {
    for (const where of [globalThis, window]) Reflect.deleteProperty(where, 'indexedDB');
  }
});

test.run();
