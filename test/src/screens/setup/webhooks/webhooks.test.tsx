import { cleanup } from '@testing-library/preact';
import * as assert from 'uvu/assert';
import { Webhooks } from '../../../../../src/screens/setup/webhooks/Webhooks';
import type { Webhook } from '../../../../../src/shared/contract';
import { createFormats } from '../../../../../src/ui/values/create-formats';
import {
  button,
  clock,
  dialog,
  fakeApi,
  findButton,
  notices,
  pressElement,
  pressInDialog,
  screen,
  screenSuite,
  showScreen,
  typeInto,
  waitFor,
} from '../../../../support/app/app';
import { allowCopying, rejectCopying } from '../../../../support/app/browser';
import { recordTimeouts } from '../../../../support/app/request-timeouts';
import { createWebhook } from '../../../../support/app/factories/setup';
import { endSession, signInAs } from '../../../../support/app/session';

const test = screenSuite('webhooks');
test.before.each(() => void signInAs('ADMIN'));
test.after.each(endSession);

const LIST = 'GET /api/admin/webhooks';
const ADD = 'POST /api/admin/webhooks';
const TEST = 'POST /api/admin/webhooks/:id/test';
const DELETE = 'DELETE /api/admin/webhooks/:id';
const SINCE = '2024-11-12T09:30:00.000Z';

const bell = createWebhook(1, { url: 'https://ops.example/bell' });
const chat = createWebhook(2, {
  url: 'https://chat.example/hooks/7',
  events: ['device.failing'],
  lastStatus: 503,
});

async function open(...webhooks: Webhook[]): Promise<void> {
  fakeApi.reply(LIST, { webhooks });
  showScreen(<Webhooks />, '/admin/webhooks');
  await (webhooks.length > 0
    ? screen.findByRole('heading', { name: `Webhooks (${webhooks.length})` })
    : screen.findByText(/^Add the URL of a service/));
}
const rows = () =>
  [...document.querySelectorAll('.rows > li')].map((row) => {
    const chip = row.querySelector<HTMLElement>('.chip');
    return {
      text: row.querySelector('span')?.textContent?.replace(` ${chip?.textContent}`, ''),
      chip: chip?.textContent,
      tone: chip?.dataset.tone,
    };
  });
const address = () => screen.getByRole<HTMLInputElement>('textbox', { name: 'URL' });
const box = (name: string) => screen.getByRole<HTMLInputElement>('checkbox', { name });
const add = () => pressElement(button('Add webhook'));

test('lists webhooks with their events and last response', async () => {
  createFormats('en-GB');
  await open(
    bell,
    chat,
    createWebhook(3, { events: [], lastStatus: null, lastAt: null }),
    createWebhook(6, { events: ['user.added' as 'message.sent', 'message.sent'] }),
    createWebhook(4, { lastStatus: 0, failingSince: SINCE }),
    createWebhook(5, { lastStatus: 500, failingSince: SINCE, offSince: SINCE }),
  );
  assert.is(document.title, 'Webhooks · Fieldbell');
  assert.is(document.activeElement, screen.getByRole('heading', { level: 1, name: 'Setup' }));
  assert.equal(rows(), [
    { text: 'https://ops.example/bell Sent, answered', chip: 'Last response: 200', tone: 'ok' },
    {
      text: 'https://chat.example/hooks/7 Device failing',
      chip: 'Last response: 503',
      tone: 'bad',
    },
    {
      text: 'https://hooks.example/3 Only used by policies',
      chip: 'Not called yet',
      tone: undefined,
    },
    { text: 'https://hooks.example/6 Sent, user.added', chip: 'Last response: 200', tone: 'ok' },
    {
      text: 'https://hooks.example/4 Sent, answeredFailing since 12 Nov 2024. After 3 days of failures, the webhook is disabled.',
      chip: 'No response',
      tone: 'bad',
    },
    {
      text: 'https://hooks.example/5 Sent, answeredDisabled since 12 Nov 2024. A successful test enables the webhook again.',
      chip: 'Disabled',
      tone: 'bad',
    },
  ]);
});

test('explains webhooks when there are none', async () => {
  await open();
  assert.ok(screen.getByText(/^Add the URL of a service, such as an SMS gateway or a chat\./));
  assert.is(screen.queryByRole('heading', { name: /^Webhooks \(/ }), null, 'only the form');
});

test('shows failed webhooks with Retry', async () => {
  fakeApi.loseRequests(LIST);
  showScreen(<Webhooks />, '/admin/webhooks');
  await screen.findByText('Failed to load webhooks.');
  fakeApi.reply(LIST, { webhooks: [bell] });
  pressElement(button('Retry'));
  await screen.findByText('https://ops.example/bell');
});

test('adds a webhook, and shows its secret once with Copy', async () => {
  await open();
  const copiedTexts = allowCopying();
  const { value, type: kind, required, maxLength } = address();
  assert.equal([value, kind, required, maxLength], ['https://', 'url', true, 2000]);
  assert.equal(
    [
      'A message is sent',
      'Someone answers',
      'A message is escalated',
      'A message is corrected',
      'An all-clear is sent',
      'A device is failing',
    ].map((name) => box(name).checked),
    [true, true, false, false, false, false],
  );
  typeInto(address(), 'https://ops.example/bell ');
  pressElement(box('Someone answers'));
  pressElement(box('A message is escalated'));
  fakeApi.reply(ADD, { ...bell, secret: 'whsec_once' });
  fakeApi.reply(LIST, { webhooks: [bell] });
  add();
  assert.ok(
    await screen.findByText('Webhook added. Copy its secret now. It won’t be shown again.'),
  );
  assert.equal(fakeApi.requestsTo(ADD)[0].body, {
    url: 'https://ops.example/bell',
    events: ['message.sent', 'message.escalated'],
  });
  assert.ok(screen.getByText('whsec_once'));
  await screen.findByRole('heading', { name: 'Webhooks (1)' });
  assert.is(document.activeElement, button('Copy secret'));
  assert.is(address().value, 'https://', 'there is room for another one');
  assert.equal(
    [box('Someone answers').checked, box('A message is escalated').checked],
    [true, false],
    'with the default events',
  );
  pressElement(button('Copy secret'));
  await notices().findByText('Secret copied.');
  assert.equal(copiedTexts, ['whsec_once']);
});

test('selects a secret to copy by hand when the browser cannot copy', async () => {
  await open();
  rejectCopying();
  typeInto(address(), 'https://ops.example/bell');
  fakeApi.reply(ADD, { ...bell, secret: 'whsec_once' });
  add();
  pressElement(await findButton('Copy secret'));
  await notices().findByText(
    'Your browser doesn’t allow copying. The text is selected, so you can copy it yourself.',
  );
  assert.is(String(getSelection()), 'whsec_once');
});

test('shows a rejected address above the form, and keeps the input', async () => {
  await open();
  typeInto(address(), 'https://10.0.0.1/');
  pressElement(box('A device is failing'));
  fakeApi.reject(ADD, 400, [{ message: 'That address is private.', path: 'url' }]);
  add();
  await screen.findByText('That address is private.');
  assert.is(address().value, 'https://10.0.0.1/');
  assert.is(box('A device is failing').checked, true);
  assert.is(address().getAttribute('aria-invalid'), 'true');
  assert.is(document.activeElement, address());
});

test('lists the webhook after a lost response, and shows its secret on a second press', async () => {
  await open();
  typeInto(address(), 'https://ops.example/bell');
  fakeApi.loseRequests(ADD);
  fakeApi.reply(LIST, { webhooks: [bell] });
  add();
  await screen.findByText('Failed to add the webhook.');
  await screen.findByRole('heading', { name: 'Webhooks (1)' });
  fakeApi.reply(ADD, { ...bell, secret: 'whsec_once' });
  add();
  await screen.findByText('whsec_once');
  typeInto(address(), 'https://ops.example/bell');
  fakeApi.reply(ADD, { ...bell, secret: 'whsec_next' });
  add();
  await screen.findByText('whsec_next');
  assert.is(screen.queryByText('whsec_once'), null, 'the latest is shown');
  const [first, again, next] = fakeApi
    .requestsTo(ADD)
    .map(({ headers }) => headers.get('Idempotency-Key'));
  assert.match(first ?? '', /^[0-9a-f]{32}$/);
  assert.is(again, first, 'the same request');
  assert.is.not(next, first, 'the previous one is known to be added');
});

test('keeps an address typed while another is added', async () => {
  await open();
  typeInto(address(), 'https://ops.example/bell');
  fakeApi.reply(ADD, { ...bell, secret: 'whsec_once' });
  const release = fakeApi.holdReplies(ADD);
  add();
  await findButton('Adding…');
  typeInto(address(), 'https://chat.example/');
  pressElement(box('Someone answers'));
  release();
  await screen.findByText('whsec_once');
  await findButton('Add webhook');
  assert.is(address().value, 'https://chat.example/');
  assert.is(box('Someone answers').checked, false);
});

test('shows a new secret or failure after leaving, for a minute', async () => {
  const leave = async (): Promise<void> => {
    await open();
    typeInto(address(), 'https://ops.example/bell');
    const release = fakeApi.holdReplies(ADD);
    add();
    await findButton('Adding…');
    cleanup();
    showScreen(<p>Elsewhere</p>, '/messages');
    release();
  };
  fakeApi.reply(ADD, { ...bell, secret: 'whsec_once' });
  await leave();
  const said = 'Webhook added. Its secret is whsec_once';
  await notices().findByText(said);
  await clock.advance(59_000);
  assert.ok(notices().queryByText(said));
  await clock.advance(2000);
  await waitFor(() => assert.is(notices().queryByText(said), null));
  cleanup();
  fakeApi.reject(ADD, 409, 'A webhook with this URL already exists.');
  await leave();
  await notices().findByText('A webhook with this URL already exists.');
});

test('shows a busy test, then its result', async () => {
  await open(bell, chat);
  fakeApi.reply(TEST, { ...chat, lastStatus: 204 });
  const release = fakeApi.holdReplies(TEST);
  pressElement(button('Send a test to https://chat.example/hooks/7'));
  const busy = button('Send a test to https://chat.example/hooks/7');
  assert.is(busy.disabled, true);
  assert.is(busy.getAttribute('aria-busy'), 'true');
  assert.is(button('Send a test to https://ops.example/bell').disabled, false);
  release();
  const saidElement = await notices().findByText('The webhook responded with 204.');
  assert.is(saidElement.closest<HTMLElement>('.note')?.dataset.tone, 'ok');
  assert.is(fakeApi.requestsTo(TEST)[0].params.id, '2');
  await waitFor(() => assert.is(rows()[1].chip, 'Last response: 204'));
  assert.is(rows()[1].tone, 'ok');
  assert.is(rows()[0].chip, 'Last response: 200');
  assert.is(busy.disabled, false);
});

test('keeps a running test when another gets its response', async () => {
  await open(bell, chat);
  const releases = new Map<string, () => void>();
  fakeApi.reply(TEST, async ({ params: { id = '' } }) => {
    await new Promise<void>((resolve) => releases.set(id, resolve));
    return id === '1' ? bell : chat;
  });
  const testOf = (url: string) => button(`Send a test to ${url}`);
  pressElement(testOf(bell.url));
  pressElement(testOf(chat.url));
  await waitFor(() => assert.is(releases.size, 2));
  releases.get('1')?.();
  await waitFor(() => assert.is(testOf(bell.url).disabled, false));
  assert.is(testOf(chat.url).disabled, true);
  releases.get('2')?.();
  await waitFor(() => assert.is(testOf(chat.url).disabled, false));
});

test('shows a failed test as failed, and enables a webhook on success', async () => {
  await open(createWebhook(5, { lastStatus: 500, failingSince: SINCE, offSince: SINCE }));
  const off = createWebhook(5, { lastStatus: 0, failingSince: SINCE, offSince: SINCE });
  fakeApi.reply(TEST, off);
  pressElement(button(/^Send a test/));
  const toneOf = (saidElement: HTMLElement) =>
    saidElement.closest<HTMLElement>('.note')?.dataset.tone;
  assert.is(toneOf(await notices().findByText('The webhook didn’t respond.')), 'bad');
  for (const status of [500, 302]) {
    fakeApi.reply(TEST, { ...off, lastStatus: status });
    pressElement(await findButton(/^Send a test/));
    const saidElement = await notices().findByText(`The webhook responded with ${status}.`);
    assert.is(toneOf(saidElement), 'bad');
  }
  fakeApi.reply(TEST, createWebhook(5));
  pressElement(await findButton(/^Send a test/));
  await notices().findByText('The webhook responded with 200. The webhook is enabled again.');
  await waitFor(() => assert.is(rows()[0].chip, 'Last response: 200'));
  fakeApi.reject(TEST, 429);
  pressElement(await findButton(/^Send a test/));
  await notices().findByText('Failed to send a test.');
});

test('drops a deleted webhook from the list when Test or Delete finds it gone', async () => {
  await open(bell, chat);
  fakeApi.reject(TEST, 404, 'This webhook does not exist.');
  fakeApi.reply(LIST, { webhooks: [bell] });
  pressElement(button('Send a test to https://chat.example/hooks/7'));
  await notices().findByText('This webhook does not exist.');
  await screen.findByRole('heading', { name: 'Webhooks (1)' });
  fakeApi.reject(DELETE, 404, 'This webhook does not exist.');
  fakeApi.reply(LIST, { webhooks: [] });
  pressElement(button('Delete webhook https://ops.example/bell'));
  pressInDialog('Delete');
  await dialog().findByText('This webhook does not exist.');
  await waitFor(() => assert.is(document.querySelector('.rows'), null));
});

test('keeps a test result until the webhook is called again, also if the list fails', async () => {
  const at = (minute: number) => `2026-11-20T14:0${minute}:00.000Z`;
  await open({ ...chat, lastAt: at(1) });
  fakeApi.reply(TEST, { ...chat, lastStatus: 204, lastAt: at(2) });
  pressElement(button(/^Send a test/));
  await waitFor(() => assert.is(rows()[0].chip, 'Last response: 204'));
  typeInto(address(), 'https://ops.example/bell');
  fakeApi.loseRequests(ADD);
  fakeApi.loseRequests(LIST);
  add();
  await screen.findByText('Failed to load webhooks.');
  assert.is(rows()[0].chip, 'Last response: 204');
  fakeApi.reply(LIST, { webhooks: [{ ...chat, lastStatus: 502, lastAt: at(3) }] });
  pressElement(button('Retry'));
  await waitFor(() => assert.is(rows()[0].chip, 'Last response: 502'));
});

test('confirms deletion, and removes the shown secret', async () => {
  await open(chat);
  typeInto(address(), 'https://ops.example/bell');
  fakeApi.reply(ADD, { ...bell, secret: 'whsec_once' });
  fakeApi.reply(LIST, { webhooks: [bell, chat] });
  fakeApi.reply(DELETE, { message: 'Deleted.' });
  add();
  await screen.findByRole('heading', { name: 'Webhooks (2)' });
  fakeApi.reply(LIST, { webhooks: [bell] });
  pressElement(button('Delete webhook https://chat.example/hooks/7'));
  assert.match(screen.getByRole('dialog').textContent ?? '', 'https://chat.example/hooks/7');
  pressInDialog('Delete');
  await screen.findByRole('heading', { name: 'Webhooks (1)' });
  assert.ok(screen.getByText('whsec_once'), 'it belongs to another');
  fakeApi.reply(LIST, { webhooks: [] });
  pressElement(button('Delete webhook https://ops.example/bell'));
  pressInDialog('Delete');
  await screen.findByText(/^Add the URL of a service/);
  assert.is(screen.queryByText('whsec_once'), null);
  await waitFor(() => assert.is(document.activeElement, screen.getByRole('heading', { level: 1 })));
  assert.equal(
    fakeApi.requestsTo(DELETE).map(({ params }) => params.id),
    ['2', '1'],
  );
});

test('waits for a test as long as the server does, not a minute', async () => {
  await open(bell);
  fakeApi.reply(TEST, bell);
  const [given = 0] = await recordTimeouts(async () => {
    pressElement(button(/^Send a test/));
    await screen.findByText(/^The webhook responded/);
  });
  assert.ok(given > 20_000 && given < 60_000, String(given));
});

test.run();
