import { cleanup } from '@testing-library/preact';
import * as assert from 'uvu/assert';
import { readOfflineData, writeOfflineData } from '../../../../src/platform/storage/database';
import { isConnected } from '../../../../src/platform/connection';
import { QuietHoursScreen } from '../../../../src/screens/quiet-hours/QuietHoursScreen';
import { loadQuietHours, savedQuietHours } from '../../../../src/state/quiet-hours';
import type { QuietHoursNow } from '../../../../src/shared/contract';
import {
  act,
  button,
  clock,
  fakeApi,
  findButton,
  fireEvent,
  notices,
  pressElement,
  screen,
  screenSuite,
  showScreen,
  waitFor,
} from '../../../support/app/app';
import { fakeDatabase } from '../../../support/app/fake-database';
import { endSession, signInAs } from '../../../support/app/session';

const test = screenSuite('quiet hours on this device');
const READ = 'GET /api/notifications/quiet-hours';
const SAVE = 'PUT /api/notifications/quiet-hours';
const createQuietHours = (change: Partial<QuietHoursNow> = {}): QuietHoursNow => ({
  timeZone: 'Europe/Oslo',
  rules: [{ days: [1, 2], from: '22:00', to: '06:00' }],
  quietUntil: null,
  waiting: 0,
  ...change,
});

const { supportedValuesOf } = Intl;
/** A person per test, as unsaved changes belong to people. */
let person = 900;
test.before.each(() => {
  fakeDatabase.install();
  signInAs('TECHNICIAN', { id: ++person });
  Intl.supportedValuesOf = () => ['Europe/Oslo'];
  fakeApi.reply('GET /api/notifications/my-subscriptions', []);
  fakeApi.reply('GET /api/notifications/preferences', []);
});
test.after.each(() => {
  Intl.supportedValuesOf = supportedValuesOf;
  isConnected.value = true;
  endSession();
});

const untilField = () => screen.getByLabelText<HTMLInputElement>('Until');
const setUntil = (value: string) => fireEvent.input(untilField(), { target: { value } });
const saveButton = () => button('Save quiet hours');
async function open(hours = createQuietHours()): Promise<void> {
  fakeApi.reply(READ, hours);
  showScreen(<QuietHoursScreen />, '/quiet-hours');
  await findButton('Add a rule');
}
const storedEnd = async () => {
  const { hours } = (await readOfflineData<{ hours: QuietHoursNow }>('quiet_hours')) ?? {};
  return hours?.rules[0]?.to;
};

test('stores read and saved rules, and shows them without a server', async () => {
  await open();
  await waitFor(async () => assert.is(await storedEnd(), '06:00'));
  setUntil('07:00');
  await waitFor(() => assert.is(saveButton().disabled, false));
  assert.is(await storedEnd(), '06:00', 'not before the server has it');
  fakeApi.reply(SAVE, ({ body }) => createQuietHours(body as QuietHoursNow));
  pressElement(saveButton());
  await notices().findByText('Quiet hours saved.');
  await waitFor(async () => assert.is(await storedEnd(), '07:00'));
});

test('starts offline with this person’s stored rules', async () => {
  await writeOfflineData('quiet_hours', { person, hours: createQuietHours() });
  for (const call of [READ, 'GET /api/notifications/my-subscriptions'] as const)
    fakeApi.loseRequests(call);
  fakeApi.loseRequests('GET /api/notifications/preferences');
  isConnected.value = false;
  showScreen(<QuietHoursScreen />, '/quiet-hours');
  await screen.findByRole('group', { name: 'Rule 1' });
  assert.equal([untilField().value, saveButton().disabled], ['06:00', true]);
  assert.is(screen.queryByRole('button', { name: 'Retry' }), null, 'the strip says enough');
});

test('does not replace the server’s rules by slowly read stored ones', async () => {
  await writeOfflineData('quiet_hours', { person, hours: createQuietHours() });
  const release = fakeDatabase.holdTransactions();
  await open(createQuietHours({ rules: [{ days: [1, 2], from: '22:00', to: '09:00' }] }));
  release();
  await waitFor(async () => assert.is(await storedEnd(), '09:00'));
  assert.is(untilField().value, '09:00');
});

test('hides slowly read stored rules from the next person', async () => {
  await writeOfflineData('quiet_hours', { person, hours: createQuietHours() });
  fakeApi.reply(READ, createQuietHours());
  const reply = fakeApi.holdReplies(READ);
  const release = fakeDatabase.holdTransactions();
  const loading = loadQuietHours();
  endSession();
  signInAs('TECHNICIAN', { id: ++person });
  release();
  await readOfflineData('quiet_hours'); // after the earlier request
  assert.is(savedQuietHours.value, null);
  reply();
  await loading;
  assert.is(savedQuietHours.value, null);
});

test('has nothing to save after undoing a change', async () => {
  await open();
  setUntil('07:00');
  await waitFor(() => assert.is(saveButton().disabled, false));
  fakeApi.loseRequests(SAVE);
  pressElement(saveButton());
  await screen.findByText('Failed to save your quiet hours.');
  await waitFor(() => assert.is(saveButton().disabled, false));
  fakeApi.reply(SAVE, ({ body }) => createQuietHours(body as QuietHoursNow));
  pressElement(saveButton());
  await notices().findByText('Quiet hours saved.');
  setUntil('08:00');
  await waitFor(() => assert.is(saveButton().disabled, false));
  setUntil('07:00');
  await waitFor(() => assert.is(saveButton().disabled, true));
});

test('uses the response to the later of two saves', async () => {
  await open();
  const releases: (() => void)[] = [];
  fakeApi.reply(SAVE, async ({ body }) => {
    await new Promise<void>((resolve) => releases.push(resolve));
    return createQuietHours(body as QuietHoursNow);
  });
  const save = async (value: string, times: number): Promise<void> => {
    setUntil(value);
    await waitFor(() => assert.is(saveButton().disabled, false));
    pressElement(saveButton());
    await waitFor(() => assert.is(releases.length, times));
  };
  await save('07:00', 1);
  await act(cleanup); // the next screen knows no save
  await open();
  await save('08:00', 2);
  releases[1]?.();
  await notices().findByText('Quiet hours saved.');
  await act(async () => releases[0]?.());
  await clock.advance(0);
  assert.equal([untilField().value, await storedEnd()], ['08:00', '08:00']);
});

test('keeps unsaved changes after the session expires', async () => {
  await open();
  setUntil('07:00');
  await waitFor(() => assert.is(saveButton().disabled, false));
  cleanup();
  endSession();
  signInAs('TECHNICIAN', { id: person });
  await open();
  assert.equal([untilField().value, saveButton().disabled], ['07:00', false]);
});

test.run();
