import * as assert from 'uvu/assert';
import { Users } from '../../../../src/screens/users/Users';
import {
  button,
  chooseOption,
  clock,
  fakeApi,
  openDialog,
  pressElement,
  screen,
  screenSuite,
  showScreen,
  tableRows,
  typeInto,
  waitFor,
} from '../../../support/app/app';
import { endSession, signInAs } from '../../../support/app/session';
import { shortPause } from '../../../support/eventually';
import { numbersUpTo, createUser, userPages } from '../../../support/app/factories/people';
import { createTeam, teamPages } from '../../../support/app/factories/teams';

const test = screenSuite('status and role');
const LIST = 'GET /api/admin/users';

test.before.each(() => void signInAs('ADMIN'));
test.after.each(() => endSession());

const names = () => tableRows().map(([, name]) => name);
const requestedPages = () => fakeApi.requestsTo(LIST).map(({ query }) => Number(query.page));
/** Technicians, except pending administrators at these ids. */
const people = (amount: number, ...pending: number[]) =>
  numbersUpTo(amount).map((id) =>
    createUser(id, pending.includes(id) ? { status: 'PENDING', role: 'ADMIN' } : {}),
  );
async function open(users: ReturnType<typeof people>, address = '') {
  fakeApi.reply(LIST, userPages(users));
  showScreen(<Users />, `/admin/users${address}`);
  await screen.findByRole('table');
}

test('filters by Status and Role over all pages, without asking the server for it', async () => {
  await open(people(32, 3, 31), '?page=2');
  for (const [label, options] of [
    ['Status', ['All', 'Pending', 'Active', 'Suspended']],
    ['Role', ['All', 'Admin', 'Technician', 'Customer']],
  ] as const) {
    assert.equal(
      [...screen.getByLabelText<HTMLSelectElement>(label).options].map(({ text }) => text),
      options,
    );
  }
  chooseOption(screen.getByLabelText('Status'), 'Pending');
  await screen.findByText('1–2 of 2 results. We searched all 32 users.');
  assert.equal(names(), ['user3', 'user31']);
  chooseOption(screen.getByLabelText('Status'), 'Active');
  await screen.findByText('1–10 of 30 results. We searched all 32 users.');
  pressElement(button('Next'));
  await screen.findByText('11–20 of 30 results. We searched all 32 users.');
  assert.equal(names().slice(0, 2), ['user12', 'user13']);
  for (const { query } of fakeApi.requestsTo(LIST))
    assert.equal(Object.keys(query), ['page', 'limit'], 'nothing else is requested');
});

test('combines Status and Role, and shows everyone with All', async () => {
  await open([
    createUser(1, { username: 'ada', role: 'ADMIN' }),
    createUser(2, { username: 'm.okafor' }),
    createUser(3, { username: 'depot', role: 'CUSTOMER', status: 'PENDING' }),
  ]);
  chooseOption(screen.getByLabelText('Role'), 'Customer');
  await waitFor(() => assert.equal(names(), ['depot']));
  chooseOption(screen.getByLabelText('Status'), 'Active');
  await screen.findByText('No results. We searched all 3 users.');
  chooseOption(screen.getByLabelText('Role'), 'All');
  await waitFor(() => assert.equal(names(), ['ada', 'm.okafor']));
  chooseOption(screen.getByLabelText('Status'), 'All');
  await screen.findByText('1–3 of 3 users');
});

test('reads until a page is full, and continues for the next', async () => {
  await open(people(2000, ...numbersUpTo(12).map((nth) => nth * 10), 950, 1990), '?status=PENDING');
  await screen.findByText('1–10 of the results so far · 500 of 2,000 users searched');
  assert.equal(requestedPages(), [1, 2, 3, 4, 5].slice(0, requestedPages().length));
  const earlierCount = requestedPages().length;
  pressElement(button('Next'));
  await screen.findByText('11–14 of 14 results. We searched all 2,000 users.');
  assert.equal(names(), ['user110', 'user120', 'user950', 'user1990']);
  assert.is(
    Math.min(...requestedPages().slice(earlierCount)),
    earlierCount + 1,
    'nothing is read twice',
  );
  assert.is(Math.max(...requestedPages()), 20);
});

test('reads at most ten thousand users for a filter, and says what helps', async () => {
  await open(people(10_200, 7, 10_100), '?role=ADMIN');
  await screen.findByText(
    '1–1 of 1 result. We searched the newest 10,000 of 10,200 users. Search for a name to see others.',
  );
  assert.is(requestedPages().length, 100);
  assert.is(new Set(requestedPages()).size, 100);
  chooseOption(screen.getByLabelText('Role'), 'Customer');
  await screen.findByText(
    'No results. We searched the newest 10,000 of 10,200 users. Search for a name to see others.',
  );
});

test('searches on the server, and filters locally', async () => {
  await open(people(30, 4));
  chooseOption(screen.getByLabelText('Status'), 'Pending');
  await screen.findByText('1–1 of 1 result. We searched all 30 users.');
  typeInto(screen.getByRole('searchbox', { name: 'Search Users' }), 'us er');
  await clock.advance(250);
  await waitFor(() =>
    assert.equal(fakeApi.requestsTo(LIST).at(-1)?.query, {
      page: '1',
      limit: '100',
      query: 'us er',
    }),
  );
});

test('stops reading when a filter changes', async () => {
  await open(people(10_000, 1));
  const release = fakeApi.holdReplies(LIST);
  chooseOption(screen.getByLabelText('Role'), 'Customer');
  await waitFor(() => assert.is(requestedPages().length, 2));
  chooseOption(screen.getByLabelText('Role'), 'All');
  release();
  await screen.findByText('1–10 of 10,000 users');
  await shortPause();
  assert.is(requestedPages().length, 3, 'one of all, one of the filter, one of all');
});

test('reads later pages of a filter again after a change', async () => {
  const users = people(30, ...numbersUpTo(12));
  await open(users, '?status=PENDING&page=2');
  await screen.findByText('11–12 of 12 results. We searched all 30 users.');
  users[10] = createUser(11, { status: 'PENDING', role: 'TECHNICIAN' });
  fakeApi.reply('PUT /api/admin/users/:id/role', createUser(11));
  await openDialog('Change role of user11');
  const list = screen.getByRole('dialog').querySelector('select')!;
  chooseOption(list, 'Technician');
  pressElement([...screen.getByRole('dialog').querySelectorAll('button')].at(-1)!);
  await waitFor(() => assert.is(tableRows()[0]?.[3], 'Technician'));
});

test('reports a failure while filtering, and keeps the results', async () => {
  await open(people(500, 2, 450));
  let asks = 0;
  const page = userPages(people(500, 2, 450));
  fakeApi.respond(LIST, ({ query }) =>
    ++asks === 3
      ? new Response('{"error":"Something went wrong."}', { status: 500 })
      : new Response(JSON.stringify(page({ query })), { status: 200 }),
  );
  chooseOption(screen.getByLabelText('Status'), 'Pending');
  await screen.findByText('Something went wrong.');
  pressElement(button('Retry'));
  await screen.findByText('1–2 of 2 results. We searched all 500 users.');
});

test('lets the server filter by Team, also together with Status', async () => {
  fakeApi.reply('GET /api/admin/teams', teamPages([createTeam(4, { name: 'North crew' })]));
  await open(people(3, 2));
  await screen.findByRole('option', { name: 'North crew' });
  chooseOption(screen.getByLabelText('Team'), 'North crew');
  await waitFor(() => assert.is(fakeApi.requestsTo(LIST).at(-1)?.query.team, '4'));
  assert.is(location.search, '?team=4');
  chooseOption(screen.getByLabelText('Status'), 'Pending');
  await screen.findByText('1–1 of 1 result. We searched all 3 users.');
  assert.is(fakeApi.requestsTo(LIST).at(-1)?.query.team, '4');
});

test.run();
