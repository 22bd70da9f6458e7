import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { keepDevice } from '../../src/platform/storage/received';
import { fakeDatabase } from '../support/app/fake-database';
import { startTestWorker } from './start-worker';
import { FakeWindow, fakeServer, createSubscription } from './fake-worker';

const test = suite('renewed push subscriptions');
const TOKEN = 'PUT /api/notifications/device-token';

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

test('sends a new subscription by the device’s key before telling any page', async () => {
  const window = new FakeWindow('https://bell.example/');
  const order: string[] = [];
  server.status = async () => {
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    return order.push('server') && 200;
  };
  window.onMessage = () => order.push('window');
  const { fire, subscribeOptions } = startTestWorker(window);
  const options = { userVisibleOnly: true };
  await fire('pushsubscriptionchange', { oldSubscription: { options }, newSubscription: null });
  assert.equal(order, ['server', 'window']);
  assert.equal(subscribeOptions, [options]);
  const [{ endpoint, key, body }] = server.requests as [(typeof server.requests)[0]];
  assert.equal([endpoint, key], [TOKEN, 'key-of-7']);
  assert.is(
    (body as { deviceToken: string }).deviceToken,
    JSON.stringify({ endpoint: 'https://push.example/1', keys: { p256dh: 'p', auth: 'a' } }),
  );
});

test('sends a subscription that the browser renewed itself', async () => {
  const { fire, subscribeOptions } = startTestWorker();
  await fire('pushsubscriptionchange', {
    oldSubscription: null,
    newSubscription: createSubscription('https://push.example/new'),
  });
  assert.equal(subscribeOptions, []);
  assert.match(
    (server.requests[0]!.body as { deviceToken: string }).deviceToken,
    'https://push.example/new',
  );
});

test('uses the app’s note when the browser does not describe the old one', async () => {
  await keepDevice({ person: 7, key: 'key-of-7', serverKey: 'BAAB' });
  const { fire, subscribeOptions } = startTestWorker();
  await fire('pushsubscriptionchange', { oldSubscription: null, newSubscription: null });
  assert.equal(subscribeOptions, [{ userVisibleOnly: true, applicationServerKey: 'BAAB' }]);
  assert.is(server.requests.length, 1);
});

test('does not resubscribe without an old subscription or a note, and tells pages', async () => {
  const window = new FakeWindow('https://bell.example/');
  const { fire, subscribeOptions } = startTestWorker(window);
  await fire('pushsubscriptionchange', { oldSubscription: null, newSubscription: null });
  assert.equal([subscribeOptions, server.requests], [[], []]);
  assert.equal(window.receivedMessages, [{ type: 'renewed' }]);
});

test('prefers the old subscription over the app’s note', async () => {
  await keepDevice({ person: 7, key: 'key-of-7', serverKey: 'BAAB' });
  const { fire, subscribeOptions } = startTestWorker();
  const options = { userVisibleOnly: true, applicationServerKey: 'BBBB' };
  await fire('pushsubscriptionchange', { oldSubscription: { options }, newSubscription: null });
  assert.equal(subscribeOptions, [options]);
});

test('leaves an unsent renewal to the next start, and tells pages', async () => {
  for (const status of [0, 401, 503]) {
    const window = new FakeWindow('https://bell.example/');
    await keepDevice({ person: 7, key: 'key-of-7' });
    server.status = () => status;
    const { fire } = startTestWorker(window);
    await fire('pushsubscriptionchange', {
      oldSubscription: { options: {} },
      newSubscription: null,
    });
    assert.equal(window.receivedMessages, [{ type: 'renewed' }]);
  }
});

test.run();
