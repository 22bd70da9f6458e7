import * as assert from 'uvu/assert';
import type { OwnDevice } from '../../../../src/shared/contract';
import { readOfflineData, writeOfflineData } from '../../../../src/platform/storage/database';
import { OwnDevices } from '../../../../src/screens/device-test/OwnDevices';
import {
  loadOwnDevices,
  ownDevices,
  setOwnDevices,
} from '../../../../src/state/device/own-devices';
import { Heading } from '../../../../src/ui/page';
import {
  act,
  button,
  cleanup,
  dialog,
  fakeApi,
  findButton,
  findNoDialog,
  notices,
  pressElement,
  pressEscape,
  pressInDialog,
  screen,
  screenSuite,
  showScreen,
  waitFor,
} from '../../../support/app/app';
import { fakeDatabase } from '../../../support/app/fake-database';
import { createOwnDevice } from '../../../support/app/own-device';
import { endSession, signInAs } from '../../../support/app/session';

const test = screenSuite('own devices');
const DEVICES = 'GET /api/notifications/devices';
const SIGN_OUT = 'DELETE /api/notifications/devices/:id';

const DAY_MS = 86_400_000;
const ago = (milliseconds: number) => new Date(Date.now() - milliseconds).toISOString();
let devices: OwnDevice[] = [];
const threeDevices = () => [
  createOwnDevice({ id: 9, deviceToken: 'old', lastSeenAt: ago(41 * DAY_MS) }, { model: '' }),
  createOwnDevice({ id: 5, deviceToken: 'mine', deviceType: 'android' }),
  createOwnDevice(
    { id: 7, deviceToken: 'desk', deviceType: 'web', lastSeenAt: ago(3 * 3600_000) },
    { deviceType: 'web', browser: 'Firefox', model: '', installed: null },
  ),
];

test.before.each(() => {
  fakeDatabase.install();
  signInAs('TECHNICIAN');
  localStorage.setItem('device_token', 'mine');
  devices = threeDevices();
  fakeApi.reply(DEVICES, () => devices);
  fakeApi.reply(SIGN_OUT, ({ params }) => {
    devices = devices.filter(({ id }) => id !== Number(params.id));
    return { message: '' };
  });
});
test.after.each(async () => {
  endSession();
  await readOfflineData('own_devices'); // waits for open writes
  fakeDatabase.remove();
});

async function openOwnDevices(count = devices.length): Promise<void> {
  showScreen(
    <>
      <Heading>Test notifications</Heading>
      <OwnDevices />
    </>,
    '/check',
  );
  await screen.findByRole('heading', { name: `Your devices (${count})` });
}
const rows = () => screen.getAllByRole('listitem').map((row) => row.textContent ?? '');

test('lists this phone first, then the most recently seen, with details', async () => {
  await openOwnDevices();
  assert.equal(rows(), [
    'This phone Samsung SM-A047F · Chrome · installedActive now',
    'Computer Firefox · registered 3 Mar 2024Last seen 3 hours agoSign out',
    'Android phone Chrome · installed · registered 3 Mar 2024Last seen 41 days agoSign out',
  ]);
});

test('signs out any device but this one, by its name', async () => {
  await openOwnDevices();
  const names = screen.getAllByRole('button').map((one) => one.getAttribute('aria-label'));
  assert.equal(names, [
    'Sign out Computer, last seen 3 hours ago',
    'Sign out Android phone, last seen 41 days ago',
  ]);
});

test('signs out a device after confirmation, and reloads the list', async () => {
  await openOwnDevices();
  pressElement(button(/^Sign out Android phone/));
  assert.ok(
    dialog().getByText(/^Last seen 41 days ago\. The device will stop receiving notifications/),
  );
  assert.is(fakeApi.requestsTo(SIGN_OUT).length, 0);
  pressEscape();
  await findNoDialog();
  assert.is(fakeApi.requestsTo(SIGN_OUT).length, 0, 'Escape leaves everything as it is');
  const tablet = createOwnDevice({ id: 11, deviceToken: 'other' }, { model: 'Tab S9' });
  devices = [...devices, tablet]; // registered since
  pressElement(button(/^Sign out Android phone/));
  pressInDialog('Sign out');
  await notices().findByText('Android phone signed out.');
  await waitFor(() => assert.ok(rows().some((row) => row.includes('Tab S9'))));
  assert.ok(screen.getByRole('heading', { name: 'Your devices (3)' }));
  assert.equal(
    fakeApi.requestsTo(SIGN_OUT).map(({ params }) => params.id),
    ['9'],
  );
  assert.is(screen.queryByRole('dialog'), null);
  await waitFor(() => assert.is(document.activeElement, screen.getByRole('heading', { level: 1 })));
});

test('counts a device that is already gone as signed out', async () => {
  await openOwnDevices();
  devices = devices.slice(1);
  fakeApi.reject(SIGN_OUT, 404, 'No such device.');
  pressElement(button(/^Sign out Android phone/));
  pressInDialog('Sign out');
  await notices().findByText('Android phone signed out.');
  assert.is(rows().length, 2);
});

test('keeps a device that could not be signed out, with the reason and retries', async () => {
  await openOwnDevices();
  pressElement(button(/^Sign out Computer/));
  const confirm = () => pressInDialog('Sign out');
  fakeApi.loseRequests(SIGN_OUT);
  confirm();
  await dialog().findByText('Failed to sign out the device.');
  fakeApi.reject(SIGN_OUT, 429, 'Too many requests.');
  confirm();
  await dialog().findByText('Too many requests.');
  assert.is(ownDevices.value?.length, 3);
  fakeApi.reply(SIGN_OUT, () => {
    devices = devices.filter(({ id }) => id !== 7);
    return { message: '' };
  });
  confirm();
  await screen.findByRole('heading', { name: 'Your devices (2)' });
});

test('shows failed devices with Retry', async () => {
  fakeApi.reject(DEVICES, 500, 'Something went wrong.');
  showScreen(<OwnDevices />, '/check');
  await screen.findByText('Something went wrong.');
  assert.ok(screen.getByRole('heading', { name: 'Your devices' }));
  fakeApi.reply(DEVICES, () => devices);
  pressElement(button('Retry'));
  await screen.findByRole('heading', { name: 'Your devices (3)' });
  assert.is(screen.queryByText('Something went wrong.'), null);
});

test('reads failed devices again as soon as the network returns', async () => {
  for (const event of ['online', 'focus']) {
    await openOwnDevices();
    fakeApi.loseRequests(DEVICES);
    await act(loadOwnDevices); // as after a test
    await screen.findByText('Failed to load your devices.');
    fakeApi.reply(DEVICES, () => devices);
    dispatchEvent(new Event(event));
    await waitFor(() => assert.is(screen.queryByText('Failed to load your devices.'), null, event));
    cleanup();
  }
});

test('shows stored devices offline, to the same person only', async () => {
  await loadOwnDevices();
  const stored = await readOfflineData('own_devices');
  fakeApi.loseRequests(DEVICES);
  for (const [id, count] of [
    [7, 3],
    [8, 0],
  ] as const) {
    cleanup();
    endSession();
    signInAs('TECHNICIAN', { id });
    await writeOfflineData('own_devices', stored); // as the last start left it
    showScreen(<OwnDevices />, '/check');
    await screen.findByText('Failed to load your devices.');
    await waitFor(() => assert.is(screen.queryAllByRole('listitem').length, count));
  }
});

test('never replaces a newer response with an older one', async () => {
  const release = fakeApi.holdReplies(DEVICES);
  const old = loadOwnDevices();
  await waitFor(() => assert.is(fakeApi.requestsTo(DEVICES).length, 1));
  await act(() => setOwnDevices(threeDevices().slice(0, 1), null));
  release();
  await old;
  assert.is(ownDevices.value?.length, 1);
});

test('ignores a response to another person’s session', async () => {
  const release = fakeApi.holdReplies(DEVICES);
  const old = loadOwnDevices();
  await waitFor(() => assert.is(fakeApi.requestsTo(DEVICES).length, 1));
  endSession();
  signInAs('TECHNICIAN', { id: 8 });
  release();
  await old;
  assert.is(ownDevices.value, null);
});

for (const [what, reach] of [
  ['none, of an older server', undefined],
  ['text', 'good'],
  ['without a state', {}],
  ['with an invalid test', { ...createOwnDevice().reach, lastTest: { id: 7 } }],
] as const)
  test(`lists devices with reach ${what}, and signs them out`, async () => {
    devices = threeDevices().map((device) => ({ ...device, reach: reach as OwnDevice['reach'] }));
    await openOwnDevices();
    assert.match(rows()[2], /^Android phone/);
    assert.ok(await findButton(/^Sign out Android phone/));
  });

test('reads the devices again on a return after more than a minute', async () => {
  const { now } = Date;
  await openOwnDevices();
  dispatchEvent(new Event('focus'));
  assert.is(fakeApi.requestsTo(DEVICES).length, 1, 'just read');
  Date.now = () => now() + 61_000;
  try {
    devices = devices.slice(0, 2);
    dispatchEvent(new Event('focus'));
    await screen.findByRole('heading', { name: 'Your devices (2)' });
  } finally {
    Date.now = now;
  }
});

test.run();
