import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openPage } from '../../sw/open-page';
import { FakeWindow, createFakeWorker } from './fake-worker';

test('opens the message’s page when no window is open', async () => {
  const { worker, openedUrls } = createFakeWorker();
  await openPage(worker, '/subscriptions');
  assert.equal(openedUrls, ['https://bell.example/subscriptions']);
});

test('prefers and focuses a window at the page, unchanged', async () => {
  const other = new FakeWindow('https://bell.example/admin');
  const right = new FakeWindow('https://bell.example/subscriptions');
  right.onMessage = (_, port) => port?.postMessage(true);
  const { worker, openedUrls } = createFakeWorker(other, right);
  await openPage(worker, '/subscriptions');
  assert.is(right.focused, true);
  assert.is(other.focused, false);
  assert.equal(other.receivedMessages, []);
  assert.equal(openedUrls, []);
});

test('asks a window that has left the page to return to it', async () => {
  const window = new FakeWindow('https://bell.example/subscriptions'); // Firefox goes on giving the first address
  window.onMessage = (_, port) => port?.postMessage(true);
  const { worker } = createFakeWorker(window);
  await openPage(worker, '/subscriptions');
  assert.equal(window.receivedMessages, [{ type: 'open', path: '/subscriptions' }]);
});

test('focuses another window, and asks before it loses typed text', async () => {
  const window = new FakeWindow('https://bell.example/admin/topics');
  window.onMessage = (_, port) => port?.postMessage(true);
  const { worker, openedUrls } = createFakeWorker(window);
  await openPage(worker, '/subscriptions?from=push');
  assert.is(window.focused, true);
  assert.equal(window.receivedMessages, [{ type: 'open', path: '/subscriptions?from=push' }]);
  assert.is(window.url, 'https://bell.example/admin/topics');
  assert.equal(openedUrls, []);
});

/** A worker whose pages hold locks. */
function createLockedWorker(query: () => Promise<unknown>, window: FakeWindow) {
  const fakeWorker = createFakeWorker(window);
  return {
    ...fakeWorker,
    worker: Object.assign(fakeWorker.worker, { navigator: { locks: { query } } }),
  };
}
const createHeldWindow =
  (...names: string[]) =>
  async () => ({ held: names.map((name) => ({ name })), pending: [] });

test('keeps typed text in a busy window, which gets the click late', async () => {
  const window = new FakeWindow('https://bell.example/admin/topics');
  let late: MessagePort | undefined;
  window.onMessage = (_, port) => void (late = port);
  const { worker, openedUrls } = createLockedWorker(
    createHeldWindow('device_token', 'listening'),
    window,
  );
  await openPage(worker, '/messages/m1');
  assert.is(window.focused, true);
  assert.is(window.url, 'https://bell.example/admin/topics');
  assert.equal(window.receivedMessages, [{ type: 'open', path: '/messages/m1' }]);
  late?.postMessage(true); // a late answer breaks nothing
  await openPage(worker, '/messages/m2');
  assert.is(window.url, 'https://bell.example/admin/topics', 'nor by the next click');
  assert.equal(openedUrls, []);
});

for (const [what, query] of [
  ['no page listens to clicks', createHeldWindow('device_token')],
  ['nothing holds a lock', createHeldWindow()],
  ['locks cannot be asked for', () => Promise.reject(new Error('blocked'))],
] as const)
  test(`navigates a silent window at the login form while ${what}`, async () => {
    const window = new FakeWindow('https://bell.example/login');
    await openPage(createLockedWorker(query, window).worker, '/messages/m1');
    assert.is(window.url, 'https://bell.example/messages/m1');
  });

test('navigates a silent window to the message', async () => {
  const window = new FakeWindow('https://bell.example/login');
  const { worker } = createFakeWorker(window);
  await openPage(worker, '/subscriptions');
  assert.is(window.url, 'https://bell.example/subscriptions');
});

test('leaves a silent window that is already there', async () => {
  const window = new FakeWindow('https://bell.example/subscriptions');
  let loads = 0;
  window.navigate = async () => (loads++, window);
  const { worker } = createFakeWorker(window);
  await openPage(worker, '/subscriptions');
  assert.is(window.focused, true);
  assert.is(loads, 0);
});

test('navigates a window that the browser does not focus', async () => {
  const window = new FakeWindow('https://bell.example/admin');
  window.focus = () =>
    Promise.reject(new DOMException('Not allowed to focus a window.', 'InvalidAccessError'));
  window.onMessage = (_, port) => port?.postMessage(true);
  const { worker } = createFakeWorker(window);
  await openPage(worker, '/subscriptions');
  assert.equal(window.receivedMessages, [{ type: 'open', path: '/subscriptions' }]);
});

for (const link of ['https://evil.example/', 'javascript:alert(1)', undefined]) {
  test(`opens the home page for the link ${link}`, async () => {
    const { worker, openedUrls } = createFakeWorker();
    await openPage(worker, link);
    assert.equal(openedUrls, ['https://bell.example/']);
  });
}

test('waits half a second for a window, and cleans up', async () => {
  const real = { setTimeout, clearTimeout };
  const timers = new Map<number, { delay: number; run: () => void }>();
  let lastCount = 0;
  Object.assign(globalThis, {
    setTimeout: (run: () => void, delay: number) => (
      timers.set(++lastCount, { run, delay }), lastCount
    ),
    clearTimeout: (id: number) => timers.delete(id),
  });
  try {
    const quick = new FakeWindow('https://bell.example/admin');
    quick.onMessage = (_, port) => port?.postMessage(true);
    for (const _ of [1, 2]) await openPage(createFakeWorker(quick).worker, '/subscriptions');
    assert.equal([timers.size, lastCount], [0, 2]);
    const silent = new FakeWindow('https://bell.example/login');
    const opening = openPage(createFakeWorker(silent).worker, '/subscriptions');
    while (!timers.size) await new Promise((resolve) => setImmediate(resolve));
    assert.is([...timers.values()][0].delay, 500);
    assert.is(silent.url, 'https://bell.example/login');
    [...timers.values()][0].run();
    await opening;
    assert.is(silent.url, 'https://bell.example/subscriptions');
  } finally {
    Object.assign(globalThis, real);
  }
});

test('asks only the window on that page, or the last used one', async () => {
  const windows = ['/admin', '/admin/users', '/subscriptions', '/'].map(
    (path) => new FakeWindow(`https://bell.example${path}`),
  );
  for (const window of windows) window.onMessage = (_, port) => port?.postMessage(true);
  const { worker } = createFakeWorker(...windows);
  for (const link of ['/subscriptions', '/somewhere', '/elsewhere']) await openPage(worker, link);
  assert.equal(
    windows.map(({ receivedMessages: received }) => received.length),
    [2, 0, 1, 0],
  );
});

test('uses a window loaded before the worker, and leaves one it cannot navigate', async () => {
  const window = new FakeWindow('https://bell.example/login');
  window.isControlled = false;
  window.navigate = () => Promise.reject(new TypeError('not controlled'));
  const { worker, openedUrls } = createFakeWorker(window);
  await openPage(worker, '/subscriptions');
  assert.is(window.focused, true);
  assert.equal(openedUrls, []);
});

test.run();
