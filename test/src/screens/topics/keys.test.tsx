import * as assert from 'uvu/assert';
import { Route } from 'wouter';
import { KeysScreen } from '../../../../src/screens/topics/KeysScreen';
import { Topics } from '../../../../src/screens/topics/Topics';
import type { TopicKey } from '../../../../src/shared/contract';
import { createFormats } from '../../../../src/ui/values/create-formats';
import {
  button,
  clock,
  fakeApi,
  findButton,
  notices,
  pressElement,
  screen,
  screenSuite,
  showScreen,
  typeInto,
  waitFor,
  within,
} from '../../../support/app/app';
import { allowCopying } from '../../../support/app/browser';
import { createTopic, topicPages } from '../../../support/app/factories/people';
import { endSession, signInAs } from '../../../support/app/session';

const test = screenSuite('keys of a topic');
test.before.each(() => void signInAs('ADMIN'));
test.after.each(endSession);

const LIST = 'GET /api/admin/topics/:id/keys';
const MAKE = 'POST /api/admin/topics/:id/keys';
const REVOKE = 'DELETE /api/admin/keys/:id';
const SECRET = 'fbk_7Qm2vK9tXc4RwZ1sLhE8pNdB';

const scada: TopicKey = {
  id: 1,
  name: 'SCADA north',
  prefix: 'fbk_7Qm2',
  createdAt: new Date().toISOString(),
  lastUsedAt: null,
};
const grafana: TopicKey = {
  id: 2,
  name: 'Grafana',
  prefix: 'fbk_h3Xw',
  createdAt: '2024-11-02T09:30:00.000Z',
  lastUsedAt: '2024-11-05T09:31:00.000Z',
};

async function open(...keys: TopicKey[]): Promise<void> {
  createFormats('en-GB');
  fakeApi.reply('GET /api/admin/topics', topicPages([createTopic(7, { title: 'Grid outages' })]));
  fakeApi.reply(LIST, { keys });
  showScreen(<Topics />, '/admin/topics');
  pressElement(await findButton('Keys of Grid outages'));
  await screen.findByRole('dialog', { name: 'Keys of Grid outages' });
  await waitFor(() => assert.is(rows().length, keys.length));
}
const rows = () =>
  screen
    .queryAllByRole('button', { name: /^Revoke / })
    .map((revoke) => revoke.closest('li')?.textContent?.replace(/Revoke$/, ''));
const name = () => screen.getByRole<HTMLInputElement>('textbox', { name: 'Name of the new key' });
async function createKey(text = 'SCADA north'): Promise<void> {
  typeInto(name(), text);
  await waitFor(() => assert.is(button('Create key').disabled, false));
  pressElement(button('Create key'));
}
const revokeDialog = () => screen.findByRole('dialog', { name: /^Revoke / });

test('lists keys with their creation and last use', async () => {
  const now = new Date();
  const time = now.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
  const heldBack = { alerts: 240, since: now.toISOString() };
  await open(scada, grafana, { ...grafana, id: 3, lastUsedAt: now.toISOString(), heldBack });
  assert.is(fakeApi.requestsTo(LIST)[0].params.id, '7');
  assert.ok(screen.getByText('A machine with a key can send only to this topic.'));
  assert.equal(rows(), [
    'SCADA north fbk_7Qm2… · created today · never used',
    'Grafana fbk_h3Xw… · created 2 Nov 2024 · last used 5 Nov 2024',
    `Grafana fbk_h3Xw… · created 2 Nov 2024 · last used today ${time}Limit exceeded today ${time}: at least 240 messages rejected`,
  ]);
});

test('lists them on a screen too, beside the topic’s other views', async () => {
  fakeApi.reply('GET /api/admin/topics/:id', createTopic(7, { title: 'Grid outages' }));
  fakeApi.reply(LIST, { keys: [grafana] });
  showScreen(
    <Route path="/admin/topics/:topicId/keys" component={KeysScreen} />,
    '/admin/topics/7/keys',
  );
  await waitFor(() => assert.is(rows().length, 1));
  assert.is(screen.queryByRole('dialog'), null);
  assert.equal(
    within(screen.getByRole('navigation', { name: 'Views' }))
      .getAllByRole<HTMLAnchorElement>('link')
      .map((link) => `${link.textContent} ${link.pathname}${link.search}`),
    [
      'People /admin/topics/7',
      'Keys /admin/topics/7/keys',
      'Heartbeats /admin/topics/7/heartbeats',
      'Messages /admin/messages?topic=7',
    ],
  );
});

test('offers Retry if keys cannot be loaded', async () => {
  await open();
  fakeApi.loseRequests(LIST);
  fakeApi.reply(MAKE, { ...scada, key: SECRET });
  await createKey();
  await screen.findByText('Failed to load keys.');
  fakeApi.reply(LIST, { keys: [scada] });
  pressElement(button('Retry'));
  await waitFor(() => assert.is(rows().length, 1));
});

test('creates a key, shows it once with a curl line, and copies both', async () => {
  await open(grafana);
  const copiedTexts = allowCopying();
  assert.is(button('Create key').disabled, true, 'it has no name yet');
  fakeApi.reply(MAKE, { ...scada, key: SECRET });
  fakeApi.reply(LIST, { keys: [scada, grafana] });
  await createKey(' SCADA north ');
  await screen.findByText(SECRET);
  assert.is(
    within(screen.getByRole('dialog')).getAllByRole('status')[0]?.textContent,
    'Key created for “SCADA north”. Copy it now. It won’t be shown again.',
  );
  assert.equal(
    [fakeApi.requestsTo(MAKE)[0].params.id, fakeApi.requestsTo(MAKE)[0].body],
    ['7', { name: 'SCADA north' }],
  );
  await waitFor(() => assert.is(document.activeElement === button('Copy key'), true));
  await waitFor(() => assert.is(rows().length, 2));
  assert.is(name().value, '');
  pressElement(button('Copy key'));
  await notices().findByText('Key copied.');
  pressElement(button('Copy curl command'));
  await notices().findByText('Curl command copied.');
  const line = `curl -H "Authorization: Bearer ${SECRET}" -H "Priority: 4" -d "Feeder 12 tripped" ${location.origin}/api/publish`;
  assert.equal(copiedTexts, [SECRET, line]);
  pressElement(button('Close'));
  pressElement(await findButton('Keys of Grid outages'));
  await screen.findByRole('dialog');
  await waitFor(() => assert.is(rows().length, 2));
  assert.is(screen.queryByText(SECRET), null, 'not shown again');
});

test('shows a rejection beside the name, which stays', async () => {
  await open();
  fakeApi.reject(MAKE, 400, [{ message: 'Name must be a single line.', path: 'name' }]);
  await createKey();
  await screen.findByText('Name must be a single line.');
  assert.is(name().value, 'SCADA north');
  assert.is(name().getAttribute('aria-invalid'), 'true');
});

test('lists the unknown key after a lost response', async () => {
  await open();
  fakeApi.loseRequests(MAKE);
  fakeApi.reply(LIST, { keys: [scada] });
  await createKey();
  await screen.findByText('Failed to create the key.');
  await waitFor(() => assert.is(rows().length, 1));
});

test('shows a key created after its dialog closed, for a minute', async () => {
  await open();
  fakeApi.reply(MAKE, { ...scada, key: SECRET });
  const release = fakeApi.holdReplies(MAKE);
  await createKey();
  pressElement(button('Close'));
  release();
  const createdText = `Key created for “SCADA north”: ${SECRET}`;
  await notices().findByText(createdText);
  await clock.advance(59_000);
  assert.ok(notices().queryByText(createdText), 'it can’t be copied elsewhere');
});

test('confirms before revoking a key, and hides it', async () => {
  await open(grafana);
  fakeApi.reply(MAKE, { ...scada, key: SECRET });
  fakeApi.reply(LIST, { keys: [scada, grafana] });
  fakeApi.reply(REVOKE, { message: 'The key was revoked.' });
  await createKey();
  await waitFor(() => assert.is(rows().length, 2));
  pressElement(button('Revoke Grafana'));
  assert.match(
    (await revokeDialog()).textContent ?? '',
    'Machines that use this key can no longer send messages or report heartbeats.',
  );
  fakeApi.reply(LIST, { keys: [scada] });
  pressElement(within(await revokeDialog()).getByRole('button', { name: 'Revoke' }));
  await notices().findByText('Key revoked.');
  await waitFor(() => assert.is(rows().length, 1));
  assert.ok(screen.getByText(SECRET), 'it belongs to another');
  pressElement(button('Revoke SCADA north'));
  fakeApi.reply(LIST, { keys: [] });
  pressElement(within(await revokeDialog()).getByRole('button', { name: 'Revoke' }));
  await waitFor(() => assert.is(rows().length, 0));
  assert.is(screen.queryByText(SECRET), null);
  assert.equal(
    fakeApi.requestsTo(REVOKE).map(({ params }) => params.id),
    ['2', '1'],
  );
});

test('keeps a key on Cancel, and explains a failed revocation', async () => {
  await open(grafana);
  pressElement(button('Revoke Grafana'));
  pressElement(within(await revokeDialog()).getByRole('button', { name: 'Cancel' }));
  await waitFor(() => assert.is(screen.queryByRole('dialog', { name: /^Revoke / }), null));
  assert.equal(fakeApi.requestsTo(REVOKE), []);
  fakeApi.loseRequests(REVOKE);
  pressElement(button('Revoke Grafana'));
  pressElement(within(await revokeDialog()).getByRole('button', { name: 'Revoke' }));
  await screen.findByText('Failed to revoke the key.');
  pressElement(within(await revokeDialog()).getByRole('button', { name: 'Cancel' }));
  await waitFor(() => assert.is(screen.queryByRole('dialog', { name: /^Revoke / }), null));
  fakeApi.reject(REVOKE, 404, 'This key does not exist.');
  fakeApi.reply(LIST, { keys: [] });
  pressElement(button('Revoke Grafana'));
  pressElement(within(await revokeDialog()).getByRole('button', { name: 'Revoke' }));
  await screen.findByText('This key does not exist.');
  await waitFor(() => assert.is(rows().length, 0), { timeout: 5000 });
});

test.run();
