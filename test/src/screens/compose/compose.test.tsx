import { cleanup } from '@testing-library/preact';
import * as assert from 'uvu/assert';
import type { Audience, Template } from '../../../../src/shared/contract';
import { Compose } from '../../../../src/screens/compose/Compose';
import {
  act,
  button,
  chooseOption,
  clock,
  dialog,
  fakeApi,
  findButton,
  fireEvent,
  notices,
  openDialog,
  pressElement,
  pressInDialog,
  screen,
  screenSuite,
  showScreen,
  typeInto,
  waitFor,
  within,
} from '../../../support/app/app';
import { allowCopying, setOnline } from '../../../support/app/browser';
import { shortPause } from '../../../support/eventually';
import {
  numbersUpTo,
  createSentMessage,
  createSubscriber,
  createTopic,
  createUser,
} from '../../../support/app/factories/people';
import { createTeam, teamPages } from '../../../support/app/factories/teams';
import { createPolicy } from '../../../support/app/factories/setup';
import { endSession, signInAs } from '../../../support/app/session';

const test = screenSuite('new message');
const ME = 41;
test.before.each(() => void signInAs('ADMIN', { id: ME }));
test.after.each(endSession);

const SEND = 'POST /api/admin/messages';
const AUDIENCE = 'POST /api/admin/messages/audience';
const TOPICS = 'GET /api/admin/topics';
const USERS = 'GET /api/admin/users';
const SUBSCRIBERS = 'GET /api/admin/topics/:id/subscribers';
const TEMPLATES = 'GET /api/admin/templates';
const POLICIES = 'GET /api/admin/policies';
const NO_ONE: Audience = { people: 0, reachable: 0, muted: 0, unreachable: 0, held: 0 };
const ALL: Audience = { ...NO_ONE, people: 31, reachable: 31 };
const UNDOABLE: Audience = { ...ALL, canUndo: true };
const noPeople = { ...createSentMessage('m1').people, total: 0 };
const storm: Template = {
  id: 3,
  name: 'Storm: stop work',
  title: 'Storm',
  message: 'Stop all work.',
  priority: 'urgent',
  answers: ['On my way', 'Got it', 'Can’t'],
  link: '/subscriptions',
};

function openCompose(
  audience: Audience = ALL,
  policies = [createPolicy(3, { name: 'Storm' })],
): void {
  fakeApi.reply(TEMPLATES, { templates: [storm] });
  fakeApi.reply(POLICIES, { policies });
  fakeApi.reply(AUDIENCE, audience);
  fakeApi.reply(TOPICS, ({ query }) => {
    const topics = [
      createTopic(1, { title: 'Storm warnings', policyId: 3 }),
      createTopic(2, { title: 'Outages' }),
    ];
    const matchingTopics = topics.filter(({ title }) =>
      title.toLowerCase().includes((query.query ?? '').toLowerCase()),
    );
    return { topics: matchingTopics, total: matchingTopics.length, page: 1, limit: 5 };
  });
  fakeApi.reply(USERS, ({ query }) => {
    const users = [
      createUser(8, { username: 'lead.north' }),
      createUser(9, {
        username: 'sana.rahimi',
        status: 'PENDING',
        registrationToken: 'secret-of-sana',
      }),
    ].filter(({ username }) => username.includes(query.query ?? ''));
    return { users, total: users.length, page: 1, limit: 5 };
  });
  fakeApi.reply(SUBSCRIBERS, []);
  fakeApi.reply(SEND, { message: 'Sent to 31 people.', messageId: 'm1', notified: true });
  showScreen(<Compose />, '/admin/messages/new');
}

const box = () =>
  screen.getByRole<HTMLInputElement>('combobox', { name: 'Add a topic, a team or a person' });
const field = (name: string | RegExp) => screen.getByRole<HTMLInputElement>('textbox', { name });
const message = () => field(/^Message/);
const options = () => [...document.querySelectorAll('[role="option"]')].map(optionText);
/** Without a person’s initials. */
const optionText = (option: Element | null | undefined) =>
  option?.textContent?.replace(/^LN(?=lead)/, '');
const PERSON = 'lead.north user8@northgrid.example';
const key = (name: string) => fireEvent.keyDown(box(), { key: name });
async function search(text: string): Promise<HTMLElement> {
  typeInto(box(), text);
  await clock.advance(250);
  return within(await screen.findByRole('listbox')).findByRole('option');
}
async function add(text: string): Promise<void> {
  pressElement(await search(text));
  await clock.advance(300);
}
async function fill(text = 'Stop all work.'): Promise<HTMLButtonElement> {
  typeInto(message(), text);
  await add('storm');
  const send = await findButton(/^Send to \d/);
  await waitFor(() => assert.is(send.disabled, false));
  return send;
}
const keys = () => fakeApi.requestsTo(SEND).map(({ headers }) => headers.get('Idempotency-Key'));

test('finds topics and people while typing, and adds them by keyboard', async () => {
  openCompose();
  assert.is(box().getAttribute('aria-expanded'), 'false');
  typeInto(box(), 'o');
  await clock.advance(250);
  await waitFor(() => assert.equal(options(), ['Outages Topic', 'Storm warnings Topic', PERSON]));
  assert.is(fakeApi.requestsTo(TOPICS).length, 1, 'requested once typing pauses');
  assert.is(box().getAttribute('aria-expanded'), 'true');
  const active = () =>
    optionText(document.getElementById(box().getAttribute('aria-activedescendant') ?? ''));
  assert.is(active(), 'Outages Topic', 'the name that begins with the text');
  key('ArrowUp');
  assert.is(active(), PERSON);
  key('ArrowDown');
  assert.is(active(), 'Outages Topic');
  assert.is(
    document.querySelector('[role="option"][aria-selected="true"]')?.textContent,
    'Outages Topic',
  );
  key('Enter');
  assert.ok(button('Remove Outages'));
  assert.is(box().value, '');
  assert.is(document.activeElement, box());
  assert.is(fakeApi.requestsTo(SEND).length, 0, 'Enter there does not send');
});

test('counts and sends to a team, once to each person', async () => {
  fakeApi.reply(
    'GET /api/admin/teams',
    teamPages([createTeam(5, { name: 'North crew', members: 14 })]),
  );
  openCompose();
  typeInto(box(), 'crew');
  await clock.advance(250);
  fireEvent.click(await screen.findByRole('option', { name: 'North crew Team · 14 people' }));
  assert.is(button('Remove North crew').closest('li')?.textContent, 'North crew 14 ✕');
  await clock.advance(300);
  await waitFor(() =>
    assert.equal(fakeApi.requestsTo(AUDIENCE).at(-1)?.body, { teamIds: [5], priority: 'normal' }),
  );
  typeInto(screen.getByLabelText(/^Message/), 'Come back.');
  fakeApi.reply(SEND, { message: 'Sent.', messageId: 'm1', notified: true } as never);
  pressElement(await findButton(/^Send to \d/));
  await waitFor(() => assert.is(fakeApi.requestsTo(SEND).length, 1));
  const { teamIds } = fakeApi.requestsTo(SEND)[0]!.body as { teamIds?: number[] };
  assert.equal(teamIds, [5]);
});

test('offers picked recipients only once, and removes them on request', async () => {
  openCompose();
  await add('storm');
  typeInto(box(), 'o');
  await clock.advance(250);
  await waitFor(() => assert.equal(options(), ['Outages Topic', PERSON]));
  key('Escape');
  assert.equal(options(), []);
  assert.is(box().value, 'o');
  key('Escape');
  assert.is(box().value, '');
  pressElement(button('Remove Storm warnings'));
  assert.is(screen.queryByRole('button', { name: 'Remove Storm warnings' }), null);
  assert.is(document.activeElement, box());
});

test('reports a search without results and a failed one', async () => {
  openCompose();
  typeInto(box(), 'zzz');
  await clock.advance(250);
  await screen.findByText('No results for “zzz”. Try a shorter search.');
  fakeApi.reject(USERS, 500, 'Something broke.');
  typeInto(box(), 'storm');
  await clock.advance(250);
  await screen.findByText('Something broke.');
});

test('counts the recipients 300 ms after the last change, without zero parts', async () => {
  openCompose({ people: 31, reachable: 26, muted: 1, unreachable: 4, held: 0 });
  pressElement(await search('storm'));
  await clock.advance(299);
  assert.is(fakeApi.requestsTo(AUDIENCE).length, 0);
  await clock.advance(1);
  const line = (await screen.findByText('31 recipients')).closest('[role="status"]');
  assert.match(line?.textContent ?? '', /^31 recipients/);
  assert.equal(
    [...(line?.querySelectorAll('.chip') ?? [])].map(({ textContent }) => textContent),
    ['26 reachable', '1 muted', '4 not reachable'],
  );
  assert.equal(fakeApi.requestsTo(AUDIENCE)[0]?.body, { topicIds: [1], priority: 'normal' });
  assert.ok(screen.getByText('26 of 31 reachable'));
  fakeApi.reply(AUDIENCE, { ...NO_ONE, people: 1, reachable: 1 });
  await add('lead');
  await findButton('Send to 1 person');
  // The list of people who won't be notified looks the person up alone, before or after it.
  const counted = fakeApi
    .requestsTo(AUDIENCE)
    .find(({ body }) => 'topicIds' in (body as object) && 'userIds' in (body as object));
  assert.equal(counted?.body, { topicIds: [1], userIds: [8], priority: 'normal' });
  assert.is(screen.queryByText(/muted|not reachable/), null);
});

test('counts the people in quiet hours, with the last end, by priority', async () => {
  openCompose();
  const endOfDay = (days: number) => {
    const date = new Date();
    date.setDate(date.getDate() + days);
    date.setHours(23, 59);
    return date;
  };
  const tomorrow = endOfDay(1);
  const [weekday] = tomorrow.toDateString().split(' ');
  const ends = {
    info: [2, endOfDay(0).toISOString(), '2 held until 23:59'],
    normal: [1, tomorrow.toISOString(), `1 held until ${weekday} 23:59`],
    urgent: [3, null, '3 held'],
  } as const;
  fakeApi.reply(AUDIENCE, ({ body }) => {
    const [held, heldUntil] = ends[(body as { priority: keyof typeof ends }).priority];
    return { ...NO_ONE, people: 31, reachable: 31 - held, held, heldUntil };
  });
  await add('storm');
  await screen.findByText(ends.normal[2]);
  for (const [name, [held, , words]] of [
    ['Info', ends.info],
    ['Urgent', ends.urgent],
  ] as const) {
    pressElement(screen.getByRole('radio', { name }));
    await clock.advance(300);
    assert.is((await screen.findByText(words)).dataset.state, 'on_its_way');
    assert.ok(
      screen.getByText(
        `${31 - held} of 31 reachable now. ${held} will be notified after quiet hours.`,
      ),
    );
  }
});

test('shows a failed count with Retry, and still sends', async () => {
  openCompose();
  fakeApi.loseRequests(AUDIENCE);
  typeInto(message(), 'Stop');
  await add('storm');
  await screen.findByText('Failed to count the recipients.');
  assert.is(button('Send').disabled, false);
  fakeApi.reply(AUDIENCE, ALL);
  pressElement(button('Retry'));
  await findButton('Send to 31 people');
});

test('explains why nothing can be sent without recipients', async () => {
  openCompose(NO_ONE);
  typeInto(message(), 'Stop');
  assert.ok(screen.getByText('Add at least one recipient.'));
  assert.is(button('Send').disabled, true);
  await add('storm');
  assert.ok(await screen.findByText('Add at least one recipient.'));
  assert.is((await findButton('Send to 0 people')).disabled, true);
});

test('sends a message with all chosen options, and opens it', async () => {
  openCompose(UNDOABLE);
  const send = await fill('  Stop all work.\n');
  typeInto(field(/^Title/), ' Storm ');
  const folded = field(/^Link/).closest('details') as HTMLDetailsElement;
  assert.is(folded.open, false);
  typeInto(field(/^Link/), '/subscriptions');
  assert.is(folded.open, true, 'what is set is not folded');
  pressElement(screen.getByRole('radio', { name: 'Urgent' }));
  assert.ok(screen.getByText(/^Makes a sound and stays on the screen/));
  pressElement(button('Remove answer Got it'));
  assert.ok(screen.getByText('No answer requested.'));
  typeInto(field('Add an answer'), 'On my way');
  fireEvent.keyDown(field('Add an answer'), { key: 'Enter' });
  typeInto(field('Add an answer'), 'Can’t');
  pressElement(button('Add'));
  await clock.advance(300);
  await waitFor(() => assert.is(send.disabled, false));
  pressElement(send);
  const lines = await waitFor(() => within(dialog().getByRole('list')).getAllByRole('listitem'));
  await dialog().findByText('Uses the policy of Storm warnings: Storm.');
  assert.equal(
    lines.map(({ textContent }) => textContent),
    [
      'Recipients Storm warnings: 31 people',
      'Title Storm',
      'Message   Stop all work.\n',
      'Priority Urgent',
      'Answers On my way Can’t',
      'Escalation Uses the policy of Storm warnings: Storm.',
      'When Now. You can undo this for 5 seconds.',
    ],
  );
  pressInDialog('Send to 31 people');
  await notices().findByRole('button', { name: 'Undo' });
  assert.equal(fakeApi.requestsTo(SEND)[0]?.body, {
    topicIds: [1],
    message: 'Stop all work.',
    link: '/subscriptions',
    priority: 'urgent',
    answers: ['On my way', 'Can’t'],
    title: 'Storm',
    undoSeconds: 5,
  });
  assert.is(location.pathname, '/admin/messages/m1');
  fakeApi.reply(
    'POST /api/admin/messages/:id/cancel',
    createSentMessage('m1', { people: noPeople }),
  );
  pressElement(button('Undo'));
  const edit = await notices().findByRole('link', { name: 'Edit message' });
  assert.is(edit.getAttribute('href'), '/admin/messages/new');
  assert.is(message().value, '  Stop all work.\n', 'editing is possible');
});

test('lets the sender undo a message of normal priority, too', async () => {
  openCompose(UNDOABLE);
  pressElement(await fill());
  await notices().findByRole('button', { name: 'Undo' });
  assert.match(JSON.stringify(fakeApi.requestsTo(SEND)[0]?.body), '"undoSeconds":5');
});

test('says which of two topics gives title and policy, and lets the sender change it', async () => {
  openCompose();
  await fill();
  assert.is(screen.queryByLabelText('Use the title and policy of'), null);
  await add('outages');
  await screen.findByText(
    'The title is “Storm warnings”. Uses the policy of Storm warnings: Storm.',
  );
  chooseOption(screen.getByLabelText('Use the title and policy of'), 'Outages');
  await screen.findByText('The title is “Outages”. Outages has no policy.');
  typeInto(field(/^Title/), 'Storm');
  await screen.findByText('Outages has no policy.');
  typeInto(field(/^Title/), '');
  await clock.advance(300);
  pressElement(await findButton('Send to 31 people'));
  await waitFor(() =>
    assert.match(
      JSON.stringify(fakeApi.requestsTo(SEND)[0]?.body),
      /"topicIds":\[2,1\].*"title":"Outages"/,
    ),
  );
});

test('allows three answers, and another only after removing one', async () => {
  openCompose();
  for (const answer of ['Yes', 'No']) {
    typeInto(field('Add an answer'), answer);
    pressElement(button('Add'));
  }
  await screen.findByText(/^3 of 3 answers\. Remove one to add another\./);
  assert.is(screen.queryByRole('textbox', { name: 'Add an answer' }), null);
  pressElement(button('Remove answer No'));
  assert.ok(field('Add an answer'));
});

test('sends translations with the answers in their places, and keeps them in the draft', async () => {
  openCompose();
  const send = await fill();
  pressElement(button('Add translations'));
  chooseOption(await screen.findByLabelText('Add a language'), 'Deutsch (German)');
  typeInto(field('Message in German'), 'Alle Arbeiten einstellen.');
  typeInto(field(/^Answer .*Got it.* in German$/), 'Verstanden');
  pressElement(send);
  await waitFor(() => assert.is(fakeApi.requestsTo(SEND).length, 1));
  const { translations } = fakeApi.requestsTo(SEND)[0]!.body as { translations?: object };
  assert.equal(translations, {
    de: { message: 'Alle Arbeiten einstellen.', answers: ['Verstanden'] },
  });
});

test('drafts a translation on the device, and sends it only once it is confirmed', async () => {
  Object.assign(globalThis, {
    Translator: {
      availability: async ({ targetLanguage }: { targetLanguage: string }) =>
        targetLanguage === 'de' ? 'downloadable' : 'unavailable',
      create: async () => ({
        translate: async (text: string) => `${text} (de)`,
        destroy: () => undefined,
      }),
    },
  });
  try {
    openCompose();
    const send = await fill();
    pressElement(button('Add translations'));
    const languages = await screen.findByLabelText('Add a language');
    chooseOption(languages, 'Polski (Polish)');
    chooseOption(languages, 'Deutsch (German)');
    pressElement(await screen.findByRole('button', { name: 'Translate with this browser' }));
    const draft = within(await screen.findByRole('region', { name: 'Draft in German' }));
    assert.is(field('Message in German').value, '');
    pressElement(draft.getByRole('button', { name: 'Use this translation' }));
    assert.match(field('Message in German').value, '(de)');
    pressElement(button('Remove Polish'));
    pressElement(send);
    await waitFor(() => assert.is(fakeApi.requestsTo(SEND).length, 1));
    const { translations } = fakeApi.requestsTo(SEND)[0]!.body as { translations: { de: object } };
    assert.equal((translations.de as { answers: string[] }).answers, ['Got it (de)']);
  } finally {
    Reflect.deleteProperty(globalThis, 'Translator');
  }
});

test('says which two answers Android shows, and lets the sender move one to the top', async () => {
  openCompose();
  const picked = () =>
    [...document.querySelectorAll('.picked bdi')].map(({ textContent }) => textContent);
  pressElement(button('Safe / Need help'));
  assert.equal(picked(), ['Safe', 'Need help']);
  assert.is(screen.queryByText(/Android shows/), null);
  typeInto(field('Add an answer'), 'Later');
  pressElement(button('Add'));
  const shownElement = await screen.findByText(/Android shows/);
  assert.match(
    shownElement.textContent ?? '',
    'the first two on the lock screen: Safe and Need help.',
  );
  pressElement(button('Move answer Later to the top'));
  assert.equal(picked(), ['Later', 'Safe', 'Need help']);
  assert.match(shownElement.textContent ?? '', ': Later and Safe.');
  assert.is(document.activeElement, button('Remove answer Later'));
});

test('preselects the answers that call for help, and sends the sender’s choice', async () => {
  openCompose();
  const send = await fill();
  pressElement(button('Safe / Need help'));
  const choice = await screen.findByRole('group', { name: 'Answers that call for help' });
  const answerBox = (name: string) =>
    within(choice).getByRole<HTMLInputElement>('checkbox', { name });
  const checked = () =>
    [...choice.querySelectorAll('input')].map(({ checked: isChecked }) => isChecked);
  assert.equal(checked(), [false, true]);
  pressElement(answerBox('Safe'));
  pressElement(answerBox('Need help'));
  assert.equal(checked(), [true, false]);
  typeInto(field('Add an answer'), 'SOS');
  pressElement(button('Add'));
  await waitFor(() => assert.equal(checked(), [true, false, true]));
  pressElement(button('Remove answer Safe'));
  pressElement(send);
  await waitFor(() => assert.is(fakeApi.requestsTo(SEND).length, 1));
  const { answers, helpAnswers } = fakeApi.requestsTo(SEND)[0]!.body as Record<string, string[]>;
  assert.equal([answers, helpAnswers], [['Need help', 'SOS'], ['SOS']]);
});

test('does not show green success when no one is notified', async () => {
  openCompose();
  const send = await fill();
  fakeApi.reply(SEND, {
    message: 'Sent, but no one is being notified.',
    messageId: 'm1',
    notified: false,
  });
  pressElement(send);
  const notice = await notices().findByText('Sent, but no one is being notified.');
  assert.is(notice.closest<HTMLElement>('.note')?.dataset.tone, 'warn');
});

test('shows a scheduled message with its time and Cancel', async () => {
  openCompose(NO_ONE);
  typeInto(message(), 'Stop');
  await add('storm');
  pressElement(screen.getByRole('radio', { name: 'Later' }));
  assert.is((await findButton('Schedule for 0 people')).disabled, true, 'it has no time yet');
  const at = '2027-01-05T07:30';
  typeInto(screen.getByLabelText('Send at'), at);
  chooseOption(screen.getByRole('combobox', { name: 'Expires' }), 'Choose a time');
  const schedule = button('Schedule for 0 people');
  assert.is(schedule.disabled, true, 'it has no end yet');
  typeInto(screen.getByLabelText('Expires at'), '2027-01-05T09:00');
  assert.is(schedule.disabled, false, 'the later audience is unknown');
  fakeApi.reply(SEND, { message: 'Scheduled.', messageId: 'm2', notified: true });
  pressElement(schedule);
  const notice = await notices().findByText('Scheduled.');
  assert.is(notice.closest<HTMLElement>('.note')?.dataset.tone || 'none', 'none');
  await clock.advance(14_000);
  const body = fakeApi.requestsTo(SEND)[0]?.body as { sendAt: string; expiresAt: string };
  assert.is(body.sendAt, new Date(at).toISOString());
  assert.is(body.expiresAt, new Date('2027-01-05T09:00').toISOString());
  fakeApi.reject(
    'POST /api/admin/messages/:id/cancel',
    409,
    'You can no longer cancel this message.',
  );
  pressElement(notices().getByRole('button', { name: 'Cancel sending' }));
  await notices().findByText('You can no longer cancel this message.');
  assert.is(notices().queryByText('Scheduled.'), null);
  assert.is(fakeApi.requestsTo('POST /api/admin/messages/:id/cancel')[0]?.params.id, 'm2');
});

test('sends to me first alone, as a test, and keeps the draft', async () => {
  openCompose();
  await fill();
  fakeApi.reply(SEND, { message: 'Sent to you.', messageId: 'me', notified: true });
  pressElement(button('Send to me first'));
  await notices().findByText('Sent to you.');
  assert.equal(fakeApi.requestsTo(SEND)[0]?.body, {
    userIds: [ME],
    message: 'Stop all work.',
    priority: 'normal',
    answers: ['Got it'],
    title: 'Test: Storm warnings',
  });
  assert.is(message().value, 'Stop all work.');
  assert.is(location.pathname, '/admin/messages/new');
  fakeApi.reply(AUDIENCE, { people: 1, reachable: 0, muted: 0, unreachable: 1, held: 0 });
  await waitFor(() => assert.is(button('Send to me first').disabled, false));
  pressElement(button('Send to me first'));
  await notices().findByText(/^Nothing sent\. You have no device with notifications\./);
  assert.equal(fakeApi.requestsTo(AUDIENCE).at(-1)?.body, { userIds: [ME], priority: 'normal' });
  assert.is(fakeApi.requestsTo(SEND).length, 1);
});

test('sends one message for two presses', async () => {
  openCompose();
  const send = await fill();
  const release = fakeApi.holdReplies(SEND);
  send.form?.requestSubmit();
  send.form?.requestSubmit();
  await waitFor(() => assert.is(send.getAttribute('aria-busy'), 'true'));
  assert.is(send.disabled, true);
  release();
  await notices().findByText('Sent to 31 people.');
  assert.is(fakeApi.requestsTo(SEND).length, 1);
});

test('reuses the key after a lost response, also after reload, but not for another message', async () => {
  openCompose();
  fakeApi.loseRequests(SEND);
  let send = await fill();
  fakeApi.loseRequests(SEND);
  pressElement(send);
  await screen.findByText(
    /^Failed to send the message\. We don’t know whether the message was sent\./,
  );
  cleanup();
  openCompose();
  send = await findButton('Send to 31 people');
  fakeApi.loseRequests(SEND);
  await waitFor(() => assert.is(send.disabled, false));
  pressElement(send);
  await screen.findByText(/We don’t know whether the message was sent/);
  typeInto(message(), 'Go on.');
  fakeApi.reply(SEND, { message: 'ok', messageId: 'm', notified: true });
  pressElement(send);
  await notices().findByText('ok');
  const [first, again, other] = keys();
  assert.match(first ?? '', /^[0-9a-f]{32}$/);
  assert.is(again, first);
  assert.is.not(other, first);
});

test('uses a new key after the server rejected the old one', async () => {
  openCompose();
  const send = await fill();
  for (const [status, sentence] of [
    [409, 'This key stands for something else.'],
    [400, 'It would end before it leaves.'],
  ] as const) {
    fakeApi.reject(SEND, status, sentence);
    pressElement(send);
    await screen.findByText(sentence);
  }
  fakeApi.reject(SEND, 429, 'Too many requests.');
  pressElement(send);
  await screen.findByText('Too many requests.');
  fakeApi.reply(SEND, { message: 'ok', messageId: 'm', notified: true });
  pressElement(send);
  await notices().findByText('ok');
  const [conflict, refused, later, sent] = keys();
  assert.is(new Set([conflict, refused, later]).size, 3);
  assert.is(sent, later, 'an earlier attempt may have arrived');
});

test('sends the same text as a new message after the first one arrived', async () => {
  openCompose();
  let send = await fill();
  const release = fakeApi.holdReplies(SEND);
  pressElement(send);
  await waitFor(() => assert.is(fakeApi.requestsTo(SEND).length, 1));
  typeInto(message(), 'Go on.');
  release();
  await notices().findByText('Sent to 31 people.');
  cleanup();
  openCompose();
  assert.is(message().value, 'Go on.');
  typeInto(message(), 'Stop all work.');
  send = await findButton('Send to 31 people');
  await waitFor(() => assert.is(send.disabled, false));
  pressElement(send);
  await waitFor(() => assert.is(fakeApi.requestsTo(SEND).length, 2));
  assert.is(new Set(keys()).size, 2);
});

test('uses a new key after a rejection and a reload', async () => {
  openCompose();
  fakeApi.reject(SEND, 409, 'This key stands for something else.');
  pressElement(await fill());
  await screen.findByText('This key stands for something else.');
  cleanup();
  openCompose();
  const send = await findButton('Send to 31 people');
  await waitFor(() => assert.is(send.disabled, false));
  pressElement(send);
  await waitFor(() => assert.is(fakeApi.requestsTo(SEND).length, 2));
  assert.is(new Set(keys()).size, 2);
});

test('offers this minute as earliest time, east and west of Greenwich', async () => {
  const { TZ } = process.env;
  try {
    for (const zone of ['Asia/Kolkata', 'America/St_Johns', 'UTC']) {
      process.env.TZ = zone;
      openCompose();
      pressElement(screen.getByRole('radio', { name: 'Later' }));
      const now = new Date();
      const twoDigits = (part: number) => String(part).padStart(2, '0');
      const leaves = await screen.findByLabelText<HTMLInputElement>('Send at');
      assert.is(
        leaves.min,
        `${now.getFullYear()}-${twoDigits(now.getMonth() + 1)}-${twoDigits(now.getDate())}T${twoDigits(now.getHours())}:${twoDigits(now.getMinutes())}`,
        zone,
      );
      cleanup();
      localStorage.clear();
    }
  } finally {
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
  }
});

test('reaches people named despite muted topics, and lists those without a device', async () => {
  openCompose({ people: 3, reachable: 1, muted: 1, unreachable: 1, held: 0 });
  const off = (username: string, id: number) =>
    createSubscriber(id, {
      user: { username, role: 'TECHNICIAN' },
      notificationStatus: 'disabled',
    });
  fakeApi.reply(SUBSCRIBERS, [off('lead.north', 1), off('k.lund', 2)]);
  await add('storm');
  await add('lead');
  fakeApi.reply(AUDIENCE, ({ body }) =>
    (body as { topicIds?: number[] }).topicIds
      ? { people: 3, reachable: 1, muted: 1, unreachable: 1, held: 0 }
      : { ...NO_ONE, people: 1, unreachable: 1 },
  );
  await add('sana');
  const aside = within(screen.getByRole('complementary'));
  await aside.findByText('sana.rahimi');
  assert.ok(aside.getByText('Hasn’t registered yet'));
  assert.ok(aside.getByText('k.lund'));
  assert.is(aside.queryByText('lead.north'), null);
});

test('shows the server’s rejection at its field, focuses it, and keeps everything', async () => {
  openCompose();
  const send = await fill();
  typeInto(field(/^Link/), 'example.com');
  const sentence = 'Link must be a path of the app.';
  fakeApi.reject(SEND, 400, [{ message: sentence, path: 'link' }]);
  pressElement(send);
  await screen.findByText(sentence);
  const link = field(/^Link/);
  assert.is(document.activeElement, link);
  assert.is(link.getAttribute('aria-invalid'), 'true');
  assert.is(
    document.getElementById(link.getAttribute('aria-describedby') ?? '')?.textContent,
    sentence,
  );
  assert.is(link.value, 'example.com');
  assert.is(message().value, 'Stop all work.');
  assert.ok(button('Remove Storm warnings'));
  fakeApi.reject(SEND, 400, [{ message: 'Topic 1 does not exist.', path: 'topicIds.0' }]);
  pressElement(send);
  await screen.findByText('Topic 1 does not exist.');
  assert.is(document.activeElement, box());
  assert.is(screen.queryByText(sentence), null);
  fakeApi.reject(SEND, 403, 'You may not.');
  pressElement(send);
  await screen.findByText('You may not.');
  message().focus();
  fakeApi.reject(SEND, 400, [{ message: 'Person 8 does not exist.', path: 'userIds.0' }]);
  const release = fakeApi.holdReplies(SEND);
  pressElement(send);
  await waitFor(() => assert.is(screen.queryByText('You may not.'), null, 'it is tried again'));
  release();
  await screen.findByText('Person 8 does not exist.');
  assert.is(document.activeElement, box());
});

test('restores the draft after reload until it is sent, but not for the next person', async () => {
  openCompose();
  typeInto(message(), 'Feeder 12');
  await add('storm');
  cleanup();
  assert.is(screen.queryByText('Draft restored.'), null);
  openCompose();
  assert.is(message().value, 'Feeder 12');
  assert.ok(button('Remove Storm warnings'));
  await screen.findByText('Draft restored.');
  pressElement(button('Discard draft'));
  await notices().findByText('Draft discarded.');
  assert.is(message().value, '');
  assert.is(screen.queryByText('Draft restored.'), null);
  pressElement(notices().getByRole('button', { name: 'Undo' }));
  await waitFor(() => assert.is(message().value, 'Feeder 12'));
  cleanup();
  signInAs('ADMIN', { id: 99 });
  openCompose();
  assert.is(message().value, '');
  assert.is(screen.queryByRole('button', { name: 'Remove Storm warnings' }), null);
  cleanup();
  signInAs('ADMIN', { id: ME });
  openCompose();
  assert.is(message().value, '', 'the device no longer has it');
  pressElement(await fill());
  await notices().findByText('Sent to 31 people.');
  cleanup();
  openCompose();
  assert.is(message().value, '');
  assert.is(localStorage.getItem('message_draft'), null);
});

test('ignores an unreadable draft', async () => {
  for (const draft of [
    '{',
    'null',
    '{"person":41}',
    '{"person":41,"writing":{"to":"x"},"attempts":[]}',
  ]) {
    localStorage.setItem('message_draft', draft);
    openCompose();
    assert.is(message().value, '', draft);
    cleanup();
  }
});

test('explains offline why nothing can be sent, and keeps the draft', async () => {
  openCompose();
  const send = await fill();
  await act(() => setOnline(false));
  await screen.findByText(/^You’re offline\. Your draft stays here\./);
  assert.is(send.disabled, true);
  assert.is(button('Send to me first').disabled, true);
  await act(() => setOnline(true));
  await waitFor(() => assert.is(send.disabled, false));
  assert.is(screen.queryByText(/^Offline/), null);
  assert.is(message().value, 'Stop all work.');
});

test('reports the outcome of a message after leaving, without moving the person', async () => {
  openCompose();
  const send = await fill();
  const release = fakeApi.holdReplies(SEND);
  pressElement(send);
  await waitFor(() => assert.is(fakeApi.requestsTo(SEND).length, 1));
  cleanup();
  showScreen(<p>Elsewhere</p>, '/admin');
  release();
  await notices().findByText('Sent to 31 people.');
  assert.is(location.pathname, '/admin');
});

test('lists who won’t be notified, with reason and helpful link', async () => {
  openCompose({ people: 6, reachable: 3, muted: 1, unreachable: 2, held: 0 });
  fakeApi.reply(SUBSCRIBERS, [
    createSubscriber(1),
    createSubscriber(2, {
      user: { username: 'k.lund', role: 'TECHNICIAN' },
      notificationStatus: 'disabled',
    }),
    createSubscriber(3, {
      user: { username: 'sana.rahimi', role: 'TECHNICIAN' },
      notificationStatus: 'no_devices',
    }),
    createSubscriber(4, {
      user: { username: 'bela.szabo', role: 'TECHNICIAN' },
      notificationStatus: 'no_devices',
    }),
  ]);
  await add('storm');
  const names = (await screen.findByText('3 won’t be notified', { selector: 'summary' })).closest(
    'details',
  );
  assert.is(names?.hasAttribute('open'), false, 'folded, above the buttons to send');
  names!.open = true;
  const row = async (name: string) => (await screen.findByText(name)).closest('li')?.textContent;
  assert.match((await row('k.lund')) ?? '', /Muted Storm warnings/);
  assert.match((await row('sana.rahimi')) ?? '', /Hasn’t registered yet/);
  assert.match((await row('bela.szabo')) ?? '', /No device to notify/);
  const copiedTexts = allowCopying();
  pressElement(button('Copy link for sana.rahimi'));
  await notices().findByText('Link copied.');
  pressElement(button('Copy names'));
  await notices().findByText('Names copied.');
  assert.is(copiedTexts[0], 'https://bell.example/register/secret-of-sana');
  assert.equal((copiedTexts[1] ?? '').split('\n').sort(), ['bela.szabo', 'k.lund', 'sana.rahimi']);
  assert.not.match(localStorage.getItem('message_draft') ?? '', /secret/);
  assert.is(screen.queryByRole('link', { name: 'See who' }), null, 'the list shows all');
});

test('names ten people who won’t be notified, and counts the rest', async () => {
  openCompose({ people: 40, reachable: 25, muted: 15, unreachable: 0, held: 0 });
  fakeApi.reply(
    SUBSCRIBERS,
    numbersUpTo(15).map((id) => createSubscriber(id, { notificationStatus: 'disabled' })),
  );
  await add('storm');
  const rest = await screen.findByText('And 5 more.');
  rest.closest('details')!.open = true;
  assert.is(document.querySelectorAll('.rows > li').length, 10);
  const copiedTexts = allowCopying();
  pressElement(button('Copy names'));
  await notices().findByText('Names copied.');
  assert.is(copiedTexts[0]?.split('\n').length, 15, 'all, named or not');
  const seeWho = screen.getByRole('link', { name: 'See who' });
  assert.is(seeWho.getAttribute('href'), '/admin/reach?topic=1');
  await add('outages');
  await waitFor(() => assert.is(screen.queryByRole('link', { name: 'See who' }), null));
});

test('names unnotified people without fetching 100,000 subscribers', async () => {
  openCompose({ people: 100_000, reachable: 99_990, muted: 10, unreachable: 0, held: 0 });
  await add('storm');
  await screen.findByRole('heading', { name: '10 won’t be notified' });
  assert.ok(screen.getByText('Names aren’t listed for more than 500 recipients.'));
  await shortPause(); // waits for no request
  assert.is(fakeApi.requestsTo(SUBSCRIBERS).length, 0);
});

test('previews the lock screen with title, text and two answers', async () => {
  openCompose();
  const shown = () => document.querySelector('.lockscreen')?.textContent ?? '';
  assert.match(shown(), /TopicYour message/);
  await add('storm');
  typeInto(message(), 'Feeder 12');
  assert.match(shown(), /Storm warningsFeeder 12Got it/);
  typeInto(field(/^Title/), 'Outage');
  assert.match(shown(), /OutageFeeder 12/);
  pressElement(screen.getByRole('radio', { name: 'Urgent' }));
  assert.match(shown(), /Urgent: OutageFeeder 12/);
});

test('fills the message but not its recipients from a template, and undoes it', async () => {
  openCompose();
  const calm = { ...storm, id: 4, name: 'Calm', message: 'All is well.' };
  fakeApi.reply(TEMPLATES, { templates: [storm, calm] });
  cleanup();
  showScreen(<Compose />, '/admin/messages/new');
  typeInto(message(), 'Feeder 12');
  await add('storm');
  await screen.findByRole('option', { name: 'Storm: stop work' });
  chooseOption(screen.getByRole('combobox', { name: 'Template' }), 'Storm: stop work');
  assert.is(message().value, 'Stop all work.');
  assert.is(field(/^Title/).value, 'Storm');
  assert.is(screen.getByRole<HTMLInputElement>('radio', { name: 'Urgent' }).checked, true);
  assert.ok(button('Remove answer Can’t'));
  assert.ok(button('Remove Storm warnings'));
  pressElement(
    await within(document.querySelector<HTMLElement>('.toast') as HTMLElement).findByRole(
      'button',
      { name: 'Undo' },
    ),
  );
  assert.is(message().value, 'Feeder 12');
  const list = screen.getByRole<HTMLSelectElement>('combobox', { name: 'Template' });
  assert.is(list.value, '');
  for (const name of ['Storm: stop work', 'Calm']) chooseOption(list, name);
  assert.is(message().value, 'All is well.');
  pressElement(notices().getAllByRole('button', { name: 'Undo' }).at(-1)!);
  assert.equal([message().value, list.value], ['Stop all work.', '3'], 'the one before');
});

test('saves a message as a template, deletes a template, and undoes that', async () => {
  openCompose();
  typeInto(message(), 'Power is back.');
  await openDialog('Save as template');
  typeInto(dialog().getByLabelText('Name'), 'Power is back');
  const ADD = 'POST /api/admin/templates';
  fakeApi.reject(ADD, 400, [{ message: 'This name is taken.', path: 'name' }]);
  pressInDialog('Save template');
  await dialog().findByText('This name is taken.');
  const saved = { ...storm, id: 5, name: 'Power is back' };
  fakeApi.reply(ADD, saved);
  fakeApi.reply(TEMPLATES, { templates: [storm, saved] });
  pressInDialog('Save template');
  await notices().findByText('Template saved.');
  assert.equal(fakeApi.requestsTo(ADD).at(-1)?.body, {
    name: 'Power is back',
    message: 'Power is back.',
    priority: 'normal',
    answers: ['Got it'],
  });
  fakeApi.reply('DELETE /api/admin/templates/:id', { message: 'Deleted.' });
  fakeApi.reply(TEMPLATES, { templates: [storm] });
  pressElement(await findButton('Delete template'));
  await notices().findByText('Template deleted.');
  assert.is(fakeApi.requestsTo('DELETE /api/admin/templates/:id')[0]?.params.id, '5');
  assert.is(message().value, 'Power is back.', 'what was written stays');
  await waitFor(() => assert.is(screen.queryByRole('option', { name: 'Power is back' }), null));
  fakeApi.reply(TEMPLATES, { templates: [storm, saved] });
  pressElement(notices().getByRole('button', { name: 'Undo' }));
  await screen.findByRole('option', { name: 'Power is back' });
  const { id: _, ...content } = saved;
  assert.equal(fakeApi.requestsTo(ADD).at(-1)?.body, content);
});

test('lets people write when templates cannot be read', async () => {
  openCompose();
  await screen.findByRole('option', { name: 'Storm: stop work' });
  cleanup();
  fakeApi.loseRequests(TEMPLATES);
  showScreen(<Compose />, '/admin/messages/new');
  await screen.findByText('Failed to load templates.');
  pressElement(await fill());
  await notices().findByText('Sent to 31 people.');
});

test('explains each priority, also during quiet hours', async () => {
  openCompose();
  for (const [name, sentence] of [
    ['Info', 'Arrives without a sound. During quiet hours, it’s held until they end.'],
    ['Normal', 'Makes a sound, even during quiet hours.'],
    [
      'Urgent',
      'Makes a sound and stays on the screen until opened or dismissed, even during quiet hours.',
    ],
  ] as const) {
    pressElement(await screen.findByRole('radio', { name }));
    await screen.findByText(sentence);
  }
});

const escalationList = () =>
  screen.findByRole<HTMLSelectElement>('combobox', { name: 'Escalation' });

test('keeps the topic’s policy, another or none, also after reload', async () => {
  openCompose();
  const sent = () => fakeApi.requestsTo(SEND).map(({ body }) => body);
  pressElement(await fill());
  await notices().findByText('Sent to 31 people.');
  assert.is('policyId' in (sent()[0] as object), false, 'the topic’s policy');
  cleanup();
  openCompose();
  await fill();
  const list = await escalationList();
  await within(list).findByRole('option', { name: 'Storm' });
  assert.equal(
    [...list.options].map(({ text }) => text),
    ['Use the topic’s policy', 'None', 'Storm'],
  );
  chooseOption(list, 'Storm');
  await screen.findByText(
    /^Notifies again after 2 min\. Sends emails after 10 min\. Notifies a topic after/,
  );
  cleanup();
  openCompose();
  await within(await escalationList()).findByRole('option', { name: 'Storm' });
  assert.is((await escalationList()).value, '3');
  const ready = await findButton('Send to 31 people');
  await waitFor(() => assert.is(ready.disabled, false));
  pressElement(ready);
  await waitFor(() => assert.is(sent().length, 2));
  assert.is((sent()[1] as { policyId: number }).policyId, 3);
  await waitFor(() => assert.is(message().value, ''));
  assert.is((await escalationList()).value, 'none', 'without a topic there is no policy of one');
  cleanup();
  openCompose();
  const send = await fill();
  chooseOption(await escalationList(), 'None');
  pressElement(send);
  await waitFor(() => assert.is(sent().length, 3));
  assert.is((sent()[2] as { policyId: null }).policyId, null);
  await waitFor(() => assert.is(message().value, ''));
  cleanup();
  openCompose();
  const another = await fill();
  const policies = await escalationList();
  await within(policies).findByRole('option', { name: 'Storm' });
  chooseOption(policies, 'Storm');
  chooseOption(policies, 'Use the topic’s policy');
  pressElement(another);
  await waitFor(() => assert.is(sent().length, 4));
  assert.is('policyId' in (sent()[3] as object), false, 'the topic’s policy again');
});

test('sends without policies when they cannot be read, and retries them', async () => {
  openCompose();
  cleanup();
  fakeApi.reject(POLICIES, 500);
  showScreen(<Compose />, '/admin/messages/new');
  await screen.findByText('Failed to load policies.');
  const send = await fill();
  assert.equal(
    [...(await escalationList()).options].map(({ text }) => text),
    ['Use the topic’s policy', 'None'],
  );
  fakeApi.reply(POLICIES, { policies: [createPolicy(3, { name: 'Storm' })] });
  pressElement(await findButton('Retry'));
  await within(await escalationList()).findByRole('option', { name: 'Storm' });
  pressElement(send);
  await notices().findByText('Sent to 31 people.');
});

test('shows a rejected policy at its list, and names a deleted one', async () => {
  openCompose();
  await fill();
  await within(await escalationList()).findByRole('option', { name: 'Storm' });
  chooseOption(await escalationList(), 'Storm');
  fakeApi.reject(SEND, 400, [{ message: 'There is no such policy.', path: 'policyId' }]);
  pressElement(await findButton('Send to 31 people'));
  await screen.findByText('There is no such policy.');
  const list = await escalationList();
  assert.is(list.getAttribute('aria-invalid'), 'true');
  assert.is(document.activeElement, list);
  cleanup();
  openCompose(ALL, []);
  await within(await escalationList()).findByRole('option', { name: 'Deleted policy' });
});

test.run();
