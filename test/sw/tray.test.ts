import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { buildPushMessage } from '../../src/shared/push-message';
import { notificationOptions, receive } from '../../sw/receive';
import { readPushMessage } from '../../src/shared/push-message';
import { createFakeWorker } from './fake-worker';

const test = suite('the tray');
const realNavigator = Object.getOwnPropertyDescriptor(globalThis, 'navigator');
test.after.each(() => {
  if (realNavigator) Object.defineProperty(globalThis, 'navigator', realNavigator);
});

const message = (index: number, more: object = {}) =>
  buildPushMessage({
    title: 'Outages',
    body: `Feeder ${index}`,
    topicId: '7',
    messageId: `m${index}`,
    link: `/messages/m${index}`,
    sentAt: new Date(1e12 + index * 1000).toISOString(),
    ...more,
  });
const bodies = (shown: { options: NotificationOptions }[]) =>
  shown.flatMap(({ options }) => (options.body ? [options.body] : []));

test('keeps up to twenty notifications in the tray', async () => {
  const { worker, shown } = createFakeWorker();
  for (let index = 1; index <= 20; index++) await receive(worker, message(index));
  assert.is(shown.length, 20);
  assert.is(bodies(shown).length, 20);
});

test('replaces the oldest of thirty by one that counts them and opens the inbox', async () => {
  const { worker, shown } = createFakeWorker();
  for (let index = 1; index <= 30; index++) {
    await receive(worker, message(index));
    assert.ok(shown.length <= 20, `${shown.length} after ${index}`);
  }
  const more = shown.find(({ options }) => options.tag === 'more')!;
  assert.is(more.title, '11 more in the inbox');
  assert.is((more.options.data as { link: string }).link, '/messages');
  assert.equal(
    bodies(shown),
    Array.from({ length: 19 }, (_, index) => `Feeder ${index + 12}`),
  );
});

test('counts none of thirty simultaneous notifications twice', async () => {
  const { worker, shown } = createFakeWorker();
  await Promise.all(Array.from({ length: 30 }, (_, index) => receive(worker, message(index))));
  assert.is(shown.length, 20);
  assert.is(shown.filter(({ title }) => title === '11 more in the inbox').length, 1);
});

test('removes the notifications with the earliest send time, whatever order they arrive in', async () => {
  const { worker, shown } = createFakeWorker();
  for (let index = 21; index >= 1; index--) await receive(worker, message(index));
  assert.not(bodies(shown).includes('Feeder 1'));
  assert.not(bodies(shown).includes('Feeder 2'));
  assert.ok(bodies(shown).includes('Feeder 21'));
});

test('restarts the count after the tray was emptied', async () => {
  const { worker, shown } = createFakeWorker();
  for (let index = 1; index <= 25; index++) await receive(worker, message(index));
  shown.length = 0;
  for (let index = 26; index <= 46; index++) await receive(worker, message(index));
  assert.ok(shown.some(({ title }) => title === '2 more in the inbox'));
});

test('ignores an unreadable tray, and trims it later', async () => {
  const { worker, scope, shown } = createFakeWorker();
  const { getNotifications } = scope.registration;
  scope.registration.getNotifications = () => Promise.reject(new TypeError('not supported'));
  for (let index = 1; index <= 21; index++) await receive(worker, message(index));
  assert.is(shown.length, 21);
  scope.registration.getNotifications = getNotifications;
  for (let index = 22; index <= 24; index++) await receive(worker, message(index));
  assert.is(shown.length, 20);
  assert.ok(shown.some(({ title }) => title === '5 more in the inbox'));
});

test('counts removed ones in one silent notification, also without tag replacement', async () => {
  const { worker, scope, shown } = createFakeWorker();
  scope.registration.showNotification = async (title, options = {}) =>
    void shown.push({ title, options });
  for (let index = 1; index <= 23; index++) await receive(worker, message(index));
  const more = shown.filter(({ options }) => options.tag === 'more');
  assert.equal(
    more.map(({ title, options }) => [title, options.silent]),
    [['4 more in the inbox', true]],
  );
  assert.is(shown.length, 20);
});

test('keeps the count when a notification closes late', async () => {
  const { worker, scope, shown } = createFakeWorker();
  const { getNotifications } = scope.registration;
  scope.registration.getNotifications = async (filter) =>
    (await getNotifications(filter)).map((one) => ({
      ...one,
      close: () =>
        void setImmediate(() => {
          const at = shown.findIndex(({ options }) => options.tag === one.tag);
          if (at >= 0) shown.splice(at, 1);
        }),
    }));
  for (let index = 1; index <= 30; index++) {
    await receive(worker, message(index));
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal(
    shown.flatMap(({ title, options }) => (options.tag === 'more' ? title : [])),
    ['11 more in the inbox'],
  );
});

test('removes leftover counts, and no message with them', async () => {
  const { worker, shown } = createFakeWorker();
  for (let index = 1; index <= 17; index++) await receive(worker, message(index));
  for (const more of [5, 3, 4])
    shown.push({ title: `${more} more in the inbox`, options: { tag: 'more', data: { more } } });
  await receive(worker, message(18));
  assert.is(bodies(shown).length, 18);
  assert.equal(
    shown.flatMap(({ title, options }) => (options.tag === 'more' ? title : [])),
    ['5 more in the inbox'],
  );
});

test('shows the unread number on the app icon, where possible', async () => {
  const { worker, shown } = createFakeWorker();
  const set: number[] = [];
  const setAppBadge = async (count: number) => void set.push(count);
  Object.defineProperty(globalThis, 'navigator', { configurable: true, value: { setAppBadge } });
  await receive(worker, message(1, { unread: '3' }));
  await receive(worker, message(2));
  await receive(worker, message(3, { unread: 'x' }));
  assert.equal(set, [3]);
  await receive(worker, message(4, { unread: '0' }));
  assert.equal(set, [3, 0], 'zero is shown, too');
  Object.defineProperty(globalThis, 'navigator', {
    configurable: true,
    value: { setAppBadge: () => Promise.reject(new Error('no icon')) },
  });
  await receive(worker, message(5, { unread: '4' }));
  assert.is(shown.length, 5);
});

const optionsOf = (more: object) => notificationOptions(readPushMessage(message(1, more)));

test('keeps an urgent message until pressed, sounding and vibrating again', () => {
  const { requireInteraction, renotify, vibrate, silent } = optionsOf({ priority: 'urgent' });
  assert.equal([requireInteraction, renotify, silent], [true, true, undefined]);
  assert.ok(vibrate!.length > 0);
});

test('shows a normal message with sound, and an info message without', () => {
  const { requireInteraction, renotify, vibrate, silent } = optionsOf({ priority: 'normal' });
  assert.equal(
    [requireInteraction, renotify, vibrate, silent],
    [undefined, undefined, undefined, undefined],
  );
  const info = optionsOf({ priority: 'info' });
  assert.is(info.silent, true);
  assert.is(info.vibrate, undefined, 'browsers refuse a silent notification that vibrates');
});

test('sounds again for a repeated message under the same tag', () => {
  const { renotify, tag } = optionsOf({ priority: 'normal', round: '1' });
  assert.equal([renotify, tag], [true, 'm1']);
});

test('never sounds again without a tag, which browsers reject', () => {
  const { renotify, tag } = notificationOptions(
    readPushMessage({ data: { title: 'x', priority: 'urgent', round: '1' } }),
  );
  assert.equal([renotify, tag], [undefined, undefined]);
});

test('shows no buttons without a message id', () => {
  const answers = '["Got it"]';
  const actionsOf = (data: object) =>
    notificationOptions(readPushMessage({ data: { title: 'x', answers, ...data } })).actions;
  assert.is(actionsOf({}), undefined);
  assert.equal(actionsOf({ messageId: 'm1' }), [{ action: '0', title: 'Got it' }]);
});

test.run();
