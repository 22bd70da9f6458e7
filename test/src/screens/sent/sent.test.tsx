import * as assert from 'uvu/assert';
import { createHistoryEntry } from '../../../../src/screens/lists/list-address';
import { Sent } from '../../../../src/screens/sent/Sent';
import type { SentMessage } from '../../../../src/shared/contract';
import {
  button,
  chooseOption,
  cleanup,
  clock,
  fakeApi,
  pressElement,
  screen,
  screenSuite,
  showScreen,
  tableRows,
  typeInto,
  waitFor,
} from '../../../support/app/app';
import { endSession, signInAs } from '../../../support/app/session';
import {
  numbersUpTo,
  createSentMessage,
  createTopic,
  sentPages,
  topicPages,
} from '../../../support/app/factories/people';

const test = screenSuite('sent messages');
const LIST = 'GET /api/admin/messages';
test.before.each(() => {
  signInAs('ADMIN');
  fakeApi.reply('GET /api/admin/topics', topicPages([createTopic(7, { title: 'Grid outages' })]));
});
test.after.each(endSession);

async function open(...messages: SentMessage[]) {
  fakeApi.reply(LIST, sentPages(messages));
  showScreen(<Sent />, '/admin/messages');
  await screen.findByRole('table');
}
const cells = (column: number) => tableRows().map((row) => row[column]);
const noPeople = { total: 0, unreachable: 0, muted: 0, displayed: 0, read: 0, acknowledged: 0 };

test('lists messages with priority, title, recipients, sender, time, answers and state', async () => {
  const today = new Date();
  today.setHours(14, 2);
  const sentFields = { sendAt: today.toISOString(), priority: 'urgent', title: 'Storm' } as const;
  await open(createSentMessage('m1', sentFields));
  assert.is(document.title, 'Messages · Fieldbell');
  assert.equal(
    screen.getAllByRole('columnheader').map((head) => head.textContent),
    ['Priority', 'Title', 'Sender', 'Sent', 'Response', 'State'],
  );
  assert.equal(tableRows(), [
    [
      'Urgent',
      'StormTo Storm warningsStop all work on poles.',
      'ada.lindqvist',
      'Today 14:02',
      '18 of 31 answered',
      'Live1 failed, 4 not reachable, 1 muted',
    ],
  ]);
  assert.is(screen.getByRole('link', { name: 'Storm' }).getAttribute('href'), '/admin/messages/m1');
  assert.is(
    screen.getByRole('link', { name: 'New message' }).getAttribute('href'),
    '/admin/messages/new',
  );
});

test('calls a message held when it only waits for quiet hours', async () => {
  const people = { ...noPeople, pending: 0, accepted: 0, failed: 0, total: 5, displayed: 3 };
  await open(
    createSentMessage('a', { priority: 'info', people: { ...people, held: 2 } }),
    createSentMessage('b', { priority: 'info', people: { ...people, held: 1, unreachable: 1 } }),
  );
  assert.equal(cells(5), ['Live2 held for quiet hours', 'Live1 not reachable']);
});

test('says first how many people need help, until the all-clear or a day after it expired', async () => {
  const help = { answers: ['Safe', 'Need help'], tally: { Safe: 15, 'Need help': 3 } };
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
  const expired = { ...help, state: 'expired', tally: { 'Need help': 1 } } as const;
  await open(
    createSentMessage('a', help),
    createSentMessage('b', expired),
    createSentMessage('c', { ...expired, allClearAt: new Date().toISOString() }),
    createSentMessage('d', { ...expired, expiresAt: hoursAgo(23) }),
    createSentMessage('e', { ...expired, expiresAt: hoursAgo(25) }),
    createSentMessage('f', { ...help, state: 'resolved' }),
  );
  const chips = [...document.querySelectorAll('tbody tr')].map((row) =>
    [...row.querySelectorAll('[data-label="State"] .tags > *')].map((mark) => mark.textContent),
  );
  assert.equal(chips[0], ['3 people need help', 'Live', '1 failed, 4 not reachable, 1 muted']);
  assert.equal(chips[1], ['1 person needs help', 'Expired']);
  assert.is(chips[2]?.[0], 'Expired');
  assert.equal(
    chips.slice(3).map(([first]) => first),
    ['1 person needs help', '1 person needed help', '3 people needed help'],
  );
  assert.is(screen.getByText('3 people need help').getAttribute('data-tone'), 'bad');
  assert.is(screen.getByText('1 person needed help').getAttribute('data-tone'), 'warn');
});

test('shows the first topic and counts more, or the first words and counts people', async () => {
  const long = 'Stop all work on poles and lines north of the river until the wind has eased.';
  const [one, two, three] = numbersUpTo(3).map((id) => ({ id, title: `Topic ${id}` }));
  await open(
    createSentMessage('a', { topics: [one!, two!, three!] }),
    createSentMessage('b', { topic: null, topics: [] }),
    createSentMessage('c', {
      ...{ topic: null, topics: [], title: 'grace', sender: 'grace', message: long },
      people: { ...noPeople, total: 1 },
    }),
  );
  const text = 'Stop all work on poles.';
  assert.equal(cells(1), [
    `Topic 1To Topic 1 + 2${text}`,
    `${text}To 31 people${text}`,
    `Stop all work on poles and lines north of the river until…To 1 person${long}`,
  ]);
});

test('has a word for each state, request and shortfall', async () => {
  await open(
    createSentMessage('1', {
      state: 'scheduled',
      sendAt: '2099-01-01T06:00:00.000Z',
      people: { ...noPeople, total: 22 },
    }),
    createSentMessage('2', { state: 'scheduled', people: noPeople }),
    createSentMessage('3', { state: 'sending' }),
    createSentMessage('4', { people: { total: 24, displayed: 24 } }),
    createSentMessage('5', { state: 'cancelled', people: noPeople }),
    createSentMessage('6', { state: 'expired' }),
    createSentMessage('7', { answers: [], people: { total: 22, displayed: 22, read: 21 } }),
    createSentMessage('8', { state: 'resolved', sender: 'key: Prometheus' }),
    createSentMessage('9', { state: 'resolved', people: noPeople }),
  );
  assert.is(document.querySelector('td > .tags [data-tone]'), null, 'nothing needs attention');
  assert.equal(cells(4), [
    'For about 22 people',
    '-',
    '18 of 31 answered',
    '18 of 24 answered',
    '-',
    '18 of 31 answered',
    '21 of 22 read',
    '18 of 31 answered',
    '-',
  ]);
  assert.equal(cells(5), [
    'Scheduled',
    'Waiting to be sent',
    'Sending',
    'Live',
    'Canceled',
    'Expired',
    'Live',
    'Resolved',
    'Resolved',
  ]);
});

test('marks corrected and cleared messages, and shows ended ones without color', async () => {
  const at = new Date();
  at.setHours(10, 5);
  const time = at.toISOString();
  await open(
    createSentMessage('a', { priority: 'urgent', revisedAt: time }),
    createSentMessage('b', { priority: 'urgent', revisedAt: time, allClearAt: time }),
    createSentMessage('c', { priority: 'urgent', state: 'resolved' }),
  );
  await screen.findByText(/^All clear/);
  const shortfall = '1 failed, 4 not reachable, 1 muted';
  assert.equal(cells(5), [
    `LiveCorrected 10:05${shortfall}`,
    `All clear 10:05Corrected 10:05${shortfall}`,
    'Resolved',
  ]);
  assert.equal(
    [...document.querySelectorAll('td > .tags [data-tone]')].map(({ textContent }) => textContent),
    [shortfall],
    'until the all-clear',
  );
  assert.equal(
    [...document.querySelectorAll('tbody tr')].map(({ className }) => className),
    ['urgent', '', ''],
  );
});

test('reads out numbers in words, not their chart', async () => {
  const people = { total: 100, displayed: 60, read: 40, acknowledged: 25, accepted: 20, failed: 5 };
  await open(createSentMessage('m1', { people }), createSentMessage('m2', { people, answers: [] }));
  const meters = [...document.querySelectorAll('.meter')];
  assert.equal(
    meters.map((meter) => meter.getAttribute('aria-hidden')),
    ['true', 'true'],
  );
  assert.equal(
    meters.map((meter) =>
      [...meter.children].map((part) => [
        (part as HTMLElement).dataset.state,
        (part as HTMLElement).style.flexGrow,
      ]),
    ),
    [
      [
        ['answered', '25'],
        ['waiting', '65'],
        ['failed', '10'],
      ],
      [
        ['read', '40'],
        ['waiting', '50'],
        ['failed', '10'],
      ],
    ],
  );
});

test('names the parts of the charts', async () => {
  const [asking, telling] = [createSentMessage('m1'), createSentMessage('m2', { answers: [] })];
  for (const [messages, names] of [
    [[asking, telling], 'Answered, Read, No answer yet / Not read yet, Not reached'],
    [[asking], 'Answered, No answer yet, Not reached'],
    [[telling], 'Read, Not read yet, Not reached'],
    [[createSentMessage('m3', { state: 'scheduled' })], ''],
  ] as const) {
    await open(...messages);
    const legend = [...document.querySelectorAll('.legend small')];
    assert.is(legend.map(({ textContent }) => textContent?.trim()).join(', '), names);
    cleanup();
  }
});

test('searches on the server, and keeps search and page in the address', async () => {
  await open(...numbersUpTo(23).map((id) => createSentMessage(`m${id}`)));
  assert.ok(screen.getByText('1–10 of 23 messages'));
  pressElement(button('Next'));
  await screen.findByText('11–20 of 23 messages');
  assert.is(location.search, '?page=2');
  const [{ pushState }, pushedStates] = [history, [] as unknown[]];
  history.pushState = (state) => pushedStates.push(state);
  screen.getAllByRole('link', { name: 'Storm warnings' })[0]?.click();
  history.pushState = pushState;
  assert.equal(
    pushedStates,
    [createHistoryEntry('?page=2')],
    'the message knows where it was opened',
  );
  typeInto(screen.getByRole('searchbox', { name: 'Search Messages' }), 'poles');
  await clock.advance(250);
  await waitFor(() =>
    assert.equal(fakeApi.requestsTo(LIST).at(-1)?.query, {
      page: '1',
      limit: '10',
      query: 'poles',
    }),
  );
  assert.is(location.search, '?query=poles');
});

test('filters by priority and state on the server, and reports an empty result', async () => {
  await open(createSentMessage('m1'));
  fakeApi.reply(LIST, sentPages([]));
  chooseOption(screen.getByLabelText('Priority'), 'Urgent');
  await screen.findByText('No messages with this priority.');
  assert.is(fakeApi.requestsTo(LIST).at(-1)?.query.priority, 'urgent');
  assert.is(location.search, '?priority=urgent');
  chooseOption(screen.getByLabelText('State'), 'Withheld');
  await screen.findByText('No messages are withheld.');
  assert.is(fakeApi.requestsTo(LIST).at(-1)?.query.state, 'withheld');
});

test('filters by sender and topic on the server', async () => {
  await open(createSentMessage('m1'));
  fakeApi.reply(LIST, sentPages([]));
  typeInto(screen.getByLabelText('Sender'), 'okafor');
  await clock.advance(250);
  await screen.findByText('No messages match these filters.');
  assert.is(fakeApi.requestsTo(LIST).at(-1)?.query.sender, 'okafor');
  await screen.findByRole('option', { name: 'Grid outages' });
  chooseOption(screen.getByLabelText('Topic'), 'Grid outages');
  await waitFor(() => assert.is(fakeApi.requestsTo(LIST).at(-1)?.query.topicId, '7'));
  assert.is(location.search, '?topic=7&sender=okafor');
});

test.run();
