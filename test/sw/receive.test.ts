import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { buildPushMessage } from '../../src/shared/push-message';
import { readPayload, receive } from '../../sw/receive';
import { FakeWindow, createFakeWorker } from './fake-worker';

const pushMessage = buildPushMessage({
  title: 'Grid outages',
  body: 'Feeder 12 tripped.',
  topicId: '7',
  messageId: 'a-1',
  link: '/subscriptions',
  sentAt: '2026-11-21T09:30:00.000Z',
});
const event = (text: string) =>
  ({
    data: { json: () => JSON.parse(text) as unknown },
    notification: null,
  }) as unknown as PushEvent;
const payload = (text: string) => readPayload(event(text));

test('shows a message with topic as title, tag, time and link', async () => {
  const { worker, shown } = createFakeWorker();
  await receive(worker, payload(JSON.stringify(pushMessage)));
  assert.equal(shown, [
    {
      title: 'Grid outages',
      options: {
        body: 'Feeder 12 tripped.',
        dir: 'auto',
        lang: 'en',
        icon: '/icon-192.png',
        badge: '/badge-96.png',
        data: {
          link: '/subscriptions',
          id: 'a-1',
          answers: [],
          at: Date.parse('2026-11-21T09:30:00.000Z'),
        },
        tag: 'a-1',
        timestamp: Date.parse('2026-11-21T09:30:00.000Z'),
      },
    },
  ]);
});

test('shows a push in the language it was written in, whatever the phone’s is by now', async () => {
  const { worker, shown } = createFakeWorker();
  const data = { ...pushMessage.data, lang: 'ar', dir: 'rtl', title: 'انقطاع' };
  await receive(worker, payload(JSON.stringify({ ...pushMessage, data })));
  const { title, options } = shown[0];
  assert.equal([title, options.lang, options.dir], ['\u2068انقطاع\u2069', 'ar', 'rtl']);
});

test('shows the sender’s picture in the notification', async () => {
  const { worker, shown } = createFakeWorker();
  await receive(
    worker,
    payload(JSON.stringify({ notification: { title: 'Yard', body: 'Gate 3', image: '/map.png' } })),
  );
  assert.is(shown[0].options.image, '/map.png');
});

test('informs a window that loaded before the worker', async () => {
  const window = Object.assign(new FakeWindow('https://bell.example/'), { isControlled: false });
  await receive(createFakeWorker(window).worker, payload(JSON.stringify(pushMessage)));
  assert.is(window.receivedMessages.length, 1);
});

test('shows a repeated message as one notification', async () => {
  const { worker, shown } = createFakeWorker();
  await receive(worker, payload(JSON.stringify(pushMessage)));
  await receive(worker, payload(JSON.stringify(pushMessage)));
  assert.is(shown.length, 1);
});

const payloadWith = (more: object) =>
  payload(JSON.stringify({ ...pushMessage, data: { ...pushMessage.data, ...more } }));

test('keeps a correction and its answers when the first text comes late', async () => {
  const window = new FakeWindow('https://bell.example/');
  const { worker, shown } = createFakeWorker(window);
  await receive(
    worker,
    payloadWith({ revision: '2', body: 'Feeder 13.', answers: '["On my way"]' }),
  );
  const [{ title, options }] = shown;
  await receive(worker, payloadWith({ body: 'Feeder 12.' }));
  assert.is(shown.length, 1);
  assert.equal([shown[0].title, shown[0].options.body], [title, 'Feeder 13.']);
  assert.equal(shown[0].options.actions, [{ action: '0', title: 'On my way' }]);
  assert.equal(shown[0].options.data, options.data);
  assert.is(shown[0].options.silent, true);
  assert.is(window.receivedMessages.length, 1, 'the app says only the newer text');
});

test('leaves only the newest text on iPhones, where equal tags do not replace each other', async () => {
  const { worker, shown } = createFakeWorker();
  Object.assign(worker.registration, {
    showNotification: async (title: string, options: NotificationOptions) =>
      void shown.push({ title, options }),
  });
  await receive(worker, payloadWith({}));
  await receive(worker, payloadWith({ revision: '2', body: 'Feeder 13 tripped.' }));
  await receive(worker, payloadWith({ revision: '2', allClear: 'true', body: 'All is well.' }));
  assert.equal(
    shown.map(({ title, options }) => [title, options.body]),
    [['All clear: Grid outages', 'All is well.']],
  );
});

test('closes the notification of an alert when its machine is back, and no other', async () => {
  const { worker, shown } = createFakeWorker();
  for (const messageId of ['silent', 'other']) await receive(worker, payloadWith({ messageId }));
  await receive(worker, payloadWith({ messageId: 'back', closes: 'silent,back,' }));
  assert.equal(
    shown.map(({ options }) => options.tag),
    ['other', 'back'],
  );
});

for (const text of ['', 'garbage', 'null', '7', '[]', '{}', `"${'x'.repeat(4000)}"`]) {
  test(`shows one default notification for the payload ${text.slice(0, 10) || 'nothing'}`, async () => {
    const { worker, shown } = createFakeWorker();
    await receive(worker, payload(text));
    assert.is(shown.length, 1);
    assert.is(shown[0].title, 'New Message');
    assert.is(shown[0].options.body, 'You have a new message.');
  });
}

test('shows a Safari-only notification part', async () => {
  const { worker, shown } = createFakeWorker();
  const notification = { title: 'Grid outages', body: 'Feeder 12 tripped.' };
  await receive(worker, readPayload({ data: null, notification } as unknown as PushEvent));
  assert.equal([shown[0].title, shown[0].options.body], ['Grid outages', 'Feeder 12 tripped.']);
});

test('shows one default notification for a push without data', async () => {
  const { worker, shown } = createFakeWorker();
  await receive(worker, readPayload({ data: null } as PushEvent));
  assert.equal(
    shown.map(({ title }) => title),
    ['New Message'],
  );
});

test('announces a message in the open app even if the system rejects it', async () => {
  const window = new FakeWindow('https://bell.example/');
  const { worker, scope } = createFakeWorker(window);
  scope.registration.showNotification = () =>
    Promise.reject(new TypeError('No notification permission'));
  assert.is(
    await receive(worker, payload(JSON.stringify(pushMessage))).catch(
      (error: Error) => error.message,
    ),
    'No notification permission',
  );
  assert.is((window.receivedMessages[0] as { type: string }).type, 'shown');
});

test('shows one notification for any number of windows, and tells each', async () => {
  const windows = [
    new FakeWindow('https://bell.example/'),
    new FakeWindow('https://bell.example/admin'),
  ];
  const { worker, shown } = createFakeWorker(...windows);
  await receive(worker, payload(JSON.stringify(pushMessage)));
  assert.is(shown.length, 1);
  for (const window of windows)
    assert.is((window.receivedMessages[0] as { type: string }).type, 'shown');
});

test.run();
