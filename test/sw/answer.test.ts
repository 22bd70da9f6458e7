import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { clearAllButAnswers, clearReceived } from '../../src/platform/storage/database';
import {
  dropReceipts,
  keepDevice,
  keepMessages,
  readDeviceOwner,
  readKeptMessages,
  readPendingReceipts,
} from '../../src/platform/storage/received';
import { fakeDatabase } from '../support/app/fake-database';
import { eventually } from '../support/eventually';
import type { WorkerMessage } from '../../src/shared/push-message';
import { sendWaitingReceipts } from '../../sw/report';
import { startTestWorker } from './start-worker';
import { FakeWindow, fakeServer } from './fake-worker';

const test = suite('presses on a message’s notification');

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

const recordedKinds = () => server.recorded.map(({ messageId, kind }) => `${kind} ${messageId}`);

test('answers by a button without opening a window, closes the notification, and counts once', async () => {
  const window = new FakeWindow('https://bell.example/');
  const { push, press, openedUrls } = startTestWorker(window);
  await push('m1');
  assert.equal(await press('m1', '1'), ['m1']);
  await press('m1', '0');
  assert.equal(openedUrls, []);
  assert.not(window.focused);
  const answers = server.recorded.filter(({ kind }) => kind === 'acknowledged');
  assert.is(answers[0]!.answer, 'On my way');
  const [keptMessage] = await readKeptMessages(7);
  assert.is(keptMessage!.answer, 'On my way');
});

test('counts a double tap on a button once, and another button after it', async () => {
  const { push, fire, shown } = startTestWorker();
  await push('m1');
  const data = shown[0]!.options.data as unknown;
  const tap = (action: string) =>
    fire('notificationclick', { action, notification: { data, close: () => {} } });
  await Promise.all([tap('0'), tap('0')]);
  await tap('1');
  const answers = server.recorded.filter(({ kind }) => kind === 'acknowledged');
  assert.equal(
    answers.map(({ answer }) => answer),
    ['Got it', 'On my way'],
  );
});

test('tells open windows when an answer is stored, and when it is sent', async () => {
  const window = new FakeWindow('https://bell.example/messages/m1');
  const { push, press } = startTestWorker(window);
  await push('m1');
  const listPressedMessages = () =>
    window.receivedMessages.filter((one) => (one as WorkerMessage).type === 'pressed');
  const pressedCounts: number[] = [];
  server.status = () => pressedCounts.push(listPressedMessages().length) && 200;
  await press('m1', '0');
  const receipt = { messageId: 'm1', kind: 'acknowledged', answer: 'Got it', changes: true };
  const pressedMessage = { type: 'pressed', person: 7, receipt };
  assert.equal([pressedCounts, listPressedMessages()], [[1], [pressedMessage, pressedMessage]]);
});

test('closes the notification once its answer is stored, before the server knows', async () => {
  const { push, fire, shown } = startTestWorker();
  await push('m1');
  const data = shown[0]!.options.data as unknown;
  let closedCount = 0;
  const closedThen: number[] = [];
  server.status = () => {
    closedThen.push(closedCount);
    return 0;
  };
  await fire('notificationclick', {
    action: '0',
    notification: { data, close: () => closedCount++ },
  });
  assert.equal([closedThen, closedCount], [[1, 1], 1]);
});

test('says whether an answer to “Are you OK?” was sent, until the next push', async () => {
  const { push, press, shown } = startTestWorker();
  const reminder = { link: '/check-in', answers: '["I’m OK","I need help"]' };
  await push('m1', reminder);
  await push('m2', reminder);
  const said: string[][] = [];
  let lost = 2;
  server.status = () => {
    said.push(shown.map(({ title }) => title));
    return lost-- > 0 ? 0 : 200;
  };
  await press('m1', '0');
  assert.equal(said.at(-1), ['“I’m OK” hasn’t been sent yet'], 'both reminders are closed');
  assert.is(shown.at(-1)!.title, '“I’m OK” was sent');
  assert.equal(recordedKinds().slice(-1), ['acknowledged m1']);
  await push('m4', { seq: '4' });
  assert.is(shown[0]!.title, '“I’m OK” was sent', 'another push at once');
  // The next question is not answered by it.
  const { now } = Date;
  Date.now = () => now() + 11_000;
  await push('m3', reminder).finally(() => (Date.now = now));
  assert.equal(
    shown.map(({ options }) => (options.data as { id?: string }).id),
    ['m4', 'm3'],
  );
  shown.shift();
  await press('m3', '1');
  assert.equal(
    shown.map(({ title }) => title),
    ['“I need help” was sent'],
    'a press that was sent at once',
  );
});

test('says that a call for help was not sent after a 401, and keeps it for the next sign-in', async () => {
  const { push, press, shown } = startTestWorker();
  const reminder = { link: '/check-in', answers: '["I’m OK","I need help"]' };
  await push('m1', reminder);
  await push('m2', reminder);
  let lost = 2;
  server.status = () => (lost-- > 0 ? 0 : 401);
  const { setTimeout } = globalThis;
  Object.assign(globalThis, { setTimeout: (work: () => void) => setTimeout(work) });
  try {
    await press('m1', '1');
    const [unsent] = shown.filter(({ title }) => title === '“I need help” hasn’t been sent yet');
    assert.match(unsent?.options.body ?? '', /^Open the app and sign in\./, 'trying cannot help');
    await keepMessages(7, []); // a page reads the messages
    await push('m2', reminder); // pushes go on
    await press('m2', '1');
  } finally {
    Object.assign(globalThis, { setTimeout });
  }
  assert.ok(shown.some(({ title }) => title === '“I need help” hasn’t been sent yet'));
  assert.not(shown.some(({ title }) => title === '“I need help” was sent'));
  await clearAllButAnswers('/check-in');
  assert.equal(
    (await readPendingReceipts(7)).map(({ messageId, answer }) => [messageId, answer]),
    [
      ['m1', 'I need help'],
      ['m2', 'I need help'],
    ],
  );
  assert.equal([await readDeviceOwner(true), await readKeptMessages(7)], [undefined, []]);
  await dropReceipts(7, await readPendingReceipts(7));
  await clearAllButAnswers('/check-in');
  // Without an unsent answer nothing names the person.
  assert.not(await dropReceipts(7, []));
});

test('retries while the browser still loads the note’s icons', async () => {
  const { scope, push, press, shown } = startTestWorker();
  await push('m1', { link: '/check-in' });
  const { showNotification } = scope.registration;
  let load = () => {};
  scope.registration.showNotification = async (title, options) => {
    if (title.includes('hasn’t')) await new Promise<void>((resolve) => (load = resolve));
    await showNotification(title, options);
  };
  server.status = () => 0;
  const pressed = press('m1', '0');
  await eventually(() => server.requests.length >= 2, 'the first tries');
  server.status = () => 200;
  await eventually(() => recordedKinds().includes('acknowledged m1'), 'a retry');
  load();
  await pressed;
  assert.is(shown.at(-1)!.title, '“Got it” was sent');
});

test('says that an answer to an urgent message waits, and nothing if it was sent at once', async () => {
  const { push, fire, shown } = startTestWorker();
  await push('m1', { priority: 'urgent' });
  const [{ options }] = shown as [(typeof shown)[0]];
  const pressFirst = () =>
    fire('notificationclick', {
      action: '0',
      notification: { ...options, close: () => shown.splice(0) },
    });
  await pressFirst();
  assert.equal(shown, []);
  let lost = 2;
  const said: string[] = [];
  server.status = () => {
    said.push(shown.map(({ title }) => title).join());
    return lost-- > 0 ? 0 : 200;
  };
  await pressFirst();
  assert.is(said.at(-1), '“Got it” hasn’t been sent yet');
  assert.is(shown[0]!.title, '“Got it” was sent');
});

test('shows the first two answers as buttons, and none without answers', async () => {
  const { push, shown } = startTestWorker();
  await push('m1');
  await push('m2', { answers: '[]' });
  assert.equal(
    shown.map(({ options }) => options.actions),
    [
      [
        { action: '0', title: 'Got it' },
        { action: '1', title: 'On my way' },
      ],
      undefined,
    ],
  );
});

test('sends an offline answer later, once, the last of two', async () => {
  const { push, press } = startTestWorker();
  await push('m1');
  server.status = () => 0;
  await press('m1', '0');
  await press('m1', '1');
  server.status = () => 200;
  await push('m2');
  assert.equal(
    server.recorded.filter(({ kind }) => kind === 'acknowledged').map(({ answer }) => answer),
    ['On my way'],
  );
});

test('opens the message when an answer can be neither stored nor sent', async () => {
  const { push, press, openedUrls } = startTestWorker();
  await push('m1');
  await clearReceived();
  assert.equal(await press('m1', '0'), ['m1'], 'closed without a registered device, too');
  await keepDevice({ person: 7, key: 'key-of-7' });
  fakeDatabase.fillStorage();
  server.status = () => 0;
  assert.equal((await press('m1', '0')).at(-1), 'm1', 'its notification is closed');
  assert.equal(openedUrls, [
    'https://bell.example/messages/m1',
    'https://bell.example/messages/m1',
  ]);
});

test('sends an answer that cannot be stored at once', async () => {
  const { push, press, openedUrls } = startTestWorker();
  await push('m1');
  fakeDatabase.fillStorage();
  await press('m1', '0');
  assert.ok(recordedKinds().includes('acknowledged m1'));
  assert.equal(openedUrls, []);
});

test('opens the message on an unknown button', async () => {
  const { push, press, openedUrls } = startTestWorker();
  await push('m1');
  for (const action of ['2000', 'constructor', '-1', 'dismiss']) await press('m1', action);
  assert.is(openedUrls.length, 4);
  assert.not(recordedKinds().includes('acknowledged m1'));
});

test('opens and reads the message on a press beside the buttons', async () => {
  const { push, press, openedUrls } = startTestWorker();
  await push('m1');
  // A window may only open while the press is fresh.
  let openedThen = 0;
  server.status = () => {
    openedThen = openedUrls.length;
    return 200;
  };
  assert.equal(await press('m1'), ['m1']);
  assert.equal(openedUrls, ['https://bell.example/messages/m1']);
  assert.equal(recordedKinds(), ['displayed m1', 'read m1']);
  assert.is(openedThen, 1);
});

test('stays awake until the window is open, also after the server responded', async () => {
  const { scope, push, press } = startTestWorker();
  await push('m1');
  let isWindowOpen = false;
  let arrive = () => {};
  scope.clients.openWindow = () =>
    new Promise((resolve) => {
      arrive = () => {
        isWindowOpen = true;
        resolve(undefined);
      };
    });
  const pressed = press('m1').then(() => isWindowOpen);
  while (!recordedKinds().includes('read m1'))
    await new Promise((resolve) => setImmediate(resolve));
  await sendWaitingReceipts(); // all receipts of the press are sent
  await new Promise((resolve) => setImmediate(resolve));
  arrive();
  assert.is(await pressed, true);
});

test('sends nothing for a dismissed notification', async () => {
  const { push, fire } = startTestWorker();
  await push('m1');
  await fire('notificationclose', { notification: { data: { id: 'm1' } } });
  assert.equal(recordedKinds(), ['displayed m1']);
});

test.run();
