import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { DeviceRegistration, OwnDevice } from '../../../../src/shared/contract';
import { ownDevices, thisDevice } from '../../../../src/state/device/own-devices';
import { registerIfAllowed } from '../../../../src/state/device/registration';
import { openTest } from '../../../../src/state/reach/test-progress';
import { followTest } from '../../../../src/state/reach/follow-test';
import { checkDevice, type DeviceStage } from '../../../../src/state/reach/device-checks';
import { storeSleepTest, readStoredSleepTest } from '../../../../src/state/reach/sleep-test';
import { clock, fakeApi, waitFor } from '../../../support/app/app';
import { fakeDatabase } from '../../../support/app/fake-database';
import { READ_TEST_CALL, createQueuedTest } from '../../../support/app/fake-tests';
import { createOwnDevice } from '../../../support/app/own-device';
import { endSession, signInAs } from '../../../support/app/session';
import { fakePush } from '../../../support/push-services/fake-push';

const test = suite('what this phone reports');
const real = { ...console };
let devices: OwnDevice[] = [];

test.before.each(() => {
  console.warn = console.info = () => {};
  devices = [];
  clock.install();
  fakeApi.install();
  fakeDatabase.install();
  fakePush.install('granted');
  Object.defineProperty(navigator, 'storage', {
    configurable: true,
    value: { persisted: async () => true },
  });
  signInAs('TECHNICIAN', { id: 7 });
  fakeApi.reply('GET /api/notifications/devices', () => devices);
  fakeApi.reply('GET /api/notifications/vapid-key', { publicKey: 'BAAB' });
  fakeApi.reply('DELETE /api/notifications/unregister-device', { message: '' });
  fakeApi.reply('POST /api/notifications/register-device', ({ body }) => {
    const { deviceToken } = body as DeviceRegistration;
    const device = createOwnDevice({ id: 5 + devices.length, deviceToken });
    devices = [...devices, device];
    return { ...device, deviceKey: 'key' };
  });
});
test.after.each(() => {
  endSession();
  Reflect.deleteProperty(navigator, 'storage');
  fakePush.remove();
  fakeDatabase.remove();
  fakeApi.remove();
  clock.remove();
  Object.assign(console, real);
});

/** The device's id, and the words of each stage. */
async function check(renew = false): Promise<[number | undefined, string[]]> {
  const stages: DeviceStage[] = [];
  const id = await checkDevice(renew, (stage) => stages.push(stage));
  return [id, stages.map(({ check: place, fault }) => (fault ? `${place}: ${fault}` : place))];
}
const FIT = ['permission', 'installed: tab', 'storage', 'worker', 'subscription'];

test('tests the registered device, and keeps the whole response', async () => {
  await registerIfAllowed();
  devices = [createOwnDevice({ id: 2, deviceToken: 'another' }), ...devices];
  assert.equal(await check(), [5, FIT]);
  assert.equal([ownDevices.value?.map(({ id }) => id), thisDevice.value?.id], [[2, 5], 5]);
});

test('accepts a first registration, and reports a lost one once', async () => {
  assert.equal(await check(), [5, FIT]);
  devices = [];
  assert.equal(await check(), [undefined, [...FIT.slice(0, 4), 'subscription: other']]);
  assert.equal(await check(), [5, FIT]);
  fakePush.dropSubscription();
  assert.equal(await check(), [undefined, [...FIT.slice(0, 4), 'subscription: missing']]);
});

test('replaces a subscription that the push service dropped, even if unsubscribing fails', async () => {
  await registerIfAllowed();
  const first = fakePush.token();
  assert.equal((await check(true))[1], FIT);
  assert.is.not(fakePush.token(), first);
  const registration = (await navigator.serviceWorker.getRegistration('/'))!;
  const { getNotifications } = registration;
  registration.getNotifications = () => Promise.reject(new Error('Not now.'));
  try {
    assert.equal((await check(true))[1], FIT);
  } finally {
    registration.getNotifications = getNotifications;
  }
});

test('leaves the subscription unknown when the server cannot be asked', async () => {
  await registerIfAllowed();
  fakeApi.reject('GET /api/notifications/devices', 500, 'The database is away.');
  assert.equal(await check(), [undefined, [...FIT.slice(0, 4), 'subscription: unknown']]);
});

test('drops a failed sleep test, and keeps one that may still come', async () => {
  const stages = { queued: '', accepted: '', received: null, displayed: null, heard: null };
  const replyFailure = (reason: 'busy' | 'gone') =>
    fakeApi.reply(READ_TEST_CALL, ({ params }) =>
      createQueuedTest(params.id!, { stages, failure: { stage: 'accepted', reason } }),
    );
  /** Opens the test with the response `before`, then follows it with `after`. */
  const visit = async (id: string, before: 'busy' | 'gone', after: 'busy' | 'gone') => {
    replyFailure(before);
    await openTest(id);
    const requestCount = fakeApi.requestsTo(READ_TEST_CALL).length;
    replyFailure(after);
    const stop = followTest(id);
    if (before === 'busy')
      await waitFor(() => assert.ok(fakeApi.requestsTo(READ_TEST_CALL).length > requestCount));
    await clock.advance(0);
    stop();
    return readStoredSleepTest();
  };
  for (const [before, after, kept] of [
    ['busy', 'busy', 't1'],
    ['busy', 'gone', undefined],
    ['gone', 'gone', undefined],
  ] as const) {
    storeSleepTest('t1');
    assert.is(await visit('t2', before, after), 't1', 'says nothing about another test');
    assert.is(await visit('t1', before, after), kept);
  }
});

test.run();
