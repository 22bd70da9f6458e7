import { cleanup } from '@testing-library/preact';
import * as assert from 'uvu/assert';
import { Policies } from '../../../../../src/screens/setup/policies/Policies';
import type { Policy } from '../../../../../src/shared/contract';
import {
  button,
  chooseOption,
  clock,
  dialog,
  fakeApi,
  findButton,
  loseFocus,
  notices,
  pressElement,
  pressEscape,
  pressInDialog,
  screen,
  screenSuite,
  showScreen,
  typeInto,
  waitFor,
} from '../../../../support/app/app';
import { numbersUpTo, createTopic, topicPages } from '../../../../support/app/factories/people';
import { createPolicy, createWebhook } from '../../../../support/app/factories/setup';
import { endSession, signInAs } from '../../../../support/app/session';

const test = screenSuite('policies');
let person = 300;
// A person per test, as drafts belong to people.
test.before.each(() => void signInAs('ADMIN', { id: person++ }));
test.after.each(endSession);

const LIST = 'GET /api/admin/policies';
const ADD = 'POST /api/admin/policies';
const SAVE = 'PUT /api/admin/policies/:id';
const DELETE = 'DELETE /api/admin/policies/:id';
const WEBHOOKS = 'GET /api/admin/webhooks';

const storm = createPolicy(1, { name: 'Storm' });
const onCall = createPolicy(2, { name: 'On-call', quorum: 1, topics: 2 });
const parts = createPolicy(3, {
  name: 'Parts',
  quorum: 2,
  steps: [{ after: 90, action: 'mail' }],
  topics: 0,
});

async function open(...policies: Policy[]): Promise<void> {
  fakeApi.reply(LIST, { policies });
  fakeApi.reply(
    'GET /api/admin/topics',
    topicPages([createTopic(5, { title: 'Control room' }), createTopic(6, { title: 'Depot' })]),
  );
  fakeApi.reply(WEBHOOKS, { webhooks: [createWebhook(1), createWebhook(2)] });
  fakeApi.reply(SAVE, storm);
  fakeApi.reply(ADD, storm);
  showScreen(<Policies />, '/admin/policies');
  await screen.findByRole('heading', { name: `Policies (${policies.length})` });
}
const name = () => screen.getByRole<HTMLInputElement>('textbox', { name: 'Name' });
const minutesField = (step: number) =>
  screen.getByRole<HTMLInputElement>('spinbutton', {
    name: `Step ${step}: minutes after sending`,
  });
const list = (step: number, which: string) =>
  screen.getByRole<HTMLSelectElement>('combobox', { name: `Step ${step}: ${which}` });
const note = () => document.getElementById('read-back')?.textContent;
const lastBody = (endpoint: typeof ADD | typeof SAVE) => fakeApi.requestsTo(endpoint).at(-1)?.body;
const save = () => pressElement(button('Save policy'));

test('lists policies with steps, stop condition and number of topics', async () => {
  await open(storm, onCall, parts);
  assert.is(document.activeElement, screen.getByRole('heading', { level: 1, name: 'Setup' }));
  assert.is(document.title, 'Escalation · Fieldbell');
  assert.equal(
    screen.getAllByRole('listitem').map(({ textContent }) => textContent),
    [
      'Storm 3 steps · until everyone has answered · 1 topicEdit',
      'On-call 3 steps · until 1 person has answered · 2 topicsEdit',
      'Parts 1 step · until 2 people have answered · no topicsEdit',
    ],
  );
  const views = screen.getByRole('navigation', { name: 'Setup' });
  assert.equal(
    [...views.querySelectorAll('a')].map((link) => [
      link.textContent,
      link.getAttribute('href'),
      link.getAttribute('aria-current'),
    ]),
    [
      ['Escalation', '/admin/policies', 'page'],
      ['Webhooks', '/admin/webhooks', null],
      ['Audit log', '/admin/audit', null],
    ],
  );
});

test('explains policies when there are none', async () => {
  await open();
  assert.ok(screen.getByText('No policies yet'));
});

test('shows an edited policy unchanged, and describes it in words', async () => {
  await open(storm, onCall);
  pressElement(button('Edit Storm'));
  const heading = screen.getByRole('heading', { name: /^Edit/ });
  assert.is(heading.textContent, 'Edit “Storm”');
  assert.is(document.activeElement, heading);
  assert.is(name().value, 'Storm');
  assert.is(name().maxLength, 100, 'the server’s maximum');
  assert.ok(screen.getByText('Editing'), 'its row shows it open');
  assert.is(screen.queryByRole('button', { name: 'Edit Storm' }), null);
  assert.equal(
    [1, 2, 3].map((step) => minutesField(step).value),
    ['2', '10', '20'],
  );
  await waitFor(() =>
    assert.is(
      note(),
      'Notifies again after 2 min. Sends emails after 10 min. Notifies Control room after 20 min. Stops when everyone has answered or the message expires.',
    ),
  );
  assert.is(list(3, 'which topic').value, '5');
  assert.ok(screen.getByText('3 of 8 steps'));
});

test('describes changes at once, in order of time', async () => {
  await open(storm);
  pressElement(button('Edit Storm'));
  pressElement(screen.getByRole('radio', { name: 'Enough people have answered' }));
  typeInto(screen.getByRole('spinbutton', { name: 'Answers needed' }), '2');
  chooseOption(list(2, 'what happens'), 'Call a webhook');
  await waitFor(() => chooseOption(list(2, 'which webhook'), 'hooks.example/2'));
  typeInto(minutesField(1), '15');
  await waitFor(() =>
    assert.is(
      note(),
      'Calls hooks.example after 10 min. Notifies again after 15 min. Notifies Control room after 20 min. Stops when 2 people have answered or the message expires.',
    ),
  );
  save();
  await notices().findByText('Policy saved.');
  assert.equal(lastBody(SAVE), {
    name: 'Storm',
    quorum: 2,
    steps: [
      { after: 600, action: 'webhook', url: 'https://hooks.example/2' },
      { after: 900, action: 'repeat' },
      { after: 1200, action: 'notify', topicId: 5 },
    ],
  });
  assert.is(fakeApi.requestsTo(SAVE)[0].params.id, '1');
  assert.is(screen.queryByRole('button', { name: 'Save policy' }), null, 'the form is closed');
  await waitFor(() => assert.is(fakeApi.requestsTo(LIST).length, 2, 'and the list is read again'));
});

test('starts with a notification after three minutes, and spaces new steps by three', async () => {
  await open();
  pressElement(button('Add policy'));
  assert.ok(screen.getByRole('heading', { name: 'Add policy' }));
  typeInto(name(), '  Night  ');
  assert.is(minutesField(1).value, '3');
  assert.is(list(1, 'what happens').value, 'repeat');
  assert.is(screen.queryByRole('button', { name: 'Remove step 1' }), null, 'one step at least');
  pressElement(button('Add a step'));
  await clock.advance(0);
  assert.is(minutesField(2).value, '6');
  assert.is(document.activeElement, minutesField(2));
  save();
  await notices().findByText('Policy added.');
  assert.equal(lastBody(ADD), {
    name: 'Night',
    quorum: null,
    steps: [
      { after: 180, action: 'repeat' },
      { after: 360, action: 'repeat' },
    ],
  });
});

test('describes half minutes, but no step without a time', async () => {
  await open(storm);
  pressElement(button('Edit Storm'));
  typeInto(minutesField(1), '');
  const stops = 'Stops when everyone has answered or the message expires.';
  await waitFor(() =>
    assert.is(note(), `Sends emails after 10 min. Notifies Control room after 20 min. ${stops}`),
  );
  typeInto(minutesField(1), '2.5');
  await waitFor(() => assert.match(note() ?? '', /^Notifies again after 2\.5 min\. Sends emails/));
});

test('allows eight steps, and another after removing one', async () => {
  await open();
  pressElement(button('Add policy'));
  for (const step of numbersUpTo(7)) {
    pressElement(button('Add a step'));
    assert.ok(screen.getByText(new RegExp(`^${step + 1} of 8 steps`)));
  }
  assert.is(screen.queryByRole('button', { name: 'Add a step' }), null);
  assert.ok(screen.getByText('8 of 8 steps. Remove a step to add another.'));
  pressElement(button('Remove step 2'));
  await clock.advance(0);
  assert.is(document.activeElement, button('Add a step'));
  assert.equal(
    numbersUpTo(7).map((step) => minutesField(step).value),
    ['3', '9', '12', '15', '18', '21', '24'],
  );
  typeInto(minutesField(7), '1440');
  pressElement(button('Add a step'));
  assert.is(minutesField(8).value, '1440', 'no later than a day');
});

test('shows a rejection at its step, focuses it, and keeps the input', async () => {
  await open(storm);
  pressElement(button('Edit Storm'));
  typeInto(minutesField(1), '30');
  typeInto(name(), 'Gale');
  // The server got the steps in order: its last is the first here.
  fakeApi.reject(SAVE, 400, [{ message: 'That is too late.', path: 'steps.2.after' }]);
  save();
  const errorText = await screen.findByText('That is too late.');
  assert.is(errorText.getAttribute('role'), 'alert');
  assert.is(document.activeElement, minutesField(1));
  assert.is(minutesField(1).getAttribute('aria-describedby'), errorText.id);
  assert.is(minutesField(1).getAttribute('aria-invalid'), 'true');
  assert.is(minutesField(2).getAttribute('aria-invalid'), null);
  assert.is(name().value, 'Gale');
  fakeApi.reject(SAVE, 400, [{ message: 'Another has this name.', path: 'name' }]);
  save();
  await screen.findByText('Another has this name.');
  assert.is(document.activeElement, name());
  assert.is(screen.queryByText('That is too late.'), null);
  const together = 'A policy can notify again at most once a minute.';
  fakeApi.reject(SAVE, 400, [{ message: together, path: 'steps' }]);
  save();
  assert.is((await screen.findByText(together)).id, 'steps-error');
  assert.is(document.activeElement, minutesField(1), 'the steps are in sight');
  fakeApi.loseRequests(SAVE);
  save();
  await screen.findByText('Failed to save the policy.');
  assert.is(name().value, 'Gale');
  assert.is(minutesField(1).value, '30');
  fakeApi.reply(SAVE, storm);
  save();
  await notices().findByText('Policy saved.');
});

test('saves a policy once for two presses', async () => {
  await open();
  pressElement(button('Add policy'));
  typeInto(name(), 'Night');
  const release = fakeApi.holdReplies(ADD);
  save();
  pressElement(await findButton('Saving…'));
  release();
  await notices().findByText('Policy added.');
  assert.is(fakeApi.requestsTo(ADD).length, 1);
});

test('keeps changes made while saving for the next save', async () => {
  await open();
  pressElement(button('Add policy'));
  typeInto(name(), 'Night');
  fakeApi.reply(ADD, createPolicy(9, { name: 'Night' }));
  fakeApi.reply(LIST, { policies: [createPolicy(9, { name: 'Night' })] });
  const release = fakeApi.holdReplies(ADD);
  save();
  await findButton('Saving…');
  typeInto(name(), 'Night and day');
  release();
  await notices().findByText('Policy added.');
  await screen.findByRole('heading', { name: 'Policies (1)' });
  assert.is(screen.getByRole('heading', { name: /^Edit/ }).textContent, 'Edit “Night”');
  assert.is(name().value, 'Night and day');
  assert.ok(screen.getByText('Editing'), 'it is the policy that was added');
  pressElement(await findButton('Save policy'));
  await notices().findByText('Policy saved.');
  assert.is(fakeApi.requestsTo(SAVE)[0].params.id, '9');
  assert.is((lastBody(SAVE) as Policy).name, 'Night and day');
  assert.is(screen.queryByRole('textbox', { name: 'Name' }), null);
});

test('leaves a newly begun policy alone when another is saved or deleted', async () => {
  await open(storm, onCall);
  const { confirm } = globalThis;
  globalThis.confirm = () => true;
  try {
    pressElement(button('Edit Storm'));
    typeInto(name(), 'Gale');
    const saved = fakeApi.holdReplies(SAVE);
    save();
    await findButton('Saving…');
    pressElement(button('Edit On-call'));
    await waitFor(() => assert.is(name().value, 'On-call'));
    saved();
    await notices().findByText('Policy saved.');
    assert.is(name().value, 'On-call');
    pressElement(button('Delete'));
    fakeApi.reply(DELETE, { message: 'Deleted.' });
    const deleted = fakeApi.holdReplies(DELETE);
    pressInDialog('Delete');
    await dialog().findByRole('button', { name: 'Deleting…' });
    pressEscape();
    pressElement(await findButton('Edit Storm'));
    await waitFor(() => assert.is(name().value, 'Storm'));
    deleted();
    await notices().findByText('Policy deleted.');
    assert.is(name().value, 'Storm');
  } finally {
    globalThis.confirm = confirm;
  }
});

test('retries a policy with the same key after a lost response, and adds it once', async () => {
  await open();
  pressElement(button('Add policy'));
  typeInto(name(), 'Lost');
  fakeApi.loseRequests(ADD);
  save();
  await screen.findByText('Failed to save the policy.');
  fakeApi.reply(ADD, createPolicy(9, { name: 'Lost' }));
  pressElement(await findButton('Save policy'));
  await notices().findByText('Policy added.');
  const [first, again] = fakeApi
    .requestsTo(ADD)
    .map(({ headers }) => headers.get('Idempotency-Key'));
  assert.match(first ?? '', /^[0-9a-f]{32}$/);
  assert.is(again, first);
});

test('does not require everyone while the number of answers is edited', async () => {
  await open(onCall);
  pressElement(button('Edit On-call'));
  const quorum = screen.getByRole('spinbutton', { name: 'Answers needed' });
  typeInto(quorum, '');
  assert.match(note() ?? '', /Stops when enough people have answered or the message expires\.$/);
  typeInto(quorum, '9');
  fakeApi.reject(SAVE, 400, [{ message: 'There are fewer people.', path: 'quorum' }]);
  save();
  await screen.findByText('There are fewer people.');
  assert.is(document.activeElement, quorum);
  pressElement(screen.getByRole('radio', { name: 'Everyone has answered' }));
  assert.is(screen.queryByText('There are fewer people.'), null);
  assert.match(note() ?? '', /Stops when everyone has answered/);
});

test('returns the focus to the button after a failed save', async () => {
  await open(storm);
  pressElement(button('Edit Storm'));
  fakeApi.reject(SAVE, 500);
  const release = fakeApi.holdReplies(SAVE);
  save();
  await findButton('Saving…');
  loseFocus(); // browsers do so when the button is disabled
  release();
  await screen.findByText('Failed to save the policy.');
  await waitFor(() => assert.is(document.activeElement, button('Save policy')));
});

test('reports a failed save after leaving', async () => {
  await open(storm);
  pressElement(button('Edit Storm'));
  fakeApi.reject(SAVE, 500);
  const release = fakeApi.holdReplies(SAVE);
  save();
  await findButton('Saving…');
  cleanup();
  showScreen(<p>Elsewhere</p>, '/messages');
  release();
  await notices().findByText('Failed to save the policy.');
});

test('requires what a step needs before saving', async () => {
  await open(storm);
  pressElement(button('Add policy'));
  for (const [action, which] of [
    ['Notify a topic', 'which topic'],
    ['Call a webhook', 'which webhook'],
  ] as const) {
    chooseOption(list(1, 'what happens'), action);
    assert.equal([list(1, which).value, list(1, which).required], ['', true]);
  }
  pressElement(screen.getByRole('radio', { name: 'Enough people have answered' }));
  const quorum = screen.getByRole<HTMLInputElement>('spinbutton', {
    name: 'Answers needed',
  });
  assert.equal(
    [name().required, minutesField(1).required, quorum.required, list(1, 'what happens').required],
    [true, true, true, true],
  );
  // The server's maximum, in half minutes.
  assert.equal(
    [minutesField(1).min, minutesField(1).max, minutesField(1).step],
    ['1', '1440', 'any'],
  );
  assert.equal([quorum.min, quorum.max], ['1', '1000000']);
});

test('offers hundreds of topics, and keeps a deleted one until changed', async () => {
  await open({ ...storm, steps: [{ after: 120, action: 'notify', topicId: 99 }] });
  fakeApi.reply(
    'GET /api/admin/topics',
    topicPages(numbersUpTo(500).map((id) => createTopic(id + 100, { title: `Topic no. ${id}` }))),
  );
  pressElement(button('Edit Storm'));
  await waitFor(() => assert.is(list(1, 'which topic').options.length, 502));
  assert.is(list(1, 'which topic').value, '99');
  assert.ok(note()?.startsWith('Notifies a topic after 2 min.'));
  chooseOption(list(1, 'which topic'), 'Topic no. 500');
  assert.ok(note()?.startsWith('Notifies Topic no. 500 after 2 min.'));
});

test('shows failed topics with Retry', async () => {
  await open(storm);
  fakeApi.reject('GET /api/admin/topics', 500);
  pressElement(button('Edit Storm'));
  await screen.findByText('Failed to load topics.');
  fakeApi.reply('GET /api/admin/topics', topicPages([createTopic(5, { title: 'Control room' })]));
  pressElement(button('Retry'));
  await waitFor(() => assert.ok(note()?.includes('Notifies Control room')));
});

test('links to webhooks when there are none, and keeps the draft', async () => {
  await open();
  fakeApi.reply(WEBHOOKS, { webhooks: [] });
  pressElement(button('Add policy'));
  typeInto(name(), 'Night');
  chooseOption(list(1, 'what happens'), 'Call a webhook');
  await screen.findByText(/^There are no webhooks yet\./);
  pressElement(button('Add a step'));
  assert.is(screen.getAllByText(/^There are no webhooks yet\./).length, 1, 'at its step alone');
  assert.is(document.querySelector('.steps a')?.getAttribute('href'), '/admin/webhooks');
  cleanup();
  await open();
  assert.is(name().value, 'Night');
  assert.is(document.activeElement, screen.getByRole('heading', { level: 1 }));
  cleanup();
  signInAs('ADMIN', { id: person++ });
  await open();
  assert.is(screen.queryByRole('textbox', { name: 'Name' }), null, 'the next person finds nothing');
});

test('confirms before replacing a changed policy by another', async () => {
  await open(storm, onCall);
  const { confirm } = globalThis;
  const questions: string[] = [];
  let isConfirmed = false;
  globalThis.confirm = (question) => {
    questions.push(question ?? '');
    return isConfirmed;
  };
  try {
    pressElement(button('Edit Storm'));
    pressElement(button('Edit On-call'));
    assert.is(questions.length, 0, 'nothing changed');
    await waitFor(() => assert.is(name().value, 'On-call'));
    typeInto(name(), 'On-call, north');
    pressElement(button('Edit Storm'));
    assert.is(name().value, 'On-call, north');
    isConfirmed = true;
    pressElement(button('Edit Storm'));
    await waitFor(() => assert.is(name().value, 'Storm'));
    assert.is(questions.length, 2);
  } finally {
    globalThis.confirm = confirm;
  }
});

test('restores a policy on Cancel', async () => {
  await open(storm);
  pressElement(button('Edit Storm'));
  typeInto(name(), 'Gale');
  const cancel = button('Cancel');
  cancel.focus();
  pressElement(cancel);
  assert.is(screen.queryByRole('textbox', { name: 'Name' }), null);
  await waitFor(() => assert.is(document.activeElement, screen.getByRole('heading', { level: 1 })));
  pressElement(button('Edit Storm'));
  assert.is(name().value, 'Storm');
});

test('confirms deletion with the number of topics that lose the policy', async () => {
  await open(storm, onCall);
  pressElement(button('Edit On-call'));
  pressElement(button('Delete'));
  assert.match(
    screen.getByRole('dialog').textContent ?? '',
    'Delete the policy “On-call”? 2 topics use it and will have no policy. Messages already sent or scheduled keep the policy.',
  );
  fakeApi.reject(DELETE, 500);
  pressInDialog('Delete');
  await dialog().findByText('Failed to delete the policy.');
  fakeApi.reply(DELETE, { message: 'Deleted.' });
  fakeApi.reply(LIST, { policies: [storm] });
  pressInDialog('Delete');
  await notices().findByText('Policy deleted.');
  await screen.findByRole('heading', { name: 'Policies (1)' });
  assert.is(fakeApi.requestsTo(DELETE)[0].params.id, '2');
  assert.is(screen.queryByRole('textbox', { name: 'Name' }), null);
});

test('drops a policy from the list when Delete finds it gone', async () => {
  await open(storm);
  pressElement(button('Edit Storm'));
  pressElement(button('Delete'));
  fakeApi.reject(DELETE, 404, 'This policy does not exist.');
  fakeApi.reply(LIST, { policies: [] });
  pressInDialog('Delete');
  await dialog().findByText('This policy does not exist.');
  await waitFor(() => assert.ok(screen.getByText('No policies yet')));
});

test('adds an edited policy again when someone else deleted it', async () => {
  await open(storm);
  pressElement(button('Edit Storm'));
  typeInto(name(), 'Gale');
  fakeApi.reject(SAVE, 404, 'There is no such policy.');
  fakeApi.reply(LIST, { policies: [] });
  save();
  await screen.findByText('There is no such policy.');
  await screen.findByRole('heading', { name: 'Add policy' });
  assert.is(screen.queryByRole('button', { name: 'Delete' }), null);
  save();
  await notices().findByText('Policy added.');
  assert.is((lastBody(ADD) as Policy).name, 'Gale');
});

test.run();
