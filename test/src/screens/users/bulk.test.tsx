import * as assert from 'uvu/assert';
import { Users } from '../../../../src/screens/users/Users';
import {
  act,
  button,
  chooseOption,
  cleanup,
  clock,
  dialog,
  fakeApi,
  findNoDialog,
  notices,
  openDialog,
  pressElement,
  pressInDialog,
  screen,
  screenSuite,
  showScreen,
  tableRows,
  typeInto,
  waitFor,
} from '../../../support/app/app';
import {
  numbersUpTo,
  createTopic,
  createUser,
  topicPages,
  userPages,
} from '../../../support/app/factories/people';

const test = screenSuite('many users');
const LIST = 'GET /api/admin/users';
const SUBSCRIBE = 'POST /api/admin/topics/:id/subscribers';
const UNSUBSCRIBE = 'DELETE /api/admin/topics/:id/subscribers';

const topics = [
  createTopic(1, { title: 'Outages' }),
  createTopic(2, { title: 'Storm north' }),
  createTopic(3, { title: 'Storm south' }),
  createTopic(4, { title: 'Storm west' }),
];

async function open(amount = 60, address = '') {
  fakeApi.reply(LIST, userPages(numbersUpTo(amount).map((id) => createUser(id))));
  fakeApi.reply('GET /api/admin/topics', topicPages(topics));
  showScreen(<Users />, `/admin/users${address}`);
  await screen.findByRole('table');
}
const tick = (name: string) => screen.getByRole<HTMLInputElement>('checkbox', { name });
const tickedBoxes = () =>
  screen
    .getAllByRole<HTMLInputElement>('checkbox')
    .filter(({ checked }) => checked)
    .map((box) => box.getAttribute('aria-label'));
const tickAll = () => tick('Select all on this page');
const selectionText = () => document.querySelector('.chosen')?.textContent ?? '';
const ids = (endpoint: typeof SUBSCRIBE | typeof UNSUBSCRIBE) =>
  fakeApi
    .requestsTo(endpoint)
    .map(({ params, body }) => [params.id, (body as { userIds: number[] }).userIds]);
async function pickTopics(...titles: string[]) {
  await dialog().findByRole('checkbox', { name: titles[0] });
  for (const title of titles) pressElement(dialog().getByRole('checkbox', { name: title }));
}

test('shows no selection bar without a selection', async () => {
  await open();
  assert.is(selectionText(), '');
  assert.equal(tickedBoxes(), []);
});

test('selects a page by the head’s checkbox, and keeps it over pages', async () => {
  await open();
  pressElement(tick('Select user2'));
  assert.match(
    selectionText(),
    /^1 of 60 selectedClear selectionSubscribe 1 to…Unsubscribe 1 from…$/,
  );
  assert.is(tickAll().checked, false);
  pressElement(tickAll());
  assert.is(tickedBoxes().length, 11, 'ten rows and the head');
  pressElement(button('Next'));
  await screen.findByText('11–20 of 60 users');
  assert.equal(tickedBoxes(), []);
  pressElement(tickAll());
  assert.match(selectionText(), /^20 of 60 selected/);
  pressElement(tick('Select user13'));
  assert.match(selectionText(), /^19 of [0-9]+ selected/);
  assert.is(tickAll().checked, false);
  pressElement(button('Previous'));
  await screen.findByText('1–10 of 60 users');
  assert.is(tickAll().checked, true);
  pressElement(tickAll());
  assert.match(selectionText(), /^9 of [0-9]+ selected/);
  pressElement(button('Clear selection'));
  assert.is(selectionText(), '');
  await waitFor(() => assert.is(document.activeElement, screen.getByRole('heading', { level: 1 })));
});

test('clears the selection on another search or filter', async () => {
  await open();
  pressElement(tickAll());
  typeInto(screen.getByRole('searchbox', { name: 'Search Users' }), 'user');
  await clock.advance(250);
  await waitFor(() => assert.is(selectionText(), ''));
  pressElement(tickAll());
  chooseOption(screen.getByLabelText('Status'), 'Active');
  await waitFor(() => assert.is(selectionText(), ''));
  await screen.findByText('1–10 of 60 results. We searched all 60 users.');
  pressElement(tickAll());
  assert.match(selectionText(), /^10 of 60 selected/);
  assert.equal(tickedBoxes().length, 11);
});

test('redraws only the row that is ticked', async () => {
  await open(100, '');
  const rows = [...document.querySelectorAll('tbody tr')];
  let changes = 0;
  const observer = new MutationObserver((records) => {
    changes += records.length;
  });
  for (const row of rows)
    observer.observe(row, {
      subtree: true,
      childList: true,
      attributes: true,
      characterData: true,
    });
  await act(() => pressElement(tick('Select user2')));
  changes += observer.takeRecords().length;
  observer.disconnect();
  assert.ok(changes <= 1, `${changes} changes in the rows`);
  assert.equal(tickedBoxes(), ['Select user2']);
});

test('subscribes many people to a topic, and reports who was already', async () => {
  await open();
  fakeApi.reply(SUBSCRIBE, { changed: 8, unchanged: 2 });
  pressElement(tickAll());
  pressElement(button('Subscribe 10 to…'));
  await screen.findByRole('dialog', { name: 'Subscribe 10 people' });
  await pickTopics('Outages');
  pressInDialog('Subscribe');
  await notices().findByText('10 people subscribed to Outages. 2 already were.');
  assert.equal(ids(SUBSCRIBE), [['1', numbersUpTo(10)]]);
  await findNoDialog();
  assert.is(selectionText(), '', 'finished ones are deselected');
  assert.equal(tickedBoxes(), []);
});

test('picks three found topics with one press', async () => {
  await open();
  fakeApi.reply(SUBSCRIBE, { changed: 10, unchanged: 0 });
  pressElement(tickAll());
  pressElement(button('Subscribe 10 to…'));
  await dialog().findByRole('checkbox', { name: 'Outages' });
  assert.is(dialog().queryByRole('checkbox', { name: /found/ }), null);
  typeInto(dialog().getByRole('searchbox', { name: 'Search Topics' }), 'STORM');
  await clock.advance(250);
  pressElement(dialog().getByRole('checkbox', { name: 'Select all 3 results' }));
  assert.ok(dialog().getByText('3 topics selected'));
  pressInDialog('Subscribe');
  await notices().findByText('10 people subscribed to 3 topics.');
  assert.equal(
    ids(SUBSCRIBE).map(([id]) => id),
    ['2', '3', '4'],
  );
});

test('unsubscribes many people from topics', async () => {
  await open();
  fakeApi.reply(UNSUBSCRIBE, ({ params }) =>
    params.id === '1' ? { changed: 0, unchanged: 10 } : { changed: 5, unchanged: 5 },
  );
  pressElement(tickAll());
  pressElement(button('Unsubscribe 10 from…'));
  await screen.findByRole('dialog', { name: 'Unsubscribe 10 people' });
  await pickTopics('Outages');
  pressInDialog('Unsubscribe');
  await notices().findByText('10 people unsubscribed from Outages. 10 already were.');
  pressElement(tickAll());
  pressElement(button('Unsubscribe 10 from…'));
  await pickTopics('Storm north', 'Storm west');
  pressInDialog('Unsubscribe');
  await notices().findByText('10 people unsubscribed from 2 topics.');
});

test('keeps a failed topic picked with its reason, finishes others, and retries', async () => {
  await open();
  let shouldFail = true;
  fakeApi.respond(SUBSCRIBE, ({ params }) =>
    params.id === '2' && shouldFail
      ? new Response(JSON.stringify({ error: 'This topic does not exist.' }), { status: 404 })
      : new Response(JSON.stringify({ changed: 10, unchanged: 0 })),
  );
  pressElement(tickAll());
  pressElement(button('Subscribe 10 to…'));
  await pickTopics('Outages', 'Storm north');
  pressInDialog('Subscribe');
  await dialog().findByText('This topic does not exist.');
  await notices().findByText('10 people subscribed to Outages.');
  assert.ok(dialog().getByText('1 topic selected'));
  assert.match(selectionText(), /^10 of [0-9]+ selected/, 'still to be done');
  shouldFail = false;
  pressInDialog('Subscribe');
  await notices().findByText('10 people subscribed to Storm north.');
  assert.equal(
    ids(SUBSCRIBE).map(([id]) => id),
    ['1', '2', '2'],
  );
});

test('reports a topic that fails after the dialog closed', async () => {
  await open();
  fakeApi.reject(SUBSCRIBE, 404, 'This topic does not exist.');
  const release = fakeApi.holdReplies(SUBSCRIBE);
  pressElement(tickAll());
  pressElement(button('Subscribe 10 to…'));
  await pickTopics('Outages');
  pressInDialog('Subscribe');
  await waitFor(() => assert.is(fakeApi.requestsTo(SUBSCRIBE).length, 1));
  pressInDialog('Cancel');
  await findNoDialog();
  release();
  await notices().findByText('This topic does not exist.');
});

test('requires a topic, and keeps the selection on Cancel', async () => {
  await open();
  pressElement(tickAll());
  pressElement(button('Subscribe 10 to…'));
  await dialog().findByRole('checkbox', { name: 'Outages' });
  assert.is(dialog().getByRole<HTMLButtonElement>('button', { name: 'Subscribe' }).disabled, true);
  pressInDialog('Cancel');
  await findNoDialog();
  assert.match(selectionText(), /^10 of [0-9]+ selected/);
  assert.is(document.activeElement, button('Subscribe 10 to…'));
});

test('shows failed topics with Retry', async () => {
  await open();
  fakeApi.loseRequests('GET /api/admin/topics');
  pressElement(tick('Select user1'));
  pressElement(button('Subscribe 1 to…'));
  await dialog().findByText('Failed to load topics.');
  fakeApi.reply('GET /api/admin/topics', topicPages([]));
  pressInDialog('Retry');
  await dialog().findByText('There are no topics yet.');
});

test('removes a deleted user from the selection', async () => {
  await open();
  pressElement(tick('Select user1'));
  pressElement(tick('Select user2'));
  fakeApi.reply('DELETE /api/admin/users/:id', { message: 'gone' });
  fakeApi.reply('GET /api/admin/users/:id', createUser(1));
  await openDialog('Delete user1');
  await waitFor(() =>
    assert.is(dialog().getByRole<HTMLButtonElement>('button', { name: 'Delete' }).disabled, false),
  );
  pressInDialog('Delete');
  await notices().findByText('User deleted.');
  assert.match(selectionText(), /^1 of [0-9]+ selected/);
});

test('remembers rows per page on this device, and keeps the first row in view', async () => {
  await open(240, '?page=6');
  await screen.findByText('51–60 of 240 users');
  pressElement(tick('Select user51'));
  const rows = () => screen.getByLabelText<HTMLSelectElement>('Rows');
  assert.equal(
    [rows().value, [...rows().options].map(({ text }) => text)],
    ['10', ['10', '25', '50', '100']],
  );
  chooseOption(rows(), '50');
  await screen.findByText('51–100 of 240 users');
  assert.match(selectionText(), /^1 of [0-9]+ selected/, 'it is the same list');
  cleanup();
  showScreen(<Users />, '/admin/users');
  await screen.findByText('1–50 of 240 users');
  await waitFor(() => assert.is(tableRows().length, 50));
  assert.is(fakeApi.requestsTo(LIST).at(-1)?.query.limit, '50');
  cleanup();
  for (const storedLimit of ['1000', '-1', 'constructor', '']) {
    localStorage.setItem('list_rows', storedLimit);
    showScreen(<Users />, '/admin/users');
    await screen.findByText('1–10 of 240 users');
    cleanup();
  }
});

test.run();
