/** What all lists share. What one list alone does is in its screen's tests. */
import type { ReactElement } from 'react';
import * as assert from 'uvu/assert';
import { ReachBoard } from '../../../../src/screens/reach/ReachBoard';
import { Sent } from '../../../../src/screens/sent/Sent';
import { Audit } from '../../../../src/screens/setup/audit/Audit';
import { Policies } from '../../../../src/screens/setup/policies/Policies';
import { Topics } from '../../../../src/screens/topics/Topics';
import { Users } from '../../../../src/screens/users/Users';
import type { Endpoint } from '../../../../src/shared/contract';
import {
  button,
  cleanup,
  clock,
  fakeApi,
  pressElement,
  screen,
  screenSuite,
  showScreen,
  typeInto,
  waitFor,
  within,
} from '../../../support/app/app';
import {
  numbersUpTo,
  createSentMessage,
  createTopic,
  createUser,
  sentPages,
  topicPages,
  userPages,
} from '../../../support/app/factories/people';
import { createReachBoardPerson, reachPages } from '../../../support/app/factories/reach';
import { auditPages, createEntry, createPolicy } from '../../../support/app/factories/setup';
import { endSession, signInAs } from '../../../support/app/session';

interface List {
  content: ReactElement;
  path: string;
  endpoint: Endpoint;
  /** Answers the endpoint with this many rows. */
  reply: (rows: number) => void;
  /** What a person reads when the server gives no reason. */
  failed: RegExp;
  empty: RegExp;
}
interface PagedList extends List {
  search: string;
  /** Rows on a page. */
  size: number;
}

const PAGED: Record<string, PagedList> = {
  topics: {
    content: <Topics />,
    path: '/admin/topics',
    endpoint: 'GET /api/admin/topics',
    reply: (rows) =>
      fakeApi.reply(
        'GET /api/admin/topics',
        topicPages(numbersUpTo(rows).map((id) => createTopic(id))),
      ),
    failed: /^Failed to fetch topics\. You might not have the required permissions\./,
    empty: /Add your first topic/,
    search: 'Search Topics',
    size: 10,
  },
  users: {
    content: <Users />,
    path: '/admin/users',
    endpoint: 'GET /api/admin/users',
    reply: (rows) =>
      fakeApi.reply(
        'GET /api/admin/users',
        userPages(numbersUpTo(rows).map((id) => createUser(id))),
      ),
    failed: /^Failed to fetch users\. You might not have the required permissions\./,
    empty: /Add User/,
    search: 'Search Users',
    size: 10,
  },
  messages: {
    content: <Sent />,
    path: '/admin/messages',
    endpoint: 'GET /api/admin/messages',
    reply: (rows) =>
      fakeApi.reply(
        'GET /api/admin/messages',
        sentPages(numbersUpTo(rows).map((id) => createSentMessage(`m${id}`))),
      ),
    failed: /^Failed to load messages\./,
    empty: /New message/,
    search: 'Search Messages',
    size: 10,
  },
  people: {
    content: <ReachBoard />,
    path: '/admin/reach',
    endpoint: 'GET /api/admin/reach',
    reply: (rows) =>
      fakeApi.reply(
        'GET /api/admin/reach',
        reachPages(numbersUpTo(rows).map((id) => createReachBoardPerson(id, 'silent'))),
      ),
    failed: /^Failed to check who’s reachable\./,
    empty: /attention/,
    search: 'Search Users',
    size: 25,
  },
  entries: {
    content: <Audit />,
    path: '/admin/audit',
    endpoint: 'GET /api/admin/audit',
    reply: (rows) =>
      fakeApi.reply(
        'GET /api/admin/audit',
        auditPages(numbersUpTo(rows).map((id) => createEntry(id))),
      ),
    failed: /^Failed to load the audit log\./,
    empty: /No entries yet/,
    search: 'Search the log',
    size: 25,
  },
};

const LISTS: Record<string, List> = {
  ...PAGED,
  policies: {
    content: <Policies />,
    path: '/admin/policies',
    endpoint: 'GET /api/admin/policies',
    reply: (rows) =>
      fakeApi.reply('GET /api/admin/policies', {
        policies: numbersUpTo(rows).map((id) => createPolicy(id)),
      }),
    failed: /^Failed to load policies\./,
    empty: /policy/,
  },
};

const test = screenSuite('lists');
const rowCount = () => document.querySelectorAll('tbody tr').length;

test.before.each(() => {
  signInAs('ADMIN');
  fakeApi.reply('GET /api/admin/topics', topicPages([]));
});
test.after.each(endSession);

for (const [name, { content, path, endpoint, reply, failed, empty }] of Object.entries(LISTS)) {
  test(`shows failed ${name} with the server’s reason or the fallback, and Retry`, async () => {
    fakeApi.reject(endpoint, 403, 'Only administrators may do this.');
    showScreen(content, path);
    const alert = within(await screen.findByRole('alert'));
    assert.ok(alert.getByText(/Only administrators may do this\./));
    fakeApi.replyWithPage(endpoint);
    pressElement(button('Retry'));
    await screen.findByText(failed);
    reply(2);
    pressElement(button('Retry'));
    await waitFor(() => assert.is(screen.queryByRole('alert'), null));
    assert.is(screen.queryByText(failed), null);
    if (name !== 'people')
      await waitFor(() => assert.is(document.activeElement?.tagName, 'H1', 'Retry is gone'));
  });

  test(`explains an empty list of ${name}`, async () => {
    reply(0);
    showScreen(content, path);
    await screen.findAllByText(empty);
    assert.is(screen.queryByRole('alert'), null);
  });
}

for (const [name, list] of Object.entries(PAGED)) {
  const { content, path, endpoint, reply, search, size } = list;
  const total = 2 * size + 3;
  const shown = (from: number, to: number) =>
    screen.findByText(new RegExp(`${from}–${to} of ${total}\\b`));
  const lastQuery = () => fakeApi.requestsTo(endpoint).at(-1)?.query;
  const field = () => screen.getByRole<HTMLInputElement>('searchbox', { name: search });
  async function openList(query = ''): Promise<void> {
    reply(total);
    showScreen(content, `${path}${query}`);
    await screen.findByRole('table');
  }

  test(`searches ${name} on the server from page 1, and keeps it in the address`, async () => {
    await openList('?page=2');
    await shown(size + 1, 2 * size);
    reply(0);
    typeInto(field(), '<b>pole');
    await clock.advance(250);
    await waitFor(() => assert.is(lastQuery()?.query, '<b>pole'));
    assert.is(lastQuery()?.page, '1');
    await screen.findByText((_, one) => one?.tagName === 'P' && /“<b>pole”/.test(one.textContent!));
    assert.is(location.search, '?query=%3Cb%3Epole');
  });

  test(`turns pages of ${name}, and shows the last page for one beyond it`, async () => {
    await openList('?page=9999');
    await shown(2 * size + 1, total);
    pressElement(button('Previous'));
    await shown(size + 1, 2 * size);
    assert.is(location.search, '?page=2');
    assert.is(rowCount(), size);
  });

  test(`restores search and page of ${name} with Back, also in the field`, async () => {
    await openList();
    typeInto(field(), 'poles in the nor'); // still typing
    history.replaceState(history.state, '', `${path}?page=2&query=user`);
    await waitFor(() => assert.is(field().value, 'user'));
    await clock.advance(250);
    assert.is(location.search, '?page=2&query=user', 'the unfinished search is dropped');
    assert.is(lastQuery()?.query, 'user');
    assert.is(lastQuery()?.page, '2');
  });

  test(`hides earlier searches of ${name} from the next person who presses Back`, async () => {
    await openList('?query=user');
    await waitFor(() => assert.ok(history.state));
    const { state } = history;
    cleanup();
    endSession();
    signInAs('ADMIN', { id: 8, username: 'next' });
    await openList();
    history.replaceState(state, '', `${path}?query=user`);
    await waitFor(() => assert.is(field().value, ''));
    await waitFor(() => assert.is(location.search, ''));
    assert.is(lastQuery()?.query, undefined, 'the server gets no query either');
  });
}

test.run();
