import { cleanup } from '@testing-library/preact';
import * as assert from 'uvu/assert';
import { Route } from 'wouter';
import { changeComposed, composedMessage } from '../../../../../src/state/messages/composing';
import { SentMessageScreen } from '../../../../../src/screens/sent/message/SentMessageScreen';
import type { Recipient, SentMessage } from '../../../../../src/shared/contract';
import {
  act,
  button,
  clock,
  dialog,
  fakeApi,
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
  within,
} from '../../../../support/app/app';
import {
  allowCopying,
  catchDownloads,
  rejectCopying,
  setHidden,
} from '../../../../support/app/browser';
import { shortPause } from '../../../../support/eventually';
import { endSession, signInAs } from '../../../../support/app/session';
import {
  numbersUpTo,
  createRecipient,
  createSentMessage,
  recipientPages,
} from '../../../../support/app/factories/people';

const test = screenSuite('a sent message');
const MESSAGE_CALL = 'GET /api/admin/messages/:id';
const PEOPLE = 'GET /api/admin/messages/:id/recipients';
const CSV = 'GET /api/admin/messages/:id/recipients.csv';
const CANCEL = 'POST /api/admin/messages/:id/cancel';
const REPEAT = 'POST /api/admin/messages/:id/repeat';

test.before.each(() => {
  signInAs('ADMIN');
  fakeApi.reject('GET /api/admin/messages/:id/escalation', 404); // an older server
});
test.after.each(endSession);

/** Answers 304 to a caller that has seen this. */
function serve(message: SentMessage): void {
  const tag = `"${JSON.stringify(message).length} ${JSON.stringify(message.people)}"`.replace(
    /["{}]/g,
    '',
  );
  fakeApi.respond(MESSAGE_CALL, ({ headers }) =>
    headers.get('If-None-Match') === tag
      ? new Response(null, { status: 304 })
      : new Response(JSON.stringify(message), { headers: { ETag: tag } }),
  );
}
async function open(
  message = createSentMessage('m1'),
  recipients: Recipient[] = [createRecipient(1, 'unreachable')],
  address = '/admin/messages/m1',
  state: unknown = null,
) {
  serve(message);
  // Lists all people, whichever tile is open.
  fakeApi.reply(PEOPLE, ({ query: { state: _, ...query } }) =>
    recipientPages(recipients)({ query }),
  );
  showScreen(
    <Route path="/admin/messages/:messageId" component={SentMessageScreen} />,
    address,
    state,
  );
  await screen.findByRole('heading', { level: 2, name: 'Message' });
}
const tiles = () =>
  [...screen.getByRole('navigation', { name: 'Show people by state' }).children].map(
    (each) => each.textContent,
  );
const stateLinks = () =>
  [...document.querySelectorAll('.legend a')].map((each) => each.textContent);
const currentTile = () =>
  document.querySelector('.tally [aria-current="true"]')?.textContent ?? 'no tile';
const tile = (name: string) => screen.getByRole('link', { name: new RegExp(name) });
const messageRequestCount = () => fakeApi.requestsTo(MESSAGE_CALL).length;

test('shows how many people read a translated message in which language, and who', async () => {
  fakeApi.reply('GET /api/admin/messages/:id/languages', {
    languages: [
      { language: 'ar', people: 12 },
      { language: null, people: 3 },
    ],
  });
  const ana = { ...createRecipient(1, 'read'), language: 'ar' as const };
  const tom = { ...createRecipient(2, 'read'), language: null };
  await open({ ...createSentMessage('m1'), isTranslated: true }, [ana, tom]);
  const counts = await screen.findByText(/^Languages:/);
  await waitFor(() => assert.is(counts.textContent, 'Languages: العربية 12 · Original 3'));
  await waitFor(() => {
    const rows = screen.getAllByRole('row').map(({ textContent }) => textContent ?? '');
    assert.ok(rows.some((row) => row.includes('العربية')));
    assert.not.ok(rows.some((row) => row.includes('Original')));
  });
});

test('names no languages if everyone reads the original', async () => {
  fakeApi.reply('GET /api/admin/messages/:id/languages', {
    languages: [{ language: null, people: 3 }],
  });
  const tom = { ...createRecipient(2, 'read'), language: null };
  await open({ ...createSentMessage('m1'), isTranslated: true }, [tom]);
  await waitFor(() =>
    assert.is(fakeApi.requestsTo('GET /api/admin/messages/:id/languages').length, 1),
  );
  await shortPause();
  assert.is(screen.queryByText(/Languages:|Original/), null);
});

test('shows title, text, link, sender, topics and expiry', async () => {
  await open(
    createSentMessage('m1', {
      title: 'Storm',
      message: 'Stop.\nGo home.',
      link: 'https://weather.example/',
      priority: 'urgent',
      topics: [
        { id: 1, title: 'North' },
        { id: 2, title: 'South' },
        { id: 3, title: 'East' },
      ],
    }),
  );
  await waitFor(() => assert.is(document.title, 'Storm · Fieldbell'));
  assert.ok(screen.getByRole('heading', { level: 1, name: 'Storm' }));
  assert.ok(screen.getByText(/Stop\.\s+Go home\./));
  assert.is(
    screen.getByRole('link', { name: 'https://weather.example/' }).getAttribute('href'),
    'https://weather.example/',
  );
  assert.ok(screen.getByText('Urgent'));
  const about = screen.getByText('ada.lindqvist').closest('small')?.textContent ?? '';
  assert.match(about, /^Sent .+ by ada\.lindqvist to North, South and East\. Expires tomorrow /);
});

test('hides a link to a script or disguised host', async () => {
  for (const link of ['javascript:alert(1)', '//evil.example', '/\\evil.example', 'http://x']) {
    await open(createSentMessage('m1', { link }));
    assert.is(screen.queryByText(link), null, link);
    cleanup();
  }
});

test('shows how many answered, did not and were not reached, and the latter’s names', async () => {
  await open();
  assert.equal(tiles(), [
    '18 Answered',
    '7 No answer yet',
    '6 Not reached 1 failed, 4 without a device, 1 muted',
    '31 People',
  ]);
  assert.equal(stateLinks(), [
    'Answered 18',
    'Read 2',
    'Displayed 4',
    'Accepted 1',
    'Failed 1',
    'Not reachable 4',
    'Muted 1',
  ]);
  assert.is(currentTile(), '6 Not reached 1 failed, 4 without a device, 1 muted');
  assert.equal(
    [...document.querySelectorAll<HTMLElement>('.tally ~ .meter > i')].map(
      ({ dataset, style }) => `${dataset.state} ${style.flexGrow}`,
    ),
    ['answered 18', 'read 6', 'waiting 1', 'failed 6'],
    'the bar whose four colors the links explain',
  );
  assert.equal(
    within(screen.getByRole('region', { name: 'Answers' }))
      .getAllByRole('listitem')
      .map((item) => item.textContent),
    ['On my way 11', 'Got it 7'],
  );
  await screen.findByText('user1');
  assert.ok(screen.getByRole('heading', { level: 2, name: 'Not reached 1 of 31 people' }));
  assert.equal(fakeApi.requestsTo(PEOPLE)[0].query, {
    page: '1',
    limit: '10',
    state: 'failed,unreachable,muted',
  });
  pressElement(screen.getByRole('link', { name: 'Show everyone' }));
  await waitFor(() => assert.is(fakeApi.requestsTo(PEOPLE).at(-1)?.query.state || '', ''));
  assert.is(screen.queryByRole('link', { name: 'Show everyone' }), null);
});

test('shows a tile’s people from page one, and replaces the address', async () => {
  const failedPerson = numbersUpTo(23).map((id) => createRecipient(id, 'failed'));
  await open(createSentMessage('m1'), failedPerson, '/admin/messages/m1?page=2');
  await screen.findByText('11–20 of 23 people');
  const earlierCount = history.length;
  fakeApi.reply(PEOPLE, recipientPages([...failedPerson, createRecipient(99, 'read')]));
  pressElement(tile('^Read 2$'));
  await screen.findByText('user99');
  screen.getByRole('heading', { level: 2, name: 'Read 1 of 31 people' });
  assert.is(location.search, '?show=read');
  assert.is(document.querySelector('.legend [aria-current="true"]')?.textContent, 'Read 2');
  assert.is(history.length, earlierCount, 'Back leaves the message');
});

test('keeps the first group shown while it has people', async () => {
  await open();
  assert.match(currentTile(), /^6 Not reached/);
  serve(createSentMessage('m1', { people: { failed: 2, unreachable: 3 } }));
  await clock.advance(2000);
  await waitFor(() =>
    assert.is(currentTile(), '6 Not reached 2 failed, 3 without a device, 1 muted'),
  );
  serve(
    createSentMessage('m1', { people: { displayed: 31, failed: 0, unreachable: 0, muted: 0 } }),
  );
  await clock.advance(2000);
  await waitFor(() => assert.is(currentTile(), '13 No answer yet'));
});

test('marks the tile of the listed people once a scheduled message is sent', async () => {
  await open(
    createSentMessage('m1', {
      state: 'scheduled',
      sendAt: new Date(Date.now() + 5000).toISOString(),
      people: {
        displayed: 0,
        read: 0,
        acknowledged: 0,
        accepted: 0,
        failed: 0,
        unreachable: 0,
        muted: 0,
      },
    }),
  );
  serve(createSentMessage('m1'));
  await clock.advance(2000);
  await screen.findByRole('heading', { level: 2, name: /^Not reached/ });
  assert.match(currentTile(), /^6 Not reached/);
});

test('returns to the same list page, also after filtering and searching', async () => {
  const { createHistoryEntry } = await import('../../../../../src/screens/lists/list-address');
  await open(createSentMessage('m1'), [], '/admin/messages/m1', createHistoryEntry('?page=3'));
  pressElement(tile('18 Answered'));
  await waitFor(() => assert.is(location.search, '?show=answered'));
  typeInto(screen.getByRole('searchbox', { name: 'Search Users' }), 'ana');
  await clock.advance(250);
  await waitFor(() => assert.is(location.search, '?query=ana&show=answered'));
  assert.is(
    screen.getByRole('link', { name: 'Messages' }).getAttribute('href'),
    '/admin/messages?page=3',
  );
});

test('shows state, reason and time of each person, without names of removed people', async () => {
  const at = new Date();
  at.setHours(9, 30);
  await open(createSentMessage('m1', { sendAt: at.toISOString() }), [
    createRecipient(1, 'unreachable'),
    createRecipient(2, 'muted'),
    createRecipient(3, 'failed'),
    createRecipient(4, 'pending'),
    createRecipient(5, 'accepted', { user: null }),
    createRecipient(6, 'held'),
  ]);
  await screen.findByText('user1');
  assert.equal(
    tableRows().map((row) => row.slice(0, 4)),
    [
      ['user1', 'Not reachable', 'No device to notify', '09:30'],
      ['user2', 'Muted', 'Muted on all devices', '09:30'],
      ['user3', 'Failed', 'No push service accepted the message', '09:30'],
      ['user4', 'On its way', 'Not accepted by the push service yet', '09:30'],
      ['deleted user', 'Accepted', 'Accepted by the push service; the device may be off', '09:30'],
      ['user6', 'On its way', 'Held until their quiet hours end', '09:30'],
    ],
  );
});

test('shows a common reason once, and a heading for the answers', async () => {
  const columns = () => screen.getAllByRole('columnheader').map((one) => one.textContent);
  await open(
    createSentMessage('m1'),
    [createRecipient(1, 'displayed'), createRecipient(2, 'displayed')],
    '/admin/messages/m1?show=displayed',
  );
  await screen.findByText('user1');
  assert.equal(columns(), ['Username', 'State', 'Since', 'What to do']);
  assert.is(screen.getAllByText('Displayed, not opened yet').length, 1);
  cleanup();
  const answered = createRecipient(1, 'acknowledged', { answer: 'Got it' });
  await open(createSentMessage('m1'), [answered], '/admin/messages/m1?show=answered');
  await screen.findByText('user1');
  assert.equal(columns(), ['Username', 'Answer', 'Since', 'What to do']);
});

test('offers neither a correction nor an all-clear for an all-clear', async () => {
  await open(createSentMessage('m1', { revision: 1, isAllClear: true }));
  assert.is(screen.queryByRole('button', { name: 'Correct' }), null);
  assert.is(screen.queryByRole('button', { name: 'All clear' }), null);
});

test('shows the outcome of an alarm’s check-in, and that an all-clear does not end it', async () => {
  const createdAt = new Date(Date.now() - 600_000).toISOString();
  const at = new Date(Date.now() - 60_000).toISOString();
  const waiting = { username: 'm.okafor', needsAnswer: true, answeredAt: null, endedAt: null };
  const alarm = { createdAt, revision: 1, checkIn: waiting };
  const mustAnswer = 'm.okafor still has to answer or end the check-in.';
  const notesOf = async (change: Partial<SentMessage>): Promise<string> => {
    cleanup();
    await open(createSentMessage('m1', { ...alarm, ...change }));
    await act(async () => {
      await import('../../../../../src/screens/sent/message/AlarmedCheckIn');
    });
    return screen
      .getAllByRole('status')
      .map(({ textContent }) => textContent)
      .join(' ');
  };
  assert.not.match(await notesOf({}), 'check-in');
  const whoClears =
    /^Only administrators can give the all-clear\. .* m\.okafor answers “I’m OK”\.$/;
  const findWhoClears = () =>
    screen.queryByText((_, element) => whoClears.test(element?.textContent ?? ''), {
      selector: 'p',
    });
  assert.is(findWhoClears(), null);
  await notesOf({ isOwn: false } as Partial<SentMessage>);
  assert.ok(findWhoClears(), 'a sender only reads the alarm');
  await notesOf({});
  await openDialog('All clear');
  assert.match(
    screen.getByRole('dialog').textContent ?? '',
    `${mustAnswer} We’ll remind them with a notification`,
  );
  assert.match(await notesOf({ allClearAt: at }), mustAnswer);
  const newerAlarm = { messageId: 'm2', at };
  assert.match(
    await notesOf({ checkIn: { ...waiting, isSuspended: true, newerAlarm } }),
    /newer alarm .+ m\.okafor is suspended, and can’t answer\. Only administrators/,
  );
  const readDialog = () => screen.getByRole('dialog').textContent ?? '';
  await openDialog('All clear');
  assert.match(readDialog(), 'This all-clear doesn’t end the newer alarm.');
  await notesOf({ checkIn: { ...waiting, isSuspended: true } });
  await openDialog('All clear');
  assert.match(readDialog(), 'The all-clear also ends the check-in.');
  const ok = { ...waiting, needsAnswer: false, answeredAt: at };
  const answered = await notesOf({ allClearAt: at, checkIn: ok });
  assert.match(answered, 'm.okafor answered “I’m OK” at ');
  assert.not.match(answered, mustAnswer);
  const ended = await notesOf({ allClearAt: at, checkIn: { ...ok, endedAt: at } });
  assert.match(ended, 'The check-in of m.okafor ended at ');
  const end = { ...waiting, needsAnswer: false, endedAt: at, endReason: 'suspended' } as const;
  const suspended = await notesOf({ state: 'cancelled', checkIn: end });
  assert.match(suspended, /m\.okafor was suspended .+ We don’t know whether they’re OK\./);
});

test('opens an alarm with the people who are coming, and names the first of them', async () => {
  const checkIn = { username: 'ana', needsAnswer: true, answeredAt: null, endedAt: null };
  const answers = ['On my way'];
  const people = Array.from({ length: 7 }, (_, index) =>
    createRecipient(index + 1, 'acknowledged', { answer: 'On my way' }),
  );
  await open(createSentMessage('m1', { answers, tally: { 'On my way': 7 }, checkIn }), people);
  await screen.findByText('and 2 more');
  const notes = screen.getAllByRole('status').map(({ textContent }) => textContent);
  assert.ok(notes.includes('On my way: user1, user2, user3, user4, user5 and 2 more'), `${notes}`);
  assert.match(currentTile(), 'Answered');
});

test('dates a state by the last time the person entered it', async () => {
  const at = (minutes: number) => new Date(new Date().setHours(9, minutes, 0, 0)).toISOString();
  const [displayedAt, readAt, acknowledgedAt] = [at(31), at(32), at(33)];
  const message = createSentMessage('m1', { sendAt: at(30), people: { total: 24 } });
  const people = [
    createRecipient(1, 'displayed', { displayedAt }),
    createRecipient(2, 'read', { displayedAt, readAt }),
    createRecipient(3, 'acknowledged', { displayedAt, readAt, acknowledgedAt }),
  ];
  await open(message, people, '/admin/messages/m1?show=not_answered');
  await screen.findByText('user1');
  assert.equal(
    tableRows().map((row) => row[3]),
    ['09:31', '09:32', '09:33'],
  );
});

test('counts held people as on the way until the message expires', async () => {
  const at = (hours: number) => new Date(Date.now() + hours * 3_600_000);
  const held = (id: number, heldUntil?: string | null) =>
    createRecipient(id, 'held', heldUntil === undefined ? {} : { heldUntil });
  const [soon, far, end, late] = [at(1), at(48), at(72), at(73)];
  const people = [
    held(1, soon.toISOString()),
    held(2, far.toISOString()),
    held(3, late.toISOString()),
    held(4, null),
    held(5),
    held(6, 'soon'),
    held(7, end.toISOString()),
  ];
  const message = createSentMessage('m1', { expiresAt: end.toISOString() });
  await open(message, people);
  await screen.findByText('user1');
  const clockOf = (date: Date) => date.toTimeString().slice(0, 5);
  const [weekday] = far.toDateString().split(' ');
  const WAITS = 'Held until their quiet hours end';
  const ENDED = 'The message expires before their quiet hours end';
  const states = () => tableRows().map(([, state, why]) => [state, why]);
  assert.equal(states(), [
    ['On its way', `Held until ${clockOf(soon)}`],
    ['On its way', `Held until ${weekday} ${clockOf(far)}`],
    ['On its way', ENDED],
    ['On its way', WAITS],
    ['On its way', WAITS],
    ['On its way', WAITS],
    ['On its way', ENDED],
  ]);
  cleanup();
  await open({ ...message, state: 'cancelled' }, people);
  await screen.findByText('user1');
  assert.equal(states(), Array(7).fill(['Failed', ENDED]));
});

test('does not notify people in quiet hours again', async () => {
  await open(createSentMessage('m1', { people: { held: 2 } }));
  assert.ok(button('Notify 6 people again'));
});

test('shows a message with invalid times', async () => {
  // The value converts to neither text nor number.
  const none = { toString: 1, valueOf: 1 } as unknown as string;
  for (const state of ['sent', 'scheduled'] as const) {
    await open(createSentMessage('m1', { state, createdAt: none, sendAt: none, expiresAt: none }), [
      createRecipient(1, 'failed'),
      createRecipient(2, 'failed', { displayedAt: none }),
    ]);
    assert.match(screen.getByText(/Expires -\./).textContent, /^(Scheduled for|Sent) -[ ,]/);
    if (state === 'sent')
      await waitFor(() =>
        assert.equal(
          tableRows().map((row) => row[3]),
          ['-', '-'],
        ),
      );
    cleanup();
  }
});

test('shows each answer, and which are late or came after the all-clear', async () => {
  const acknowledgedAt = new Date(new Date().setHours(10, 15)).toISOString();
  const allClearAt = new Date(new Date().setHours(10, 30)).toISOString();
  await open(
    createSentMessage('m1', { allClearAt }),
    [
      createRecipient(1, 'acknowledged', { answer: 'On my way', acknowledgedAt }),
      createRecipient(2, 'acknowledged', { answer: 'Got it', acknowledgedAt, late: true }),
      createRecipient(3, 'acknowledged', { answer: 'Got it', acknowledgedAt: allClearAt }),
    ],
    '/admin/messages/m1?show=answered',
  );
  await screen.findByText('user1');
  assert.equal(
    tableRows().map((row) => row.slice(0, 3)),
    [
      ['user1', 'On my way', '10:15'],
      ['user2', 'Got it (late)', '10:15'],
      ['user3', 'Got it (after the all-clear)', '10:30'],
    ],
  );
});

test('shows a call for help in red, and lists the people of a pressed answer', async () => {
  const answers = ['Safe', 'Trouble', 'Can’t come', 'I need help'];
  const needsHelp = createRecipient(2, 'acknowledged', { answer: 'Trouble' });
  await open(
    createSentMessage('m1', {
      answers,
      helpAnswers: ['Trouble'],
      tally: { Safe: 16, Trouble: 2, 'Can’t come': 3 },
    }),
    [createRecipient(1, 'acknowledged', { answer: 'Safe' }), needsHelp],
  );
  const items = within(screen.getByRole('region', { name: 'Answers' })).getAllByRole('listitem');
  assert.equal(
    items.map(({ dataset }) => dataset.tone),
    [undefined, 'bad', undefined, undefined],
    'neither a refusal nor an answer of no one needs attention',
  );
  fakeApi.reply(PEOPLE, recipientPages([needsHelp]));
  pressElement(tile('^Trouble 2$'));
  await screen.findByRole('heading', { level: 2, name: 'Trouble 1 of 31 people' });
  const { answer, state } = fakeApi.requestsTo(PEOPLE).at(-1)?.query ?? {};
  assert.equal([answer, state], ['Trouble', 'acknowledged']);
  assert.is(tile('^Trouble 2$').getAttribute('aria-current'), 'true');
  assert.is(
    screen.getByRole('cell', { name: 'Trouble' }).querySelector('[data-tone]')?.textContent,
    'Trouble',
  );
  pressElement(tile('^31 People'));
  await waitFor(() => assert.is(location.search, '?show=everyone'));
  assert.is(tile('^Trouble 2$').getAttribute('aria-current'), null);
});

test('lists first who needs help, with a way to contact them and the all-clear', async () => {
  const calls = {
    answers: ['Safe', 'Need help'],
    tally: { Safe: 16, 'Need help': 2 },
    revision: 1,
  };
  const comment = 'Cut hand';
  const caller = createRecipient(2, 'acknowledged', { answer: 'Need help', comment });
  await open(createSentMessage('m1', calls), [caller]);
  const notes = () =>
    [...document.querySelectorAll('.note[role="status"]')].filter((note) =>
      note.textContent?.includes('2 people need help'),
    );
  await waitFor(() => assert.is(notes().length, 1));
  assert.is(
    [...document.querySelectorAll<HTMLElement>('.tally ~ .meter > i')][0]?.dataset.state,
    'help',
  );
  assert.is(document.querySelector('.legend small')?.textContent?.trim(), '2 of them need help');
  assert.equal(
    notes().map((note) => note?.getAttribute('data-tone')),
    ['bad'],
  );
  await screen.findByRole('link', { name: 'Message user2' });
  const row = screen.getAllByRole('row', { name: /^user2/ })[0] as HTMLElement;
  assert.ok(row.compareDocumentPosition(screen.getByRole('heading', { name: 'Message' })) & 4);
  const answer = within(row).getByText('Need help').closest('[data-tone]');
  assert.is(answer?.getAttribute('data-tone'), 'bad');
  within(row).getByText(comment);
  const request = fakeApi.requestsTo(PEOPLE).find(({ query }) => query.answer === 'Need help');
  assert.is(request?.query.limit, '20', 'reads a bounded number of people');
  pressElement(within(row).getByRole('link', { name: 'Message user2' }));
  assert.equal(composedMessage.peek().to, [{ kind: 'person', id: 2, name: 'user2' }]);
  cleanup();
  await open(createSentMessage('m1', calls), [caller]);
  await screen.findByText('2 people need help');
  await openDialog('All clear');
  const warning = within(screen.getByRole('dialog')).getByText('2 people need help');
  pressElement(within(warning.closest('.note') as HTMLElement).getByText('See who'));
  await waitFor(() => assert.is(screen.queryByRole('dialog'), null));
  assert.is(location.search, '?show=answered&answer=Need+help');
  cleanup();
  const allClearAt = new Date().toISOString();
  await open(createSentMessage('m1', { ...calls, allClearAt }), []);
  assert.is(screen.queryByText(/ need help$/), null);
  const past = (await screen.findByText('2 people needed help')).closest('.note');
  assert.is(past?.getAttribute('data-tone'), null);
  cleanup();
  const expiresAt = new Date(Date.now() - 90_000_000).toISOString();
  await open(createSentMessage('m1', { ...calls, expiresAt }), [caller]);
  const forgotten = await screen.findByText('The message expired without an all-clear.');
  assert.is(forgotten.closest('.note')?.getAttribute('data-tone'), 'warn');
  assert.is((await screen.findByText('Needed help')).getAttribute('data-tone'), null);
  screen.getByText('2 of them needed help');
  cleanup();
  await open(createSentMessage('m1', { ...calls, tally: { Safe: 18 } }), []);
  assert.is(screen.queryByText(/need help$/), null);
});

test('copies an unregistered person’s link, or shows it', async () => {
  const user = {
    id: 1,
    username: 'depot',
    role: 'CUSTOMER',
    status: 'PENDING',
    registrationToken: 'a+b',
  } as const;
  await open(createSentMessage('m1'), [createRecipient(1, 'unreachable', { user })]);
  await screen.findByText('Hasn’t registered yet');
  const copiedTexts = allowCopying();
  pressElement(button('Copy link for depot'));
  await notices().findByText('Registration link for depot copied.');
  assert.equal(copiedTexts, ['https://bell.example/register/a%2Bb']);
  rejectCopying();
  pressElement(button('Copy link for depot'));
  await waitFor(() => assert.ok(dialog().getByDisplayValue('https://bell.example/register/a%2Bb')));
});

test('copies advice for an unreachable phone, or shows it', async () => {
  const pending = { id: 3, username: 'depot', role: 'CUSTOMER', status: 'PENDING' } as const;
  await open(createSentMessage('m1'), [
    createRecipient(1, 'unreachable'),
    createRecipient(2, 'failed'),
    createRecipient(3, 'unreachable', { user: pending }),
    createRecipient(4, 'accepted'),
    createRecipient(5, 'muted'),
    createRecipient(6, 'unreachable', { user: null }),
  ]);
  await screen.findByText('user1');
  assert.equal(
    screen
      .getAllByRole('button', { name: /^Copy advice/ })
      .map((one) => one.getAttribute('aria-label')),
    ['Copy advice for user1', 'Copy advice for user2'],
  );
  const copiedTexts = allowCopying();
  pressElement(button('Copy advice for user1'));
  await notices().findByText('Advice for user1 copied.');
  assert.match(copiedTexts[0] ?? '', /^Fieldbell can’t reach your phone\.\n1\. Open the app/);
  assert.match(copiedTexts[0] ?? '', /press Enable Notifications/);
  rejectCopying();
  pressElement(button('Copy advice for user2'));
  await waitFor(() =>
    assert.match(dialog().getByRole<HTMLTextAreaElement>('textbox').value, /Fieldbell/),
  );
});

test('copies all listed names over all pages', async () => {
  await open(
    createSentMessage('m1'),
    [
      ...numbersUpTo(132).map((id) => createRecipient(id, 'failed')),
      createRecipient(200, 'pending', { user: null }),
    ],
    '/admin/messages/m1?query=user',
  );
  const copiedTexts = allowCopying();
  pressElement(await screen.findByRole('button', { name: 'Copy these 133 names' }));
  await notices().findByText('132 names copied.');
  assert.equal(
    copiedTexts[0]?.split('\n'),
    numbersUpTo(132).map((id) => `user${id}`),
  );
  assert.equal(
    fakeApi.requestsTo(PEOPLE).map(({ query }) => [query.page, query.limit, query.query]),
    [
      ['1', '10', 'user'],
      ['1', '100', 'user'],
      ['2', '100', 'user'],
    ],
  );
});

test('shows names to copy by hand when the browser cannot copy', async () => {
  await open(createSentMessage('m1'), [createRecipient(1, 'failed'), createRecipient(2, 'failed')]);
  rejectCopying();
  pressElement(await screen.findByRole('button', { name: 'Copy these 2 names' }));
  const box = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: /selected names/ });
  assert.is(box.value, 'user1\nuser2');
});

test('searches on the server within the shown tile', async () => {
  await open();
  await screen.findByText('user1');
  typeInto(screen.getByRole('searchbox', { name: 'Search Users' }), 'szabo');
  await clock.advance(250);
  await waitFor(() => assert.is(fakeApi.requestsTo(PEOPLE).at(-1)?.query.query, 'szabo'));
  assert.is(fakeApi.requestsTo(PEOPLE).at(-1)?.query.state, 'failed,unreachable,muted');
  assert.is(location.search, '?query=szabo');
});

test('downloads the CSV with the session’s token', async () => {
  const token = signInAs('ADMIN', { username: 'ada' });
  await open();
  const { files, saved, released } = catchDownloads();
  fakeApi.respond(CSV, () => new Response('username,role\r\n'));
  pressElement(button('Download all as CSV'));
  await waitFor(() => assert.equal(saved, ['recipients-m1.csv blob:1']));
  assert.is(fakeApi.requestsTo(CSV)[0].headers.get('Authorization'), `Bearer ${token}`);
  assert.equal([files[0]?.size, released], [15, []]);
  cleanup();
  assert.equal(released, ['blob:1'], 'leaving the screen releases the file');
});

test('shows a failed download with its reason, and lets the person retry', async () => {
  await open();
  fakeApi.loseRequests(CSV);
  pressElement(button('Download all as CSV'));
  await notices().findByText('Failed to download the list.');
  fakeApi.reject(CSV, 404, 'This message does not exist.');
  pressElement(button('Download all as CSV'));
  await notices().findByText('This message does not exist.');
  await waitFor(() => assert.is(button('Download all as CSV').disabled, false));
});

test('asks for progress every two seconds by ETag', async () => {
  await open();
  assert.is(messageRequestCount(), 1);
  await clock.advance(2000);
  await waitFor(() => assert.is(messageRequestCount(), 2));
  assert.ok(fakeApi.requestsTo(MESSAGE_CALL)[1].headers.get('If-None-Match'));
  await clock.advance(2000);
  await waitFor(() => assert.is(messageRequestCount(), 3));
  assert.is(screen.queryByText(/^Not updated/), null, '304 is an answer');
  assert.is(fakeApi.requestsTo(PEOPLE).length, 1, 'unchanged, so people are not read again');
  serve(createSentMessage('m1', { people: { acknowledged: 19, displayed: 25, read: 21 } }));
  await clock.advance(2000);
  await waitFor(() =>
    assert.equal(stateLinks().slice(0, 3), ['Answered 19', 'Read 2', 'Displayed 4']),
  );
  await waitFor(() => assert.is(fakeApi.requestsTo(PEOPLE).length, 2));
  assert.match(screen.getByText(/^Live/).textContent ?? '', /^Live · updated \d\d:\d\d:\d\d$/);
});

test('keeps the numbers when a question fails, dates them, and continues', async () => {
  await open();
  fakeApi.loseRequests(MESSAGE_CALL);
  await clock.advance(2000);
  await screen.findByText(/^Not updated since \d\d:\d\d\. Retrying\.$/);
  assert.match(currentTile(), /^6 Not reached/);
  serve(createSentMessage('m1', { people: { acknowledged: 20 } }));
  await clock.advance(2000);
  await screen.findByText(/^Live/);
  assert.is(screen.queryByText(/^Not updated/), null);
});

for (const [name, change] of [
  ['that has ended', { expiresAt: new Date(Date.now() - 1000).toISOString() }],
  ['that was canceled', { state: 'cancelled' }],
  ['that is resolved', { state: 'resolved' }],
  ['that everyone answered', { people: { displayed: 31, read: 31, acknowledged: 31 } }],
  ['of tomorrow', { state: 'scheduled', sendAt: new Date(Date.now() + 86_400_000).toISOString() }],
] as const)
  test(`asks only every 30 seconds for a message ${name}`, async () => {
    await open(createSentMessage('m1', change));
    await clock.advance(29_000);
    assert.is(messageRequestCount(), 1);
    await clock.advance(1000);
    await waitFor(() => assert.is(messageRequestCount(), 2));
  });

test('waits as long as the server asks', async () => {
  await open();
  fakeApi.reject(MESSAGE_CALL, 429, 'Too many requests.', { 'Retry-After': '300' });
  await clock.advance(2000);
  await screen.findByText(/^Not updated since/);
  await clock.advance(299_900);
  assert.is(messageRequestCount(), 2);
  await clock.advance(100);
  await waitFor(() => assert.is(messageRequestCount(), 3));
});

test('asks nothing while hidden, and at once when visible', async () => {
  await open();
  setHidden(true);
  await clock.advance(60_000);
  assert.is(messageRequestCount(), 1);
  setHidden(false);
  await act(() => void document.dispatchEvent(new Event('visibilitychange')));
  await waitFor(() => assert.is(messageRequestCount(), 2));
});

test('ignores a late 401 of the previous session', async () => {
  serve(createSentMessage('m1'));
  fakeApi.reject(MESSAGE_CALL, 401);
  const release = fakeApi.holdReplies(MESSAGE_CALL);
  showScreen(
    <Route path="/admin/messages/:messageId" component={SentMessageScreen} />,
    '/admin/messages/m1',
  );
  await waitFor(() => assert.is(messageRequestCount(), 1));
  const next = signInAs('ADMIN', { id: 8 });
  release();
  await clock.advance(0);
  assert.is(atob(localStorage.getItem('jwt_token') ?? ''), next);
  assert.is(screen.queryByRole('navigation', { name: 'Show people by state' }), null);
});

test('shows a failed message with Retry unless it does not exist', async () => {
  fakeApi.reject(MESSAGE_CALL, 500, 'Not now.');
  showScreen(
    <Route path="/admin/messages/:messageId" component={SentMessageScreen} />,
    '/admin/messages/m1',
  );
  await screen.findByText('Not now.');
  fakeApi.reject(MESSAGE_CALL, 404, 'This message does not exist.');
  pressElement(button('Retry'));
  await screen.findByText('This message does not exist.');
  assert.is(screen.queryByRole('button', { name: 'Retry' }), null);
});

test('shows no late response of one message on the next', async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  fakeApi.reply(MESSAGE_CALL, async ({ params: { id = '' } }) => {
    if (id === 'm1') await released;
    return createSentMessage(id, { title: `Title of ${id}` });
  });
  fakeApi.reply(PEOPLE, recipientPages([]));
  showScreen(
    <Route path="/admin/messages/:messageId" component={SentMessageScreen} />,
    '/admin/messages/m1',
  );
  await waitFor(() => assert.is(messageRequestCount(), 1));
  await act(() => history.pushState(null, '', '/admin/messages/m2'));
  await screen.findByRole('heading', { name: 'Title of m2' });
  await act(async () => release());
  await clock.advance(0);
  assert.is(screen.queryByRole('heading', { name: 'Title of m1' }), null);
});

test('confirms Stop, cancels, and shows the result', async () => {
  await open(createSentMessage('m1', { state: 'sending' }));
  await openDialog('Cancel message');
  assert.ok(
    dialog().getByText(
      /People we haven’t notified yet won’t be notified, and the escalation stops\. The message stays in the inboxes it has reached/,
    ),
  );
  const canceledMessage = createSentMessage('m1', { state: 'cancelled' });
  fakeApi.reply(CANCEL, () => {
    serve(canceledMessage);
    return canceledMessage;
  });
  pressInDialog('Cancel message');
  await notices().findByText('Message canceled.');
  await screen.findByText('Canceled');
  assert.is(screen.queryByRole('button', { name: 'Cancel message' }), null);
  assert.is(screen.queryByRole('button', { name: /^Notify/ }), null);
});

test('says that nothing is left to stop, and shows why', async () => {
  await open(createSentMessage('m1', { state: 'sending' }));
  fakeApi.reject(CANCEL, 409, 'You can no longer cancel this message.');
  serve(createSentMessage('m1'));
  await openDialog('Cancel message');
  pressInDialog('Cancel message');
  await dialog().findByText('You can no longer cancel this message.');
  await waitFor(() => assert.ok(messageRequestCount() > 1));
});

test('notifies again once for two presses, with the number of people', async () => {
  await open();
  fakeApi.reply(REPEAT, { messageId: 'm1', people: 7 });
  const release = fakeApi.holdReplies(REPEAT);
  pressElement(button('Notify 8 people again'));
  await waitFor(() => assert.is(button('Notify 8 people again').disabled, true));
  pressElement(button('Notify 8 people again'));
  release();
  await notices().findByText('Notifying 7 people again.');
  assert.is(fakeApi.requestsTo(REPEAT).length, 1);
  await waitFor(() => assert.is(messageRequestCount(), 2));
  await clock.advance(1000);
  await waitFor(() => assert.is(button('Notify 8 people again').disabled, false));
  pressElement(button('Notify 8 people again'));
  await waitFor(() => assert.is(fakeApi.requestsTo(REPEAT).length, 2, 'once more'));
});

for (const [title, change, asksFirst] of [
  [
    'notifies many again once confirmed, with 5 seconds to undo',
    { people: { total: 90, displayed: 83, read: 80, acknowledged: 18 } },
    true,
  ],
  ['notifies a few urgently at one press, with 5 seconds to undo', { priority: 'urgent' }, false],
] as const)
  test(title, async () => {
    await open(createSentMessage('m1', change));
    fakeApi.reply(REPEAT, { messageId: 'm1', people: 7 });
    const ring = button(/^Notify \d+ people again$/);
    for (const isSent of [false, true]) {
      pressElement(ring);
      if (asksFirst) {
        await screen.findByText(/^Notify \d+ people again about “.*”\? You can undo/);
        await screen.findByRole('dialog');
        pressInDialog(/^Notify/);
      }
      const undo = await notices().findByRole('button', { name: 'Undo' });
      assert.is(screen.queryByRole('dialog'), null);
      if (isSent)
        for (let secondCount = 0; secondCount < 5; secondCount++) await clock.advance(1000);
      else pressElement(undo);
      await notices().findByText(
        isSent ? /^Notifying 7 people again/ : 'Undone. Nothing was sent.',
      );
      assert.is(fakeApi.requestsTo(REPEAT).length, isSent ? 1 : 0);
      if (isSent) await clock.advance(1000);
      await waitFor(() => assert.is(ring.disabled, false));
    }
  });

test('notifies a row’s person alone again, once, if reachable', async () => {
  await open(
    createSentMessage('m1', { answers: ['Got it'] }),
    (
      [
        'accepted',
        'displayed',
        'read',
        'failed',
        'pending',
        'muted',
        'unreachable',
        'acknowledged',
        'held',
      ] as const
    ).map((state, index) => createRecipient(index + 1, state)),
  );
  const inRows = () =>
    screen
      .queryAllByRole('button', { name: /^Notify again: user/ })
      .map((each) => each.getAttribute('aria-label'));
  await screen.findByRole('button', { name: 'Notify again: user4' });
  assert.equal(
    inRows(),
    [1, 2, 3, 4].map((id) => `Notify again: user${id}`),
  );
  fakeApi.reply(REPEAT, { messageId: 'm1', people: 1 });
  const release = fakeApi.holdReplies(REPEAT);
  pressElement(button('Notify again: user4'));
  await waitFor(() => assert.is(button('Notify again: user4').disabled, true));
  pressElement(button('Notify again: user4'));
  assert.is(button('Notify again: user1').disabled, false, 'another row goes on');
  const before = messageRequestCount();
  release();
  await notices().findByText('Notifying user4 again.');
  await waitFor(() => assert.is(messageRequestCount(), before + 1));
  await clock.advance(400);
  pressElement(button('Notify again: user4'));
  assert.is(fakeApi.requestsTo(REPEAT).length, 1, 'the second press of a double press');
  await clock.advance(600);
  assert.is(button('Notify again: user4').disabled, false);
  fakeApi.reply(REPEAT, { messageId: 'm1', people: 0 });
  pressElement(button('Notify again: user4'));
  await notices().findByText(
    'user4 won’t be notified again. A notification may still be on its way, they may be in quiet hours, or they aren’t reachable.',
  );
  fakeApi.reject(REPEAT, 409, 'This message has expired.');
  pressElement(button('Notify again: user1'));
  await notices().findByText('This message has expired.');
  assert.equal(
    fakeApi.requestsTo(REPEAT).map(({ body }) => body),
    [{ userIds: [4] }, { userIds: [4] }, { userIds: [1] }],
  );
});

for (const [state, group, rings] of [
  ['displayed', 'displayed', true],
  ['read', 'read', true],
  ['acknowledged', 'answered', false],
] as const)
  test(`${rings ? 'offers' : 'does not offer'} to notify again at ${state}`, async () => {
    const message = createSentMessage('m1', { answers: ['Got it'] });
    await open(message, [createRecipient(1, state)], `/admin/messages/m1?show=${group}`);
    await screen.findByText('user1');
    assert.is(screen.queryByRole('button', { name: 'Notify again: user1' }) !== null, rings);
  });

for (const [what, change] of [
  ['ended', { expiresAt: new Date(Date.now() - 1000).toISOString() }],
  ['was canceled', { state: 'cancelled' }],
  ['is resolved', { state: 'resolved' }],
] as const)
  test(`offers no notification once the message ${what}`, async () => {
    await open(createSentMessage('m1', change), [createRecipient(1, 'accepted')]);
    await screen.findByText('user1');
    assert.is(screen.queryByRole('button', { name: /^Notify/ }), null);
    assert.is(screen.queryByText(/^Live/), null);
    assert.ok(screen.getByText(what === 'ended' ? 'Expired' : /^(Canceled|Resolved)$/));
  });

test('copies an ended message into a new one, and can restore the draft that it replaces', async () => {
  await open(createSentMessage('m1'));
  assert.is(screen.queryByRole('button', { name: 'Send again' }), null, 'while it is valid');
  cleanup();
  changeComposed({ message: 'My draft' });
  const ended = { title: 'Storm', topics: [{ id: 3, title: 'North' }], answers: ['Yes', 'No'] };
  await open(
    createSentMessage('m1', {
      ...ended,
      expiresAt: new Date(Date.now() - 1000).toISOString(),
      namedPeople: 2,
    }),
  );
  pressElement(await screen.findByRole('button', { name: 'Send again' }));
  await waitFor(() => assert.is(location.pathname, '/admin/messages/new'));
  const { to, title, message, answers } = composedMessage.value;
  assert.equal(to, [{ kind: 'topic', id: 3, name: 'North' }]);
  assert.equal(
    [title, message, answers],
    ['Storm', createSentMessage('m1').message, ['Yes', 'No']],
  );
  await notices().findByText(/^Translations and people chosen by name aren’t copied/);
  pressElement(notices().getByRole('button', { name: 'Undo' }));
  assert.is(composedMessage.value.message, 'My draft');
});

test('shows no success when no one was notified again, and explains a rejection', async () => {
  await open();
  fakeApi.reply(REPEAT, { messageId: 'm1', people: 0 });
  pressElement(button('Notify 8 people again'));
  await notices().findByText(/^No one will be notified/);
  assert.is(document.querySelector('.toast .note')?.getAttribute('data-tone'), 'warn');
  fakeApi.reject(REPEAT, 409, 'This message has expired.');
  await waitFor(() => assert.is(button('Notify 8 people again').disabled, false));
  pressElement(button('Notify 8 people again'));
  await notices().findByText('This message has expired.');
});

test('lists, notifies, saves and copies only people who have not answered', async () => {
  await open(
    createSentMessage('m1'),
    [createRecipient(1, 'read')],
    '/admin/messages/m1?show=not_answered',
  );
  await screen.findByText('user1');
  assert.is(currentTile(), '7 No answer yet');
  assert.is(fakeApi.requestsTo(PEOPLE)[0].query.state, 'not_answered');
  fakeApi.reply(REPEAT, { messageId: 'm1', people: 6 });
  assert.is(button('Notify everyone who hasn’t answered').className, 'plain', 'one primary');
  assert.is(button('Notify 8 people again').className, 'full');
  assert.ok(screen.getByText('Including 1 failed'), 'why this counts more people than the tile');
  pressElement(button('Notify everyone who hasn’t answered'));
  await notices().findByText('Notifying 6 people again.');
  assert.equal(fakeApi.requestsTo(REPEAT)[0].body, { state: 'not_answered' });
  fakeApi.reject(CSV, 500, 'Busy.');
  pressElement(button('Download results as CSV'));
  await notices().findByText('Busy.');
  assert.equal(fakeApi.requestsTo(CSV)[0].query, { state: 'not_answered' });
  assert.ok(button('Copy this name'));
});

test('lists, notifies and saves people who were not shown the correction', async () => {
  const people = {
    ...createSentMessage('m1').people,
    total: 5,
    acknowledged: 5,
    correctionDisplayed: 3,
  };
  const message = createSentMessage('m1', {
    ...{ revision: 2, revisedAt: '2026-11-20T10:05:00.000Z', people },
  });
  const recipients = [createRecipient(1, 'acknowledged'), createRecipient(2, 'muted')];
  await open(message, [...recipients, createRecipient(3, 'read')]);
  pressElement(await screen.findByText('Show who wasn’t shown the correction'));
  const state = 'correction_not_displayed';
  await waitFor(() => assert.is(fakeApi.requestsTo(PEOPLE).at(-1)?.query.state, state));
  await screen.findByText('Was shown an earlier text');
  fakeApi.reply(REPEAT, { messageId: 'm1', people: 2 });
  pressElement(button('Notify everyone who wasn’t shown it'));
  await notices().findByText('Notifying 2 people again.');
  assert.equal(fakeApi.requestsTo(REPEAT)[0].body, { state });
  assert.is(screen.queryByRole('button', { name: 'Notify again: user2' }), null);
  pressElement(button('Notify again: user1'));
  await waitFor(() => assert.equal(fakeApi.requestsTo(REPEAT)[1]?.body, { userIds: [1], state }));
  const { saved } = catchDownloads();
  fakeApi.respond(CSV, () => new Response('username'));
  pressElement(button('Download results as CSV'));
  await waitFor(() =>
    assert.match(saved[0] ?? '', /^recipients-m1-correction_not_displayed\.csv /),
  );
  assert.equal(fakeApi.requestsTo(CSV)[0].query, { state });
});

test('lists and notifies people who were not shown the all-clear', async () => {
  const people = {
    ...createSentMessage('m1').people,
    total: 5,
    acknowledged: 5,
    allClearDisplayed: 2,
  };
  const message = createSentMessage('m1', { allClearAt: '2026-11-20T10:08:00.000Z', people });
  await open(message, [
    createRecipient(1, 'acknowledged'),
    createRecipient(2, 'muted'),
    createRecipient(3, 'read'),
  ]);
  assert.is(screen.queryByRole('button', { name: /^Notify/ }), null);
  await screen.findByText('The all-clear was displayed to 2 of 5.');
  pressElement(screen.getByText('Show who wasn’t shown the all-clear'));
  const state = 'all_clear_not_displayed';
  await waitFor(() => assert.is(fakeApi.requestsTo(PEOPLE).at(-1)?.query.state, state));
  await screen.findByText('Was shown the message, not the all-clear');
  fakeApi.reply(REPEAT, { messageId: 'm1', people: 2 });
  pressElement(button('Notify everyone who wasn’t shown it'));
  await notices().findByText('Notifying 2 people again.');
  assert.equal(fakeApi.requestsTo(REPEAT)[0].body, { state });
  assert.is(screen.queryByRole('button', { name: 'Notify again: user2' }), null);
  pressElement(button('Notify again: user3'));
  await waitFor(() => assert.equal(fakeApi.requestsTo(REPEAT)[1]?.body, { userIds: [3], state }));
  await notices().findByText('Notifying user3 again.');
});

test('says who is held and who is waiting to be sent, and lists them before others', async () => {
  const people = { displayed: 0, read: 0, acknowledged: 0, accepted: 0, failed: 0 };
  await open(
    createSentMessage('m1', {
      state: 'sending',
      people: { ...people, total: 9000, held: 2, pending: 3 },
    }),
    [],
  );
  assert.is(currentTile(), '8,995 No answer yet 2 held for quiet hours, 8,990 waiting to be sent');
  assert.is(screen.queryByRole('button', { name: /^Notify/ }), null);
});

test('notifies unread people again when no answer was requested', async () => {
  await open(createSentMessage('m1', { answers: [], tally: {}, people: { acknowledged: 0 } }));
  assert.ok(button('Notify 6 people again'));
  assert.ok(screen.getByText('No answer requested.'));
  assert.equal(
    tiles().map((text) => text?.replace(/ 1 failed.*/, '')),
    ['20 Read', '5 Not read yet', '6 Not reached', '31 People'],
  );
  assert.is(screen.queryByText('Answered'), null);
});

test('shows no people for a scheduled message', async () => {
  await open(
    createSentMessage('m1', {
      state: 'scheduled',
      sendAt: new Date(Date.now() + 86_400_000).toISOString(),
      people: { total: 22, displayed: 0, read: 0, acknowledged: 0 },
    }),
  );
  assert.ok(screen.getByText('Recipients are determined when the message is sent.'));
  assert.ok(screen.getByText(/^Scheduled for/));
  assert.is(screen.queryByRole('navigation', { name: 'Show people by state' }), null);
  assert.is(screen.queryByRole('button', { name: /^Notify/ }), null);
  assert.is(button('Cancel message').className, 'plain', 'not in a menu of its own');
  assert.is(fakeApi.requestsTo(PEOPLE).length, 0);
});

test('says when everyone answered', async () => {
  await open(createSentMessage('m1', { people: { displayed: 31, read: 31, acknowledged: 31 } }));
  assert.ok(screen.getByText('Everyone answered'));
  assert.is(currentTile(), '31 Answered');
  const revised = { revision: 2, revisedAt: '2026-11-20T10:05:00.000Z' };
  const openRevised = (answeredEarlierText: number, correctionDisplayed: number) =>
    open(
      createSentMessage('m1', {
        ...revised,
        people: {
          ...{ displayed: 31, read: 31, acknowledged: 31 },
          ...{ answeredEarlierText, correctionDisplayed },
        },
      }),
    );
  const toneOf = async (text: string) => (await screen.findByText(text)).dataset.tone;
  for (const [counts, text, tone] of [
    [[0, 31], 'Everyone answered', 'ok'],
    [[2, 30], 'Everyone answered. To the earlier text: 2', 'warn'],
    [[31, 31], 'Everyone answered the earlier text', 'ok'],
  ] as const) {
    cleanup();
    await openRevised(counts[0], counts[1]);
    assert.is(await toneOf(text), tone);
  }
});

test('shows a message whose times are objects', async () => {
  const odd = { toString: 1, valueOf: 1 } as unknown as string;
  for (const change of [{ expiresAt: odd }, { sendAt: odd }, { createdAt: odd }] as const)
    for (const state of ['sent', 'scheduled'] as const) {
      await open(createSentMessage('m1', { ...change, state }));
      await screen.findByRole('heading', { level: 1 });
      assert.is(screen.queryByText(/^This page couldn’t be shown/), null);
      assert.is(screen.queryByRole('alert')?.textContent ?? '', '');
      cleanup();
    }
});

test('says why a message is withheld, and sends it', async () => {
  await open(
    createSentMessage('m1', { state: 'scheduled', sender: 'j.petrov', withheld: 'no-sender' }),
  );
  assert.match(
    (await screen.findByRole('alert')).textContent ?? '',
    /^This message was not sent\. Its sender j\.petrov may no longer send to one of this message’s topics\./,
  );
  assert.ok(screen.getByText('Withheld'));
  assert.is(screen.getAllByRole('button', { name: 'Cancel message' }).length, 1, 'no second one');
  const RELEASE = 'POST /api/admin/messages/:id/release';
  fakeApi.reject(RELEASE, 409, 'The message is not withheld.');
  pressElement(button('Send now'));
  await notices().findByText('The message is not withheld.');
  fakeApi.reply(RELEASE, createSentMessage('m1'));
  serve(createSentMessage('m1'));
  pressElement(button('Send now'));
  await notices().findByText('Message sent.');
  await waitFor(() => assert.is(screen.queryByRole('button', { name: 'Send now' }), null));
});

test('cancels a withheld message after a question', async () => {
  await open(createSentMessage('m1', { state: 'scheduled', withheld: 'no-sender' }));
  pressElement(await screen.findByRole('button', { name: 'Cancel message' }));
  await screen.findByRole('dialog', { name: 'Cancel message' });
  assert.match(screen.getByRole('dialog').textContent ?? '', /The message won’t be sent\./);
  screen.getByRole('button', { name: 'Keep message' });
  fakeApi.reply(CANCEL, createSentMessage('m1', { state: 'cancelled' }));
  pressInDialog('Cancel message');
  await notices().findByText('Message canceled.');
});

test('corrects a translated message with its translations, or in its original alone', async () => {
  const CORRECT = 'POST /api/admin/messages/:id/correct';
  const message = createSentMessage('m1', {
    ...{ revision: 1, isTranslated: true, message: 'Use gate 21.' },
    translations: { de: { message: 'Tor 21 benutzen.' } },
  });
  fakeApi.reply('GET /api/admin/messages/:id/languages', { languages: [] });
  fakeApi.reply(CORRECT, { ...message, revision: 2 });
  await open(message);
  const correct = async (change: () => void): Promise<unknown> => {
    await openDialog('Correct');
    assert.is(document.activeElement, dialog().getByLabelText('Message'));
    typeInto(dialog().getByRole('textbox', { name: 'Message' }), 'Use gate 12.');
    dialog().getByText('Correct the translations, too. Remove those that no longer fit.');
    const german = await dialog().findByLabelText<HTMLTextAreaElement>('Message in German');
    assert.is(german.value, 'Tor 21 benutzen.');
    typeInto(german, 'Tor 12 benutzen.');
    change();
    pressInDialog('Send correction');
    await waitFor(() => assert.is(screen.queryByRole('dialog'), null));
    return fakeApi.requestsTo(CORRECT).at(-1)?.body;
  };
  const untranslated = { message: 'Use gate 12.', title: message.title ?? '', ask: false };
  const translations = { de: { message: 'Tor 12 benutzen.' } };
  assert.equal(await correct(() => undefined), { ...untranslated, translations });
  assert.equal(await correct(() => pressInDialog('Remove German')), untranslated);
});

test('shows what people answered to which text of a corrected message', async () => {
  const at = '2026-11-20T10:00:00.000Z';
  const message = createSentMessage('m1', {
    ...{ revision: 2, revisedAt: '2026-11-20T10:05:00.000Z', message: 'Use gate 12.' },
    former: [{ revision: 1, title: null, message: 'Use gate 21.', at }],
    allClearAt: '2026-11-20T10:08:00.000Z',
    people: {
      ...createSentMessage('m1').people,
      ...{ total: 5, correctionDisplayed: 3, allClearDisplayed: 0 },
    },
  });
  await open(message, [
    createRecipient(1, 'acknowledged', { answer: 'Got it', answerRevision: 1 }),
    createRecipient(2, 'acknowledged', {
      ...{ answer: 'Got it', answerRevision: 2 },
      formerAnswers: [
        { revision: 1, answer: 'On my way', comment: 'With the van.', at, late: false },
      ],
    }),
  ]);
  const earlierElement = await screen.findByRole('row', { name: /user1/ });
  await within(earlierElement).findByText(/^Answered the text from .* before it was corrected$/);
  const now = within(screen.getByRole('row', { name: /user2/ }));
  assert.is(now.queryByText(/before it was corrected/), null);
  await now.findByText('1 earlier answer');
  for (const text of ['On my way', 'With the van.', /^Answered .* \(text from /])
    now.getByText(text);
  screen.getByText(
    'Answers from before the last correction still count. They’re marked in the list of people.',
  );
  await screen.findByText('The correction was displayed to 3 of 5.');
  await screen.findByText('The all-clear was displayed to 0 of 5.');
});

test('keeps a half-typed correction over a reload, until it is sent or closed', async () => {
  const CORRECT = 'POST /api/admin/messages/:id/correct';
  const message = createSentMessage('m1', { revision: 1 });
  fakeApi.reply(CORRECT, { ...message, revision: 2 });
  const textbox = () => dialog().getByRole('textbox', { name: 'Message' }) as HTMLTextAreaElement;
  async function openAfterReload(shown = message) {
    cleanup();
    await open(shown);
    await openDialog('Correct');
    return textbox().value;
  }
  assert.is(await openAfterReload(), message.message);
  typeInto(textbox(), 'Use gate 12.');
  assert.is(await openAfterReload(), 'Use gate 12.');
  const corrected = { ...message, revision: 2, message: 'Use gate 13.' };
  assert.is(await openAfterReload(corrected), 'Use gate 13.', 'it was for an earlier text');
  assert.is(await openAfterReload(), 'Use gate 12.');
  pressInDialog('Cancel');
  assert.is(await openAfterReload(), message.message);
  typeInto(textbox(), 'Use gate 12.');
  pressInDialog('Send correction');
  await waitFor(() => assert.is(screen.queryByRole('dialog'), null));
  assert.is(localStorage.getItem('correction_draft'), null);
});

test('sends no correction that changes nothing', async () => {
  const CORRECT = 'POST /api/admin/messages/:id/correct';
  const message = createSentMessage('m1', { revision: 2, askedRevision: 2 });
  fakeApi.reply(CORRECT, message);
  await open(message);
  await openDialog('Correct');
  pressInDialog('Send correction');
  await dialog().findByText('Change the text first.');
  assert.is(document.activeElement, dialog().getByRole('textbox', { name: 'Message' }));
  assert.is(fakeApi.requestsTo(CORRECT).length, 0);
  pressElement(dialog().getByLabelText('Ask everyone to answer again'));
  pressInDialog('Send correction');
  await waitFor(() => assert.is(fakeApi.requestsTo(CORRECT).length, 1));
  await dialog().findByText('Change the text first.');
  assert.is(notices().queryByText(/^Correction sent/), null);
  fakeApi.loseRequests(CORRECT);
  pressInDialog('Send correction');
  await dialog().findByText('Failed to correct the message. Check your connection and try again.');
});

test.run();
