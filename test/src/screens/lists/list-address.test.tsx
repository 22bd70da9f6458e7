import fc from 'fast-check';
import type { ReactElement } from 'react';
import * as assert from 'uvu/assert';
import {
  LIST_RULES,
  oneOf,
  parseListAddress,
  formatListAddress,
} from '../../../../src/screens/lists/list-address';
import { SignedInRoutes } from '../../../support/app/signed-in';
import { Topics } from '../../../../src/screens/topics/Topics';
import { Users } from '../../../../src/screens/users/Users';
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
import { shortPause } from '../../../support/eventually';
import {
  numbersUpTo,
  createTopic,
  createUser,
  topicPages,
  userPages,
} from '../../../support/app/factories/people';
import { fakePush } from '../../../support/push-services/fake-push';
import { endSession, signInAs } from '../../../support/app/session';

const test = screenSuite('address');
const TOPICS = 'GET /api/admin/topics';
const USERS = 'GET /api/admin/users';
const { pushState, replaceState } = history;
let steps: string[] = [];

test.before.each(() => {
  fakePush.install('default');
  signInAs('ADMIN');
  fakeApi.reply(TOPICS, topicPages(numbersUpTo(47).map((id) => createTopic(id))));
  fakeApi.reply(
    USERS,
    userPages(
      numbersUpTo(47).map((id) => createUser(id, { status: id % 2 ? 'ACTIVE' : 'PENDING' })),
    ),
  );
  steps = [];
  history.pushState = (...given) => (steps.push('push'), pushState.apply(history, given));
  history.replaceState = (...given) => (steps.push('replace'), replaceState.apply(history, given));
});
test.after.each(() => {
  Object.assign(history, { pushState, replaceState });
  endSession();
});

/** The navigation has a link with the same name. */
const backLink = () =>
  waitFor(() => {
    const link = document.querySelector<HTMLElement>('.back')!;
    assert.is(link.textContent, 'Users');
    return link;
  });

const field = () => screen.getByRole<HTMLInputElement>('searchbox');
const listQueries = (list: typeof TOPICS | typeof USERS) =>
  fakeApi.requestsTo(list).map(({ query }) => query);
async function search(text: string): Promise<void> {
  typeInto(field(), text);
  await clock.advance(250);
}
/** Restarts the page without touching its address or history entry. */
function reloadPage(screenful: ReactElement): void {
  cleanup();
  showScreen(screenful, location.href, history.state);
}

test('keeps the topics’ search, page and order in the address for a reload', async () => {
  showScreen(<Topics />, '/admin/topics');
  await screen.findByRole('table');
  assert.is(location.search, '');
  await search('grid & outages');
  await waitFor(() => assert.is(location.search, '?query=grid+%26+outages'));
  pressElement(button('Next'));
  await screen.findByText('11–20 of 47 topics');
  pressElement(button('Topic Name'));
  pressElement(button('Topic Name'));
  await waitFor(() => assert.is(location.search, '?page=2&query=grid+%26+outages&sort=-title'));
  const before = tableRows().map(([title]) => title);

  reloadPage(<Topics />);
  await screen.findByText('Sorted on this page only · 11–20 of 47 topics');
  assert.is(field().value, 'grid & outages');
  assert.equal(listQueries(TOPICS).at(-1), { page: '2', limit: '10', query: 'grid & outages' });
  assert.equal(
    tableRows().map(([title]) => title),
    before,
  );
  assert.is(
    screen.getByRole('columnheader', { name: 'Topic Name' }).getAttribute('aria-sort'),
    'descending',
  );
  assert.is(screen.getByRole<HTMLInputElement>('spinbutton').value, '2');
});

test('keeps the users’ filters in the address without asking the server for them', async () => {
  showScreen(<Users />, '/admin/users');
  await screen.findByRole('table');
  chooseOption(screen.getByLabelText('Status'), 'Pending');
  chooseOption(screen.getByLabelText('Role'), 'Technician');
  await waitFor(() => assert.is(location.search, '?status=PENDING&role=TECHNICIAN'));
  reloadPage(<Users />);
  await screen.findByText('1–10 of 23 results. We searched all 47 users.');
  assert.is(screen.getByLabelText<HTMLSelectElement>('Status').value, 'PENDING');
  for (const query of listQueries(USERS)) assert.equal(Object.keys(query), ['page', 'limit']);
  chooseOption(screen.getByLabelText('Status'), 'All');
  chooseOption(screen.getByLabelText('Role'), 'All');
  await waitFor(() => assert.is(location.search, '', 'defaults leave no trace'));
});

test('replaces the address for typing, sorting and filters, and adds a step per page', async () => {
  showScreen(<Topics />, '/admin/topics');
  await screen.findByRole('table');
  steps = [];
  await search('a');
  await search('ab');
  pressElement(button('Created At'));
  assert.equal(steps, ['replace', 'replace', 'replace']);
  pressElement(button('Next'));
  await screen.findByText('Sorted on this page only · 11–20 of 47 topics');
  assert.equal(steps, ['replace', 'replace', 'replace', 'push']);
  assert.is(location.search, '?page=2&query=ab&sort=createdAt');
  await search('abc');
  assert.is(location.search, '?query=abc&sort=createdAt', 'another search begins at page 1');
  await search('abc ');
  assert.is(steps.length, 5, 'the same search adds no step');
});

for (const [address, shown, corrected] of [
  ['?page=2&query=pole', { page: '2', query: 'pole' }, '?page=2&query=pole'],
  ['?page=0', { page: '1' }, ''],
  ['?page=-1', { page: '1' }, ''],
  ['?page=NaN&page=3', { page: '1' }, ''],
  ['?page=1e3', { page: '1' }, ''],
  ['?page=2.5', { page: '1' }, ''],
  ['?page=99999999999999999999', { page: '1' }, ''],
  ['?page=1', { page: '1' }, ''],
  ['?query=%20%20', { page: '1' }, ''],
  [
    `?query=${'x'.repeat(5000)}`,
    { page: '1', query: 'x'.repeat(200) },
    `?query=${'x'.repeat(200)}`,
  ],
  ['?query=%E0%A4%A', { page: '1', query: '\uFFFD%A' }, '?query=%EF%BF%BD%25A'],
  ['?query=100%25%2525', { page: '1', query: '100%%25' }, '?query=100%25%2525'],
  [
    '?query=<img%20src=x%20onerror=alert(1)>',
    { page: '1', query: '<img src=x onerror=alert(1)>' },
    '?query=%3Cimg+src%3Dx+onerror%3Dalert%281%29%3E',
  ],
  ['?sort=constructor&status=PENDING&limit=1000&__proto__=x', { page: '1' }, ''],
] as const) {
  test(`reads what it can from ${address.slice(0, 60)}, and corrects the address`, async () => {
    showScreen(<Topics />, `/admin/topics${address}`);
    await screen.findByRole('table');
    assert.equal(listQueries(TOPICS), [{ limit: '10', ...shown }]);
    await waitFor(() => assert.is(location.search, corrected));
    assert.is(
      screen.getByRole('columnheader', { name: 'Created At' }).getAttribute('aria-sort'),
      'descending',
    );
    assert.is(field().value, 'query' in shown ? shown.query : '');
    assert.is(steps.includes('push'), false, 'Back does not return to what was wrong');
  });
}

test('ignores invalid filters in the address', async () => {
  showScreen(<Users />, '/admin/users?status=toString&role=__proto__&query=user');
  await screen.findByText('1–10 of 47 users');
  await waitFor(() => assert.is(location.search, '?query=user'));
});

test('corrects any address in one step, and never again', () => {
  const rules = { ...LIST_RULES, sort: oneOf('title') };
  // fast-check's own `binary` first builds a table of 1.1 million.
  const anyCharacter = fc
    .integer({ min: 0, max: 0x10ffff })
    .map((point) => String.fromCodePoint(point));
  const text = fc.oneof(
    fc.string({ maxLength: 250 }),
    fc.string({ unit: anyCharacter }),
    fc.integer().map(String),
  );
  const part = fc
    .tuple(fc.constantFrom('page', 'query', 'sort', 'x'), text)
    .map(([name, value]) => `${name}=${value}`);
  fc.assert(
    fc.property(fc.array(part, { maxLength: 4 }), (parts) => {
      const right = formatListAddress(rules, parseListAddress(rules, `?${parts.join('&')}`));
      assert.is(formatListAddress(rules, parseListAddress(rules, right)), right);
      assert.match(right, /^(\?[\w*.+%&=-]+)?$/, 'written as browsers write it');
    }),
  );
});

test('keeps letters typed while a search is applied', async () => {
  showScreen(<Topics />, '/admin/topics');
  await screen.findByRole('table');
  typeInto(field(), 'p');
  await clock.advance(250);
  typeInto(field(), 'po');
  await shortPause(); // waits for nothing to happen
  assert.is(field().value, 'po');
  await clock.advance(250);
  assert.is(location.search, '?query=po');
});

function openList(address: string): void {
  fakeApi.reply('GET /api/notifications/my-subscriptions', []);
  fakeApi.reply('GET /api/notifications/preferences', []);
  fakeApi.reply('GET /api/admin/users/:id', createUser(11));
  fakeApi.reply('GET /api/admin/users/:id/subscriptions', []);
  fakeApi.reply('GET /api/admin/users/:id/available-topics', []);
  showScreen(<SignedInRoutes />, address);
}

test('returns from a user’s subscriptions to search, page and filters, also after reload', async () => {
  openList('/admin/users?page=2&query=user&status=ACTIVE');
  pressElement(await screen.findByRole('link', { name: 'Manage Subscriptions of user21' }));
  await screen.findByRole('heading', { name: 'Manage Subscriptions' });
  assert.is(location.search, '', 'the subscriptions have their own address');
  reloadPage(<SignedInRoutes />);
  pressElement(await backLink());
  await screen.findByText('11–20 of 24 results. We searched all 47 users.');
  assert.is(location.pathname + location.search, '/admin/users?page=2&query=user&status=ACTIVE');
  assert.is(field().value, 'user');
});

test('returns from directly opened subscriptions to all users', async () => {
  openList('/admin/users/11/subscriptions');
  assert.is((await backLink()).getAttribute('href'), '/admin/users');
});

for (const [what, state] of [
  ['is not a text', { from: 7 }],
  ['leads elsewhere', { from: '//evil.example' }],
  ['belongs to another session', { session: '8 1', from: '?query=secret' }],
] as const) {
  test(`returns to all users when the stored previous list ${what}`, async () => {
    openList('/admin/topics');
    replaceState.call(history, state, '', '/admin/users/11/subscriptions');
    assert.is((await backLink()).getAttribute('href'), '/admin/users');
  });
}

test('asks nothing more of a list after leaving', async () => {
  openList('/admin/users?query=user');
  await screen.findByRole('table');
  const earlierCount = listQueries(USERS).length;
  pressElement(screen.getByRole('link', { name: 'Topics' }));
  await screen.findByRole('heading', { name: 'Topics' });
  await screen.findByRole('table');
  assert.is(listQueries(USERS).length, earlierCount);
  assert.equal(listQueries(TOPICS), [{ page: '1', limit: '10' }]);
  assert.is(location.search, '');
});

test('searches for just typed text in no other list', async () => {
  openList('/admin/users');
  for (const [from, to] of [
    ['Search Users', 'Topics'],
    ['Search Topics', 'Users'],
  ] as const) {
    typeInto(await screen.findByRole('searchbox', { name: from }), 'pole');
    pressElement(screen.getByRole('link', { name: to }));
    await screen.findByRole('heading', { level: 1, name: to });
    await screen.findByRole('table');
    await clock.advance(250);
    assert.equal([location.search, field().value], ['', '']);
  }
  for (const list of [TOPICS, USERS] as const)
    for (const query of listQueries(list)) assert.equal(query, { page: '1', limit: '10' });
});

test.run();
