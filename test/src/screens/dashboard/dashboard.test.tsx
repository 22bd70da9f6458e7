import { cleanup } from '@testing-library/preact';
import * as assert from 'uvu/assert';
import { Dashboard } from '../../../../src/screens/dashboard/Dashboard';
import type { SentMessage } from '../../../../src/shared/contract';
import {
  button,
  clock,
  fakeApi,
  press,
  screen,
  screenSuite,
  show,
  waitFor,
} from '../../../support/app/app';
import {
  count,
  makeSent,
  makeTopic,
  makeUser,
  sentPages,
  topicPages,
  userPages,
} from '../../../support/server/people';

const test = screenSuite('dashboard');
const LIST = 'GET /api/admin/messages';

async function open(...messages: SentMessage[]) {
  fakeApi.answer('GET /api/admin/users', userPages(count(60).map((id) => makeUser(id))));
  fakeApi.answer('GET /api/admin/topics', topicPages([makeTopic(1)]));
  fakeApi.answer(LIST, sentPages(messages));
  show(<Dashboard />, '/admin');
  await screen.findByText('60 users');
}
const rows = () =>
  [...document.querySelectorAll('.inbox > li')].map((row) => row.querySelector('a > small'));

for (const [name, path] of [
  ['Manage Users', '/admin/users'],
  ['Manage Topics', '/admin/topics'],
] as const) {
  test(`a card leads to ${name}`, async () => {
    await open();
    assert.ok(screen.getByRole('heading', { level: 1, name: 'Dashboard' }));
    press(screen.getByRole('link', { name: new RegExp(`^${name}`) }));
    assert.is(location.pathname, path);
  });
}

test('the cards say how many users and topics there are', async () => {
  await open();
  assert.ok(screen.getByText('60 users'));
  assert.ok(screen.getByText('1 topic'));
});

test('New message leads to the composer, All messages to their list', async () => {
  await open();
  const href = (name: string) => screen.getByRole('link', { name }).getAttribute('href');
  assert.is(href('New message'), '/admin/messages/new');
  assert.is(href('All messages'), '/admin/messages');
});

test('the last three messages say how far they got, and lead there', async () => {
  await open(
    makeSent('a', { priority: 'urgent', title: 'Gale' }),
    makeSent('b', { people: { total: 24, displayed: 24, read: 24, acknowledged: 24 } }),
    makeSent('c', { answers: [], people: { total: 22, displayed: 22, read: 21 } }),
    makeSent('d', { title: 'The fourth' }),
  );
  assert.equal(
    rows().map((row) => row?.textContent),
    [
      '18 of 31 confirmed · 6 no answer · 7 not reached',
      'All 24 confirmed',
      'No answer asked · 21 of 22 read',
    ],
  );
  assert.is(screen.getByRole('link', { name: /^Gale/ }).getAttribute('href'), '/admin/messages/a');
  assert.is(document.querySelector('.inbox > .urgent')?.textContent?.startsWith('Gale'), true);
  assert.is(screen.queryByText('The fourth'), null);
  assert.is(fakeApi.asked(LIST)[0]?.query.limit, '3');
});

test('a scheduled or a cancelled message says just that', async () => {
  const nobody = { total: 0, displayed: 0, read: 0, acknowledged: 0 };
  await open(
    makeSent('a', { state: 'scheduled', people: { ...nobody, total: 22 } }),
    makeSent('b', { state: 'cancelled', people: nobody }),
  );
  assert.equal(
    rows().map((row) => row?.textContent),
    ['Scheduled', 'Cancelled'],
  );
});

test('before the first message the dashboard says that there is none', async () => {
  await open();
  assert.ok(screen.getByText('No message was sent yet.'));
});

test('messages that cannot be read leave the cards, and Retry reads them', async () => {
  fakeApi.lose('GET /api/admin/users');
  fakeApi.lose('GET /api/admin/topics');
  fakeApi.lose(LIST);
  show(<Dashboard />, '/admin');
  await screen.findByText('Failed to fetch messages. You might not have the required permissions.');
  assert.ok(screen.getByRole('link', { name: /^Manage Users/ }));
  fakeApi.answer(LIST, sentPages([makeSent('a', { title: 'Storm' })]));
  press(button('Retry'));
  await screen.findByText('Storm');
});

test('every 30 seconds the dashboard is read again, and never after it was left', async () => {
  await open();
  fakeApi.answer(LIST, sentPages([makeSent('a', { title: 'Storm' })]));
  await clock.advance(29_999);
  assert.is(fakeApi.asked(LIST).length, 1);
  await clock.advance(1);
  await screen.findByText('Storm');
  cleanup();
  const before = fakeApi.asked(LIST).length;
  await clock.advance(120_000);
  await waitFor(() => assert.is(fakeApi.asked(LIST).length, before));
});

test.run();
