import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  keepDevice,
  keepMessages,
  readKeptMessages,
  readPendingReceipts,
} from '../../src/platform/storage/received';
import { buildPushMessage } from '../../src/shared/push-message';
import { listenToWorkerEvents } from '../../sw/listen';
import { fakeDatabase } from '../support/app/fake-database';
import { createMessage } from '../support/app/fake-inbox';
import { FakeWindow, fakeServer, createFakeWorker } from './fake-worker';

const test = suite('a test push');

let server: ReturnType<typeof fakeServer>;
test.before.each(async () => {
  fakeDatabase.install();
  server = fakeServer();
  await keepDevice({ person: 7, key: 'key-of-7' });
});
test.after.each(() => {
  server.remove();
  fakeDatabase.remove();
});

const createPush = (id: string, more: object = {}) =>
  buildPushMessage({
    title: 'Fieldbell',
    body: 'This is a test.',
    topicId: '',
    messageId: id,
    testId: id,
    link: `/check?test=${id}`,
    sentAt: '2026-11-21T09:30:00.000Z',
    seq: '0',
    ...more,
  });

function start(...windows: FakeWindow[]) {
  const fakeWorker = createFakeWorker(...windows);
  listenToWorkerEvents(fakeWorker.worker, '1.2.3');
  const push = (id: string, more: object = {}) =>
    fakeWorker.fire('push', { data: { json: () => createPush(id, more) } });
  async function press() {
    const { options } = fakeWorker.shown.at(-1)!;
    await fakeWorker.fire('notificationclick', {
      action: '',
      notification: { close() {}, data: options.data as unknown },
    });
  }
  return { ...fakeWorker, push, press };
}
const kinds = () => server.recorded.map(({ messageId, kind }) => `${kind} ${messageId}`);

test('reports a test received, then displayed, by the device’s key', async () => {
  const { push, shown } = start();
  await push('t1');
  assert.is(shown.length, 1);
  assert.equal(kinds(), ['received t1', 'displayed t1']);
  assert.ok(server.requests.every(({ key }) => key === 'key-of-7'));
  const [received, displayed] = server.recorded.map(({ at }) => Date.parse(at!));
  assert.ok(received! <= displayed!);
});

test('shows a test before sending anything', async () => {
  const { push, shown } = start();
  const shownThen: number[] = [];
  server.status = () => {
    shownThen.push(shown.length);
    return 200;
  };
  await push('t1');
  assert.is(shownThen[0], 1);
});

test('shows a test while the server is silent', async () => {
  const { push, shown } = start();
  let reply!: (status: number) => void;
  const subscribeCalled = new Promise<void>((resolve) => {
    server.status = () => {
      resolve();
      return new Promise((given) => (reply = given));
    };
  });
  const pushed = push('t1');
  await subscribeCalled;
  assert.is(shown.length, 1);
  server.status = () => 200;
  reply(200);
  await pushed;
  assert.equal(kinds(), ['received t1', 'displayed t1']);
});

test('replaces an earlier test, and sounds again', async () => {
  const { push, shown } = start();
  await push('t1');
  await push('t2');
  assert.equal(
    shown.map(({ options }) => [options.tag, options.renotify]),
    [['fieldbell-test', true]],
  );
  assert.equal(kinds(), ['received t1', 'displayed t1', 'received t2', 'displayed t2']);
});

test('reports a test as received and rejected by the system', async () => {
  const { push, scope } = start();
  scope.registration.showNotification = () => Promise.reject(new TypeError('No permission'));
  await push('t1').catch(() => {});
  await push('t2').catch(() => {});
  assert.equal(kinds(), ['received t1', 'refused t1', 'received t2', 'refused t2']);
});

test('reports a test received although the system never responds', async () => {
  const { push, scope } = start();
  let show!: () => void;
  scope.registration.showNotification = () => new Promise((resolve) => (show = resolve));
  const pushed = push('t1');
  while (!server.recorded.length) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(kinds(), ['received t1']);
  show();
  await pushed;
});

test('sends unsent test receipts with the next push, once', async () => {
  const { push } = start();
  server.status = () => 0;
  await push('t1');
  assert.equal(
    (await readPendingReceipts(7)).map(({ kind }) => kind),
    ['received', 'displayed'],
  );
  server.status = () => 200;
  await push('t2');
  await push('t3');
  assert.equal(
    kinds(),
    ['t1', 't2', 't3'].flatMap((id) => [`received ${id}`, `displayed ${id}`]),
  );
});

test('keeps a test out of the inbox, and marks no message read', async () => {
  await keepMessages(7, [createMessage(1, { id: 't1' })]);
  const { push } = start();
  await push('t1', { seq: '5' });
  await push('t2', { seq: '6' });
  assert.equal(
    (await readKeptMessages(7)).map(({ id, readAt }) => [id, readAt]),
    [['t1', null]],
  );
});

test('keeps a test among thirty messages, uncounted', async () => {
  const { push, shown } = start();
  await push('t1');
  for (let index = 1; index <= 30; index++)
    await push(`m${index}`, { testId: '', link: `/messages/m${index}`, seq: String(index) });
  assert.ok(shown.some(({ options }) => options.tag === 'fieldbell-test'));
  assert.ok(shown.some(({ title }) => title === '11 more in the inbox'));
  assert.is(shown.length, 21);
});

test('opens a pressed test in a closed app, and sends nothing', async () => {
  const { push, press, openedUrls } = start();
  await push('t1');
  const kindsBefore = kinds();
  await press();
  assert.equal(openedUrls, ['https://bell.example/check?test=t1']);
  assert.equal(kinds(), kindsBefore);
});

test('sends on a press what failed on arrival', async () => {
  const { push, press } = start();
  server.status = () => 0;
  await push('t1');
  server.status = () => 200;
  await press();
  assert.equal(kinds(), ['received t1', 'displayed t1']);
});

test('leads an open window to the pressed test', async () => {
  const window = new FakeWindow('https://bell.example/');
  window.onMessage = (_, port) => port?.postMessage(true);
  const { push, press, openedUrls } = start(window);
  await push('t1');
  await press();
  assert.ok(window.focused);
  assert.equal(window.receivedMessages.at(-1), { type: 'open', path: '/check?test=t1' });
  assert.equal(openedUrls, []);
});

test('treats a message with a foreign `testId` as a message', async () => {
  const { push, shown } = start();
  await push('m1', { testId: 'other', seq: '1' });
  assert.is(shown[0]!.options.tag, 'm1');
  assert.equal(kinds(), ['displayed m1']);
  assert.is((await readKeptMessages(7)).length, 1);
});

test.run();
