import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isConnected } from '../../../src/platform/connection';
import { onReconnect, onReturn } from '../../../src/platform/network';
import {
  askPermission,
  currentPermission,
  guessDeviceType,
  watchPermission,
} from '../../../src/platform/push/notifications';
import { forgetSubscription, hasSubscription } from '../../../src/platform/push/subscription';
import { withTimeout } from '../../../src/platform/with-timeout';
import {
  clearOfflineData,
  writeOfflineData,
  readOfflineData,
} from '../../../src/platform/storage/database';
import { clock } from '../../support/app/clock';
import { fakeDatabase } from '../../support/app/fake-database';

const test = suite('facts from the browser');
const defineGlobal = (where: object, name: string, value: unknown) =>
  Object.defineProperty(where, name, { configurable: true, value });
test.after.each(() => {
  for (const name of ['permissions', 'serviceWorker']) Reflect.deleteProperty(navigator, name);
  Reflect.deleteProperty(document, 'hidden');
  Reflect.deleteProperty(navigator, 'onLine');
});

test('reports offline for as long as it lasts, every time', () => {
  for (const isOnline of [false, true, false, true]) {
    defineGlobal(navigator, 'onLine', isOnline);
    dispatchEvent(new Event(isOnline ? 'online' : 'offline'));
    assert.is(isConnected.value, isOnline);
  }
});

test('tells each listener about each reconnection until it stops listening', () => {
  const reconnectCounts = [0, 0];
  const [stop, stopOther] = [
    onReconnect(() => reconnectCounts[0]++),
    onReconnect(() => reconnectCounts[1]++),
  ];
  for (const _ of [1, 2, 3]) dispatchEvent(new Event('online'));
  assert.equal(reconnectCounts, [3, 3]);
  stop();
  dispatchEvent(new Event('online'));
  assert.equal(reconnectCounts, [3, 4]);
  stopOther();
  dispatchEvent(new Event('online'));
  assert.equal(reconnectCounts, [3, 4]);
});

test('reports a return on focus and visibility, not on leaving', () => {
  let returnedCount = 0;
  onReturn(() => returnedCount++);
  dispatchEvent(new Event('focus'));
  dispatchEvent(new Event('visibilitychange'));
  assert.is(returnedCount, 2);
  defineGlobal(document, 'hidden', true);
  dispatchEvent(new Event('visibilitychange'));
  assert.is(returnedCount, 2);
  defineGlobal(document, 'hidden', false);
  dispatchEvent(new Event('visibilitychange'));
  assert.is(returnedCount, 3);
});

test('reports each permission change in the settings, also where the browser cannot watch it', async () => {
  const status = new EventTarget();
  const names: unknown[] = [];
  defineGlobal(navigator, 'permissions', {
    query: async (wanted: unknown) => (names.push(wanted), status),
  });
  let changedCount = 0;
  watchPermission(() => changedCount++);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(names, [{ name: 'notifications' }]);
  for (const _ of [1, 2]) status.dispatchEvent(new Event('change'));
  assert.is(changedCount, 2);
  for (const permissions of [
    undefined,
    { query: () => Promise.reject(new TypeError('unknown name')) },
  ]) {
    defineGlobal(navigator, 'permissions', permissions);
    let returnedCount = 0;
    watchPermission(() => returnedCount++);
    dispatchEvent(new Event('focus'));
    assert.is(returnedCount, 1);
  }
});

test('returns the person’s decision about notifications, or that the question failed', async () => {
  const { Notification } = globalThis;
  const set = (value: unknown) => (
    Object.assign(globalThis, { Notification: value }),
    Object.assign(window, { Notification: value })
  );
  for (const decision of ['granted', 'denied', 'default'] as const) {
    set({ permission: decision, requestPermission: async () => decision });
    assert.is(await askPermission(), decision);
    assert.is(currentPermission(), decision);
  }
  set({ permission: 'default', requestPermission: () => Promise.reject(new Error('not now')) });
  for (const _ of [1, 2])
    assert.is(
      await askPermission().catch((error: Error) => error.message),
      'Failed to request notification permission',
    );
  Reflect.deleteProperty(globalThis, 'Notification');
  Reflect.deleteProperty(window, 'Notification');
  assert.is(currentPermission(), 'denied');
  if (Notification) set(Notification);
});

test('tells an iPad from a Mac, with or without a mouse', () => {
  assert.is(guessDeviceType('Mozilla/5.0 (Macintosh; Intel Mac OS X)', 0), 'web');
  assert.is(guessDeviceType('Mozilla/5.0 (Macintosh; Intel Mac OS X)', 1), 'web');
  assert.is(guessDeviceType('Mozilla/5.0 (Macintosh; Intel Mac OS X)', 2), 'ios');
  assert.is(guessDeviceType('Mozilla/5.0 (iPod touch)', 0), 'ios');
  assert.is(guessDeviceType('Mozilla/5.0 (Windows NT 10.0)', 10), 'web');
});

function fakeBrowser(shown: number, subscribed: boolean, data: object | null = null) {
  const did: string[] = [];
  const notifications = Array.from({ length: shown }, (_, index) => ({
    close: () => did.push(`close ${index}`),
    data: index === 0 ? data : null,
  }));
  const subscription = subscribed ? { unsubscribe: async () => did.push('unsubscribe') } : null;
  const registration = {
    getNotifications: async () => notifications,
    pushManager: { getSubscription: async () => subscription },
  };
  defineGlobal(navigator, 'serviceWorker', {
    getRegistration: async (scope: string) => (scope === '/' ? registration : undefined),
  });
  return did;
}

test('undoes a subscription or a single notification, and nothing without either', async () => {
  for (const [shown, subscribed, found] of [
    [0, false, false],
    [1, false, true],
    [0, true, true],
    [4, true, true],
  ] as const) {
    fakeBrowser(shown, subscribed);
    assert.is(await hasSubscription(), found, `${shown} ${subscribed}`);
  }
  defineGlobal(navigator, 'serviceWorker', undefined);
  assert.is(await hasSubscription(), false);
  await forgetSubscription();
});

test('closes every notification and ends the subscription when forgetting', async () => {
  const did = fakeBrowser(4, true);
  await forgetSubscription();
  assert.equal(did, ['close 0', 'close 1', 'close 2', 'close 3', 'unsubscribe']);
  const without = fakeBrowser(3, false);
  await forgetSubscription();
  assert.equal(without, ['close 0', 'close 1', 'close 2']);
  const withUnsent = fakeBrowser(2, false, { answer: 'I’m OK' });
  await forgetSubscription();
  assert.equal(withUnsent, ['close 1'], 'it still has to be sent');
  await forgetSubscription(true);
  assert.equal(withUnsent, ['close 1', 'close 0', 'close 1']);
});

test('clears its timer when work finishes in time, and rejects late work with the given error', async () => {
  const real = { setTimeout, clearTimeout };
  const running = new Set<unknown>();
  const delays: number[] = [];
  Object.assign(globalThis, {
    setTimeout: (_: () => void, delay: number) => (
      delays.push(delay), running.add(delays.length), delays.length
    ),
    clearTimeout: (id: unknown) => running.delete(id),
  });
  try {
    assert.is(await withTimeout(700, Promise.resolve(7), 'late'), 7);
    assert.is(
      await withTimeout(800, Promise.reject(new Error('its own')), 'late').catch(
        (error: Error) => error.message,
      ),
      'its own',
    );
    assert.equal([delays, running.size], [[700, 800], 0]);
  } finally {
    Object.assign(globalThis, real);
  }
  clock.install();
  try {
    let outcome = '';
    void withTimeout(5000, new Promise(() => {}), 'It was late').catch(
      (error: Error) => (outcome = error.message),
    );
    await clock.advance(4999);
    assert.is(outcome, '');
    await clock.advance(1);
    await new Promise((resolve) => setImmediate(resolve));
    assert.is(outcome, 'It was late');
  } finally {
    clock.remove();
  }
});

test('keeps a value under its name until all are erased, and none if the database fails', async () => {
  fakeDatabase.install();
  await writeOfflineData('one', { a: 1 });
  await writeOfflineData('two', { b: 2 });
  await writeOfflineData('one', { a: 3 });
  assert.equal(
    [await readOfflineData('one'), await readOfflineData('two'), await readOfflineData('three')],
    [{ a: 3 }, { b: 2 }, undefined],
  );
  await clearOfflineData();
  assert.equal(
    [await readOfflineData('one'), await readOfflineData('two')],
    [undefined, undefined],
  );
  fakeDatabase.remove();
});

test.run();
