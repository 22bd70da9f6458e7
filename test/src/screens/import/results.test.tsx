import * as assert from 'uvu/assert';
import { Import } from '../../../../src/screens/import/Import';
import type { Imported, Invitation, InvitationPage } from '../../../../src/shared/contract';
import {
  lastImport,
  discardImport,
  keepImport,
  INVITATIONS_PER_PART,
  readInvitationPart,
  readInvitationStates,
} from '../../../../src/state/users/importing';
import {
  button,
  chooseOption,
  cleanup,
  clock,
  dialog,
  fakeApi,
  fireEvent,
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
import { catchDownloads, rejectCopying } from '../../../support/app/browser';
import { createTopic, topicPages } from '../../../support/app/factories/people';
import { endSession, signInAs } from '../../../support/app/session';

const test = screenSuite('after an import');
const IMPORT = 'POST /api/admin/import';
const LIST = 'GET /api/admin/invitations';
const AT = '2026-11-20T08:00:00.000Z';
let adminId = 100;
test.before.each(() => void signInAs('ADMIN', { id: ++adminId }));
test.after.each(() => {
  discardImport();
  endSession();
});

const person = (id: number, change: Partial<Invitation> = {}): Invitation => ({
  id,
  username: `p${id}`,
  email: `p${id}@northgrid.example`,
  registrationLink: `https://bell.example/register/t0k3n${id}`,
  expiresAt: '2026-11-27T08:00:00.000Z',
  mail: 'waiting',
  openedAt: null,
  importedAt: AT,
  ...change,
});
const people = (count: number) => Array.from({ length: count }, (_, index) => person(index + 1));
const createImported = (links: Invitation[]): Imported => ({
  rows: links.length,
  created: links.length,
  subscribed: 0,
  unchanged: 0,
  errors: [],
  links,
});
const pageOf = (
  invitations: Invitation[],
  change: Partial<InvitationPage> = {},
): InvitationPage => ({
  invitations,
  total: invitations.length,
  page: 1,
  limit: 100,
  pending: invitations.length,
  withoutEmail: 0,
  newest: null,
  ...change,
});
const newestImport = (change = {}): InvitationPage['newest'] => ({
  importedAt: AT,
  people: 2,
  registered: 1,
  mails: { waiting: 0, sent: 1, failed: 0 },
  ...change,
});
function openResults(links: Invitation[], states: InvitationPage): void {
  fakeApi.reply(LIST, states);
  keepImport(createImported(links));
  showScreen(<Import />, '/admin/users/import');
}
const listRequests = () => fakeApi.requestsTo(LIST);

test('shows 25 links at a time, and asks only about shown links', async () => {
  const addedPeople = people(120);
  fakeApi.reply(LIST, ({ query }) => {
    const ids = new Set(query.ids?.split(',').map(Number));
    return pageOf(
      addedPeople
        .filter(({ id }) => ids.has(id) && id !== 35)
        .map((one) => ({ ...one, mail: 'sent' })),
    );
  });
  keepImport(createImported(addedPeople));
  showScreen(<Import />, '/admin/users/import');
  await waitFor(() => assert.is(tableRows()[0]?.[2], 'Sent'));
  assert.equal([tableRows().length, tableRows().at(-1)?.[0]], [25, 'p25']);
  assert.is(
    listRequests()[0]?.query.ids,
    addedPeople
      .slice(0, 25)
      .map(({ id }) => id)
      .join(),
  );
  screen.getByText('1–25 of 120 links');
  const release = fakeApi.holdReplies(LIST);
  pressElement(button('Next'));
  await waitFor(() => assert.is(tableRows()[0]?.[0], 'p26'));
  // Their state is unknown: asking about others does not register them.
  assert.not(tableRows().some((row) => row[2] === 'Registered'));
  release();
  await waitFor(() => assert.is(tableRows()[9]?.[2], 'Registered'));
  assert.equal([tableRows()[8]?.[2], tableRows()[10]?.[2]], ['Sent', 'Sent']);
  assert.is(listRequests().at(-1)?.query.ids?.split(',')[0], '26');
  assert.is(screen.queryByRole('button', { name: 'Copy link for p35' }), null);
  assert.ok(button('Copy link for p36'));
});

test('distinguishes an unsent email from a missing address', async () => {
  const twoPeople = [person(1, { mail: 'none' }), person(2, { mail: 'none', email: null })];
  openResults(twoPeople, pageOf(twoPeople));
  await screen.findByRole('table');
  assert.equal(
    tableRows().map((row) => row[2]),
    ['Not sent', 'No email'],
  );
});

test('ignores results of another person’s later import', async () => {
  openResults(
    people(2),
    pageOf(people(2), { newest: newestImport({ importedAt: '2026-11-21T08:00:00.000Z' }) }),
  );
  await screen.findByRole('table');
  await waitFor(() => assert.ok(listRequests().length > 0));
  await clock.advance(0);
  screen.getByText('2 users added.');
  assert.is(screen.queryByText(/of \d+ registered/), null);
});

test('keeps asking while visible, also after a failure, and stops on leaving', async () => {
  openResults(people(1), pageOf(people(1)));
  await waitFor(() => assert.is(listRequests().length, 1));
  fakeApi.loseRequests(LIST);
  await clock.advance(4999);
  assert.is(listRequests().length, 1);
  await clock.advance(1);
  await waitFor(() => assert.is(listRequests().length, 2));
  fakeApi.reply(LIST, pageOf([]));
  await clock.advance(5000);
  await waitFor(() => assert.is(tableRows()[0]?.[2], 'Registered'));
  assert.is(listRequests().length, 3);
  cleanup();
  await clock.advance(60_000);
  assert.is(listRequests().length, 3);
});

test('shows a link to copy by hand when the browser cannot copy', async () => {
  rejectCopying();
  openResults(people(2), pageOf(people(2)));
  await screen.findByRole('table');
  await openDialog('Copy link for p2');
  const field = dialog().getByRole<HTMLTextAreaElement>('textbox');
  assert.is(field.value, 'https://bell.example/register/t0k3n2');
  pressInDialog('Close');
  assert.is(screen.queryByRole('dialog'), null);
  assert.is(notices().queryByText(/is copied/), null);
});

test('releases a file of links with the next one and with the screen', async () => {
  const { released } = catchDownloads();
  openResults(people(1), pageOf(people(1)));
  for (const before of [[], ['blob:1']]) {
    pressElement(await screen.findByRole('button', { name: 'Download links as CSV' }));
    assert.equal(released, before);
  }
  cleanup();
  assert.equal(released, ['blob:1', 'blob:2']);
});

test('forgets the links on leaving, and shows the next person none', async () => {
  openResults(people(1), pageOf(people(1)));
  await screen.findByRole('table');
  history.replaceState(null, '', '/admin/users/invitations');
  cleanup();
  assert.ok(lastImport.value, 'the invitations lead back to them');
  showScreen(<Import />, '/admin/users/import');
  await screen.findByRole('table');
  history.replaceState(null, '', '/admin/users');
  cleanup();
  assert.is(lastImport.value, undefined);
  keepImport(createImported(people(1)));
  signInAs('ADMIN', { id: ++adminId });
  assert.is(lastImport.value, undefined);
});

test('lets people retry failed topics, and check lines meanwhile', async () => {
  fakeApi.reject('GET /api/admin/topics', 500);
  showScreen(<Import />, '/admin/users/import');
  await screen.findByText('Failed to load topics.');
  fakeApi.reply(IMPORT, createImported([]));
  typeInto(screen.getByLabelText(/^People, one per line/), 'username\na');
  pressElement(button('Check'));
  await screen.findByRole('heading', { name: 'Checked. No one has been added yet.' });
  assert.is(
    'topicId' in (fakeApi.requestsTo(IMPORT)[0]?.query ?? {}),
    false,
    'no topic is sent as none',
  );
  fakeApi.reply('GET /api/admin/topics', topicPages([createTopic(7, { title: 'Grid outages' })]));
  pressElement(button('Retry'));
  await screen.findByRole('option', { name: 'Grid outages' });
  assert.is(screen.queryByText('Failed to load topics.'), null);
});

test('locks the form while checking or adding, and does it once', async () => {
  fakeApi.reply('GET /api/admin/topics', topicPages([]));
  fakeApi.reply(LIST, pageOf(people(2)));
  showScreen(<Import />, '/admin/users/import');
  const lines = screen.getByLabelText<HTMLTextAreaElement>(/^People, one per line/);
  fakeApi.reply(IMPORT, { ...createImported(people(2)), links: [] });
  typeInto(lines, 'username\na\nb');
  const checked = fakeApi.holdReplies(IMPORT);
  pressElement(button('Check'));
  await waitFor(() => assert.is(button('Check').getAttribute('aria-busy'), 'true'));
  assert.equal([button('Check').disabled, button('Choose a CSV file').disabled], [true, true]);
  checked();
  const add = await screen.findByRole<HTMLButtonElement>('button', { name: 'Add 2 users' });
  await waitFor(() => assert.is(add.disabled, false));
  fakeApi.reply(IMPORT, createImported(people(2)));
  const added = fakeApi.holdReplies(IMPORT);
  const form = document.querySelector('form') as HTMLFormElement;
  fireEvent.submit(form);
  await waitFor(() => assert.is(add.getAttribute('aria-busy'), 'true'));
  fireEvent.submit(form);
  added();
  await screen.findByRole('heading', { level: 1, name: '2 users added' });
  assert.equal(
    fakeApi.requestsTo(IMPORT).map(({ query }) => query.dryRun),
    ['true', undefined],
  );
});

test('shows no links to a person who left while people were added', async () => {
  fakeApi.reply('GET /api/admin/topics', topicPages([]));
  showScreen(<Import />, '/admin/users/import');
  fakeApi.reply(IMPORT, { ...createImported(people(2)), links: [] });
  typeInto(screen.getByLabelText(/^People, one per line/), 'username\na\nb');
  pressElement(button('Check'));
  await waitFor(() => assert.is(button('Add 2 users').disabled, false));
  fakeApi.reply(IMPORT, createImported(people(2)));
  const added = fakeApi.holdReplies(IMPORT);
  pressElement(button('Add 2 users'));
  await waitFor(() => assert.is(fakeApi.requestsTo(IMPORT).length, 2));
  history.replaceState(null, '', '/messages');
  cleanup();
  added();
  await clock.advance(0);
  assert.is(lastImport.value, undefined);
});

test('counts the result of a check with correct plurals', async () => {
  fakeApi.reply('GET /api/admin/topics', topicPages([]));
  showScreen(<Import />, '/admin/users/import');
  typeInto(screen.getByLabelText(/^People, one per line/), 'username\na');
  const error = (line: number) => ({ line, message: 'No.' });
  for (const [response, words, action] of [
    [{ rows: 1, created: 1 }, '1 line1 will be added0 already exist0 errors', 'Add 1 user'],
    [
      { rows: 1200, created: 1100, unchanged: 98, errors: [error(2)] },
      '1,200 lines1,100 will be added99 already exist1 error',
      'Add 1,100 users',
    ],
    [
      { rows: 4, created: 0, unchanged: 1, errors: [error(2), error(3)] },
      '4 lines0 will be added2 already exist2 errors',
      'Subscribe 1 user',
    ],
  ] as const) {
    fakeApi.reply(IMPORT, { ...createImported([]), ...response } as Imported);
    pressElement(await screen.findByRole('button', { name: /^Check/ }));
    await waitFor(() => assert.is(document.querySelector('.tally')?.textContent, words));
    assert.ok(button(action));
  }
});

test('clears the result when a check or a file fails', async () => {
  fakeApi.reply('GET /api/admin/topics', topicPages([]));
  showScreen(<Import />, '/admin/users/import');
  fakeApi.reply(IMPORT, { ...createImported(people(2)), links: [] });
  typeInto(screen.getByLabelText(/^People, one per line/), 'username\na\nb');
  const check = async (name: string) => {
    pressElement(button(name));
    await waitFor(() => assert.is(button('Add 2 users').disabled, false));
  };
  await check('Check');
  fakeApi.loseRequests(IMPORT);
  pressElement(button('Check again'));
  await screen.findByText('Failed to check the lines.');
  assert.ok(screen.getByRole('heading', { name: 'Result' }));
  assert.is(button('Add users').disabled, true);
  fakeApi.reply(IMPORT, { ...createImported(people(2)), links: [] });
  await check('Check');
  assert.is(screen.queryByText('Failed to check the lines.'), null);
  const input = document.querySelector('input[type="file"]') as HTMLInputElement;
  const file = new File([new Uint8Array([0x50, 0x4b, 3, 4])], 'team.xlsx');
  fireEvent.change(input, { target: { files: [file] } });
  await screen.findByText(/^This isn’t a CSV file/);
  assert.is(button('Add users').disabled, true);
  assert.is(input.value, '', 'the corrected file can be chosen again');
});

test('prints invitations in parts of four hundred, and starts at the first for another choice', async () => {
  const addedPeople = people(950);
  fakeApi.reply(LIST, ({ query }) => {
    const matchingPeople = query.mail === 'none' ? addedPeople.slice(0, 130) : addedPeople;
    const [page, limit] = [Number(query.page), Number(query.limit)];
    return pageOf(matchingPeople.slice((page - 1) * limit, page * limit), {
      total: matchingPeople.length,
      pending: 950,
      withoutEmail: 130,
      newest: newestImport(),
    });
  });
  showScreen(<Import />, '/admin/users/invitations');
  await screen.findByText('1–400 of 950 invitations');
  assert.ok(screen.getByText(/Last import: 1 of 2 registered\.$/));
  const pages = (from: number) =>
    listRequests()
      .slice(from)
      .map(({ query }) => query.page);
  assert.equal(pages(0), ['1', '2', '3', '4']);
  pressElement(button('Next'));
  await screen.findByText('401–800 of 950 invitations');
  await waitFor(() => assert.equal(pages(4), ['5', '6', '7', '8']));
  pressElement(button('Next'));
  await screen.findByText('801–950 of 950 invitations');
  await waitFor(() => assert.equal(pages(8), ['9', '10']));
  await waitFor(() => assert.is(document.querySelectorAll('.cards > li').length, 150));
  chooseOption(screen.getByLabelText('Show'), 'Without email (130)');
  await waitFor(() => assert.ok(button('Print 130 invitations')));
  assert.equal(
    listRequests()
      .slice(10)
      .map(({ query }) => [query.page, query.mail]),
    [
      ['1', 'none'],
      ['2', 'none'],
    ],
  );
  assert.is(screen.queryByRole('navigation', { name: 'Pagination' }), null);
});

test('prints one card for a person who moved between pages while reading', async () => {
  const addedPeople = people(150);
  fakeApi.reply(LIST, ({ query }) =>
    pageOf(query.page === '1' ? addedPeople.slice(0, 100) : addedPeople.slice(99), { total: 150 }),
  );
  const { invitations } = await readInvitationPart({ mail: undefined, part: 1 });
  assert.equal(
    invitations.map(({ id }) => id),
    addedPeople.map(({ id }) => id),
  );
  assert.is(INVITATIONS_PER_PART, 400);
});

test('asks for the states of a hundred people at once', async () => {
  fakeApi.reply(LIST, pageOf([]));
  await readInvitationStates(people(130).map(({ id }) => id));
  assert.equal(
    [listRequests()[0]?.query.ids?.split(',').length, listRequests()[0]?.query.limit],
    [100, '100'],
  );
});

test('says when everyone who has not registered has an email', async () => {
  fakeApi.reply(LIST, pageOf([], { pending: 3 }));
  showScreen(<Import />, '/admin/users/invitations');
  await screen.findByText('Everyone who hasn’t registered has an email address.');
  assert.is(screen.getByRole('link', { name: 'Users' }).getAttribute('href'), '/admin/users');
});

test.run();
