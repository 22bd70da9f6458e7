import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { recoverFromLoadFailure, rescue } from '../../src/rescue';
import { clock } from '../support/app/clock';
import { eventually } from '../support/eventually';

const test = suite('rescue');
const real = { fetch: globalThis.fetch, now: Date.now };
const page = (version: string) =>
  `<head><script>watch</script><script type="module" src="/assets/main-${version}.js"></script></head><div id="app"></div>`;

let browser: {
  served: () => Response;
  kept: Map<string, string>;
  reloads: number;
  asked: string[];
  worker?: FakeWorker | undefined;
};

class FakeWorker extends EventTarget {
  state = 'installing';
  received: unknown[] = [];
  become(state: string): void {
    this.state = state;
    this.dispatchEvent(new Event('statechange'));
  }
  postMessage(message: unknown): void {
    this.received.push(message);
  }
}
const serve = (version: string) => {
  browser.served = () => new Response(page(version));
};
const cachePage = (version: string) =>
  browser.kept.set('/index.html?__WB_REVISION__=1', page(version));
const passTime = (milliseconds: number) => {
  Date.now = () => real.now() + milliseconds;
};
const rescueNote = () => document.getElementById('rescue');
/** The rescue shows a sentence unless the page starts again. */
async function outcome(promise: Promise<unknown>): Promise<unknown> {
  const reloads = browser.reloads;
  let outcomeText: unknown;
  void promise.then((value) => (outcomeText = value ?? rescueNote()?.textContent ?? 'nothing'));
  return eventually(() => (browser.reloads > reloads ? 'reload' : outcomeText), 'an outcome');
}

test.before.each(() => {
  browser = { served: () => new Response(page('1')), kept: new Map(), reloads: 0, asked: [] };
  sessionStorage.clear();
  document.head.innerHTML =
    '<script>watch</script><script type="module" src="/assets/main-1.js"></script>';
  document.body.innerHTML = '<div id="app"></div>';
  globalThis.fetch = async (input) => {
    browser.asked.push(String(input));
    return browser.served();
  };
  Object.assign(globalThis, {
    caches: {
      keys: async () => [...browser.kept.keys()],
      delete: async (name: string) => browser.kept.delete(name),
      match: async () => [...browser.kept.values()].map((text) => new Response(text))[0],
    },
  });
  const registration = {
    update: async () => {},
    get installing() {
      return browser.worker;
    },
    waiting: null,
  };
  Object.defineProperty(navigator, 'serviceWorker', {
    configurable: true,
    value: { getRegistration: async () => registration },
  });
  Object.defineProperty(location, 'reload', { configurable: true, value: () => browser.reloads++ });
  Object.defineProperty(navigator, 'onLine', { configurable: true, value: true });
  window.onload = () => {};
});
test.after.each(() => {
  Date.now = real.now;
  globalThis.fetch = real.fetch;
  window.onload = null;
  document.head.innerHTML = document.body.innerHTML = '';
  for (const name of ['caches']) Reflect.deleteProperty(globalThis, name);
  for (const name of ['serviceWorker', 'onLine']) Reflect.deleteProperty(navigator, name);
  Reflect.deleteProperty(location, 'reload');
  sessionStorage.clear();
});

test('restarts a failed app once by itself, then reports it and waits', async () => {
  cachePage('1');
  assert.is(await outcome(rescue()), 'reload');
  assert.is(rescueNote(), null);
  for (const minutes of [1, 5, 9]) {
    passTime(minutes * 60_000);
    assert.match(String(await outcome(rescue())), /^The app didn’t start\. Reload to try again\./);
    assert.is(document.querySelectorAll('#rescue').length, 1, 'reported once');
  }
  assert.is(browser.reloads, 1);
  assert.is(browser.kept.size, 1, 'what is kept is no older than what the server has');
  rescueNote()?.remove();
  passTime(11 * 60_000);
  assert.is(await outcome(rescue()), 'reload');
});

test('starts a newer version at once, though another restart just happened', async () => {
  cachePage('1');
  assert.is(await outcome(rescue()), 'reload');
  serve('2');
  assert.is(await outcome(rescue()), 'reload');
  assert.is(browser.kept.size, 0, 'the broken page does not come from the cache again');
  assert.match(String(await outcome(rescue())), /^The app didn’t start/);
  assert.is(browser.reloads, 2, 'but not forever');
});

test('lets the server’s worker take over first, and then keeps its data', async () => {
  cachePage('1');
  serve('2');
  const worker = (browser.worker = new FakeWorker());
  const started = outcome(rescue());
  await eventually(() => browser.asked.length, 'the server to be asked');
  worker.become('installed');
  await eventually(() => worker.received.length, 'the worker to receive it');
  assert.equal(worker.received, ['skip-waiting']);
  assert.is(browser.reloads, 0);
  browser.kept.clear();
  cachePage('2');
  worker.become('activated');
  assert.is(await started, 'reload');
  assert.is(browser.kept.size, 1);
});

test('ignores a worker that cannot be installed', async () => {
  cachePage('1');
  serve('2');
  const worker = (browser.worker = new FakeWorker());
  const started = outcome(rescue());
  await eventually(() => browser.asked.length, 'the server to be asked');
  worker.become('redundant');
  assert.is(await started, 'reload');
  assert.is(browser.kept.size, 0);
});

test('waits 10 s for a worker that never finishes', async () => {
  cachePage('1');
  serve('2');
  browser.worker = new FakeWorker();
  clock.install();
  try {
    const started = outcome(rescue());
    await eventually(() => browser.asked.length, 'the server to be asked');
    await clock.advance(9_999);
    assert.is(browser.reloads, 0);
    await clock.advance(1);
    assert.is(await started, 'reload');
    assert.is(browser.kept.size, 0);
  } finally {
    clock.remove();
  }
});

for (const [what, served] of [
  [
    'without a network',
    () => {
      throw new TypeError('offline');
    },
  ],
  ['behind a captive portal', () => new Response('<h1>Welcome to the hotel</h1>')],
  ['while the server fails', () => new Response(page('2'), { status: 502 })],
] as const) {
  test(`keeps stored data and does not restart by itself ${what}`, async () => {
    cachePage('1');
    browser.served = served;
    assert.is(
      await outcome(rescue()),
      'The app didn’t start. The server isn’t reachable. Reload in a few minutes. Reload',
    );
    rescueNote()?.querySelector('button')?.click();
    await eventually(() => browser.reloads === 1, 'the press to reload');
    assert.is(browser.kept.size, 1);
  });
}

test('clears stored data on Reload as a last resort', async () => {
  cachePage('1');
  sessionStorage.setItem('reloaded', `${Date.now()} assets/main-1.js`);
  await outcome(rescue());
  assert.is(browser.kept.size, 1);
  rescueNote()?.querySelector('button')?.click();
  await eventually(() => browser.reloads === 1, 'the press to reload');
  assert.is(browser.kept.size, 0);
});

test('does not restart automatically when nothing can be stored', async () => {
  const { sessionStorage: working } = globalThis;
  const broken = new Proxy({} as Storage, {
    get: () => () => {
      throw new DOMException('The operation is insecure.', 'SecurityError');
    },
  });
  Object.assign(globalThis, { sessionStorage: broken });
  try {
    for (const _ of [1, 2]) assert.match(String(await outcome(rescue())), /^The app didn’t start/);
    assert.is(browser.reloads, 0);
  } finally {
    Object.assign(globalThis, { sessionStorage: working });
  }
});

test('rescues a browser without workers and caches', async () => {
  Reflect.deleteProperty(globalThis, 'caches');
  Reflect.deleteProperty(navigator, 'serviceWorker');
  serve('2');
  assert.is(await outcome(rescue()), 'reload');
});

test('clears its note when the app starts after all', async () => {
  browser.served = () => {
    throw new TypeError('offline');
  };
  Object.defineProperty(navigator, 'onLine', { configurable: true, value: false });
  const timers = { setInterval: globalThis.setInterval, clearInterval: globalThis.clearInterval };
  const running = new Map<unknown, () => void>();
  Object.assign(globalThis, {
    setInterval: (look: () => void) => (running.set(look, look), look),
    clearInterval: (id: unknown) => running.delete(id),
  });
  try {
    assert.is(
      await outcome(rescue()),
      'The app didn’t start. You’re offline. Reload when you’re back online. Reload',
    );
    for (const look of running.values()) look();
    assert.ok(rescueNote(), 'it did not start');
    window.onload = null;
    for (const look of running.values()) look();
    assert.is(rescueNote(), null);
    assert.is(running.size, 0, 'nothing left to check');
  } finally {
    Object.assign(globalThis, timers);
  }
});

test('restarts for missing code once a minute, and reports it otherwise', async () => {
  cachePage('1');
  assert.is(await outcome(recoverFromLoadFailure()), 'reload');
  for (const seconds of [1, 59]) {
    passTime(seconds * 1000);
    assert.is(await outcome(recoverFromLoadFailure()), 'This page couldn’t be loaded.');
  }
  passTime(61_000);
  assert.is(await outcome(recoverFromLoadFailure()), 'reload');
  assert.is(browser.kept.size, 1);
});

test('says offline that a page was never opened here', async () => {
  browser.served = () => {
    throw new TypeError('offline');
  };
  assert.is(
    await outcome(recoverFromLoadFailure()),
    'The server isn’t reachable, and this page isn’t saved on this device. Try again in a few minutes.',
  );
  Object.defineProperty(navigator, 'onLine', { configurable: true, value: false });
  assert.is(
    await outcome(recoverFromLoadFailure()),
    'You’re offline, and this page isn’t saved on this device. Try again when you’re back online.',
  );
  assert.is(browser.reloads, 0);
});

test('reloads the app without caches', async () => {
  await outcome(recoverFromLoadFailure());
  assert.match(browser.asked[0], /^\/\?fresh=\d+$/);
});

test.run();
