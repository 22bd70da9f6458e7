import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { reset, workerVersion } from '../../../src/platform/maintenance';
import { registerWorker, updated } from '../../../src/platform/worker';
import { clock } from '../../support/clock';
import { pushWorld } from '../../support/push-world';

const test = suite('worker');
const OURS = 'https://bell.example/firebase-messaging-sw.js';

test.before.each(() => {
  clock.install();
  updated.value = false;
});
test.after.each(() => clock.remove());

/** A worker script in one of its states, which remembers what it is told. */
class FakeWorker extends EventTarget {
  told: unknown[] = [];
  state = 'activated';
  constructor(public scriptURL = OURS) {
    super();
  }
  postMessage(message: unknown) {
    this.told.push(message);
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
const start = (container: FakeContainer, first: FakeWorker | null = null) => registerWorker(container as unknown as ServiceWorkerContainer, first as ServiceWorker | null);
/** Lets promises that wait for nothing but each other come to their end. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

test('without a worker one is registered at scope /, and a second passes before anybody relies on it', async () => {
  const container = new FakeContainer();
  let ready = false;
  const starting = start(container).then(() => (ready = true));
  await settle();
  assert.equal(container.registered, [['/firebase-messaging-sw.js', { scope: '/', updateViaCache: 'none' }]]);
  await clock.advance(999);
  await settle();
  assert.is(ready, false);
  await clock.advance(1);
  await starting;
});

test('a worker of ours that is there is reused at once', async () => {
  const container = new FakeContainer([new FakeRegistration()]);
  await start(container);
  assert.equal(container.registered, []);
});

test('workers of other scripts are unregistered, ours is not', async () => {
  const ours = new FakeRegistration();
  const other = new FakeRegistration(new FakeWorker('https://bell.example/sw.js'));
  await start(new FakeContainer([other, ours]));
  assert.is(other.gone, true);
  assert.is(ours.gone, false);
});

test('a worker that is not active after 10 s is given up', async () => {
  const container = new FakeContainer();
  container.ready = new Promise(() => {});
  const failing = start(container).catch((error: Error) => error.message);
  await settle();
  await clock.advance(10_000);
  assert.is(await failing, 'The service worker did not start in time');
});

test('a new worker that waits is told to skip waiting', async () => {
  const registration = new FakeRegistration();
  registration.waiting = new FakeWorker();
  await start(new FakeContainer([registration]));
  assert.equal(registration.waiting.told, ['skip-waiting']);
});

test('so is one that is found later, but not the very first one', async () => {
  const registration = new FakeRegistration();
  const container = new FakeContainer([registration]);
  await start(container);
  const arrive = () => {
    registration.installing = registration.waiting = new FakeWorker();
    registration.dispatchEvent(new Event('updatefound'));
    registration.installing.state = 'installed';
    registration.installing.dispatchEvent(new Event('statechange'));
    return registration.waiting.told;
  };
  assert.equal(arrive(), []);
  container.controller = new FakeWorker();
  assert.equal(arrive(), ['skip-waiting']);
});

test('the page is to start again when another worker takes it over, but not when the first one does', async () => {
  for (const state of ['installing', 'activating']) {
    const registration = new FakeRegistration(null);
    const worker = Object.assign(new FakeWorker(), { state });
    Object.assign(registration, state === 'installing' ? { installing: worker } : { active: worker });
    const first = new FakeContainer([registration]);
    await start(first);
    first.dispatchEvent(new Event('controllerchange'));
    assert.is(updated.value, false, state);
    first.dispatchEvent(new Event('controllerchange'));
    assert.is(updated.value, true, state);
    updated.value = false;
  }
});

test('a page that started past the worker that was there is the old version, too, once the next one takes it over', async () => {
  const container = new FakeContainer([new FakeRegistration()]);
  await start(container);
  container.dispatchEvent(new Event('controllerchange'));
  assert.is(updated.value, true);
});

test('so is one whose worker was taken over before anybody looked', async () => {
  const worker = new FakeWorker();
  const container = new FakeContainer([new FakeRegistration()]);
  container.controller = worker;
  await start(container, worker);
  assert.is(updated.value, false);
  container.controller = new FakeWorker();
  await start(container, worker);
  assert.is(updated.value, true);
});

test('so is one that the worker already controlled', async () => {
  const later = new FakeContainer([new FakeRegistration()]);
  later.controller = new FakeWorker();
  await start(later);
  later.dispatchEvent(new Event('controllerchange'));
  assert.is(updated.value, true);
});

test('a worker that does not tell its version within 5 s is given up', async () => {
  pushWorld.install('default');
  pushWorld.version = null;
  const failing = workerVersion().catch((error: Error) => error.message);
  await settle();
  await clock.advance(5000);
  assert.is(await failing, 'Service worker version request timed out');
});

// Databases are emptied, too: test/e2e/push-device.test.ts sees that in real browsers.
test('a reset leaves nothing of the app in the browser', async () => {
  pushWorld.install('granted');
  const deleted: string[] = [];
  Object.assign(globalThis, { caches: { keys: async () => ['precache', 'assets-on-demand'], delete: async (name: string) => deleted.push(name) } });
  localStorage.setItem('jwt_token', 'x');
  sessionStorage.setItem('reloaded', 'x');
  await reset();
  assert.is(pushWorld.unregistered, 1);
  assert.equal(deleted, ['precache', 'assets-on-demand']);
  assert.is(localStorage.length + sessionStorage.length, 0);
  Reflect.deleteProperty(globalThis, 'caches');
});

test.run();
