import * as assert from 'uvu/assert';
import {
  CheckInBar,
  CheckInCard,
  RunningCheckInCard,
  UrgentCheckInCard,
} from '../../../../src/screens/check-in/CheckInCard';
import { CheckInScreen } from '../../../../src/screens/check-in/CheckInScreen';
import type { CheckIn } from '../../../../src/shared/contract';
import {
  button,
  cleanup,
  clock,
  fakeApi,
  findButton,
  pressElement,
  screen,
  screenSuite,
  showScreen,
  tapAgain,
  typeInto,
  waitFor,
  within,
} from '../../../support/app/app';
import { keepDevice, keepMessages, keepPush } from '../../../../src/platform/storage/received';
import { clearReceived, writeOfflineData } from '../../../../src/platform/storage/database';
import { notificationPermission } from '../../../../src/state/device/permission';
import { registrationError } from '../../../../src/state/device/registration';
import { signedOutOnPurpose, signInError, signOut } from '../../../../src/state/session';
// Deletes the offline data when a session ends.
import '../../../../src/state/subscriptions/load-topics';
import { fakePush } from '../../../support/push-services/fake-push';
import { fakeDatabase } from '../../../support/app/fake-database';
import { SEND_RECEIPTS_CALL, createMessage } from '../../../support/app/fake-inbox';
import { createCheckIn, createOwnCheckIns } from '../../../support/app/factories/check-ins';
import { endSession, signInAs } from '../../../support/app/session';
import { eventually } from '../../../support/eventually';

const test = screenSuite('check-in');
const READ = 'GET /api/check-ins';
const OK = 'POST /api/check-ins/:id/ok';
const HELP = 'POST /api/check-ins/:id/help';
const END = 'POST /api/check-ins/:id/end';

/** A person per test, as unsent presses belong to people. */
let person = 700;

test.before.each(() => {
  fakeDatabase.install();
  fakeApi.reply(READ, createOwnCheckIns()); // what the former test began may still ask
  signInAs('TECHNICIAN', { id: ++person });
});
const { now } = performance;
test.after.each(() => {
  performance.now = now;
  endSession();
});

const open = (current: CheckIn | null = null): void => {
  fakeApi.reply(READ, createOwnCheckIns(current));
  showScreen(<CheckInScreen />, '/check-in');
};
/** Two presses of the same answer within this time would be a double tap. */
function waitOutDoubleTap(): void {
  const later = performance.now() + 1000;
  performance.now = () => later;
}
/** What is unsent is said a second after it was read, which takes turns of its own. */
const showsSoon = (text: string) =>
  eventually(async () => {
    await clock.advance(1000);
    return screen.queryByText(text);
  }, text);
const requestBodies = (endpoint: typeof OK | typeof HELP) =>
  fakeApi.requestsTo(endpoint).map(({ body }) => body);

test('starts an hour’s check-in with one press at its top, and ignores a second tap', async () => {
  const scrolledTo: number[][] = [];
  Object.assign(globalThis, { scrollTo: (...position: number[]) => scrolledTo.push(position) });
  open();
  fakeApi.reply('POST /api/check-ins', createCheckIn(0));
  const start = await findButton('Start check-in');
  typeInto(screen.getByLabelText(/Where are you/), ' Pole 114 ');
  tapAgain(start);
  await clock.advance(200);
  assert.is(fakeApi.requestsTo('POST /api/check-ins').length, 0, 'it has just appeared');
  pressElement(start);
  assert.ok(await screen.findByRole('timer', { name: '60 minutes left' }));
  const [sentRequest] = fakeApi.requestsTo('POST /api/check-ins');
  const { minutes, note } = sentRequest!.body as { minutes: number; note: string };
  assert.equal([minutes, note], [60, 'Pole 114']);
  assert.equal(scrolledTo, [[0, 0]]);
  fakeApi.reply(HELP, createCheckIn(0, { state: 'help' }));
  fakeApi.reply(END, createCheckIn(0, { state: 'ended' }));
  for (const name of ['End check-in', 'I need help', 'End check-in']) tapAgain(button(name));
  await clock.advance(200);
  assert.equal([fakeApi.requestsTo(HELP).length, fakeApi.requestsTo(END).length], [0, 0]);
  fakeApi.reply(READ, createOwnCheckIns());
  pressElement(button('End check-in'));
  tapAgain(await findButton('Start check-in'));
  await clock.advance(200);
  assert.is(fakeApi.requestsTo('POST /api/check-ins').length, 1, 'the second tap on the end');
});

test('says when it asks, also during a check-in of a few minutes', async () => {
  open();
  await screen.findByText(/^We’ll check on you 5 minutes before the time is up/);
  pressElement(screen.getByLabelText('Other'));
  typeInto(screen.getByLabelText('Minutes'), '9');
  await screen.findByText(/^We’ll check on you halfway through/);
});

test('says whom to ask when check-ins are off', async () => {
  fakeApi.reply(READ, { ...createOwnCheckIns(), enabled: false });
  showScreen(<CheckInScreen />, '/check-in');
  await screen.findByText('Ask an administrator to turn them on.');
  const way = screen.getByRole('link', { name: 'Go to your inbox' });
  assert.is(way.getAttribute('href'), '/messages');
  assert.is(screen.queryByRole('button', { name: 'Start check-in' }), null);
});

test('counts the seconds down while it asks, on a ring that empties', async () => {
  const ringLength = () =>
    Number.parseInt(
      document.querySelector<SVGElement>('.dial circle[style]')?.style.strokeDasharray ?? '',
      10,
    );
  open(createCheckIn(60));
  assert.is((await screen.findByText(/^(5:00|4:59)$/)).getAttribute('aria-hidden'), 'true');
  const fullLength = ringLength();
  fakeApi.reply(READ, createOwnCheckIns(createCheckIn(63)));
  await clock.advance(15_000);
  await screen.findByText(/^(2:00|1:59)$/);
  assert.ok(ringLength() < fullLength / 2);
});

test('counts by the server’s time, after the device’s clock was set right', async () => {
  localStorage.setItem('clock_skew', String(-20 * 60_000)); // the skew at the sign-in
  fakeApi.respond(READ, () => {
    const headers = { Date: new Date().toUTCString() };
    return new Response(JSON.stringify(createOwnCheckIns(createCheckIn(0))), { headers });
  });
  showScreen(<CheckInScreen />, '/check-in');
  await screen.findByRole('timer', { name: '60 minutes left' });
  assert.is(localStorage.getItem('clock_skew'), null);
});

test('warns on the running check-in that this device shows no reminders, with the way out', async () => {
  fakePush.install('denied');
  notificationPermission.value = 'denied';
  open(createCheckIn(5));
  await screen.findByText(/^Notifications are off on this device\. Keep this page open/);
  const way = screen.getByRole('link', { name: 'Turn on notifications' });
  assert.is(way.getAttribute('href'), '/subscriptions');
  cleanup();
  fakePush.install('granted');
  notificationPermission.value = 'granted';
  registrationError.value = 'Failed to initialize PWA: no push service';
  showScreen(<CheckInScreen />, '/check-in');
  await screen.findByText(/^This device isn’t registered for notifications\./);
  cleanup();
  localStorage.setItem('device_token', 'known to the server');
  showScreen(<CheckInScreen />, '/check-in');
  await screen.findByRole('button', { name: 'End check-in' });
  assert.is(screen.queryByText(/isn’t registered/), null, 'only the lookup failed');
  registrationError.value = '';
  await waitFor(() =>
    assert.is(screen.queryByRole('link', { name: 'Turn on notifications' }), null),
  );
});

test('keeps an answer without a connection, says so, and sends it with its time', async () => {
  open(createCheckIn(56));
  await screen.findByRole('heading', { name: 'Are you OK?' });
  fakeApi.loseRequests(OK);
  const pressedAt = Date.now();
  pressElement(await findButton('I’m OK'));
  await showsSoon('“I’m OK” hasn’t been sent yet.');
  cleanup(); // the app is closed, and opened again
  const later = Date.now;
  Date.now = () => later() + 20_000;
  showScreen(<CheckInScreen />, '/check-in');
  await screen.findByRole('heading', { name: 'Are you OK?' });
  await showsSoon('“I’m OK” hasn’t been sent yet.');
  const times = { answeredAt: '2026-11-21T09:30:00.000Z', receivedAt: '2026-11-21T09:42:00.000Z' };
  const recorded = createCheckIn(0, times);
  fakeApi.reply(OK, recorded);
  fakeApi.reply(READ, createOwnCheckIns(recorded));
  await clock.advance(10_000);
  await screen.findByRole('timer', { name: '60 minutes left' });
  await waitFor(() => assert.not(screen.queryByText('“I’m OK” hasn’t been sent yet.')));
  await screen.findByText(/^Recorded .* · next by /);
  await screen.findByText(/^You answered at .*30.*We received your answer at .*42/);
  Date.now = later;
  const { at, sentAt } = requestBodies(OK).at(-1) as { at: string; sentAt: string };
  assert.ok(Math.abs(Date.parse(at) - pressedAt) < 2000);
  assert.ok(Date.parse(sentAt) - pressedAt >= 20_000, 'for a wrong clock, also when it was sent');
});

test('sends help without the earlier answer that waits', async () => {
  open(createCheckIn(30));
  await findButton('I need help');
  fakeApi.loseRequests(OK);
  fakeApi.loseRequests(HELP);
  pressElement(await findButton('I’m OK'));
  await waitFor(() => assert.is(requestBodies(OK).length, 1));
  pressElement(button('I need help'));
  await waitFor(() => assert.is(requestBodies(HELP).length, 1));
  const sent: string[] = [];
  for (const endpoint of [OK, HELP] as const)
    fakeApi.reply(endpoint, () => {
      sent.push(endpoint);
      return createCheckIn(30, { state: 'help' });
    });
  await clock.advance(10_000);
  await waitFor(() => assert.equal(sent, [HELP]));
  await screen.findByText('You asked for help.', { exact: false });
});

test('counts a double tap once, with and without a connection', async () => {
  open(createCheckIn(30));
  fakeApi.reply(OK, createCheckIn(0));
  for (const sentCount of [1, 2]) {
    waitOutDoubleTap();
    pressElement(await findButton('I’m OK'));
    pressElement(button('I’m OK'));
    await clock.advance(200);
    assert.is(requestBodies(OK).length, sentCount);
  }
  fakeApi.loseRequests(HELP);
  pressElement(await findButton('I need help'));
  pressElement(button('I need help'));
  await clock.advance(200);
  waitOutDoubleTap();
  fakeApi.reply(HELP, createCheckIn(30, { state: 'help' }));
  await clock.advance(10_000);
  await screen.findByText('You asked for help.', { exact: false });
  await clock.advance(10_000);
  const ages = requestBodies(HELP).map((body) => Math.round((body as { age: number }).age));
  assert.equal(ages, [0, 1000], 'the lost request, and its repetition');
});

test('ignores the second tap on a repeated call for help, which removes its button', async () => {
  const at = new Date().toISOString();
  const alarm = { messageId: 'm1', at, people: 6, answered: 0, allClearAt: at };
  open(createCheckIn(30, { state: 'help', alarm }));
  const called = createCheckIn(30, { state: 'help' });
  fakeApi.reply(HELP, called);
  pressElement(await findButton('I need help'));
  await screen.findByText(/^We’re alerting/);
  tapAgain(button('I’m OK'));
  await clock.advance(200);
  assert.is(screen.queryByRole('dialog'), null);
});

test('says that an “I’m OK” follows a call for help, both unsent', async () => {
  open(createCheckIn(30));
  for (const endpoint of [HELP, OK] as const) fakeApi.loseRequests(endpoint);
  pressElement(await findButton('I need help'));
  await showsSoon('“I need help” hasn’t been sent yet.');
  pressElement(button('I’m OK'));
  const dialog = await screen.findByRole('dialog', { name: 'Stop the alarm?' });
  assert.match(dialog.textContent ?? '', 'Your call for help hasn’t been sent yet.');
  await clock.advance(1000);
  pressElement(within(dialog).getByRole('button', { name: 'I’m OK' }));
  await screen.findByText(/^You then pressed “I’m OK” at /);
});

test('asks before a call for help is called off, sent or not', async () => {
  open(createCheckIn(30));
  fakeApi.loseRequests(HELP);
  pressElement(await findButton('I need help'));
  pressElement(button('I’m OK'));
  await screen.findByRole('dialog', { name: 'Stop the alarm?' });
  pressElement(button('Keep the alarm'));
  await waitFor(() => assert.is(screen.queryByRole('dialog'), null));
  const at = new Date(Date.now() - 240_000).toISOString();
  const alarm = { messageId: 'm1', at, people: 6, answered: 0 };
  const help = createCheckIn(30, { state: 'help', alarm });
  fakeApi.reply(HELP, help);
  fakeApi.reply(READ, createOwnCheckIns(help));
  await clock.advance(10_000);
  await screen.findByText('You asked for help.', { exact: false });
  await screen.findByText('No one has answered yet. Call for help in another way, too.');
  fakeApi.reply(OK, createCheckIn(0, { lastAlarm: { messageId: 'm1', at } }));
  tapAgain(button('I’m OK'));
  await clock.advance(200);
  assert.is(screen.queryByRole('dialog'), null, 'the second tap on the call');
  pressElement(button('End check-in'));
  await screen.findByRole('dialog', { name: 'Stop the alarm?' });
  pressElement(button('Keep the alarm'));
  await waitFor(() => assert.is(screen.queryByRole('dialog'), null));
  pressElement(await findButton('I’m OK'));
  const dialog = await screen.findByRole('dialog', { name: 'Stop the alarm?' });
  tapAgain(within(dialog).getByRole('button', { name: 'I’m OK' }));
  await clock.advance(200);
  assert.is(fakeApi.requestsTo(END).length, 0);
  assert.is(requestBodies(OK).length, 0, 'the second tap on the button below the dialog');
  pressElement(within(dialog).getByRole('button', { name: 'I’m OK' }));
  await screen.findByRole('timer', { name: '60 minutes left' });
  const allClear = screen.getByText('The all-clear was sent to everyone we alerted.');
  assert.is(allClear.closest('.note')?.getAttribute('data-tone'), 'ok');
});

test('warns if the alarm is still on after an answer, and stops it with one more press', async () => {
  const at = new Date().toISOString();
  const alarm = { messageId: 'm1', at, people: 6, answered: 0 };
  const missed = createCheckIn(66, { state: 'missed', alarm, answeredAt: at });
  open(missed);
  fakeApi.reply(OK, missed);
  pressElement(await findButton('I’m OK'));
  await screen.findByText(/^We’ve received your “I’m OK” from .*, but the alarm is still on\./);
  assert.is(screen.queryByText(/^Recorded /), null);
  fakeApi.reply(OK, createCheckIn(0, { answeredAt: at }));
  waitOutDoubleTap();
  pressElement(button('I’m OK'));
  await screen.findByText(/^Recorded .* · next by /);
});

test('shows within a second that a phone displayed the alarm', async () => {
  const alarm = { messageId: 'm1', at: new Date().toISOString(), people: 13, answered: 0 };
  open(createCheckIn(30, { state: 'help', alarm: { ...alarm, displayed: 0 } }));
  await screen.findByText(/^We’re alerting/);
  const names = ['ada', 'bo', 'cem', 'dee', 'eli'];
  const responders = names.map((username) => ({ username, comment: '' }));
  const seen = createCheckIn(30, { state: 'help', alarm: { ...alarm, displayed: 1 }, responders });
  fakeApi.reply(READ, createOwnCheckIns(seen));
  await clock.advance(1000);
  const note = (await screen.findByText(/^We’ve alerted/)).closest('.note');
  assert.match(note?.textContent ?? '', '5 people are on their way.ada: On my way');
  assert.match(note?.textContent ?? '', /cem: On my way and 2 more$/);
});

test('shows within five seconds that someone else ended the alarm', async () => {
  const at = new Date().toISOString();
  const alarm = { messageId: 'm1', at, people: 6, displayed: 0, answered: 0 };
  open(createCheckIn(30, { state: 'help', alarm }));
  await screen.findByText(/^We’re alerting/);
  const cleared = { ...alarm, allClearAt: at, allClearBy: 'a.lindqvist' };
  fakeApi.reply(READ, createOwnCheckIns(createCheckIn(30, { state: 'help', alarm: cleared })));
  await clock.advance(5000);
  await screen.findByText(/^a\.lindqvist gave the all-clear at .* We won’t check/);
  assert.is(screen.queryByText(/^We’re alerting/), null);
});

test('ends a check-in that is due', async () => {
  open(createCheckIn(56));
  fakeApi.reply(END, createCheckIn(56, { state: 'ended' }));
  const end = await findButton('End check-in');
  screen.getByRole('heading', { name: 'Are you OK?' });
  fakeApi.reply(READ, createOwnCheckIns());
  pressElement(end);
  await findButton('Start check-in');
  assert.is(fakeApi.requestsTo(END).length, 1);
});

test('takes the question away as soon as the device’s clock is corrected', async () => {
  localStorage.setItem('clock_skew', String(56 * 60_000));
  fakeApi.reply(READ, createOwnCheckIns(createCheckIn(0)));
  showScreen(
    <>
      <UrgentCheckInCard />
      <CheckInCard />
    </>,
    '/',
  );
  await screen.findByText(/^Answer by/);
  fakeApi.respond(READ, () => {
    const headers = { Date: new Date().toUTCString() };
    return new Response(JSON.stringify(createOwnCheckIns(createCheckIn(1))), { headers });
  });
  dispatchEvent(new Event('focus'));
  await waitFor(() => assert.is(screen.queryByText(/^Answer by/), null));
});

test('shows an unsent call for help on the home page', async () => {
  const home = (
    <>
      <UrgentCheckInCard />
      <CheckInCard />
    </>
  );
  open(createCheckIn(66));
  fakeApi.loseRequests(HELP);
  pressElement(await findButton('I need help'));
  await screen.findByText(/^Answer by/);
  await clock.advance(1000);
  await screen.findByText('Call for help in another way, too.');
  fakeApi.loseRequests(READ);
  await clock.advance(15_000);
  const overdue = /^You had until .* to answer\. Your device can’t reach us/;
  await screen.findByText(overdue);
  cleanup();
  showScreen(home, '/');
  await screen.findByText(overdue);
  const card = (await showsSoon('“I need help” hasn’t been sent yet.')).closest('.note');
  assert.match(card?.textContent ?? '', /Call for help in another way, too\.Open$/);
});

test('shows the minutes left on every screen, and in red when it asks or alerts others', async () => {
  fakeApi.reply(READ, createOwnCheckIns(createCheckIn(36)));
  showScreen(<CheckInBar />, '/messages');
  const link = await screen.findByRole('link', { name: 'Check-in · 24 min left' });
  assert.is(link.getAttribute('href'), '/check-in');
  assert.not.ok(link.classList.contains('solid'));
  const expectUrgent = async (current: CheckIn, name: RegExp) => {
    fakeApi.reply(READ, createOwnCheckIns(current));
    await clock.advance(15_000);
    assert.ok(
      (await screen.findByRole('link', { name })).classList.contains('solid'),
      String(name),
    );
  };
  await expectUrgent(createCheckIn(56), /^Are you OK\?$/);
  await expectUrgent(createCheckIn(66, { state: 'missed' }), /alerting others$/);
  cleanup();
  fakeApi.reply(READ, createOwnCheckIns(createCheckIn(36)));
  showScreen(
    <>
      <RunningCheckInCard />
      <CheckInBar />
    </>,
    '/subscriptions',
  );
  await screen.findByText('24 minutes left');
  await waitFor(() => assert.is(screen.queryByText(/24 min left/), null, 'two countdowns'));
  fakeApi.reply(READ, createOwnCheckIns(createCheckIn(56)));
  await clock.advance(15_000);
  assert.is(screen.queryByText('Are you OK?'), null, 'the home screen’s card asks');
  cleanup();
  showScreen(<CheckInBar />, '/messages');
  await screen.findByRole('link', { name: 'Check-in · 24 min left' });
  fakeApi.reply(READ, createOwnCheckIns(null));
  await clock.advance(15_000);
  await waitFor(() => assert.is(screen.queryByRole('link'), null));
  await clock.advance(0);
  const requestCount = fakeApi.requestsTo(READ).length;
  await clock.advance(60_000);
  assert.is(fakeApi.requestsTo(READ).length, requestCount, 'asks only during a check-in');
});

test('says quietly that a running check-in could not be loaded again', async () => {
  open(createCheckIn(30));
  await findButton('I’m OK');
  fakeApi.loseRequests(READ);
  dispatchEvent(new Event('focus'));
  const note = await screen.findByText('Failed to load your check-in.', { exact: false });
  assert.equal([note.getAttribute('role'), screen.queryByRole('alert')], ['status', null]);
});

test('closes the questions of a check-in that was ended elsewhere', async () => {
  const message = { title: 'Storm', data: { link: '/messages/m1', id: 'm1' } };
  const question = { title: 'Are you OK?', data: { link: '/check-in', id: 'm2' } };
  fakePush.shown.push(message, question);
  open(createCheckIn(3));
  await findButton('I’m OK');
  assert.equal(fakePush.shown, [message, question]);
  fakeApi.reply(READ, createOwnCheckIns());
  dispatchEvent(new Event('focus'));
  await waitFor(() => assert.equal(fakePush.shown, [message]));
});

test('shows and sends a call for help that was pressed on a reminder', async () => {
  const unsentText = '“I need help” hasn’t been sent yet.';
  const link = { link: '/check-in', answers: ['I’m OK', 'I need help'] };
  await keepMessages(person, [createMessage(1, link), createMessage(2, { answers: link.answers })]);
  const press = { kind: 'acknowledged', answer: 'I need help', changes: true } as const;
  await keepPush(person, undefined, { ...press, messageId: 'm2' });
  fakeApi.loseRequests(SEND_RECEIPTS_CALL);
  fakeApi.loseRequests(READ);
  showScreen(<CheckInScreen />, '/check-in');
  await screen.findByText('Failed to load your check-in.', { exact: false });
  await clock.advance(1000);
  assert.is(screen.queryByText(unsentText), null, 'the answer to another message');
  await keepPush(person, undefined, { ...press, messageId: 'm1' });
  dispatchEvent(new Event('focus'));
  await showsSoon(unsentText);
  screen.getByText('Call for help in another way, too.');
  fakeApi.reply(READ, createOwnCheckIns(createCheckIn(5)));
  dispatchEvent(new Event('focus'));
  pressElement(await findButton('I’m OK'));
  await screen.findByRole('dialog', { name: 'Stop the alarm?' });
  cleanup();
  showScreen(
    <>
      <UrgentCheckInCard />
      <CheckInCard />
    </>,
    '/',
  );
  await showsSoon(unsentText);
  const receipts: unknown[] = [];
  fakeApi.reply(SEND_RECEIPTS_CALL, ({ body }) => {
    receipts.push(...(body as { receipts: unknown[] }).receipts);
    return { recorded: 2 };
  });
  await clock.advance(15_000);
  await waitFor(() => assert.is(screen.queryByText(unsentText), null));
  assert.is(receipts.length, 2);
});

test('says that a late call for help did not count, and sends it again after the end', async () => {
  const ended = createCheckIn(30, { state: 'ended' });
  open(createCheckIn(30));
  await findButton('I need help');
  fakeApi.loseRequests(HELP);
  pressElement(button('I need help'));
  await showsSoon('“I need help” hasn’t been sent yet.');
  fakeApi.reply(HELP, ended);
  fakeApi.reply(READ, createOwnCheckIns());
  await showsSoon('“I need help” wasn’t counted.');
  await screen.findByText('we have a later answer from you.', { exact: false });
  fakeApi.reply(HELP, createCheckIn(30, { state: 'help' }));
  waitOutDoubleTap();
  pressElement(await findButton('I need help'));
  await screen.findByText('You asked for help.', { exact: false });
  assert.is(screen.queryByText('“I need help” wasn’t counted.'), null);
});

test('keeps and sends the call for help of a window that was closed', async () => {
  open(createCheckIn(30));
  await findButton('I need help');
  const help = { checkInId: 1, kind: 'help', at: new Date().toISOString() };
  const own = createOwnCheckIns(createCheckIn(30));
  await writeOfflineData('check_in', { person, own, unsent: [help] });
  fakeApi.reply(HELP, createCheckIn(30, { state: 'help' }));
  fakeApi.reply(OK, createCheckIn(0));
  pressElement(await findButton('I’m OK'));
  await waitFor(() => assert.is((requestBodies(HELP).at(-1) as { at?: string })?.at, help.at));
});

const DEVICE_KEY = 'Bearer 5.key';
/** The session was ended elsewhere; the device's key is accepted or refused. */
function refuseSession(isDeviceAccepted = true, state: CheckIn['state'] = 'help'): void {
  fakeApi.reject(READ, 401);
  fakeApi.respond(HELP, ({ headers }) =>
    isDeviceAccepted && headers.get('Authorization') === DEVICE_KEY
      ? Response.json(createCheckIn(30, { state }))
      : Response.json({ error: 'Ended' }, { status: 401 }),
  );
}
const pressTimesOfHelp = () =>
  fakeApi
    .requestsTo(HELP)
    .filter(({ headers }) => headers.get('Authorization') === DEVICE_KEY)
    .map(({ body }) => (body as { at: string }).at);

for (const [state, outcome] of [
  ['help', 'was sent'],
  ['running', 'wasn’t counted'],
] as const)
  test(`sends a call for help with the device’s key, and says that it ${outcome}`, async () => {
    localStorage.setItem('device_token', 'registered');
    await keepDevice({ person, key: '5.key' });
    open(createCheckIn(30));
    await findButton('I need help');
    refuseSession(true, state);
    pressElement(button('I need help'));
    await clock.advance(200);
    await waitFor(() => assert.is(pressTimesOfHelp().length, 1));
    await waitFor(() => assert.match(signInError.value, `“I need help” ${outcome}.`));
    cleanup();
    signInAs('TECHNICIAN', { id: person });
    open(createCheckIn(30, { state: 'help' }));
    await screen.findByText('You asked for help.', { exact: false });
    assert.is(fakeApi.requestsTo(HELP).length, 2, 'the refused request, and the device’s');
  });

test('sends a call for help that waits when the session ends, as soon as it can', async () => {
  localStorage.setItem('device_token', 'registered');
  await keepDevice({ person, key: '5.key' });
  open(createCheckIn(30));
  await findButton('I need help');
  fakeApi.loseRequests(HELP);
  pressElement(button('I need help'));
  await waitFor(() => assert.is(requestBodies(HELP).length, 1));
  const { at } = requestBodies(HELP)[0] as { at: string };
  fakeApi.reject(READ, 401);
  await clock.advance(15_000);
  await waitFor(() => assert.match(signInError.value, /^“I need help” hasn’t been sent\./));
  refuseSession();
  dispatchEvent(new Event('online'));
  await clock.advance(200);
  await waitFor(() => assert.equal(pressTimesOfHelp().at(-1), at));
  await waitFor(() => assert.match(signInError.value, /^“I need help” was sent\./));
});

test('keeps a call for help that the device may not send until its person signs in', async () => {
  await keepDevice({ person, key: '5.key' });
  open(createCheckIn(30));
  await findButton('I need help');
  refuseSession(false);
  pressElement(button('I need help'));
  await waitFor(() => assert.match(signInError.value, /^“I need help” hasn’t been sent\./));
  const { at } = requestBodies(HELP)[0] as { at: string };
  cleanup();
  fakeApi.reply(HELP, createCheckIn(30, { state: 'help' }));
  const sentCount = requestBodies(HELP).length;
  signInAs('TECHNICIAN', { id: person + 1000 });
  open(createCheckIn(30));
  await findButton('I need help');
  await clock.advance(10_000);
  assert.is(requestBodies(HELP).length, sentCount, 'another person');
  cleanup();
  signInAs('TECHNICIAN', { id: person });
  open(createCheckIn(30));
  await waitFor(() => assert.is(requestBodies(HELP).length, sentCount + 1));
  assert.is((requestBodies(HELP).at(-1) as { at: string }).at, at);
});

for (const [answer, text] of [
  ['I need help', '“I need help” hasn’t been sent. Sign in, or call someone.'],
  ['I’m OK', '“I’m OK” hasn’t been sent. Sign in to send it.'],
] as const)
  test(`says on the sign-in page that “${answer}” on a reminder waits, until it is sent`, async () => {
    localStorage.setItem('device_token', 'registered');
    localStorage.setItem('device_token_since', '1');
    await keepDevice({ person, key: '' });
    await keepMessages(person, [
      createMessage(1, { link: '/check-in', answers: ['I’m OK', 'I need help'] }),
    ]);
    await keepPush(person, undefined, { kind: 'acknowledged', answer, messageId: 'm1' });
    fakeApi.loseRequests(SEND_RECEIPTS_CALL);
    open(createCheckIn(30));
    await findButton('I need help');
    const body = { error: 'This device was signed out.', code: 'signed_out' };
    fakeApi.respond(READ, () => Response.json(body, { status: 401 }));
    dispatchEvent(new Event('focus'));
    await waitFor(() => assert.is(signInError.value, text));
    assert.ok(localStorage.getItem('unsent_presses'), 'the page says it again when it is reloaded');
    await clearReceived();
    dispatchEvent(new Event('online'));
    await waitFor(() => assert.is(signInError.value, ''));
  });

test('gives up a waiting call for help at a deliberate sign-out', async () => {
  open(createCheckIn(30));
  await findButton('I need help');
  fakeApi.loseRequests(HELP);
  pressElement(button('I need help'));
  await waitFor(() => assert.ok(localStorage.getItem('unsent_presses')));
  await signOut();
  assert.is(localStorage.getItem('unsent_presses'), null);
  signedOutOnPurpose.value = false;
});

test('warns that an alarm cannot notify any person', async () => {
  const warning = /^Right now, we can’t alert anyone\./;
  const own = { ...createOwnCheckIns(createCheckIn(5)), isAlarmUndeliverable: true } as const;
  fakeApi.reply(READ, own);
  showScreen(<CheckInScreen />, '/check-in');
  await screen.findByText(warning);
  cleanup();
  fakeApi.reply(READ, { ...own, current: null });
  showScreen(<CheckInScreen />, '/check-in');
  await findButton('Start check-in');
  await screen.findByText(warning);
  cleanup();
  const alarm = { messageId: 'm1', at: new Date().toISOString(), people: 6, unreachable: 6 };
  open(createCheckIn(66, { state: 'missed', alarm: { ...alarm, answered: 0 } }));
  await screen.findByText(/We can’t notify anyone\. Call for help in another way\.$/);
  assert.is(screen.queryByText(/^We’ve alerted/), null);
  cleanup();
  showScreen(
    <>
      <UrgentCheckInCard />
      <CheckInCard />
    </>,
    '/',
  );
  await screen.findByText('We can’t notify anyone');
  cleanup();
  open(
    createCheckIn(66, {
      state: 'missed',
      note: '',
      alarm: { ...alarm, unreachable: 1, displayed: 0, answered: 0 },
    }),
  );
  await screen.findByText(/ went to 6 people\. It includes your name and start time\./);
  await screen.findByText(/No device has displayed the alarm yet\. We can’t notify 1 person\.$/);
  assert.is(screen.queryByText(/^We’ve alerted/), null);
});

test('says what was recorded before the alarm, who was alerted, and who answered', async () => {
  const at = new Date().toISOString();
  const cleared = { allClearAt: at, allClearBy: 'a.lindqvist' };
  const alarm = { messageId: 'm1', at, people: 6, unreachable: 6, answered: 2, ...cleared };
  const audience = { topicTitle: 'Night desk', isToAdmins: true } as const;
  const pressedAt = (minutesAgo: number) =>
    new Date(Date.now() - minutesAgo * 60_000).toISOString();
  // The server was down when the first reminder was planned.
  const reminders = [
    { at: new Date(Date.now() - 120_000).toISOString(), state: 'accepted' },
  ] as const;
  open(
    createCheckIn(66, {
      state: 'missed',
      alarm: { ...alarm, ...audience },
      reminders: [...reminders],
      responders: [{ username: 'b.oduya', comment: 'Ten minutes' }],
      earlierAlarms: [{ messageId: 'earlier', at: pressedAt(7) }],
      lastAlarm: { messageId: alarm.messageId, at: alarm.at },
      answeredAt: pressedAt(4),
      presses: [
        { kind: 'ok', at: pressedAt(8) },
        { kind: 'help', at: pressedAt(6) },
        { kind: 'ok', at: pressedAt(4) },
      ],
    }),
  );
  await screen.findByText('Your check-in isn’t over');
  screen.getByText('The alarm is over');
  assert.is(screen.queryByText(/^We’(re alerting|ve alerted)/), null);
  screen.getByText(/ It includes your name, note and start time\./);
  assert.is(screen.queryByText(/Call for help in another way/), null);
  // The all-clear of someone else does not end the check-in.
  const running = screen.getByText('Your check-in isn’t over').closest('[role=status]');
  const responder = screen.getByText('b.oduya').closest('div');
  assert.is(responder?.textContent, 'b.oduya: On my way Ten minutes');
  assert.match(running?.textContent ?? '', /a\.lindqvist gave the all-clear at .* press “I’m OK”/);
  assert.is(screen.queryByRole('alert'), null);
  const history = screen.getByRole('heading', { name: 'What happened' }).parentElement!;
  assert.ok(
    history.compareDocumentPosition(button('End check-in')) & Node.DOCUMENT_POSITION_FOLLOWING,
    'first what happened, then the way to end it',
  );
  assert.equal(
    within(history)
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent?.replace(/ at \d+:\d\d(\s[AP]M)?/, ':')),
    [
      'Started:Pole 114',
      'Answered “I’m OK”:',
      'Alarm:',
      'Asked for help:',
      'Last answer:',
      'Asked “Are you OK?”:Accepted by the push service; your device may be off',
      'Alerted Night desk and all administrators:2 of 6 people answered',
      'a.lindqvist gave the all-clear:.',
    ],
  );
});

test.run();
