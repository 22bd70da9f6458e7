import * as assert from 'uvu/assert';
import type { OwnDevice, ReachDevice } from '../../../../src/shared/contract';
import { readOfflineData, writeOfflineData } from '../../../../src/platform/storage/database';
import { ReachChipSlot } from '../../../../src/screens/device-test/ReachChipSlot';
import { StatusBar } from '../../../../src/screens/shell/StatusBar';
import { loadOwnDevices, setOwnDevices } from '../../../../src/state/device/own-devices';
import {
  currentDevice,
  registerIfAllowed,
  registrationError,
} from '../../../../src/state/device/registration';
import { inboxSummary } from '../../../../src/state/inbox/inbox-summary';
import { isTestDue } from '../../../../src/state/reach/weekly-reminder';
import {
  act,
  button,
  cleanup,
  fakeApi,
  pressElement,
  screen,
  screenSuite,
  showScreen,
  waitFor,
} from '../../../support/app/app';
import { shortPause } from '../../../support/eventually';
import { fakeDatabase } from '../../../support/app/fake-database';
import { createOwnDevice, createSucceededTest } from '../../../support/app/own-device';
import { endSession, signInAs } from '../../../support/app/session';
import { fakePush } from '../../../support/push-services/fake-push';

const test = screenSuite('reach chip');
const DEVICES = 'GET /api/notifications/devices';
const DAY_MS = 86_400_000;
const PHONE = 'Mozilla/5.0 (Linux; Android 14) Chrome/126 Mobile';

const { now } = Date;
const real = {
  summary: inboxSummary.value,
  scrollBy: globalThis.scrollBy,
  offsetHeight: Object.getOwnPropertyDescriptor(HTMLElement.prototype, 'offsetHeight'),
};
let passedMs = 0;
/** Today at 06:58 local time, plus seconds. */
const at = (seconds = 0) => new Date(new Date(now()).setHours(6, 58, seconds, 0)).toISOString();
const NOW = () => Date.parse(at(600)) + passedMs;
let devices: OwnDevice[] = [];
let scrolls: number[] = [];
const heights = new Map<string, number>();

test.before.each(() => {
  passedMs = 0;
  Date.now = NOW;
  fakeDatabase.install();
  fakePush.install('granted');
  Object.defineProperty(navigator, 'userAgent', { configurable: true, value: PHONE });
  signInAs('TECHNICIAN');
  inboxSummary.value = { ...inboxSummary.value, known: true };
  fakeApi.reply(DEVICES, () => devices);
  fakeApi.reply('GET /api/notifications/vapid-key', { publicKey: 'BAAB' });
  fakeApi.reply('POST /api/notifications/register-device', ({ body }) => ({
    ...createOwnDevice(),
    ...(body as OwnDevice),
    deviceKey: 'key',
  }));
  scrolls = [];
  heights.clear();
  globalThis.scrollBy = ((_: number, y: number) => void scrolls.push(y)) as typeof scrollBy;
  Object.defineProperty(HTMLElement.prototype, 'offsetHeight', {
    configurable: true,
    get(this: HTMLElement) {
      return heightOf(this);
    },
  });
});
test.after.each(async () => {
  for (const name of ['userAgent']) Reflect.deleteProperty(navigator, name);
  endSession();
  await readOfflineData('own_devices'); // waits for open writes
  fakeDatabase.remove();
  fakePush.remove();
  Date.now = now;
  inboxSummary.value = real.summary;
  globalThis.scrollBy = real.scrollBy;
  Object.defineProperty(HTMLElement.prototype, 'offsetHeight', real.offsetHeight ?? {});
});

/** A line is 44 high, a note 150; the slot is as high as its content or its reserve. */
function heightOf(element: HTMLElement): number {
  if (element.className !== 'reach') return element.className.includes('note') ? 150 : 44;
  const content = element.firstElementChild as HTMLElement | null;
  return Math.max(
    44,
    Number.parseInt(element.style.minHeight || '0', 10),
    content?.offsetHeight ?? 0,
  );
}

async function openChip(reach: Partial<ReachDevice> | undefined, brief = false): Promise<void> {
  // Simulates the registration at the start.
  devices = [];
  await registerIfAllowed();
  devices = [createOwnDevice({ deviceToken: fakePush.token() }, reach)];
  if (!reach) delete devices[0].reach;
  setOwnDevices([...devices], 5);
  showSlots(brief);
}
const showSlots = (brief = false) =>
  showScreen(
    <>
      <ReachChipSlot name={brief ? 'reach_brief' : 'reach'} />
      <StatusBar>{null}</StatusBar>
    </>,
    '/',
  );
const chipText = () => document.querySelector('.reach')?.textContent?.trim() ?? null;
/** What carries the tone. */
const chip = () => document.querySelector<HTMLElement>('.reach :is(.note, .disc, .chip)');
const stages = (change: object) => ({ stages: { ...testFromMorning().stages, ...change } });
/** A test at 06:58, shown two seconds later, and heard. */
const testFromMorning = () =>
  createSucceededTest({
    sendAt: at(),
    stages: { queued: at(), accepted: at(1), received: at(2), displayed: at(2), heard: at(9) },
  });
const reachableDevice = (): Partial<ReachDevice> => ({
  state: 'reachable',
  lastTest: testFromMorning(),
  lastDisplayedAt: at(2),
});

const cases: [string, Partial<ReachDevice>, string, string | undefined][] = [
  ['was tested well', reachableDevice(), 'This phone is reachable Tested 06:58 Test', 'ok'],
  [
    'got a message since',
    { ...reachableDevice(), lastDisplayedAt: at(300) },
    'This phone is reachable Last message 07:03 Test',
    'ok',
  ],
  [
    'was reached late by a test',
    { ...reachableDevice(), lastTest: { ...testFromMorning(), lateBy: 40_000 } },
    'Late by 40 s Tested 06:58 Test',
    'warn',
  ],
  [
    'is reached late by most messages',
    { state: 'late', lastDisplayedAt: at(2) },
    'Messages arrive late Last message 06:58 Test',
    'warn',
  ],
  ['was never reached', { state: 'untested' }, 'This phone hasn’t been tested yet Test', undefined],
  [
    'showed a test that is not confirmed yet',
    { ...reachableDevice(), lastTest: { ...testFromMorning(), ...stages({ heard: null }) } },
    'Test arrived 06:58 Did it ring?',
    undefined,
  ],
];
for (const [what, reach, text, tone] of cases)
  test(`says of a phone that ${what}: ${text}`, async () => {
    await openChip(reach);
    await waitFor(() => assert.is(chipText(), text));
    assert.is(chip()?.dataset.tone, tone);
  });

test('explains a missed test in a note with its reason and remedy', async () => {
  const lastTest = {
    ...testFromMorning(),
    ...stages({ received: null, displayed: null, heard: null }),
  };
  await openChip({ state: 'untested', lastTest, lastDisplayedAt: null });
  await waitFor(() =>
    assert.is(
      chipText(),
      'This phone isn’t reachableThe test from 06:58 didn’t arrive. Urgent messages won’t ring here.See what to do',
    ),
  );
  const note = screen.getByText('See what to do').closest('.note') as HTMLElement;
  assert.is(note.dataset.tone, 'bad');
  assert.is(screen.getByRole('link', { name: 'See what to do' }).getAttribute('href'), '/check');
});

for (const [what, reach, reason] of [
  ['is refused', { state: 'failing' }, 'Your browser’s push service rejected the last message.'],
  ['shows nothing', { state: 'silent', unanswered: 4 }, 'The last 4 messages weren’t displayed.'],
  [
    'was silent',
    { lastTest: { ...testFromMorning(), failure: { stage: 'heard', reason: 'silent' } } },
    'The test from 06:58 made no sound.',
  ],
] as const)
  test(`says of a phone that ${what} that it is not reachable: ${reason}`, async () => {
    await openChip({ ...reachableDevice(), ...reach } as Partial<ReachDevice>);
    await screen.findByText('This phone isn’t reachable');
    assert.match(chipText() ?? '', reason);
  });

test('names Test by its action, and links to the check and to the open test', async () => {
  const link = () => document.querySelector<HTMLAnchorElement>('.reach a');
  const facts = () => [link()?.getAttribute('aria-label'), link()?.getAttribute('href')];
  await openChip(reachableDevice());
  await waitFor(() => assert.equal(facts(), ['Test again', '/check']));
  const tell = (reach: Partial<ReachDevice>) =>
    act(() => setOwnDevices([createOwnDevice({ deviceToken: fakePush.token() }, reach)], 5));
  await tell({ state: 'untested' });
  await waitFor(() => assert.equal(facts(), ['Test this phone', '/check']));
  await tell({
    ...reachableDevice(),
    lastTest: { ...testFromMorning(), id: 'a&b', ...stages({ heard: null }) },
  });
  await waitFor(() => assert.is(link()?.getAttribute('href'), '/check?test=a%26b'));
});

test('shows the chip, which links to the test, beside the messages’ heading', async () => {
  await openChip(reachableDevice(), true);
  await waitFor(() => assert.is(chipText(), 'This phone is reachable · tested 06:58'));
  assert.is(document.querySelector('.reach a')?.getAttribute('href'), '/check');
});

test('shows a blocked phone as blocked without a request', async () => {
  await openChip(reachableDevice());
  await waitFor(() => assert.ok(chip()));
  cleanup();
  fakePush.install('denied');
  const earlierCount = fakeApi.requestsTo(DEVICES).length;
  showSlots();
  await screen.findByText('This phone isn’t reachable: blocked');
  assert.is(chip()?.dataset.tone, 'bad');
  assert.is(fakeApi.requestsTo(DEVICES).length, earlierCount);
});

test('shows no chip before the permission question', async () => {
  fakePush.install('default');
  showSlots();
  await shortPause();
  assert.is(document.querySelector('.reach'), null);
});

test('shows no good state for an allowed phone that cannot register', async () => {
  await openChip(reachableDevice());
  await waitFor(() => assert.ok(chip()));
  await act(() => {
    registrationError.value = 'The push service didn’t respond in time.';
  });
  await screen.findByText('This phone isn’t reachable');
  assert.match(
    chipText() ?? '',
    'This phone couldn’t be registered with the server. Urgent messages won’t ring here.',
  );
});

test('calls a desktop a computer', async () => {
  Reflect.deleteProperty(navigator, 'userAgent');
  await openChip(reachableDevice());
  await waitFor(() => assert.match(chipText() ?? '', /^This computer is reachable/));
});

test('shows nothing with only the permission and an older server', async () => {
  await openChip(undefined);
  await shortPause();
  assert.is(chipText(), '');
  assert.is(localStorage.getItem('reach'), '0px', 'no space is reserved next time');
  const slot = document.querySelector<HTMLElement>('.reach');
  assert.is(slot?.style.minHeight, '0px', 'nor now');
});

test('shows the stored state offline, to the same person only', async () => {
  await openChip(reachableDevice());
  await waitFor(() => assert.ok(chip()));
  const token = localStorage.getItem('device_token') ?? '';
  const stored = await readOfflineData('own_devices');
  fakeApi.loseRequests(DEVICES);
  for (const [id, text] of [
    [7, 'This phone is reachable Tested 06:58 Test'],
    [8, ''],
  ] as const) {
    cleanup();
    endSession();
    signInAs('TECHNICIAN', { id });
    // Simulates the state that the last start stored.
    localStorage.setItem('device_token', token);
    await writeOfflineData('own_devices', stored);
    showSlots();
    await waitFor(() => assert.is(chipText(), text));
    await loadOwnDevices();
    assert.is(chipText(), text);
  }
});

test('does not call a test lost when the phone lost its network', async () => {
  const sendAt = new Date(NOW() - 5000).toISOString();
  await openChip({
    lastTest: { ...testFromMorning(), sendAt, ...stages({ displayed: null, heard: null }) },
  });
  await screen.findByText('A test is on its way to this phone');
  fakeApi.loseRequests(DEVICES);
  passedMs = 3600_000;
  await act(() => loadOwnDevices());
  assert.ok(screen.getByText('A test is on its way to this phone'));
});

test('reserves the chip’s height of the last visit', async () => {
  await openChip(reachableDevice());
  await waitFor(() => assert.ok(chip()));
  assert.equal(scrolls, [], 'a line fits');
  await act(() =>
    setOwnDevices([createOwnDevice({ deviceToken: fakePush.token() }, { state: 'failing' })], 5),
  );
  await screen.findByText('See what to do');
  assert.equal(scrolls, [106]);
  cleanup();
  scrolls = [];
  showSlots();
  assert.is(document.querySelector<HTMLElement>('.reach')?.style.minHeight, '150px');
  await screen.findByText('See what to do');
  assert.equal(scrolls, []);
  await act(() =>
    setOwnDevices([createOwnDevice({ deviceToken: fakePush.token() }, reachableDevice())], 5),
  );
  await waitFor(() => assert.match(chipText() ?? '', 'is reachable'));
  assert.equal(scrolls, [], 'less than the reserve moves nothing');
  cleanup();
  showSlots();
  assert.is(document.querySelector<HTMLElement>('.reach')?.style.minHeight, '44px');
});

const REQUEST =
  'This phone hasn’t displayed a notification for 7 days. Test whether it still works.';
/** A phone, registered earlier, that showed nothing for this many days. */
const quietDevice = (days: number): Partial<ReachDevice> => {
  const displayed = new Date(NOW() - days * DAY_MS).toISOString();
  return { state: 'reachable', lastTest: null, lastDisplayedAt: displayed };
};
/** Leaves, and returns after days without a push. */
async function returnAfter(days: number, id = 7): Promise<void> {
  const [{ reach }] = devices;
  cleanup();
  const keep = localStorage.getItem('test_asked');
  endSession();
  if (keep) localStorage.setItem('test_asked', keep);
  signInAs('TECHNICIAN', { id });
  passedMs += days * DAY_MS;
  await openChip(reach);
  await waitFor(() => assert.ok(chip()));
}
const asksForTest = () => screen.queryByText(REQUEST) !== null;

test('asks for a test after seven days without a push, not earlier', async () => {
  await openChip(quietDevice(6.99));
  await waitFor(() => assert.ok(chip()));
  await shortPause();
  assert.is(asksForTest(), false);
  await act(() =>
    setOwnDevices([createOwnDevice({ deviceToken: fakePush.token() }, quietDevice(7.01))], 5),
  );
  await screen.findByText(REQUEST);
  assert.is(screen.getByRole('link', { name: 'Test this phone' }).getAttribute('href'), '/check');
});

test('asks at most once a week, in any session', async () => {
  await openChip(quietDevice(30));
  await screen.findByText(REQUEST);
  pressElement(button('Not now: hide the test reminder'));
  await waitFor(() => assert.is(asksForTest(), false));
  for (const [days, again] of [
    [1, false],
    [5.9, false],
    [0.2, true],
    [1, false],
  ] as const) {
    await returnAfter(days);
    await shortPause();
    assert.is(asksForTest(), again, `${days} days later`);
  }
});

for (const [off, skew, shownBefore, due] of [
  ['eight days ahead', -8, 1, false],
  ['eight days behind', 8, 8, true],
] as const)
  test(`asks by the server’s clock on a phone whose clock is ${off}`, async () => {
    localStorage.setItem('clock_skew', String(skew * DAY_MS));
    const displayed = NOW() + (skew - shownBefore) * DAY_MS;
    await openChip({ ...quietDevice(0), lastDisplayedAt: new Date(displayed).toISOString() });
    await waitFor(() => assert.ok(chip()));
    await shortPause();
    assert.is(asksForTest(), due);
  });

test('does not show the previous person’s request to the next', async () => {
  await openChip(quietDevice(30));
  await screen.findByText(REQUEST);
  await returnAfter(0, 8);
  await shortPause();
  assert.is(asksForTest(), false);
});

test('asks normally after the clock was set back', async () => {
  await openChip(quietDevice(30));
  await screen.findByText(REQUEST);
  await returnAfter(-0.5);
  await shortPause();
  assert.is(asksForTest(), false, 'half a day back');
  await returnAfter(-20);
  await screen.findByText(REQUEST);
  await returnAfter(1);
  await shortPause();
  assert.is(asksForTest(), false);
});

test('does not ask new, unreachable or offline phones', async () => {
  await openChip({ state: 'untested', lastDisplayedAt: null });
  await screen.findByText(REQUEST); // registered months ago
  isTestDue.value = false;
  localStorage.removeItem('test_asked');
  const tell = (change: Partial<OwnDevice>, reach: Partial<ReachDevice>) =>
    act(() =>
      setOwnDevices([createOwnDevice({ deviceToken: fakePush.token(), ...change }, reach)], 5),
    );
  await tell({ createdAt: new Date(NOW() - DAY_MS).toISOString() }, { state: 'untested' });
  await shortPause();
  assert.is(asksForTest(), false, 'just registered');
  await tell({}, { ...quietDevice(30), state: 'silent', unanswered: 3 });
  await screen.findByText('See what to do');
  assert.is(asksForTest(), false, 'already shown');
  await tell({}, quietDevice(30));
  await screen.findByText(REQUEST);
  isTestDue.value = false;
  localStorage.removeItem('test_asked');
  fakeApi.loseRequests(DEVICES);
  cleanup();
  passedMs += DAY_MS;
  showSlots();
  await waitFor(() => assert.ok(chip()));
  await shortPause();
  assert.is(asksForTest(), false, 'the stored state is old');
  assert.ok(currentDevice.value);
});

test.run();
