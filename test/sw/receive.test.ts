import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { buildPushMessage } from '../../src/shared/push-message';
import { payloadOf, receive } from '../../sw/receive';
import { FakeWindow, fakeWorld } from './world';

const ours = buildPushMessage({
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
const payload = (text: string) => payloadOf(event(text));

test('a message of ours is shown with the topic as title, tagged, dated, and remembers where it leads', async () => {
  const { worker, shown } = fakeWorld();
  await receive(worker, payload(JSON.stringify(ours)));
  assert.equal(shown, [
    {
      title: 'Grid outages',
      options: {
        body: 'Feeder 12 tripped.',
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

test('a picture that the sender names is part of the notification', async () => {
  const { worker, shown } = fakeWorld();
  await receive(
    worker,
    payload(JSON.stringify({ notification: { title: 'Yard', body: 'Gate 3', image: '/map.png' } })),
  );
  assert.is(shown[0].options.image, '/map.png');
});

test('a window that loaded before the worker was there is told, too', async () => {
  const window = Object.assign(new FakeWindow('https://bell.example/'), { controlled: false });
  await receive(fakeWorld(window).worker, payload(JSON.stringify(ours)));
  assert.is(window.heard.length, 1);
});

test('a message that comes twice is one notification', async () => {
  const { worker, shown } = fakeWorld();
  await receive(worker, payload(JSON.stringify(ours)));
  await receive(worker, payload(JSON.stringify(ours)));
  assert.is(shown.length, 1);
});

for (const text of ['', 'garbage', 'null', '7', '[]', '{}', `"${'x'.repeat(4000)}"`]) {
  test(`a payload of ${text.slice(0, 10) || 'nothing'} is one notification with the defaults`, async () => {
    const { worker, shown } = fakeWorld();
    await receive(worker, payload(text));
    assert.is(shown.length, 1);
    assert.is(shown[0].title, 'New Message');
    assert.is(shown[0].options.body, 'You have a new message.');
  });
}

test('a push that carries only the notification that Safari would show is that notification', async () => {
  const { worker, shown } = fakeWorld();
  const notification = { title: 'Grid outages', body: 'Feeder 12 tripped.' };
  await receive(worker, payloadOf({ data: null, notification } as unknown as PushEvent));
  assert.equal([shown[0].title, shown[0].options.body], ['Grid outages', 'Feeder 12 tripped.']);
});

test('a push without any data is one notification with the defaults', async () => {
  const { worker, shown } = fakeWorld();
  await receive(worker, payloadOf({ data: null } as PushEvent));
  assert.equal(
    shown.map(({ title }) => title),
    ['New Message'],
  );
});

test('the open app says a message even if the system refuses to show it', async () => {
  const window = new FakeWindow('https://bell.example/');
  const { worker, world } = fakeWorld(window);
  world.registration.showNotification = () =>
    Promise.reject(new TypeError('No notification permission'));
  assert.is(
    await receive(worker, payload(JSON.stringify(ours))).catch((error: Error) => error.message),
    'No notification permission',
  );
  assert.is((window.heard[0] as { type: string }).type, 'shown');
});

test('one notification is shown however many windows are open, and each of them is told', async () => {
  const windows = [
    new FakeWindow('https://bell.example/'),
    new FakeWindow('https://bell.example/admin'),
  ];
  const { worker, shown } = fakeWorld(...windows);
  await receive(worker, payload(JSON.stringify(ours)));
  assert.is(shown.length, 1);
  for (const window of windows) assert.is((window.heard[0] as { type: string }).type, 'shown');
});

test.run();
