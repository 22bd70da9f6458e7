import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { listenToWorkerEvents } from '../../sw/listen';
import { reportRenewalAfterSdk } from '../../sw/renew';
import { FakeWindow, fakeCaches, createFakeWorker } from './fake-worker';

const test = suite('listeners');
const realCaches = globalThis.caches;
test.before.each(() => void Object.assign(globalThis, fakeCaches()));
test.after.each(() => void Object.assign(globalThis, { caches: realCaches }));

function start(...windows: FakeWindow[]) {
  const fakeWorker = createFakeWorker(...windows);
  listenToWorkerEvents(fakeWorker.worker, '1.2.3');
  return fakeWorker;
}

test('shows a push before the worker may end', async () => {
  const { fire, shown } = start();
  await fire('push', { data: { json: () => ({ data: { title: 'Outages', body: 'Feeder 12' } }) } });
  assert.equal(
    shown.map(({ title }) => title),
    ['Outages'],
  );
});

test('closes a clicked notification, and opens its page', async () => {
  const { fire, openedUrls } = start();
  let closedCount = 0;
  await fire('notificationclick', {
    notification: { close: () => closedCount++, data: { link: '/subscriptions' } },
  });
  await fire('notificationclick', { notification: { close: () => closedCount++, data: null } });
  assert.is(closedCount, 2);
  assert.equal(openedUrls, ['https://bell.example/subscriptions', 'https://bell.example/']);
});

test('stops pushes and clicks from reaching later listeners such as the SDK’s', async () => {
  const { fire } = start();
  assert.equal(await fire('push', { data: null }), { reachesLaterListeners: false });
  assert.equal(await fire('notificationclick', { notification: { close() {}, data: null } }), {
    reachesLaterListeners: false,
  });
});

test('tells a page its version', async () => {
  const answers: unknown[] = [];
  const { fire, lifecycleCalls } = start();
  await fire('message', {
    data: 'version',
    ports: [{ postMessage: (reply: unknown) => answers.push(reply) }],
  });
  await fire('message', { data: 'version', ports: [] });
  assert.equal(answers, ['1.2.3']);
  assert.equal(lifecycleCalls, []);
});

test('skips waiting on request, and ignores other messages', async () => {
  const { fire, lifecycleCalls } = start();
  await fire('message', { data: { type: 'something else' }, ports: [] });
  await fire('message', { data: 'skip-waiting', ports: [] });
  assert.equal(lifecycleCalls, ['skip-waiting']);
});

test('takes over open pages on activation, and drops files fetched by the previous version', async () => {
  const { caches, cacheEntries } = fakeCaches();
  Object.assign(globalThis, { caches });
  await caches.open('assets-on-demand');
  await (await caches.open('assets-on-demand')).put(
    new Request('https://bell.example/assets/Users-old.js'),
    new Response(''),
  );
  const { fire, lifecycleCalls } = start();
  await fire('activate');
  assert.equal(lifecycleCalls, ['claim']);
  assert.equal([...cacheEntries.keys()], []);
});

test('renews a lost subscription with the same options, and informs every window', async () => {
  const windows = [
    new FakeWindow('https://bell.example/'),
    new FakeWindow('https://bell.example/admin'),
  ];
  const { fire, subscribeOptions } = start(...windows);
  const options = { userVisibleOnly: true, applicationServerKey: new ArrayBuffer(65) };
  await fire('pushsubscriptionchange', { oldSubscription: { options }, newSubscription: null });
  assert.equal(subscribeOptions, [options]);
  for (const { receivedMessages } of windows) assert.equal(receivedMessages, [{ type: 'renewed' }]);
});

test('keeps a subscription that the browser has replaced', async () => {
  const window = new FakeWindow('https://bell.example/');
  const { fire, subscribeOptions } = start(window);
  await fire('pushsubscriptionchange', { oldSubscription: { options: {} }, newSubscription: {} });
  assert.equal(subscribeOptions, []);
  assert.equal(window.receivedMessages, [{ type: 'renewed' }]);
});

test('leaves a renewal to the windows when it cannot do it', async () => {
  const window = new FakeWindow('https://bell.example/');
  const { fire, scope } = start(window);
  await fire('pushsubscriptionchange', { oldSubscription: null, newSubscription: null });
  scope.registration.pushManager.subscribe = () => Promise.reject(new Error('no connection'));
  await fire('pushsubscriptionchange', { oldSubscription: { options: {} }, newSubscription: null });
  assert.equal(window.receivedMessages, [{ type: 'renewed' }, { type: 'renewed' }]);
});

test('tells the windows of a changed FCM subscription once the SDK has its token', async () => {
  const window = new FakeWindow('https://bell.example/');
  const { worker } = createFakeWorker(window);
  const order: string[] = [];
  window.onMessage = () => order.push('window told');
  const waiting: Promise<unknown>[] = [];
  const event = { waitUntil: (work: Promise<unknown>) => void waiting.push(work) };
  reportRenewalAfterSdk(worker, event as unknown as ExtendableEvent);
  event.waitUntil(Promise.resolve().then(() => order.push('token dropped')));
  await Promise.all(waiting);
  assert.equal(order, ['token dropped', 'window told']);
  assert.equal(window.receivedMessages, [{ type: 'renewed' }]);
});

test('replies to every version request with a port, and ignores others', async () => {
  const { fire } = start();
  await fire('message', { data: 'version', ports: [] });
  for (const _ of [1, 2, 3]) {
    const answers: unknown[] = [];
    await fire('message', {
      data: 'version',
      ports: [{ postMessage: (value: unknown) => answers.push(value) }],
    });
    assert.equal(answers, ['1.2.3']);
  }
});

test('shows something for every push, also after a rejected one', async () => {
  const { fire, shown, scope } = start();
  const { showNotification } = scope.registration;
  const push = (body: string) =>
    fire('push', { data: { json: () => ({ data: { title: 'Outages', body } }) } });
  await push('one');
  scope.registration.showNotification = () => Promise.reject(new TypeError('not now'));
  await push('two').catch(() => {});
  scope.registration.showNotification = showNotification;
  await push('three');
  assert.equal(
    shown.map(({ options }) => options.body),
    ['one', 'three'],
  );
});

test('tells all windows of each changed FCM subscription, also when the SDK fails', async () => {
  const windows = [1, 2, 3].map((index) => new FakeWindow(`https://bell.example/${index}`));
  const { worker } = createFakeWorker(...windows);
  for (const _ of [1, 2]) {
    const waiting: Promise<unknown>[] = [];
    const event = { waitUntil: (work: Promise<unknown>) => void waiting.push(work) };
    reportRenewalAfterSdk(worker, event as unknown as ExtendableEvent);
    event.waitUntil(Promise.reject(new Error('no token')));
    await Promise.allSettled(waiting);
  }
  for (const { receivedMessages } of windows)
    assert.equal(receivedMessages, [{ type: 'renewed' }, { type: 'renewed' }]);
});

test.run();
