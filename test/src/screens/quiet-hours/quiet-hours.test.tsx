import { cleanup } from '@testing-library/preact';
import * as assert from 'uvu/assert';
import { isConnected } from '../../../../src/platform/connection';
import { QuietHoursScreen } from '../../../../src/screens/quiet-hours/QuietHoursScreen';
import { otherZones, ownZone } from '../../../../src/screens/quiet-hours/time-zones';
import type { QuietHoursNow, QuietRule } from '../../../../src/shared/contract';
import { readOfflineData, writeOfflineData } from '../../../../src/platform/storage/database';
import { changeQuietRule } from '../../../../src/state/quiet-hours';
import { topicsShownAsOf } from '../../../../src/state/subscriptions/load-topics';
import {
  act,
  button,
  chooseOption,
  clock,
  fakeApi,
  findButton,
  fireEvent,
  loseFocus,
  notices,
  pressElement,
  screen,
  screenSuite,
  showScreen,
  waitFor,
  within,
} from '../../../support/app/app';
import { fakeDatabase } from '../../../support/app/fake-database';
import { endSession, signInAs } from '../../../support/app/session';

const test = screenSuite('quiet hours');
const READ = 'GET /api/notifications/quiet-hours';
const SAVE = 'PUT /api/notifications/quiet-hours';

const WEEK: QuietRule = { days: [1, 2, 3, 4, 5], from: '22:00', to: '06:00' };
const WEEKEND: QuietRule = { days: [6, 7], from: '20:00', to: '09:00' };
const createQuietHours = (change: Partial<QuietHoursNow> = {}): QuietHoursNow => ({
  timeZone: 'Europe/Oslo',
  rules: [WEEK, WEEKEND],
  quietUntil: null,
  waiting: 0,
  ...change,
});
const NO_QUIET_HOURS = createQuietHours({ timeZone: 'UTC', rules: [] });

const { resolvedOptions } = Intl.DateTimeFormat.prototype;
const { supportedValuesOf } = Intl;
/** A person per test, as unsaved changes belong to people. */
let person = 500;

test.before.each(() => {
  fakeDatabase.install();
  signInAs('TECHNICIAN', { id: ++person });
  Intl.DateTimeFormat.prototype.resolvedOptions = function (this: Intl.DateTimeFormat) {
    return { ...resolvedOptions.call(this), timeZone: 'Europe/Oslo' };
  };
  // `getByRole` is slow among hundreds.
  Intl.supportedValuesOf = () => ['Asia/Kathmandu', 'Europe/London', 'Europe/Oslo'];
  fakeApi.reply('GET /api/notifications/my-subscriptions', []);
  fakeApi.reply('GET /api/notifications/preferences', []);
});
test.after.each(() => {
  Intl.DateTimeFormat.prototype.resolvedOptions = resolvedOptions;
  Intl.supportedValuesOf = supportedValuesOf;
  isConnected.value = true;
  endSession();
});

async function open(hours = createQuietHours()): Promise<void> {
  fakeApi.reply(READ, hours);
  showScreen(<QuietHoursScreen />, '/quiet-hours');
  await findButton('Add a rule');
}
const rule = (number: number) => within(screen.getByRole('group', { name: `Rule ${number}` }));
const days = (number: number) =>
  rule(number)
    .getAllByRole<HTMLInputElement>('checkbox')
    .filter(({ checked }) => checked)
    .map((box) => box.closest('label')?.textContent?.trim());
const time = (number: number, name: 'From' | 'Until') =>
  rule(number).getByLabelText<HTMLInputElement>(name);
const setTime = (field: HTMLInputElement, value: string) =>
  fireEvent.input(field, { target: { value } });
const zoneList = () => screen.getByRole<HTMLSelectElement>('combobox', { name: 'Time zone' });
const savedZone = () => (fakeApi.requestsTo(SAVE)[0].body as QuietHoursNow).timeZone;
const saveButton = () => button('Save quiet hours');
const note = () => document.querySelector('.note[role="status"]')?.textContent ?? '';

test('shows the rules with days and times, and explains them', async () => {
  await open();
  assert.ok(screen.getByRole('heading', { level: 1, name: 'Quiet hours' }));
  await waitFor(() => assert.is(document.title, 'Quiet hours · Fieldbell'));
  assert.ok(
    screen.getByText(
      (_, element) =>
        element?.textContent ===
        'Info messages are held until your quiet hours end. Normal and Urgent messages notify you at any time.',
    ),
  );
  assert.equal(days(1), ['Mon', 'Tue', 'Wed', 'Thu', 'Fri']);
  assert.equal(days(2), ['Sat', 'Sun']);
  assert.equal(
    [time(1, 'From'), time(1, 'Until'), time(2, 'From'), time(2, 'Until')].map(
      ({ value }) => value,
    ),
    ['22:00', '06:00', '20:00', '09:00'],
  );
  assert.is(note(), '', 'it is not quiet');
  assert.is(saveButton().disabled, true, 'nothing is changed');
});

test('says until when it is quiet, and what waits', async () => {
  const timeIn = (milliseconds: number) => new Date(Date.now() + milliseconds);
  const soon = timeIn(3_600_000);
  const text = soon.toTimeString().slice(0, 5);
  await open(createQuietHours({ quietUntil: soon.toISOString(), waiting: 1 }));
  assert.is(note(), `Quiet until ${text}. 1 message is held. You can read it in your inbox now.`);
  assert.is(screen.getByRole('link', { name: 'your inbox' }).getAttribute('href'), '/messages');
  cleanup();
  await open(createQuietHours({ quietUntil: soon.toISOString(), waiting: 3 }));
  await waitFor(() =>
    assert.is(
      note(),
      `Quiet until ${text}. 3 messages are held. You can read them in your inbox now.`,
    ),
  );
  cleanup();
  await open(createQuietHours({ quietUntil: soon.toISOString() }));
  await waitFor(() => assert.is(note(), `Quiet until ${text}.`));
  cleanup();
  const far = timeIn(3 * 24 * 3_600_000);
  await open(createQuietHours({ quietUntil: far.toISOString() }));
  const [weekday] = far.toDateString().split(' ');
  await waitFor(() =>
    assert.is(note(), `Quiet until ${weekday} ${far.toTimeString().slice(0, 5)}.`),
  );
});

test('reads again when quiet hours end', async () => {
  const { now } = Date;
  await open(
    createQuietHours({ quietUntil: new Date(Date.now() + 60_000).toISOString(), waiting: 2 }),
  );
  assert.match(note(), /^Quiet until/);
  fakeApi.reply(READ, createQuietHours());
  try {
    Date.now = () => now() + 62_000;
    await clock.advance(62_000);
    await waitFor(() => assert.is(fakeApi.requestsTo(READ).length, 2));
    await waitFor(() => assert.is(note(), ''));
  } finally {
    Date.now = now;
  }
});

test('waits for the end of the following quiet hours, too', async () => {
  const { now } = Date;
  let ahead = 0;
  const inMinutes = (minutes: number) =>
    createQuietHours({ quietUntil: new Date(Date.now() + minutes * 60_000).toISOString() });
  Date.now = () => now() + ahead;
  try {
    await open(inMinutes(1));
    for (const times of [2, 3]) {
      ahead += 62_000;
      fakeApi.reply(READ, inMinutes(1));
      await clock.advance(62_000);
      await waitFor(() => assert.is(fakeApi.requestsTo(READ).length, times));
      await waitFor(() => assert.match(note(), /^Quiet until/));
    }
  } finally {
    Date.now = now;
  }
});

test('proposes every night in this phone’s time zone as the first rule', async () => {
  await open(NO_QUIET_HOURS);
  assert.ok(screen.getByText('Messages can notify you at any time.'));
  assert.is(screen.queryByRole('button', { name: 'Save quiet hours' }), null, 'nothing to save');
  assert.is(screen.queryByRole('combobox'), null);
  pressElement(button('Add a rule'));
  await waitFor(() => assert.equal(days(1), ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']));
  assert.is(zoneList().value, 'Europe/Oslo');
  fakeApi.reply(SAVE, ({ body }) => createQuietHours(body as QuietHoursNow));
  pressElement(saveButton());
  await notices().findByText('Quiet hours saved.');
  assert.equal(fakeApi.requestsTo(SAVE)[0].body, {
    timeZone: 'Europe/Oslo',
    rules: [{ days: [1, 2, 3, 4, 5, 6, 7], from: '22:00', to: '06:00' }],
  });
  await waitFor(() => assert.is(saveButton().disabled, true));
});

test('starts another rule with the remaining days', async () => {
  await open(createQuietHours({ rules: [WEEK] }));
  pressElement(button('Add a rule'));
  await waitFor(() => assert.equal(days(2), ['Sat', 'Sun']));
  pressElement(button('Add a rule'));
  await waitFor(() => assert.equal(days(3), []));
  assert.is(zoneList().value, 'Europe/Oslo', 'the time zone that was saved stays');
});

test('saves changed days and times, with days in order', async () => {
  await open();
  pressElement(rule(1).getByLabelText('Fri'));
  pressElement(rule(1).getByLabelText('Sun'));
  pressElement(rule(1).getByLabelText('Mon'));
  pressElement(rule(1).getByLabelText('Mon'));
  setTime(time(1, 'From'), '21:30');
  setTime(time(1, 'Until'), '05:45');
  fakeApi.reply(SAVE, ({ body }) => createQuietHours(body as QuietHoursNow));
  await waitFor(() => assert.is(saveButton().disabled, false));
  pressElement(saveButton());
  await notices().findByText('Quiet hours saved.');
  assert.equal(fakeApi.requestsTo(SAVE)[0].body, {
    timeZone: 'Europe/Oslo',
    rules: [{ days: [1, 2, 3, 4, 7], from: '21:30', to: '05:45' }, WEEKEND],
  });
});

test('removes a rule, keeps the other times, and keeps the focus in the form', async () => {
  await open();
  pressElement(button('Remove rule 1'));
  await waitFor(() => assert.is(screen.queryByRole('group', { name: 'Rule 2' }), null));
  assert.equal(days(1), ['Sat', 'Sun']);
  assert.is(time(1, 'From').value, '20:00');
  await clock.advance(0);
  assert.is(document.activeElement, button('Add a rule'));
  pressElement(button('Remove rule 1'));
  await screen.findByText('Messages can notify you at any time.');
  fakeApi.reply(SAVE, createQuietHours({ rules: [] }));
  pressElement(saveButton());
  await notices().findByText('Quiet hours saved.');
  assert.equal(fakeApi.requestsTo(SAVE)[0].body, { timeZone: 'Europe/Oslo', rules: [] });
});

test('changes added rules one by one', async () => {
  await open(createQuietHours({ rules: [WEEK] }));
  pressElement(button('Add a rule'));
  pressElement(button('Add a rule'));
  await waitFor(() => assert.ok(rule(3)));
  setTime(time(2, 'Until'), '07:00');
  await waitFor(() => assert.is(time(2, 'Until').value, '07:00'));
  assert.is(time(3, 'Until').value, '06:00');
  pressElement(button('Remove rule 3'));
  await waitFor(() => assert.is(screen.queryByRole('group', { name: 'Rule 3' }), null));
  assert.is(time(2, 'Until').value, '07:00');
});

test('shows stored rules on return within a minute, and current ones afterwards', async () => {
  const { now } = Date;
  await open();
  try {
    Date.now = () => now() + 59_000;
    dispatchEvent(new Event('focus'));
    await clock.advance(0);
    assert.is(fakeApi.requestsTo(READ).length, 1);
    Date.now = () => now() + 61_000;
    dispatchEvent(new Event('focus'));
    await waitFor(() => assert.is(fakeApi.requestsTo(READ).length, 2));
  } finally {
    Date.now = now;
  }
});

test('keeps the saved time zone when all rules are replaced', async () => {
  await open(createQuietHours({ timeZone: 'Asia/Kathmandu', rules: [WEEK] }));
  pressElement(button('Remove rule 1'));
  await screen.findByText('Messages can notify you at any time.');
  pressElement(button('Add a rule'));
  await waitFor(() => assert.is(zoneList().value, 'Asia/Kathmandu'));
});

test('allows fourteen rules, and keeps the focus in the form', async () => {
  await open(createQuietHours({ rules: Array.from({ length: 13 }, () => WEEKEND) }));
  pressElement(button('Add a rule'));
  await screen.findByText('You can add up to 14 rules.');
  assert.is(screen.queryByRole('button', { name: 'Add a rule' }), null);
  await clock.advance(0);
  assert.is(document.activeElement, rule(14).getByLabelText('Mon'));
  pressElement(button('Remove rule 14'));
  await findButton('Add a rule');
  await clock.advance(0);
  assert.is(document.activeElement, button('Add a rule'));
});

test('says that equal times mean all day', async () => {
  await open(createQuietHours({ rules: [{ days: [6], from: '08:00', to: '08:00' }] }));
  assert.ok(screen.getByText('Same start and end means all day.'));
});

test('rejects a rule without a day at its days', async () => {
  await open(createQuietHours({ rules: [WEEK, { ...WEEKEND, days: [6] }] }));
  pressElement(rule(2).getByLabelText('Sat'));
  await waitFor(() => assert.is(saveButton().disabled, false));
  pressElement(saveButton());
  await rule(2).findByText('Choose at least one day.');
  const firstElement = rule(2).getByLabelText('Mon');
  assert.is(firstElement.getAttribute('aria-invalid'), 'true');
  assert.is(document.activeElement, firstElement);
  assert.is(fakeApi.requestsTo(SAVE).length, 0);
});

test('lists the phone’s time zone first, then all others by region', async () => {
  await open(createQuietHours({ timeZone: 'Asia/Kathmandu' }));
  const options = () => [...zoneList().querySelectorAll('option')].map(({ value }) => value);
  await waitFor(() =>
    assert.equal(options(), ['Europe/Oslo', 'Asia/Kathmandu', 'Europe/London', 'UTC']),
  );
  assert.match(
    zoneList().options[0]?.textContent ?? '',
    /^Europe\/Oslo \(this (phone|computer)’s time zone\)$/,
  );
  assert.equal(
    [...zoneList().querySelectorAll('optgroup')].map(({ label }) => label),
    ['Asia', 'Europe', 'Other'],
  );
  assert.is(zoneList().value, 'Asia/Kathmandu');
  chooseOption(zoneList(), zoneList().options[0]?.textContent ?? '');
  await waitFor(() => assert.is(zoneList().value, 'Europe/Oslo'));
  assert.is(options().length, 4, 'the phone’s zone appears once');
  chooseOption(zoneList(), 'Europe/London');
  await waitFor(() => assert.is(saveButton().disabled, false));
  fakeApi.reply(SAVE, ({ body }) => createQuietHours(body as QuietHoursNow));
  pressElement(saveButton());
  await notices().findByText('Quiet hours saved.');
  assert.is(savedZone(), 'Europe/London');
});

test('offers each time zone once besides the phone’s own', () => {
  Intl.supportedValuesOf = supportedValuesOf;
  const zones = otherZones('Europe/Oslo');
  const names = zones.flatMap(([, some]) => some);
  assert.ok(names.length > 300);
  assert.is(new Set(names).size, names.length);
  assert.not.ok(names.includes('Europe/Oslo'));
  assert.equal(zones.at(-1), ['Other', ['UTC']]);
});

test('keeps a time zone that this browser does not know', async () => {
  await open(createQuietHours({ timeZone: 'Mars/Olympus_Mons' }));
  assert.is(zoneList().value, 'Mars/Olympus_Mons');
  assert.ok(within(zoneList()).getByRole('option', { name: 'Mars/Olympus_Mons' }));
  setTime(time(1, 'Until'), '07:00');
  fakeApi.reply(SAVE, ({ body }) => createQuietHours(body as QuietHoursNow));
  await waitFor(() => assert.is(saveButton().disabled, false));
  pressElement(saveButton());
  await notices().findByText('Quiet hours saved.');
  assert.is(savedZone(), 'Mars/Olympus_Mons');
});

for (const [path, sentence, field] of [
  ['rules.1.days.0', 'A day is a number from 1 to 7.', () => rule(2).getByLabelText('Mon')],
  ['rules.0.from', 'A time is HH:MM.', () => time(1, 'From')],
  ['rules.1.to', 'A time is HH:MM.', () => time(2, 'Until')],
  ['timeZone', 'This time zone does not exist.', () => zoneList()],
] as const)
  test(`shows a rejection at its field: ${path}`, async () => {
    await open();
    setTime(time(1, 'Until'), '07:00');
    await waitFor(() => assert.is(saveButton().disabled, false));
    fakeApi.reject(SAVE, 400, [{ message: sentence, path }]);
    pressElement(saveButton());
    const alert = await screen.findByText(sentence);
    const faultyField = field();
    assert.is(faultyField.getAttribute('aria-invalid'), 'true');
    assert.is(faultyField.getAttribute('aria-describedby'), alert.id);
    await waitFor(() => assert.is(document.activeElement, faultyField));
  });

test('shows an error of the eleventh rule only there', async () => {
  await open(createQuietHours({ rules: Array.from({ length: 11 }, () => WEEKEND) }));
  setTime(time(11, 'Until'), '07:00');
  await waitFor(() => assert.is(saveButton().disabled, false));
  fakeApi.reject(SAVE, 400, [{ message: 'A time is HH:MM.', path: 'rules.10.to' }]);
  pressElement(saveButton());
  await rule(11).findByText('A time is HH:MM.');
  assert.is(screen.getAllByText('A time is HH:MM.').length, 1);
});

test('removes an error with its rule', async () => {
  await open();
  setTime(time(1, 'From'), '05:00');
  await waitFor(() => assert.is(saveButton().disabled, false));
  fakeApi.reject(SAVE, 400, [{ message: 'A time is HH:MM.', path: 'rules.0.from' }]);
  pressElement(saveButton());
  await screen.findByText('A time is HH:MM.');
  pressElement(button('Remove rule 1'));
  await waitFor(() => assert.is(screen.queryByRole('group', { name: 'Rule 2' }), null));
  await waitFor(() => assert.is(screen.queryByText('A time is HH:MM.'), null));
  assert.is(time(1, 'From').getAttribute('aria-invalid'), null);
});

test('keeps changes made while saving, to be saved next', async () => {
  await open();
  setTime(time(1, 'Until'), '07:00');
  await waitFor(() => assert.is(saveButton().disabled, false));
  fakeApi.reply(SAVE, ({ body }) => createQuietHours(body as QuietHoursNow));
  const release = fakeApi.holdReplies(SAVE);
  pressElement(saveButton());
  await findButton('Saving…');
  setTime(time(1, 'From'), '21:00');
  release();
  await notices().findByText('Quiet hours saved.');
  assert.is(time(1, 'From').value, '21:00');
  await waitFor(() => assert.is(saveButton().disabled, false));
  pressElement(saveButton());
  await waitFor(() => assert.is(fakeApi.requestsTo(SAVE).length, 2));
  const [first] = (fakeApi.requestsTo(SAVE)[1].body as QuietHoursNow).rules;
  assert.equal([first?.from, first?.to], ['21:00', '07:00']);
});

test('keeps changes after a failed save, and lets the person retry', async () => {
  await open();
  setTime(time(1, 'Until'), '07:00');
  await waitFor(() => assert.is(saveButton().disabled, false));
  for (const [fail, sentence] of [
    [() => fakeApi.loseRequests(SAVE), 'Failed to save your quiet hours.'],
    [() => fakeApi.reject(SAVE, 500), 'Failed to save your quiet hours.'],
    [
      () => fakeApi.reject(SAVE, 400, [{ message: 'These hours never end.', path: 'rules' }]),
      'These hours never end.',
    ],
  ] as const) {
    fail();
    pressElement(saveButton());
    loseFocus(); // browsers do so when the button is disabled
    await screen.findByText(sentence);
    assert.is(time(1, 'Until').value, '07:00');
    await waitFor(() => assert.is(saveButton().disabled, false));
    await waitFor(() => assert.is(document.activeElement, saveButton()));
  }
  fakeApi.reply(SAVE, ({ body }) => createQuietHours(body as QuietHoursNow));
  pressElement(saveButton());
  await notices().findByText('Quiet hours saved.');
  assert.is(screen.queryByText('These hours never end.'), null);
});

test('saves once for two presses', async () => {
  await open();
  setTime(time(1, 'Until'), '07:00');
  await waitFor(() => assert.is(saveButton().disabled, false));
  fakeApi.reply(SAVE, ({ body }) => createQuietHours(body as QuietHoursNow));
  const release = fakeApi.holdReplies(SAVE);
  const form = document.querySelector('form') as HTMLFormElement;
  fireEvent.submit(form);
  fireEvent.submit(form);
  await findButton('Saving…');
  fireEvent.submit(form);
  release();
  await notices().findByText('Quiet hours saved.');
  assert.is(fakeApi.requestsTo(SAVE).length, 1);
});

test('keeps changes on another screen, and not for the next person', async () => {
  await open();
  setTime(time(1, 'Until'), '07:00');
  await waitFor(() => assert.is(saveButton().disabled, false));
  cleanup();
  await open();
  assert.is(time(1, 'Until').value, '07:00');
  assert.is(saveButton().disabled, false);
  cleanup();
  signInAs('TECHNICIAN', { id: ++person });
  await open();
  await waitFor(() => assert.is(time(1, 'Until').value, '06:00'));
});

test('reports a failed save after leaving', async () => {
  await open();
  setTime(time(1, 'Until'), '07:00');
  fakeApi.reject(SAVE, 500);
  const release = fakeApi.holdReplies(SAVE);
  await waitFor(() => assert.is(saveButton().disabled, false));
  pressElement(saveButton());
  await waitFor(() => assert.is(fakeApi.requestsTo(SAVE).length, 1));
  cleanup();
  showScreen(<p>Elsewhere</p>, '/messages');
  release();
  await notices().findByText('Failed to save your quiet hours.');
});

test('keeps a save when a response from before it arrives', async () => {
  await open();
  setTime(time(1, 'Until'), '07:00');
  await waitFor(() => assert.is(saveButton().disabled, false));
  const release = fakeApi.holdReplies(READ);
  dispatchEvent(new Event('online')); // asks again
  await waitFor(() => assert.is(fakeApi.requestsTo(READ).length, 2));
  fakeApi.reply(SAVE, ({ body }) => createQuietHours(body as QuietHoursNow));
  pressElement(saveButton());
  await notices().findByText('Quiet hours saved.');
  await act(async () => release());
  await clock.advance(0);
  assert.is(time(1, 'Until').value, '07:00');
});

test('hides the error of a load that began before the save', async () => {
  await open();
  setTime(time(1, 'Until'), '07:00');
  await waitFor(() => assert.is(saveButton().disabled, false));
  fakeApi.reject(READ, 500);
  const release = fakeApi.holdReplies(READ);
  dispatchEvent(new Event('online')); // asks again
  await waitFor(() => assert.is(fakeApi.requestsTo(READ).length, 2));
  fakeApi.reply(SAVE, ({ body }) => createQuietHours(body as QuietHoursNow));
  pressElement(saveButton());
  await notices().findByText('Quiet hours saved.');
  await act(async () => release());
  await clock.advance(0);
  assert.is(screen.queryByText('Failed to load your quiet hours.'), null);
});

test('keeps saved rules when an earlier read arrives later', async () => {
  await open();
  setTime(time(1, 'Until'), '07:00');
  await waitFor(() => assert.is(saveButton().disabled, false));
  fakeApi.reply(SAVE, ({ body }) => createQuietHours(body as QuietHoursNow));
  const saved = fakeApi.holdReplies(SAVE);
  pressElement(saveButton());
  await findButton('Saving…');
  const read = fakeApi.holdReplies(READ);
  dispatchEvent(new Event('online')); // asks again, answered as before
  await waitFor(() => assert.is(fakeApi.requestsTo(READ).length, 2));
  saved();
  await notices().findByText('Quiet hours saved.');
  assert.is(time(1, 'Until').value, '07:00');
  await act(async () => read());
  await clock.advance(0);
  assert.is(time(1, 'Until').value, '07:00');
});

test('saves everything after a lost response, unchanged rules included', async () => {
  await open();
  setTime(time(1, 'Until'), '07:00');
  await waitFor(() => assert.is(saveButton().disabled, false));
  fakeApi.loseRequests(SAVE);
  pressElement(saveButton());
  await screen.findByText('Failed to save your quiet hours.');
  setTime(time(1, 'Until'), '06:00');
  await waitFor(() => assert.is(saveButton().disabled, false, 'the server may have 07:00'));
  fakeApi.reply(SAVE, ({ body }) => createQuietHours(body as QuietHoursNow));
  pressElement(saveButton());
  await notices().findByText('Quiet hours saved.');
  await waitFor(() => assert.is(saveButton().disabled, true));
});

test('keeps changes made during a save for the next save', async () => {
  await open();
  fakeApi.reply(SAVE, ({ body }) => createQuietHours(body as QuietHoursNow));
  setTime(time(1, 'Until'), '07:00');
  await waitFor(() => assert.is(saveButton().disabled, false));
  const release = fakeApi.holdReplies(SAVE);
  pressElement(saveButton());
  await waitFor(() => assert.is(fakeApi.requestsTo(SAVE).length, 1));
  await act(() => changeQuietRule(1, { to: '10:00' }));
  await act(async () => release());
  await notices().findByText('Quiet hours saved.');
  assert.equal([time(1, 'Until').value, time(2, 'Until').value], ['07:00', '10:00']);
  await waitFor(() => assert.is(saveButton().disabled, false));
  pressElement(saveButton());
  await waitFor(() => assert.is(fakeApi.requestsTo(SAVE).length, 2));
  const { rules } = fakeApi.requestsTo(SAVE)[1].body as QuietHoursNow;
  assert.equal(
    rules.map(({ to }) => to),
    ['07:00', '10:00'],
  );
});

test('shows rules offline without saving, and keeps changes', async () => {
  await open();
  await waitFor(() => assert.ok(rule(1)));
  setTime(time(1, 'Until'), '07:00');
  await waitFor(() => assert.is(saveButton().disabled, false));
  fakeApi.loseRequests(READ);
  fakeApi.loseRequests('GET /api/notifications/my-subscriptions');
  fakeApi.loseRequests('GET /api/notifications/preferences');
  await act(() => {
    isConnected.value = false;
  });
  await waitFor(() => assert.is(saveButton().disabled, true));
  fireEvent.submit(document.querySelector('form') as HTMLFormElement);
  assert.is(fakeApi.requestsTo(SAVE).length, 0);
  assert.is(time(1, 'Until').value, '07:00');
  assert.is(screen.queryByRole('button', { name: 'Retry' }), null, 'the strip says enough');
});

test('hides rules stored by another person', async () => {
  await writeOfflineData('quiet_hours', { person: person + 1000, hours: createQuietHours() });
  fakeApi.reply(READ, createQuietHours());
  const release = fakeApi.holdReplies(READ);
  showScreen(<QuietHoursScreen />, '/quiet-hours');
  await waitFor(() => assert.is(fakeApi.requestsTo(READ).length, 1));
  // Waits for the screen's earlier read of the device.
  await act(async () => void (await readOfflineData('quiet_hours')));
  assert.is(screen.queryByRole('group', { name: 'Rule 1' }), null);
  release();
  await screen.findByRole('group', { name: 'Rule 1' });
});

test('saves nothing while showing stored rules, even if online', async () => {
  await open();
  setTime(time(1, 'Until'), '07:00');
  await waitFor(() => assert.is(saveButton().disabled, false));
  await act(() => {
    topicsShownAsOf.value = Date.now();
  });
  assert.is(saveButton().disabled, true);
  await act(() => {
    topicsShownAsOf.value = null;
  });
  assert.is(saveButton().disabled, false);
});

test('shows failed quiet hours with Retry', async () => {
  fakeApi.reject(READ, 500);
  showScreen(<QuietHoursScreen />, '/quiet-hours');
  await screen.findByText('Failed to load your quiet hours.');
  fakeApi.reply(READ, createQuietHours());
  pressElement(button('Retry'));
  await findButton('Save quiet hours');
  assert.is(screen.queryByText('Failed to load your quiet hours.'), null);
});

test('shows rules or a sentence for any response', async () => {
  for (const body of [
    null,
    [],
    { ...createQuietHours(), rules: 'none' },
    { ...createQuietHours(), rules: [{ days: 'all', from: '22:00', to: '06:00' }] },
    { ...createQuietHours(), timeZone: 7 },
  ]) {
    fakeApi.reply(READ, body as never);
    showScreen(<QuietHoursScreen />, '/quiet-hours');
    await screen.findByText('Failed to load your quiet hours.');
    cleanup();
    signInAs('TECHNICIAN', { id: ++person });
  }
  for (const quietUntil of [7, 'soon', { toString: 1 }]) {
    await open(createQuietHours({ quietUntil: quietUntil as never, waiting: 2 }));
    assert.is(note(), '');
    cleanup();
    signInAs('TECHNICIAN', { id: ++person });
  }
});

test('assumes UTC when the browser reports no time zone', () => {
  Intl.DateTimeFormat.prototype.resolvedOptions = function (this: Intl.DateTimeFormat) {
    return { ...resolvedOptions.call(this), timeZone: undefined as unknown as string };
  };
  assert.is(ownZone(), 'UTC');
});

test.run();
