import { cleanup } from '@testing-library/preact';
import * as assert from 'uvu/assert';
import { Route } from 'wouter';
import type { OwnDevice } from '../../../../src/shared/contract';
import { DeviceTest } from '../../../../src/screens/device-test/DeviceTest';
import { isConnected } from '../../../../src/platform/connection';
import { notificationPermission } from '../../../../src/state/device/permission';
import { closeTest, shownTest } from '../../../../src/state/reach/test-progress';
import {
  act,
  button,
  chooseOption,
  clock,
  fakeApi,
  findButton,
  notices,
  pressElement,
  screen,
  screenSuite,
  showScreen,
  waitFor,
  within,
} from '../../../support/app/app';
import { setHidden } from '../../../support/app/browser';
import { shortPause } from '../../../support/eventually';
import { fakeDatabase } from '../../../support/app/fake-database';
import {
  START_TEST_CALL,
  fakeTests,
  SOUND_ANSWER_CALL,
  READ_TEST_CALL,
  createQueuedTest,
} from '../../../support/app/fake-tests';
import { endSession, signInAs } from '../../../support/app/session';
import { fakePush } from '../../../support/push-services/fake-push';

const test = screenSuite('the test of this device');
const DEVICES = 'GET /api/notifications/devices';
const REGISTER = 'POST /api/notifications/register-device';

const real = {
  dateNow: Date.now,
  performanceNow: performance.now,
  matchMedia: globalThis.matchMedia,
};
let skippedMs = 0;
let installed = true;
let persisted = true;
let devices: OwnDevice[] = [];
/** A person per test, so that earlier work cannot interfere. */
let person = 70;

test.before.each(() => {
  skippedMs = 0;
  Date.now = () => real.dateNow() + skippedMs;
  performance.now = () => real.performanceNow.call(performance) + skippedMs;
  installed = persisted = true;
  Object.assign(globalThis, { matchMedia: () => ({ matches: installed }) });
  Object.defineProperty(navigator, 'storage', {
    configurable: true,
    value: { persisted: async () => persisted, persist: async () => persisted },
  });
  devices = [];
  fakeDatabase.install();
  fakeTests.install();
  fakeApi.reply(DEVICES, () => devices);
  fakeApi.reply('GET /api/notifications/vapid-key', { publicKey: 'BPk' });
  fakeApi.reply('DELETE /api/notifications/unregister-device', { message: 'Done.' });
  fakeApi.reply(REGISTER, ({ body }) => {
    const { deviceToken } = body as { deviceToken: string };
    const device = {
      id: 5,
      deviceToken,
      deviceType: 'web',
      userAgent: '',
      createdAt: '',
      lastSeenAt: '',
    } as const;
    devices = [device];
    return { ...device, deviceKey: 'key' };
  });
  fakeApi.reply('GET /api/notifications/my-subscriptions', []);
  fakeApi.reply('GET /api/notifications/preferences', []);
  fakePush.install('granted');
  signInAs('TECHNICIAN', { id: ++person });
});
test.after.each(async () => {
  cleanup();
  closeTest();
  await shortPause();
  isConnected.value = true;
  endSession();
  fakeDatabase.remove();
  Date.now = real.dateNow;
  performance.now = real.performanceNow;
  Object.assign(globalThis, { matchMedia: real.matchMedia });
});

const openDeviceTest = (address = '/check') =>
  showScreen(<Route path="/check" component={DeviceTest} />, address);
/** Waits until pending requests are answered. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
}
/** Second by second, as real time does. */
async function passSeconds(seconds: number): Promise<void> {
  for (let secondCount = 0; secondCount < seconds; secondCount++) {
    skippedMs += 1000;
    await clock.advance(1000);
    await settle();
  }
}
/** Stages as `title | text | tone`, with a star at the current one. */
const steps = (label: string): string[] =>
  within(screen.getByRole('group', { name: label }))
    .getAllByRole('listitem')
    .map((item) =>
      [
        (item.getAttribute('aria-current') === 'step' ? '*' : '') +
          item.querySelector('b')?.textContent,
        item.querySelector('small')?.textContent,
        item.dataset.tone ?? '',
      ].join(' | '),
    );
const stages = () => steps('Progress of the test');
const withoutTimes = (lines: string[]): string[] =>
  lines.map((line) => line.replace(/\d\d:\d\d:\d\d/, 'TIME'));
async function startTest(): Promise<void> {
  pressElement(await findButton(/^Test (this phone|again)$/));
  await screen.findByText('The test is on its way. Keep the sound on.');
}
/** React draws a turn later than Preact. */
const noteSays = (text: string | RegExp) =>
  waitFor(() =>
    typeof text === 'string'
      ? assert.is(note()?.textContent, text)
      : assert.match(note()?.textContent ?? '', text),
  );
const note = () => document.querySelector<HTMLElement>('.note')!;

test('explains the test before anything is pressed', async () => {
  openDeviceTest();
  screen.getByRole('heading', { level: 1, name: 'Test notifications' });
  assert.is(document.title, 'Test notifications · Fieldbell');
  screen.getByText(
    'Fieldbell sends a test to this device, the same way as a real message. The test takes about 10 seconds.',
  );
  screen.getByText(
    'Some phones delay messages while they sleep. Start the test, lock the phone, and come back after 15 minutes.',
  );
  assert.is(button('Test this phone').disabled, false);
  assert.is(button('Start the sleep test').disabled, false);
});

test('runs the device’s stages, then the server’s, with one press', async () => {
  openDeviceTest();
  await startTest();
  assert.equal(fakeApi.requestsTo(START_TEST_CALL)[0]!.body, { deviceId: 5 });
  assert.equal(withoutTimes(steps('Checks on this device')), [
    'Notifications are allowed | TIME | ok',
    'Fieldbell is installed | TIME | ok',
    'The browser keeps the app’s data | TIME | ok',
    'Fieldbell runs in the background | TIME | ok',
    'Registered with the server | TIME | ok',
  ]);
  assert.equal(withoutTimes(stages()), [
    'Sent | TIME | ok',
    '*Accepted by the push service | Waiting (0 s) | ',
    'Received by this device | Not yet | ',
    'Displayed on the screen | Not yet | ',
    'Did it ring? | We’ll ask you at the end | ',
  ]);
  assert.is(button('Testing…').disabled, true);
  assert.is(location.search, '?test=t1');
  fakeTests.completeStages('t1', ['accepted']);
  await passSeconds(4);
  assert.equal(withoutTimes(stages()).slice(1, 4), [
    'Accepted by the push service | TIME | ok',
    '*Received by this device | Waiting (4 s) | ',
    'Displayed on the screen | Not yet | ',
  ]);
  const status = screen.getByText('The test is on its way. Keep the sound on.').parentElement!;
  assert.is(status.getAttribute('role'), 'status');
  assert.match(status.textContent!, /Received by this device$/);
  fakeTests.completeStages('t1', ['received', 'displayed'], 2000);
  fakeTests.changeTest('t1', { lateBy: null });
  await passSeconds(1);
  await noteSays('The test arrived after 2 s.');
  assert.is(note().dataset.tone, undefined, 'green only when it rang');
  assert.is(stages()[4], 'Did it ring? | Waiting for your answer | ');
  pressElement(button('Yes'));
  await screen.findByText('This device is reachable.');
  await noteSays('This device is reachable.The test arrived after 2 s and rang.');
  assert.is(note().dataset.tone, 'ok');
  assert.match(stages()[4]!, /^It rang \| You confirmed at \d\d:\d\d:\d\d \| ok$/);
  assert.is(button('Test again').disabled, false);
  assert.is(button('Start the sleep test').disabled, false);
});

test('starts over for a second and third test on the page', async () => {
  openDeviceTest();
  for (const id of ['t1', 't2', 't3']) {
    await startTest();
    await waitFor(() => assert.is(location.search, `?test=${id}`));
    fakeTests.completeStages(id, ['accepted', 'received', 'displayed']);
    await passSeconds(1);
    pressElement(await findButton('Yes'));
    await screen.findByText('This device is reachable.');
  }
  assert.is(fakeApi.requestsTo(START_TEST_CALL).length, 3);
  assert.is(fakeApi.requestsTo(REGISTER).length, 1);
});

test('calls a test after 40 s late, and keeps the last answer about its sound', async () => {
  openDeviceTest();
  await startTest();
  fakeTests.completeStages('t1', ['accepted']);
  await passSeconds(41);
  fakeTests.completeStages('t1', ['received', 'displayed'], 40_000);
  await passSeconds(1);
  await noteSays(
    'The test arrived 40 s late.The device may have been saving power, or the network may have been weak.',
  );
  assert.is(note().dataset.tone, 'warn');
  assert.match(stages()[2]!, /^Received by this device \| \d\d:\d\d:\d\d, late by 40 s \| warn$/);
  assert.match(stages()[3]!, /^Displayed on the screen \| \d\d:\d\d:\d\d \| ok$/);
  await screen.findByText(/^How to avoid late messages/);
  pressElement(button('No sound'));
  await screen.findByText('The test arrived without a sound.');
  assert.is(stages()[4], 'No sound | You confirmed | bad');
  assert.equal(fakeApi.requestsTo(SOUND_ANSWER_CALL)[0]!.body, { heard: false });
  await screen.findByText('The sound is off');
});

test('fails an accepted push after 60 s at its own stage, and stops asking', async () => {
  openDeviceTest();
  await startTest();
  fakeTests.completeStages('t1', ['accepted']);
  await passSeconds(61);
  await noteSays(
    'This device isn’t reachable.The push service accepted the test, but this device didn’t receive it within 60 seconds.',
  );
  assert.is(note().getAttribute('role'), 'alert');
  assert.equal(withoutTimes(stages()), [
    'Sent | TIME | ok',
    'Accepted by the push service | TIME | ok',
    'Not received by this device | Stopped waiting at TIME | bad',
    'Displayed on the screen | Didn’t get this far | ',
    'Did it ring? | Didn’t get this far | ',
  ]);
  await screen.findByRole('heading', { name: /^The usual cause on / });
  const requestCount = fakeApi.requestsTo(READ_TEST_CALL).length;
  assert.ok(requestCount <= 61, `${requestCount} questions`);
  await passSeconds(30);
  fakePush.tell({ type: 'shown', shown: { id: 'm1', isTest: false } });
  await passSeconds(1);
  assert.is(
    fakeApi.requestsTo(READ_TEST_CALL).length,
    requestCount,
    'another push says nothing about the test',
  );
});

test('shows a push that comes after giving up as soon as the worker reports it', async () => {
  openDeviceTest();
  await startTest();
  fakeTests.completeStages('t1', ['accepted']);
  await passSeconds(65);
  fakeTests.completeStages('t1', ['received'], 66_000);
  fakePush.tell({ type: 'shown', shown: { id: 't1', isTest: true } });
  await passSeconds(1);
  fakeTests.completeStages('t1', ['received', 'displayed'], 66_000);
  await passSeconds(1);
  await noteSays(/^The test arrived 66 s late\./);
});

for (const [reason, sentence] of [
  ['gone', 'The push service no longer recognizes this device. Test again to register it.'],
  [
    'refused',
    'The push service rejected the test. Tell your administrator. The problem must be fixed on the server.',
  ],
  ['expired', 'The push service didn’t accept the test before it expired. Test again.'],
  [
    'removed',
    'This device’s registration was removed during the test. Sign out, sign in again, then test again.',
  ],
] as const) {
  test(`fails at once at its stage when the push service answers ${reason}`, async () => {
    openDeviceTest();
    await startTest();
    fakeTests.failTest('t1', { stage: 'accepted', reason });
    await passSeconds(1);
    await noteSays(`This device isn’t reachable.${sentence}`);
    assert.equal(withoutTimes(stages()).slice(0, 3), [
      'Sent | TIME | ok',
      `Not accepted by the push service | ${sentence} | bad`,
      'Received by this device | Didn’t get this far | ',
    ]);
    const requestCount = fakeApi.requestsTo(READ_TEST_CALL).length;
    await passSeconds(3);
    assert.is(fakeApi.requestsTo(READ_TEST_CALL).length, requestCount);
  });
}

for (const [reason, now, then] of [
  ['unreachable', 'the push service isn’t responding', /can’t reach your browser’s push service/],
  ['busy', 'the push service is busy', /The push service is busy/],
] as const) {
  test(`waits for a push service that is ${reason}, and blames it after 60 s`, async () => {
    openDeviceTest();
    await startTest();
    fakeTests.failTest('t1', { stage: 'accepted', reason });
    await passSeconds(2);
    assert.is(stages()[1], `*Accepted by the push service | Waiting (2 s) · ${now} | `);
    await passSeconds(59);
    await noteSays(then);
    assert.match(
      stages()[1]!,
      /^Not accepted by the push service \| Stopped waiting at .* \| bad$/,
    );
  });
}

test('forgives a push service that responds after all', async () => {
  openDeviceTest();
  await startTest();
  fakeTests.failTest('t1', { stage: 'accepted', reason: 'busy' });
  await passSeconds(2);
  fakeTests.completeStages('t1', ['accepted', 'received', 'displayed']);
  await passSeconds(1);
  await findButton('Yes');
});

test('fails at its own stage when the system rejects the notification', async () => {
  openDeviceTest();
  await startTest();
  fakeTests.completeStages('t1', ['accepted', 'received']);
  fakeTests.failTest('t1', { stage: 'displayed', reason: 'refused' });
  await passSeconds(1);
  assert.match(stages()[3]!, /^Not displayed on the screen \| The device rejected .* \| bad$/);
  assert.match(stages()[2]!, /^Received by this device .* ok$/);
  await noteSays(/^This device isn’t reachable\./);
  await screen.findByText(/doesn’t show/);
});

test('counts a stage without a report as reached once a later one is', async () => {
  openDeviceTest();
  await startTest();
  fakeTests.completeStages('t1', ['displayed']);
  await passSeconds(1);
  assert.equal(withoutTimes(stages()).slice(0, 4), [
    'Sent | TIME | ok',
    'Accepted by the push service | TIME | ok',
    'Received by this device | TIME | ok',
    'Displayed on the screen | TIME | ok',
  ]);
});

test('dates the push service’s acceptance no later than the phone’s receipt', async () => {
  const sent = Date.now() - 5000;
  const at = (seconds: number) => new Date(sent + seconds * 1000).toISOString();
  fakeTests.addTest(
    createQueuedTest('t9', {
      createdAt: at(0),
      sendAt: at(0),
      stages: {
        queued: at(0),
        accepted: at(2),
        received: at(0.4),
        displayed: at(0.6),
        heard: null,
      },
    }),
  );
  openDeviceTest('/check?test=t9');
  await noteSays('The test arrived after 1 s.');
  const [, taken, received] = stages().map((line) => line.split(' | ')[1]);
  assert.is(taken, received);
});

/** The device's own stages, which are open where one failed. */
const ownStages = () => withoutTimes(steps('Checks on this device'));

test('fails at the first stage with help when notifications are blocked', async () => {
  fakePush.install('denied');
  openDeviceTest();
  pressElement(button('Test this phone'));
  await screen.findByText('This device isn’t reachable.');
  assert.match(
    ownStages()[0]!,
    /^Notifications aren’t allowed \| TIME · Allow notifications .* \| bad$/,
  );
  assert.is(ownStages()[1], 'Installation | Not checked | ');
  await screen.findByText('Android Chrome');
  assert.is(fakeApi.requestsTo(START_TEST_CALL).length, 0);
  fakePush.install('granted');
  await startTest();
});

test('asks for the permission on the press', async () => {
  fakePush.install('default');
  openDeviceTest();
  await startTest();
  assert.is(notificationPermission.value, 'granted');
});

test('fails at the first stage when the person dismisses the question', async () => {
  fakePush.install('default');
  fakePush.decision = 'default';
  openDeviceTest();
  pressElement(button('Test this phone'));
  await screen.findByText('This device isn’t reachable.');
  assert.match(ownStages()[0]!, /when your browser asks\. \| bad$/);
});

test('warns about a browser tab and clearable storage, and continues', async () => {
  installed = persisted = false;
  openDeviceTest();
  await startTest();
  assert.match(ownStages()[1]!, /^Fieldbell isn’t installed \| TIME · .* \| warn$/);
  assert.match(ownStages()[2]!, /^The browser may delete the app’s data \| TIME · .* \| warn$/);
  screen.getByText('On this device: 3 of 5 checks passed');
});

test('waits at most 5 s for the browser to report persistent storage', async () => {
  Object.defineProperty(navigator, 'storage', {
    configurable: true,
    value: { persisted: async () => false, persist: () => new Promise(() => {}) },
  });
  openDeviceTest();
  pressElement(button('Test this phone'));
  await shortPause();
  await passSeconds(5);
  await screen.findByText('The test is on its way. Keep the sound on.');
  assert.match(ownStages()[2]!, /warn$/);
});

test('fails at its own stage when the worker is missing or silent for 5 s', async () => {
  fakePush.version = null;
  openDeviceTest();
  pressElement(button('Test this phone'));
  await shortPause();
  await passSeconds(5);
  await screen.findByText('This device isn’t reachable.');
  assert.match(ownStages()[3]!, /^Fieldbell doesn’t run in the background .* bad$/);
  assert.match(ownStages()[2]!, /ok$/);
  const { serviceWorker } = navigator;
  const { getRegistration } = serviceWorker;
  Object.assign(serviceWorker, { getRegistration: async () => undefined });
  pressElement(button('Test again'));
  await screen.findByText(/The part of Fieldbell that runs in the background is missing/, {
    selector: '.note',
  });
  Object.assign(serviceWorker, { getRegistration });
});

test('fails at its stage without a subscription on the server, and registers it next time', async () => {
  openDeviceTest();
  await startTest();
  fakeTests.completeStages('t1', ['accepted', 'received', 'displayed']);
  await passSeconds(1);
  devices = [{ ...devices[0]!, deviceToken: 'another' }];
  pressElement(button('Test again'));
  await screen.findByText('This device isn’t reachable.');
  assert.match(
    ownStages()[4]!,
    /^Not registered with the server \| TIME · The server had a different registration for this device\..* \| bad$/,
  );
  assert.is(ownStages().filter((line) => line.endsWith('| ok')).length, 4);
  await startTest();
  assert.is(fakeApi.requestsTo(START_TEST_CALL).length, 2);
});

test('fails at its stage when the browser lost the subscription, and renews it next time', async () => {
  openDeviceTest();
  await startTest();
  fakeTests.completeStages('t1', ['accepted', 'received', 'displayed']);
  await passSeconds(1);
  fakePush.dropSubscription();
  pressElement(button('Test again'));
  await screen.findByText('This device isn’t reachable.');
  assert.match(ownStages()[4]!, /This device wasn’t registered for notifications/);
  await startTest();
});

test('renews the subscription after the push service dropped the phone', async () => {
  openDeviceTest();
  await startTest();
  fakeTests.failTest('t1', { stage: 'accepted', reason: 'gone' });
  await passSeconds(1);
  const forgotten = devices[0]!.deviceToken;
  await startTest();
  assert.is.not(devices[0]!.deviceToken, forgotten);
  assert.is(fakeApi.requestsTo(START_TEST_CALL).length, 2);
});

test('shows the server’s reason when the phone cannot be registered', async () => {
  fakeApi.reject(REGISTER, 503, 'The server is at its limit.');
  openDeviceTest();
  pressElement(button('Test this phone'));
  await screen.findByText('This device isn’t reachable.');
  assert.match(ownStages()[4]!, /The server is at its limit\./);
});

test('notes the server’s sentence for the eleventh test in an hour', async () => {
  fakeApi.reject(START_TEST_CALL, 429, 'At most ten tests an hour. The next is possible at 15:04.');
  openDeviceTest();
  pressElement(button('Test this phone'));
  await screen.findByText('At most ten tests an hour. The next is possible at 15:04.');
  assert.is(note().dataset.tone, 'warn');
  assert.is(note().getAttribute('role'), 'status');
  assert.is(button('Test again').disabled, false);
  fakeTests.install();
  await startTest();
});

test('stops asking a server that needs 15 seconds per response', async () => {
  openDeviceTest();
  await startTest();
  fakeTests.completeStages('t1', ['accepted']);
  const slow = createQueuedTest('t1', {
    stages: { ...createQueuedTest('t1').stages, accepted: '2026-11-20T06:58:00.000Z' },
  });
  fakeApi.respond(READ_TEST_CALL, () => {
    skippedMs += 16_000;
    return Response.json(slow);
  });
  await passSeconds(10);
  await noteSays(/^This device isn’t reachable\./);
});

test('asks again after losing the server, and shows what arrived since', async () => {
  openDeviceTest();
  await startTest();
  fakeTests.completeStages('t1', ['accepted']);
  await passSeconds(2);
  fakeApi.loseRequests(READ_TEST_CALL);
  await passSeconds(3);
  assert.match(stages()[2]!, /^\*Received by this device \| .* Retrying\. \| $/);
  await passSeconds(60);
  await noteSays(/^We don’t know whether the test arrived\./);
  assert.is(note().dataset.tone, 'warn');
  assert.match(stages()[2]!, /We couldn’t get the result\./);
  assert.match(stages()[1]!, /ok$/, 'known stages stay');
  const heldTest = createQueuedTest('t1');
  fakeTests.install();
  fakeTests.addTest(heldTest);
  fakeTests.completeStages('t1', ['accepted', 'received', 'displayed']);
  dispatchEvent(new Event('online'));
  await findButton('Yes');
});

test('asks nothing while the page is hidden or left, then continues', async () => {
  openDeviceTest();
  await startTest();
  fakeTests.completeStages('t1', ['accepted']);
  await passSeconds(2);
  setHidden(true);
  const requestCount = fakeApi.requestsTo(READ_TEST_CALL).length;
  await passSeconds(20);
  assert.is(fakeApi.requestsTo(READ_TEST_CALL).length, requestCount);
  setHidden(false);
  await passSeconds(1);
  assert.ok(fakeApi.requestsTo(READ_TEST_CALL).length > requestCount);
  cleanup();
  const remainingCount = fakeApi.requestsTo(READ_TEST_CALL).length;
  await passSeconds(20);
  assert.is(fakeApi.requestsTo(READ_TEST_CALL).length, remainingCount);
  openDeviceTest();
  await waitFor(() => assert.is(location.search, '?test=t1'));
  fakeTests.completeStages('t1', ['received', 'displayed']);
  await passSeconds(2);
  await findButton('Yes');
});

test('does not pull back a person who left before the test was ready', async () => {
  const release = fakeApi.holdReplies(START_TEST_CALL);
  openDeviceTest();
  pressElement(button('Test this phone'));
  await waitFor(() => assert.is(steps('Checks on this device').length, 5));
  cleanup();
  history.replaceState(null, '', '/messages');
  release();
  await waitFor(() => assert.is(shownTest.value, 't1'));
  assert.is(location.pathname + location.search, '/messages');
});

test('shows the pressed notification’s test, and asks whether it rang', async () => {
  fakeTests.addTest(createQueuedTest('t9'));
  fakeTests.completeStages('t9', ['accepted', 'received', 'displayed'], 3 * 3600_000);
  openDeviceTest('/check?test=t9');
  await findButton('Yes');
  await noteSays(/^The test arrived 3 h late\./);
  assert.is(fakeApi.requestsTo(START_TEST_CALL).length, 0);
  pressElement(button('Yes'));
  await waitFor(() => assert.match(stages()[4]!, /^It rang/));
  assert.equal(fakeApi.requestsTo(SOUND_ANSWER_CALL)[0]!.params, { id: 't9' });
});

test('replaces the shown test by another in the address', async () => {
  for (const id of ['a', 'b']) {
    fakeTests.addTest(createQueuedTest(id));
    fakeTests.completeStages(id, ['accepted', 'received', 'displayed']);
  }
  openDeviceTest('/check?test=a');
  pressElement(await findButton('Yes'));
  await screen.findByText('This device is reachable.');
  await act(() => history.pushState(null, '', '/check?test=b'));
  await findButton('Yes');
  await act(() => history.pushState(null, '', '/check'));
  await findButton('Test this phone');
});

test('keeps a newly opened test when the response to an earlier one arrives', async () => {
  fakeTests.addTest(createQueuedTest('b'));
  fakeTests.completeStages('b', ['accepted', 'received', 'displayed']);
  for (const name of ['Test this phone', 'Start the sleep test']) {
    const release = fakeApi.holdReplies(START_TEST_CALL);
    openDeviceTest();
    pressElement(await findButton(name));
    const requestCount = fakeApi.requestsTo(START_TEST_CALL).length;
    await waitFor(() => assert.is(fakeApi.requestsTo(START_TEST_CALL).length, requestCount + 1));
    await act(() => history.pushState(null, '', '/check?test=b'));
    await findButton('Yes');
    release();
    await settle();
    await shortPause();
    assert.is(shownTest.value, 'b');
    assert.is(location.search, '?test=b');
    assert.ok(button('Yes'));
    await act(() => history.pushState(null, '', '/check'));
    await findButton('Test this phone'); // no sleep test waits
    cleanup();
  }
});

test('says that a missing or another person’s test does not exist', async () => {
  openDeviceTest('/check?test=unknown');
  await screen.findByText('There is no such test.');
  assert.is(screen.queryByRole('button', { name: 'Retry' }), null);
  assert.ok(button('Test this phone'), 'the alternative');
});

test('focuses the heading after any answer', async () => {
  for (const [id, name] of [
    ['a', 'Yes'],
    ['b', 'No sound'],
  ] as const) {
    fakeTests.addTest(createQueuedTest(id));
    fakeTests.completeStages(id, ['accepted', 'received', 'displayed']);
    openDeviceTest(`/check?test=${id}`);
    pressElement(await findButton(name));
    await waitFor(() => assert.is(screen.queryByRole('button', { name }), null));
    await waitFor(() =>
      assert.is(document.activeElement, screen.getByRole('heading', { level: 1 })),
    );
    cleanup();
  }
});

test('reports an answer that could not be sent, and lets the person retry', async () => {
  fakeTests.addTest(createQueuedTest('t9'));
  fakeTests.completeStages('t9', ['accepted', 'received', 'displayed']);
  openDeviceTest('/check?test=t9');
  fakeApi.loseRequests(SOUND_ANSWER_CALL);
  pressElement(await findButton('Yes'));
  await notices().findByText('Failed to send your answer.');
  await waitFor(() => assert.is(button('Yes').disabled, false));
});

test('disables tests while offline', async () => {
  openDeviceTest();
  await act(() => void (isConnected.value = false));
  assert.is(button('Test this phone').disabled, true);
  assert.is(button('Start the sleep test').disabled, true);
  await act(() => void (isConnected.value = true));
  await waitFor(() => assert.is(button('Test this phone').disabled, false));
});

test('shows nothing of the test to the next person on this phone', async () => {
  openDeviceTest();
  await startTest();
  cleanup();
  signInAs('TECHNICIAN', { id: person + 1000 });
  openDeviceTest();
  await findButton('Test this phone');
  assert.is(location.search, '');
});

const sleepStages = () => withoutTimes(steps('Progress of the sleep test'));

test('says when the sleep test comes, without countdown, and keeps its result for the next visit', async () => {
  openDeviceTest();
  pressElement(button('Start the sleep test'));
  await screen.findByRole('heading', { level: 1, name: 'Sleep test' });
  assert.is(document.title, 'Sleep test · Fieldbell');
  assert.equal(fakeApi.requestsTo(START_TEST_CALL)[0]!.body, { deviceId: 5, delay: 900 });
  assert.match(
    note().textContent!,
    /^Lock the phone and leave it for 15 minutes\.We’ll send the test between \d\d:\d\d and \d\d:\d\d\. You can close the app\.$/,
  );
  assert.equal(
    sleepStages().map((line) => line.replace(/\d\d:\d\d/g, 'TIME')),
    [
      'Scheduled | TIME | ok',
      '*Phone asleep | Lock it now | ',
      'Test sent | Between TIME and TIME | ',
      'Received and displayed | We’ll measure the delay | ',
      'Did it ring? | We’ll ask when you come back | ',
    ],
  );
  screen.getByText(
    'When you unlock the phone, open Fieldbell. You’ll see the result here. Your administrator sees it too.',
  );
  const requestCount = fakeApi.requestsTo(READ_TEST_CALL).length;
  await passSeconds(30);
  assert.is(fakeApi.requestsTo(READ_TEST_CALL).length, requestCount);
  cleanup();
  closeTest();
  skippedMs += 3 * 3600_000;
  fakeTests.changeTest('t1', { sendAt: new Date(Date.now() - 2 * 3600_000).toISOString() });
  fakeTests.completeStages('t1', ['accepted', 'received', 'displayed'], 40_000);
  for (const visit of ['first', 'second']) {
    openDeviceTest();
    await screen.findByText('The test arrived 40 s late.', {}, { timeout: 20_001 });
    assert.is(location.search, '?test=t1', visit);
    assert.match(sleepStages()[3]!, /^Received and displayed \| .*TIME, late by 40 s \| warn$/);
    if (visit === 'second') pressElement(button('Yes'));
    if (visit === 'second') await waitFor(() => assert.match(sleepStages()[4]!, /^It rang/));
    cleanup();
    closeTest();
  }
  openDeviceTest();
  await findButton('Test this phone');
  assert.is(location.search, '');
});

test('leads back to a sleep test from the page itself', async () => {
  openDeviceTest();
  pressElement(button('Start the sleep test'));
  pressElement(await screen.findByRole('link', { name: 'Test notifications' }));
  await findButton('Test this phone');
});

test('gives up on a sleep test 60 s after someone looks, with advice', async () => {
  openDeviceTest();
  pressElement(button('Start the sleep test'));
  await screen.findByRole('heading', { level: 1, name: 'Sleep test' });
  setHidden(true);
  skippedMs += 1000_000;
  fakeTests.completeStages('t1', ['accepted']);
  setHidden(false);
  await passSeconds(61);
  await noteSays(/^This device isn’t reachable\./);
  assert.match(sleepStages()[3]!, /^Not received \| Stopped waiting at TIME \| bad$/);
  await screen.findByRole('heading', { name: /^The usual cause on / });
});

for (const text of ['', 'nonsense', '{}', '[]', 'null', '{"person":7,"id":5,"at":"x"}']) {
  test(`ignores a sleep test note that reads ${text || 'nothing'}`, async () => {
    localStorage.setItem('sleep_test', text);
    openDeviceTest();
    await findButton('Test this phone');
  });
}

test('gives advice for the reported make, and lets the person choose another', async () => {
  Object.defineProperty(navigator, 'userAgentData', {
    configurable: true,
    value: { getHighEntropyValues: async () => ({ model: 'SM-A047F' }) },
  });
  const userAgent = Object.getOwnPropertyDescriptor(navigator, 'userAgent');
  Object.defineProperty(navigator, 'userAgent', {
    configurable: true,
    value: 'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/156.0.0.0 Mobile',
  });
  fakeTests.addTest(createQueuedTest('t9'));
  fakeTests.completeStages('t9', ['accepted']);
  openDeviceTest('/check?test=t9');
  await screen.findByText('The test is on its way. Keep the sound on.');
  await passSeconds(61);
  await screen.findByRole('heading', { name: 'The usual cause on a Samsung' });
  const firstElement = screen.getByText('Samsung puts Fieldbell to sleep').closest('details')!;
  assert.is(firstElement.open, true);
  assert.match(firstElement.textContent!, /Choose Fieldbell and Chrome, then Add\./);
  const list = screen.getByLabelText<HTMLSelectElement>('Your device');
  chooseOption(list, 'Xiaomi');
  await screen.findByRole('heading', { name: 'The usual cause on a Xiaomi' });
  Reflect.deleteProperty(navigator, 'userAgentData');
  if (userAgent) Object.defineProperty(navigator, 'userAgent', userAgent);
  else Reflect.deleteProperty(navigator, 'userAgent');
});

test.run();
