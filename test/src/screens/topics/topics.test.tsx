import * as assert from 'uvu/assert';
import type { Heartbeat, TopicKey } from '../../../../src/shared/contract';
import { Topics } from '../../../../src/screens/topics/Topics';
import { dateFormats, dayText } from '../../../../src/ui/values/Day';
import { createFormats } from '../../../../src/ui/values/create-formats';
import {
  act,
  button,
  chooseOption,
  clock,
  dialog,
  fakeApi,
  findNoDialog,
  fireEvent,
  notices,
  openDialog,
  pressElement,
  pressEscape,
  pressInDialog,
  screen,
  screenSuite,
  showScreen,
  tableRows,
  typeInto,
  waitFor,
  within,
} from '../../../support/app/app';
import { shortPause } from '../../../support/eventually';
import {
  createSubscriber,
  createTopic,
  numbersUpTo,
  topicPages,
} from '../../../support/app/factories/people';
import { createPolicy } from '../../../support/app/factories/setup';

const test = screenSuite('topics');
const FETCH_FAILED = 'Failed to fetch topics. You might not have the required permissions.';
const LIST = 'GET /api/admin/topics';

const outages = createTopic(1, {
  title: 'Outages',
  description: 'Unplanned',
  createdAt: '2026-11-12T09:30:00.000Z',
});
const safety = createTopic(2, {
  title: 'Safety',
  description: 'Bulletins',
  createdAt: '2026-11-16T09:30:00.000Z',
});
const depot = createTopic(3, {
  title: 'depot',
  description: 'Parts',
  createdAt: '2026-11-09T09:30:00.000Z',
});

async function open(...topics: Parameters<typeof topicPages>[0]) {
  fakeApi.reply(LIST, topicPages(topics));
  showScreen(<Topics />, '/admin/topics');
  await screen.findByRole('table');
}
const titles = () => tableRows().map(([title]) => title);
const lastAsked = () => fakeApi.requestsTo(LIST).at(-1)?.query;

test('sets heading, window title and focus', async () => {
  await open(outages);
  assert.is(document.activeElement, screen.getByRole('heading', { level: 1, name: 'Topics' }));
  assert.is(document.title, 'Topics · Fieldbell');
});

test('lists topics newest first, ten at a time', async () => {
  createFormats();
  await open(outages, safety, depot);
  assert.equal(lastAsked(), { page: '1', limit: '10' });
  assert.equal(titles(), ['Safety', 'Outages', 'depot']);
  assert.equal(
    screen.getAllByRole('columnheader').map((head) => head.textContent),
    ['Topic Name', 'Description', 'Created At', 'Actions'],
  );
  assert.equal(tableRows()[0].slice(0, 3), ['Safety', 'Bulletins', dayText(safety.createdAt)]);
  assert.ok(
    screen.getByText('Bulletins').classList.contains('clamp'),
    'the description is cut after two lines',
  );
  assert.ok(screen.getByText('1–3 of 3 topics'));
});

test('sorts by a column, reverses it, and tells screen readers', async () => {
  await open(outages, safety, depot);
  const head = (name: string) => screen.getByRole('columnheader', { name });
  assert.is(head('Created At').getAttribute('aria-sort'), 'descending');
  assert.is(head('Topic Name').getAttribute('aria-sort'), 'none');
  pressElement(button('Topic Name'));
  assert.equal(titles(), ['depot', 'Outages', 'Safety']);
  assert.is(head('Topic Name').getAttribute('aria-sort'), 'ascending');
  assert.is(head('Created At').getAttribute('aria-sort'), 'none');
  pressElement(button('Topic Name'));
  assert.equal(titles(), ['Safety', 'Outages', 'depot']);
  pressElement(button('Created At'));
  assert.equal(titles(), ['Safety', 'Outages', 'depot']);
  pressElement(button('Created At'));
  assert.equal(titles(), ['depot', 'Outages', 'Safety']);
  assert.is(fakeApi.requestsTo(LIST).length, 1, 'the server is not asked to sort');
});

test('says that only the shown page is sorted', async () => {
  await open(...numbersUpTo(12).map((id) => createTopic(id)));
  assert.ok(screen.getByText('1–10 of 12 topics'));
  pressElement(button('Topic Name'));
  await screen.findByText('Sorted on this page only · 1–10 of 12 topics');
  pressElement(button('Created At'));
  await screen.findByText('1–10 of 12 topics');
});

test('redraws no rows when a dialog opens', async () => {
  await open(outages, safety, depot);
  createFormats();
  const usual = dateFormats.value!;
  let writtenCount = 0;
  const counting = { format: (time: number) => (writtenCount++, usual.day.format(time)) };
  await act(() => {
    dateFormats.value = { ...usual, day: counting as Intl.DateTimeFormat };
  });
  const drawnOnce = writtenCount;
  await openDialog('Add Topic');
  dialog();
  const drawn = writtenCount;
  await act(() => {
    dateFormats.value = usual;
  });
  assert.is(drawnOnce, 3, 'each row writes its day when it is drawn');
  assert.is(drawn, 3);
});

test('shows a missing or invalid date as a dash, and sorts it as oldest', async () => {
  const undated: Partial<typeof depot> = createTopic(4, { title: 'Undated' });
  delete undated.createdAt;
  await open({ ...depot, createdAt: 'soon' }, undated as typeof depot, outages);
  assert.equal(
    tableRows().map(([title, , date]) => [title, date === '-']),
    [
      ['Outages', false],
      ['depot', true],
      ['Undated', true],
    ],
  );
});

test('searches after 250 ms, from page 1', async () => {
  await open(...numbersUpTo(25).map((id) => createTopic(id)));
  pressElement(button('Next'));
  await screen.findByText('11–20 of 25 topics');
  const field = screen.getByRole('searchbox', { name: 'Search Topics' });
  typeInto(field, 'out');
  await clock.advance(249);
  typeInto(field, 'outages ');
  await clock.advance(249);
  assert.is(fakeApi.requestsTo(LIST).length, 2);
  await clock.advance(1);
  await screen.findByText('1–10 of 25 topics');
  assert.equal(lastAsked(), { page: '1', limit: '10', query: 'outages' });
  assert.is(fakeApi.requestsTo(LIST).length, 3);
});

test('uses the latest search when responses come out of order', async () => {
  await open(outages, safety);
  const waiting: Record<string, () => void> = {};
  fakeApi.reply(LIST, async ({ query }) => {
    await new Promise<void>((resolve) => (waiting[query.query] = resolve));
    return {
      topics: [{ ...outages, title: `Found for ${query.query}` }],
      total: 1,
      page: 1,
      limit: 10,
    };
  });
  const field = screen.getByRole('searchbox');
  typeInto(field, 'a');
  await clock.advance(250);
  await waitFor(() => assert.ok(waiting.a));
  typeInto(field, 'ab');
  await clock.advance(250);
  await waitFor(() => assert.ok(waiting.ab));
  waiting.ab();
  await screen.findByText('Found for ab');
  waiting.a();
  await shortPause(); // waits for nothing to happen
  assert.equal(titles(), ['Found for ab']);
});

for (const [what, status, headers] of [
  ['fails', 500, {}],
  ['is told to wait', 429, { 'Retry-After': '30' }],
] as const) {
  test(`ignores a search that ${what} after the response to another`, async () => {
    await open(outages, safety);
    fakeApi.reject(LIST, status, 'Too much.', headers);
    const refuse = fakeApi.holdReplies(LIST);
    const field = screen.getByRole('searchbox');
    typeInto(field, 'a');
    await clock.advance(250);
    await waitFor(() => assert.is(fakeApi.requestsTo(LIST).length, 2));
    fakeApi.reply(LIST, topicPages([safety]));
    typeInto(field, 'ab');
    await clock.advance(250);
    await waitFor(() => assert.equal(titles(), ['Safety']));
    refuse();
    await shortPause(); // waits for nothing to happen
    assert.is(screen.queryByRole('alert'), null);
    await clock.advance(60_000);
    assert.is(fakeApi.requestsTo(LIST).length, 3);
  });
}

test('turns to a typed page; an invalid one becomes page 1', async () => {
  await open(...numbersUpTo(47).map((id) => createTopic(id)));
  assert.is(button('Previous').disabled, true);
  const page = () => screen.getByRole<HTMLInputElement>('spinbutton', { name: /^Page/ });
  const go = async (text: string, shown: string) => {
    typeInto(page(), text);
    page().blur();
    await screen.findByText(shown);
  };
  await go('3', '21–30 of 47 topics');
  await go('9999', '41–47 of 47 topics');
  assert.is(page().value, '5');
  assert.is(button('Next').disabled, true);
  await go('0', '1–10 of 47 topics');
  pressElement(button('Next'));
  await screen.findByText('11–20 of 47 topics');
  await go('-1', '1–10 of 47 topics');
  assert.equal(
    fakeApi.requestsTo(LIST).map(({ query }) => query.page),
    ['1', '3', '5', '1', '2', '1'],
  );
  typeInto(page(), '2');
  fireEvent.keyDown(page(), { key: 'Enter' });
  await screen.findByText('11–20 of 47 topics');
  assert.is(document.activeElement, page(), 'Enter leaves the focus where it is');
  await go('1', '1–10 of 47 topics');
  const earlierCount = fakeApi.requestsTo(LIST).length;
  typeInto(page(), '');
  page().blur();
  assert.is(page().value, '1');
  assert.is(fakeApi.requestsTo(LIST).length, earlierCount, 'an empty page requests nothing');
});

test('waits as long as a server asks, then retries', async () => {
  fakeApi.reject(LIST, 429, 'Too many requests.', { 'Retry-After': '30' });
  showScreen(<Topics />, '/admin/topics');
  await screen.findByText('Too many requests. Wait 30 seconds. We’ll try again automatically.');
  fakeApi.reply(LIST, topicPages([outages]));
  await clock.advance(29_000);
  assert.is(fakeApi.requestsTo(LIST).length, 1);
  await clock.advance(1000);
  await screen.findByRole('table');
  assert.is(screen.queryByRole('alert'), null);
});

test('does not retry an abandoned question', async () => {
  fakeApi.reject(LIST, 429, 'Too many requests.', { 'Retry-After': '30' });
  showScreen(<Topics />, '/admin/topics');
  await screen.findByText('Too many requests. Wait 30 seconds. We’ll try again automatically.');
  fakeApi.reply(LIST, topicPages([outages]));
  pressElement(button('Retry'));
  await screen.findByRole('table');
  assert.is(fakeApi.requestsTo(LIST).length, 2);
  await clock.advance(60_000);
  assert.is(fakeApi.requestsTo(LIST).length, 2);
});

test('leaves an hour’s wait to the person', async () => {
  fakeApi.reject(LIST, 429, 'Too many requests.', { 'Retry-After': '3600' });
  showScreen(<Topics />, '/admin/topics');
  await screen.findByText('Too many requests. Wait 60 minutes.');
  await clock.advance(3_600_000);
  assert.is(fakeApi.requestsTo(LIST).length, 1);
  assert.is(button('Retry').disabled, false);
});

for (const [seconds, again] of [
  [120, true],
  [121, false],
] as const) {
  test(`${again ? 'retries' : 'does not retry'} by itself after a wait of ${seconds} s`, async () => {
    fakeApi.reject(LIST, 429, 'Too many requests.', { 'Retry-After': String(seconds) });
    showScreen(<Topics />, '/admin/topics');
    await screen.findByText(/^Too many requests\./);
    fakeApi.reply(LIST, topicPages([outages]));
    await clock.advance(seconds * 1000);
    if (again) await screen.findByRole('table');
    assert.is(fakeApi.requestsTo(LIST).length, again ? 2 : 1);
  });
}

test('keeps old rows marked busy while another page loads', async () => {
  await open(...numbersUpTo(12).map((id) => createTopic(id)));
  const release = fakeApi.holdReplies(LIST);
  pressElement(button('Next'));
  await waitFor(() => assert.ok(screen.getByRole('table').closest('[aria-busy="true"]')));
  assert.is(tableRows().length, 10);
  assert.is(document.querySelector('.skeleton'), null);
  release();
  await screen.findByText('11–12 of 12 topics');
  assert.is(screen.getByRole('table').closest('[aria-busy]'), null);
});

test('shows three quiet rows at first', async () => {
  fakeApi.reply(LIST, topicPages([outages]));
  const release = fakeApi.holdReplies(LIST);
  showScreen(<Topics />, '/admin/topics');
  assert.is(document.querySelectorAll('[aria-hidden="true"] li').length, 3);
  await clock.advance(300);
  assert.ok(screen.getByText('Loading…'));
  release();
  await screen.findByRole('table');
  assert.is(screen.queryByText('Loading…'), null);
});

test('keeps the rows when reading again fails', async () => {
  await open(...numbersUpTo(12).map((id) => createTopic(id)));
  fakeApi.loseRequests(LIST);
  pressElement(button('Next'));
  await screen.findByText(FETCH_FAILED);
  assert.is(tableRows().length, 10);
  fakeApi.reply(LIST, topicPages(numbersUpTo(12).map((id) => createTopic(id))));
  pressElement(button('Retry'));
  await screen.findByText('11–12 of 12 topics');
});

test('adds a topic, and reads the list again', async () => {
  await open(outages);
  fakeApi.reply('POST /api/admin/topics', safety);
  await openDialog('Add Topic');
  assert.ok(dialog().getByRole('heading', { name: 'Add Topic' }));
  assert.is(dialog().getByLabelText<HTMLInputElement>('Title').required, true);
  assert.is(dialog().getByLabelText<HTMLInputElement>('Description').required, true);
  typeInto(dialog().getByLabelText('Title'), ' Safety ');
  typeInto(dialog().getByLabelText('Description'), 'Bulletins');
  fakeApi.reply(LIST, topicPages([outages, safety]));
  pressInDialog('Add Topic');
  await notices().findByText('Topic added.');
  assert.is(screen.queryByRole('dialog'), null);
  assert.equal(fakeApi.requestsTo('POST /api/admin/topics')[0].body, {
    title: 'Safety',
    description: 'Bulletins',
  });
  await waitFor(() => assert.equal(titles(), ['Safety', 'Outages']));
});

test('sends no topic without a title', async () => {
  await open(outages);
  await openDialog('Add Topic');
  typeInto(dialog().getByLabelText('Description'), 'Bulletins');
  pressInDialog('Add Topic');
  assert.equal(fakeApi.requestsTo('POST /api/admin/topics'), []);
  assert.ok(screen.getByRole('dialog'));
});

for (const [name, error, shown] of [
  ['a reason', 'This title is taken.', 'This title is taken.'],
  [
    'a list',
    [{ message: 'Title is required.', path: 'title' }, { message: 'other' }],
    'Title is required.',
  ],
  ['nothing to show', undefined, 'Failed to add topic.'],
] as const) {
  test(`keeps the input when the server rejects a topic with ${name}`, async () => {
    await open(outages);
    fakeApi.reject('POST /api/admin/topics', 400, error as string);
    await openDialog('Add Topic');
    typeInto(dialog().getByLabelText('Title'), 'Safety');
    typeInto(dialog().getByLabelText('Description'), 'Bulletins');
    pressInDialog('Add Topic');
    await dialog().findByText(shown);
    assert.is(dialog().getByRole('alert').textContent, shown);
    const title = dialog().getByLabelText<HTMLInputElement>('Title');
    assert.is(title.value, 'Safety');
    assert.is(
      dialog().getByRole<HTMLButtonElement>('button', { name: 'Add Topic' }).disabled,
      false,
    );
    // An error list names the wrong field, which is then marked, described and focused.
    const marked = [title, dialog().getByLabelText('Description')].map((field) =>
      field.getAttribute('aria-invalid'),
    );
    assert.equal(marked, [name === 'a list' ? 'true' : null, null]);
    if (name === 'a list')
      assert.is(title.getAttribute('aria-describedby'), dialog().getByRole('alert').id);
    if (name === 'a list') assert.is(document.activeElement, title);
  });
}

test('edits a topic in a dialog with its text, and a busy button', async () => {
  await open(outages);
  fakeApi.reply('PUT /api/admin/topics/:id', outages);
  const release = fakeApi.holdReplies('PUT /api/admin/topics/:id');
  await openDialog('Edit Outages');
  assert.ok(dialog().getByRole('heading', { name: 'Edit Topic' }));
  const title = dialog().getByLabelText<HTMLInputElement>('Title');
  assert.is(title.value, 'Outages');
  assert.is(dialog().getByLabelText<HTMLInputElement>('Description').value, 'Unplanned');
  typeInto(title, 'Grid outages');
  pressInDialog('Save Changes');
  const busy = await dialog().findByRole<HTMLButtonElement>('button', { name: 'Saving…' });
  assert.is(busy.getAttribute('aria-busy'), 'true');
  assert.is(busy.disabled, true);
  release();
  await notices().findByText('Changes saved.');
  const [{ params, body }] = fakeApi.requestsTo('PUT /api/admin/topics/:id');
  assert.equal([params, body], [{ id: '1' }, { title: 'Grid outages', description: 'Unplanned' }]);
});

test('shows an error if a topic cannot be changed', async () => {
  await open(outages);
  fakeApi.replyWithPage('PUT /api/admin/topics/:id', 500);
  await openDialog('Edit Outages');
  pressInDialog('Save Changes');
  await dialog().findByText('Failed to update topic.');
});

test('puts Delete last in a row’s menu', async () => {
  await open(outages);
  const actions = [...(button('Delete Outages').closest('ul')?.children ?? [])];
  assert.equal(
    actions.map((one) => one.textContent),
    ['Subscribers', 'Keys', 'Edit', 'Delete'],
  );
  assert.equal(
    actions.map((one) => one.classList.contains('last')),
    [false, false, false, true],
  );
});

const SUBSCRIBERS = 'GET /api/admin/topics/:id/subscribers';
const CHECK_IN_SETTINGS = {
  enabled: true,
  graceMinutes: 5,
  alarmTopicId: 99,
  policyId: null,
  alarmTopic: null,
};

const TOPIC_KEY = { id: 1, name: 'backup', prefix: 'fbk_7Qm2', createdAt: '', lastUsedAt: null };
const HEARTBEAT = {
  ...{ id: 1, name: 'backup', every: 60, grace: 60, state: 'alive' as const },
  ...{ lastAt: '2026-01-01T00:00:00.000Z', dueAt: '2026-01-01T00:02:00.000Z' },
};

function replyWithMachines(heartbeats: readonly Heartbeat[], keys: readonly TopicKey[]): void {
  fakeApi.reply('GET /api/admin/topics/:id/heartbeats', { heartbeats: [...heartbeats] });
  fakeApi.reply('GET /api/admin/topics/:id/keys', { keys: [...keys] });
}

/** Opens the dialog, and waits until it knows that nothing is against the deletion. */
async function openDeletion(
  name: string,
  heartbeats: readonly Heartbeat[] = [],
  keys: readonly TopicKey[] = [],
): Promise<void> {
  replyWithMachines(heartbeats, keys);
  fakeApi.reply(SUBSCRIBERS, [createSubscriber(2), createSubscriber(3)]);
  fakeApi.reply('GET /api/admin/policies', { policies: [] });
  fakeApi.reply('GET /api/admin/check-ins/settings', CHECK_IN_SETTINGS);
  await openDialog(`Delete ${name}`);
  await waitFor(() =>
    assert.not(dialog().getByRole<HTMLButtonElement>('button', { name: 'Delete' }).disabled),
  );
}

test('says before any press why a topic can’t be deleted, and offers no Delete', async () => {
  await open(outages);
  const policies = 'GET /api/admin/policies';
  const notifying = { action: 'notify', after: 60, topicId: outages.id } as const;
  replyWithMachines([], []);
  fakeApi.reply(SUBSCRIBERS, []);
  fakeApi.reply(policies, { policies: [createPolicy(1, { name: 'Gale', steps: [notifying] })] });
  fakeApi.reply('GET /api/admin/check-ins/settings', CHECK_IN_SETTINGS);
  await openDialog('Delete Outages');
  const findRefusal = () =>
    screen.findByRole('dialog', { name: 'You can’t delete this topic yet' });
  await findRefusal();
  assert.ok(screen.getByText(/Gale.* notifies this topic\. Please change the policy first\.$/));
  assert.is(dialog().queryByRole('button', { name: 'Delete' }), null);
  pressInDialog('Close');
  fakeApi.reply(policies, { policies: [] });
  const settings = { ...CHECK_IN_SETTINGS, alarmTopicId: outages.id };
  fakeApi.reply('GET /api/admin/check-ins/settings', settings);
  await openDialog('Delete Outages');
  await findRefusal();
  assert.ok(screen.getByText(/^This topic receives check-in alarms\./));
  assert.is(dialog().queryByRole('button', { name: 'Delete' }), null);
});

test('confirms deletion, and returns the focus on Cancel or Escape', async () => {
  await open(outages);
  await openDeletion('Outages', [HEARTBEAT], [TOPIC_KEY, TOPIC_KEY]);
  const question = screen.getByRole('dialog', { name: 'Delete topic' });
  assert.is(
    document.getElementById(question.getAttribute('aria-describedby') ?? '')?.textContent,
    'Are you sure you want to delete the topic "Outages"? This action cannot be undone.',
  );
  assert.ok(dialog().getByText('2 people will no longer get messages about it.'));
  assert.ok(dialog().getByText('1 machine will no longer be watched.'));
  assert.ok(dialog().getByText('2 topic keys will be revoked.'));
  pressInDialog('Cancel');
  assert.is(screen.queryByRole('dialog'), null);
  assert.is(document.activeElement, screen.getByLabelText('More for Outages'));
  await openDeletion('Outages');
  pressEscape();
  await findNoDialog();
  assert.is(document.activeElement, screen.getByLabelText('More for Outages'));
  assert.equal(fakeApi.requestsTo('DELETE /api/admin/topics/:id'), []);
});

test('shows the previous page after deleting a last row', async () => {
  await open(...numbersUpTo(11).map((id) => createTopic(id)));
  pressElement(button('Next'));
  await screen.findByText('11–11 of 11 topics');
  fakeApi.reply('DELETE /api/admin/topics/:id', { message: 'gone' });
  fakeApi.reply(LIST, topicPages(numbersUpTo(10).map((id) => createTopic(id))));
  await openDeletion('Topic 11');
  pressInDialog('Delete');
  await notices().findByText('Topic deleted.');
  await screen.findByText('1–10 of 10 topics');
  assert.is(fakeApi.requestsTo('DELETE /api/admin/topics/:id')[0].params.id, '11');
  await waitFor(() => assert.is(document.activeElement, screen.getByRole('heading', { level: 1 })));
});

test('names the topic when deletion fails', async () => {
  await open(outages);
  fakeApi.loseRequests('DELETE /api/admin/topics/:id');
  await openDeletion('Outages');
  pressInDialog('Delete');
  await dialog().findByText('Failed to delete topic Outages.');
});

test('reports a closed dialog’s outcome, but not in the next dialog', async () => {
  await open(outages, safety);
  const DELETE = 'DELETE /api/admin/topics/:id';
  for (const [reply, sentence] of [
    [() => fakeApi.loseRequests(DELETE), 'Failed to delete topic Outages.'],
    [() => fakeApi.reply(DELETE, { message: 'gone' }), 'Topic deleted.'],
  ] as const) {
    reply();
    const release = fakeApi.holdReplies(DELETE);
    await openDeletion('Outages');
    pressInDialog('Delete');
    await dialog().findByRole('button', { name: 'Deleting…' });
    pressEscape();
    await findNoDialog();
    await openDialog('Edit Safety');
    typeInto(dialog().getByLabelText('Title'), 'Safety first');
    release();
    await notices().findByText(sentence);
    assert.is(dialog().getByLabelText<HTMLInputElement>('Title').value, 'Safety first');
    pressInDialog('Cancel');
  }
});

test('shows markup, right-to-left text, emoji and endless words as text', async () => {
  const evil = '<img src=x onerror=alert(1)>';
  const long = 'x'.repeat(10_000);
  await open(
    createTopic(1, { title: evil, description: long }),
    createTopic(2, { title: '\u202Eevil 🚨', description: '' }),
  );
  assert.equal(titles(), [evil, '\u202Eevil 🚨']);
  assert.is(document.querySelector('img'), null);
  assert.ok(screen.getByText(evil).closest('bdi'));
  assert.ok(screen.getByText(long).closest('bdi'));
});

const POLICIES = 'GET /api/admin/policies';
const escalationList = () =>
  dialog().findByRole<HTMLSelectElement>('combobox', { name: 'Escalation' });

test('gives a topic a policy or none, and keeps it on other edits', async () => {
  const storm = createTopic(4, { title: 'Storm', policyId: 2 });
  await open(storm);
  fakeApi.reply(POLICIES, {
    policies: [createPolicy(1, { name: 'Calm' }), createPolicy(2, { name: 'Gale' })],
  });
  fakeApi.reply('PUT /api/admin/topics/:id', storm);
  fakeApi.reply('POST /api/admin/topics', storm);
  const sent = () => fakeApi.requestsTo('PUT /api/admin/topics/:id').at(-1)?.body;
  await openDialog('Edit Storm');
  await within(await escalationList()).findByRole('option', { name: 'Gale' });
  assert.equal(
    [...(await escalationList()).options].map(({ text }) => text),
    ['None', 'Calm', 'Gale'],
  );
  assert.is((await escalationList()).value, '2');
  pressInDialog('Save Changes');
  await notices().findByText('Changes saved.');
  assert.equal(sent(), { title: 'Storm', description: 'About topic 4' });
  await openDialog('Edit Storm');
  await within(await escalationList()).findByRole('option', { name: 'Calm' });
  chooseOption(await escalationList(), 'Calm');
  pressInDialog('Save Changes');
  await waitFor(() =>
    assert.equal(sent(), { title: 'Storm', description: 'About topic 4', policyId: 1 }),
  );
  await findNoDialog();
  await openDialog('Edit Storm');
  chooseOption(await escalationList(), 'None');
  pressInDialog('Save Changes');
  await waitFor(() =>
    assert.equal(sent(), { title: 'Storm', description: 'About topic 4', policyId: null }),
  );
  await findNoDialog();
  await openDialog('Add Topic');
  assert.is((await escalationList()).value, 'none');
  typeInto(dialog().getByLabelText('Title'), 'Flood');
  typeInto(dialog().getByLabelText('Description'), 'Water');
  await within(await escalationList()).findByRole('option', { name: 'Gale' });
  chooseOption(await escalationList(), 'Gale');
  pressInDialog('Add Topic');
  await waitFor(() =>
    assert.equal(fakeApi.requestsTo('POST /api/admin/topics')[0]?.body, {
      title: 'Flood',
      description: 'Water',
      policyId: 2,
    }),
  );
});

test('edits a topic without policies, and keeps its own', async () => {
  await open(createTopic(4, { title: 'Storm', policyId: 2 }));
  fakeApi.reject(POLICIES, 500);
  fakeApi.reply('PUT /api/admin/topics/:id', outages);
  await openDialog('Edit Storm');
  await dialog().findByText('Failed to load policies.');
  assert.is((await escalationList()).value, '2');
  typeInto(dialog().getByLabelText('Title'), 'Gale');
  fakeApi.reject('PUT /api/admin/topics/:id', 400, [
    { message: 'There is no such policy.', path: 'policyId' },
  ]);
  pressInDialog('Save Changes');
  await dialog().findByText('There is no such policy.');
  assert.is((await escalationList()).getAttribute('aria-invalid'), 'true');
  assert.equal(fakeApi.requestsTo('PUT /api/admin/topics/:id')[0]?.body, {
    title: 'Gale',
    description: 'About topic 4',
  });
});

test.run();
