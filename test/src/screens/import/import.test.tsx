import * as assert from 'uvu/assert';
import { Import } from '../../../../src/screens/import/Import';
import type { Imported, Invitation, InvitationPage } from '../../../../src/shared/contract';
import { createFormats } from '../../../../src/ui/values/create-formats';
import {
  button,
  chooseOption,
  cleanup,
  clock,
  fakeApi,
  fireEvent,
  notices,
  pressElement,
  screen,
  screenSuite,
  showScreen,
  tableRows,
  typeInto,
  waitFor,
} from '../../../support/app/app';
import { allowCopying, catchDownloads } from '../../../support/app/browser';
import { createTopic, topicPages } from '../../../support/app/factories/people';
import { endSession, signInAs } from '../../../support/app/session';

const test = screenSuite('adding many people');
test.before.each(() => void signInAs('ADMIN'));
test.after.each(endSession);

const IMPORT = 'POST /api/admin/import';
const LIST = 'GET /api/admin/invitations';
const LINES = 'username,role\nm.lopez,technician';

const at = '2026-11-20T08:00:00.000Z';
const person = (id: number, change: Partial<Invitation> = {}): Invitation => ({
  id,
  username: `p${id}`,
  email: `p${id}@northgrid.example`,
  registrationLink: `https://bell.example/register/t0k3n${id}`,
  expiresAt: '2024-11-27T08:00:00.000Z',
  mail: 'waiting',
  openedAt: null,
  importedAt: at,
  ...change,
});
const createImported = (change: Partial<Imported> = {}): Imported => ({
  rows: 3,
  created: 2,
  subscribed: 3,
  unchanged: 0,
  errors: [],
  links: [],
  ...change,
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

function openImport(path = '/admin/users/import'): void {
  createFormats('en-GB');
  fakeApi.reply('GET /api/admin/topics', topicPages([createTopic(7, { title: 'Grid outages' })]));
  showScreen(<Import />, path);
}
const lines = () => screen.getByLabelText<HTMLTextAreaElement>(/^People, one per line/);
const submitButton = (name: string | RegExp) => button(name);

async function check(body: Imported): Promise<void> {
  fakeApi.reply(IMPORT, body);
  typeInto(lines(), LINES);
  pressElement(button(/^Check/));
  await screen.findByRole('heading', { name: 'Checked. No one has been added yet.' });
}

test('checks without changing anything, and shows what would happen', async () => {
  openImport();
  assert.is(document.title, 'Add many users · Fieldbell');
  assert.is(button('Check').disabled, true, 'there is nothing to check');
  assert.is(submitButton('Add users').disabled, true);
  await check(createImported());
  const [sentRequest] = fakeApi.requestsTo(IMPORT);
  assert.equal([sentRequest.query, sentRequest.body], [{ dryRun: 'true' }, LINES]);
  assert.is(sentRequest.headers.get('content-type'), 'text/csv');
  assert.is(
    document.querySelector('.tally')?.textContent,
    '3 lines2 will be added1 already exists0 errors',
  );
  assert.ok(
    screen.getByText(
      'All lines are valid. New people with an email address get an invitation by email when you add them.',
    ),
  );
  assert.is(submitButton('Add 2 users').disabled, false);
});

test('lists errors by line, and adds no one until they are fixed and checked again', async () => {
  openImport();
  const errors = [
    { line: 5, message: '“techncian” is no role.' },
    { line: 31, message: 'The topic “Grid outage” does not exist.' },
    { line: 40, message: '“techncian” is no role.' },
  ];
  await check(createImported({ errors }));
  assert.ok(
    screen.getByText('3 lines have errors. Fix these and check again. No one has been added.'),
  );
  assert.equal(
    screen.getAllByRole('listitem').map((item) => item.textContent),
    [
      '2 lines “techncian” is no role.Lines 5, 40',
      'Line 31 The topic “Grid outage” does not exist.',
    ],
  );
  assert.is(submitButton('Add 2 users').disabled, true);
  assert.is(screen.queryByText(/^All lines are valid/), null);
  await check(createImported({ errors: errors.slice(2) }));
  await screen.findByText('1 line has an error. Fix it and check again. No one has been added.');
});

test('requires a new check after changed lines or another topic', async () => {
  openImport();
  await check(createImported());
  typeInto(lines(), `${LINES}\nh.ito,`);
  await screen.findByRole('heading', { name: 'Not checked since the last change' });
  assert.is(submitButton('Add 2 users').disabled, true);
  pressElement(button('Check again'));
  await screen.findByRole('heading', { name: 'Checked. No one has been added yet.' });
  chooseOption(await screen.findByLabelText(/^Subscribe everyone to/), 'Grid outages');
  await waitFor(() => assert.is(submitButton('Add 2 users').disabled, true));
  pressElement(button('Check again'));
  await waitFor(() => assert.is(submitButton('Add 2 users').disabled, false));
  assert.is(fakeApi.requestsTo(IMPORT).at(-1)?.query.topicId, '7');
});

test('subscribes or does nothing when everyone in the file exists', async () => {
  openImport();
  await check(createImported({ created: 0, unchanged: 1 }));
  assert.is(submitButton('Subscribe 2 users').disabled, false);
  await check(createImported({ created: 0, unchanged: 3 }));
  await screen.findByText('All of these users already exist. There’s nothing to change.');
  assert.is(submitButton(/^Add 0 users/).disabled, true);
});

test('reads a file as a spreadsheet saves it, and checks it at once', async () => {
  openImport();
  fakeApi.reply(IMPORT, createImported());
  const file = screen.getByText('Choose a CSV file').parentElement?.querySelector('input');
  const choosing = (bytes: Uint8Array<ArrayBuffer>) =>
    fireEvent.change(file!, { target: { files: [new File([bytes], 'team.csv')] } });
  choosing(new Uint8Array(Buffer.from('username\nj.müller\n', 'latin1')));
  await screen.findByText(/^All lines are valid/);
  assert.is(lines().value, 'username\nj.müller\n');
  choosing(new Uint8Array([0x50, 0x4b, 3, 4]));
  await screen.findByText(/^This isn’t a CSV file/);
  assert.is(fakeApi.requestsTo(IMPORT).length, 1);
  choosing(new Uint8Array(2 * 1024 * 1024 + 1));
  await screen.findByText('The file is larger than 2 MiB. Split it and import the parts.');
});

test('shows a rejection, and says after a lost response that a retry adds no one twice', async () => {
  openImport();
  fakeApi.reject(
    IMPORT,
    400,
    'The first line must name the columns, such as username,email,role,topics',
  );
  typeInto(lines(), 'm.lopez');
  pressElement(button('Check'));
  await screen.findByText(/^The first line must name the columns/);
  await check(createImported());
  fakeApi.loseRequests(IMPORT);
  pressElement(submitButton('Add 2 users'));
  await screen.findByText(
    'We don’t know whether the people were added. You can press the button again. People are never added twice.',
  );
  assert.is(lines().value, LINES);
});

test('checks and adds with the columns chosen for an unknown first line', async () => {
  openImport();
  const error = 'Unknown column “Kürzel”. Allowed columns: username, email, role, topics, teams.';
  const columns = [
    { name: 'Kürzel', use: 'ignore' },
    { name: '', use: 'ignore' },
    { name: 'Rolle', use: 'role' },
  ];
  fakeApi.respond(IMPORT, () => Response.json({ error, columns }, { status: 400 }));
  const file = 'Kürzel,,Rolle\nm.lopez,,technician';
  typeInto(lines(), file);
  pressElement(button('Check'));
  await screen.findByText(error);
  assert.is(screen.getByLabelText<HTMLSelectElement>('Column “Rolle”').value, 'role');
  assert.ok(screen.getByLabelText('Column 2, without a name'));
  chooseOption(screen.getByLabelText('Column “Kürzel”'), 'Username');
  fakeApi.reply(IMPORT, createImported());
  pressElement(button('Check'));
  await waitFor(() => assert.is(submitButton('Add 2 users').disabled, false));
  typeInto(lines(), LINES);
  pressElement(button('Check again'));
  await waitFor(() => assert.is(submitButton('Add 2 users').disabled, false));
  typeInto(lines(), `${file}\nh.ito,,`);
  pressElement(button('Check again'));
  await waitFor(() => assert.is(submitButton('Add 2 users').disabled, false));
  fakeApi.reply(LIST, pageOf([]));
  pressElement(submitButton('Add 2 users'));
  await waitFor(() => assert.is(fakeApi.requestsTo(IMPORT).length, 5));
  const chosen = 'username,ignore,role';
  assert.equal(
    fakeApi.requestsTo(IMPORT).map(({ query }) => query.columns),
    [undefined, chosen, undefined, chosen, chosen],
    'another first line is read by name',
  );
});

test('adds no one and shows a line that has become invalid', async () => {
  openImport();
  await check(createImported());
  const errors = [{ line: 2, message: '“m.lopez” exists as a customer.' }];
  fakeApi.respond(
    IMPORT,
    () =>
      new Response(JSON.stringify({ error: 'No one was added.', ...createImported({ errors }) }), {
        status: 400,
      }),
  );
  pressElement(submitButton('Add 2 users'));
  await screen.findByText('“m.lopez” exists as a customer.');
});

/** Imports three people; `states` answers for them. */
async function add(
  links: Invitation[],
  states: InvitationPage,
  rows = links.length,
): Promise<void> {
  openImport();
  await check(createImported({ rows, created: links.length }));
  fakeApi.reply(IMPORT, createImported({ rows, created: links.length, links }));
  fakeApi.reply(LIST, states);
  pressElement(submitButton(/^Add \d/));
  await screen.findByRole('heading', { level: 1, name: `${links.length} users added` });
}
const mails = { waiting: 0, sent: 2, failed: 0 };
const threePeople = [person(1), person(2, { email: null, mail: 'none' }), person(3)];

test('shows the result: links, emails and who has registered', async () => {
  await add(
    threePeople,
    pageOf([{ ...person(1), mail: 'sent' }, threePeople[1]!], {
      newest: { importedAt: at, people: 3, registered: 1, mails },
    }),
    5,
  );
  await screen.findByText('3 users added, 2 emails sent.');
  assert.ok(
    screen.getByText(
      '2 users already existed and were subscribed. 1 user has no email address. Give them their link or a printed invitation.',
    ),
  );
  assert.ok(
    screen.getByText(/^1 of 3 registered\. Each link works once and expires after 7 days\./),
  );
  assert.equal(
    tableRows().map((row) => row.slice(0, 3)),
    [
      ['p1', 'https://bell.example/register/t0k3n1', 'Sent'],
      ['p2', 'https://bell.example/register/t0k3n2', 'No email'],
      ['p3', 'https://bell.example/register/t0k3n3', 'Registered'],
    ],
  );
  assert.is(fakeApi.requestsTo(LIST)[0].query.ids, '1,2,3');
  assert.is(
    screen.getByRole('link', { name: 'Print 3 invitations' }).getAttribute('href'),
    '/admin/users/invitations',
  );
});

test('promises no email without a mail server, and offers what works', async () => {
  await add(threePeople, {
    ...pageOf([person(1), threePeople[1]!, { ...person(3), mail: 'sent' }], {
      newest: { importedAt: at, people: 3, registered: 0, mails: { ...mails, waiting: 1 } },
    }),
    mail: 'not_set_up',
  });
  await screen.findByText(
    /Email isn’t set up\. Copy or print each person’s registration link instead\./,
  );
  assert.ok(screen.getByText('3 users added.'));
  assert.equal(
    tableRows().map((row) => row[2]),
    ['Not sent', 'No email', 'Not sent'],
  );
});

test('redirects an unknown address below Users to Users', async () => {
  openImport('/admin/users/nothing');
  await waitFor(() => assert.is(location.pathname, '/admin/users'));
  assert.is(screen.queryByRole('heading', { level: 1 }), null);
});

test('shows 25 links per page or this device’s choice, from the first', async () => {
  const all = Array.from({ length: 60 }, (_, index) => person(index + 1));
  await add(all, pageOf(all));
  const first = () => tableRows()[0]?.[0];
  const says = () => screen.getByRole('navigation', { name: 'Pagination' }).textContent ?? '';
  assert.match(says(), '1–25 of 60 links');
  pressElement(button('Next'));
  await waitFor(() => assert.is(first(), 'p26'));
  chooseOption(screen.getByLabelText('Rows'), '10');
  await waitFor(() => assert.match(says(), '21–30 of 60 links'));
  chooseOption(screen.getByLabelText('Rows'), '100');
  await waitFor(() => assert.match(says(), '1–60 of 60 links'));
  assert.is(tableRows().length, 60);
  chooseOption(screen.getByLabelText('Rows'), '25');
  await waitFor(() => assert.is(tableRows().length, 25));
});

test('updates the states of emails and links while the import is open', async () => {
  await add(
    threePeople,
    pageOf(threePeople, {
      newest: {
        importedAt: at,
        people: 3,
        registered: 0,
        mails: { waiting: 1, sent: 1, failed: 0 },
      },
    }),
  );
  await screen.findByText('3 users added, 1 of 2 emails sent.');
  fakeApi.reply(
    LIST,
    pageOf(
      [
        { ...person(1), mail: 'failed' },
        threePeople[1]!,
        { ...person(3), mail: 'sent', openedAt: at },
      ],
      {
        newest: {
          importedAt: at,
          people: 3,
          registered: 0,
          mails: { waiting: 0, sent: 1, failed: 1 },
        },
      },
    ),
  );
  await clock.advance(5000);
  await screen.findByText('3 users added, 1 email sent, 1 failed.');
  assert.equal(
    tableRows().map((row) => row[2]),
    ['Failed', 'No email', 'Opened'],
  );
});

test('copies a link, and saves all in a file no spreadsheet calculates', async () => {
  const copiedTexts = allowCopying();
  const { files } = catchDownloads();
  await add([person(1, { username: '=cmd()' }), ...threePeople.slice(1)], pageOf(threePeople));
  pressElement(button('Copy link for p2'));
  await notices().findByText('Registration link for p2 copied.');
  assert.equal(copiedTexts, ['https://bell.example/register/t0k3n2']);
  pressElement(button('Download links as CSV'));
  assert.equal((await files[0]?.text())?.split('\r\n').slice(0, 3), [
    'username,email,registrationLink,expiresAt',
    "'=cmd(),p1@northgrid.example,https://bell.example/register/t0k3n1,2024-11-27T08:00:00.000Z",
    'p2,,https://bell.example/register/t0k3n2,2024-11-27T08:00:00.000Z',
  ]);
});

test('keeps the links at the invitations until the session ends', async () => {
  await add(threePeople, pageOf(threePeople));
  cleanup();
  fakeApi.reply(LIST, pageOf([]));
  openImport('/admin/users/invitations');
  await screen.findByRole('link', { name: '3 users added' });
  endSession();
  await screen.findByRole('link', { name: 'Users' });
});

test('prints a card with an own code for each unregistered person', async () => {
  const [first, ...others] = threePeople;
  const inPolish = { ...first!, language: 'pl' as const, instructions: 'Zeskanuj kod.' };
  fakeApi.reply(LIST, pageOf([inPolish, ...others], { pending: 3, withoutEmail: 1 }));
  openImport('/admin/users/invitations');
  await waitFor(() => assert.is(screen.getAllByRole('img').length, 3));
  assert.is(screen.getByText('Zeskanuj kod.').lang, 'pl');
  assert.is(screen.getAllByText(/^Scan the code/).length, 2);
  const codes = screen.getAllByRole('img');
  assert.equal(
    codes.map((code) => code.getAttribute('aria-label')),
    [1, 2, 3].map((id) => `QR code with the registration link for p${id}`),
  );
  assert.is(new Set(codes.map((code) => code.innerHTML)).size, 3);
  assert.equal(
    screen.getAllByText(/Valid until/).map((one) => one.textContent),
    Array(3).fill('bell.exampleValid until 27 Nov 2024'),
  );
  let printedCount = 0;
  globalThis.print = () => void (printedCount += 1);
  pressElement(button('Print 3 invitations'));
  assert.is(printedCount, 1);
  const which = screen.getByLabelText<HTMLSelectElement>('Show');
  assert.equal(
    [...which.options].map(({ text }) => text),
    ['Without email (1)', 'Not registered yet (3)'],
  );
  fakeApi.reply(LIST, pageOf([threePeople[1]!], { pending: 3, withoutEmail: 1 }));
  chooseOption(which, 'Without email (1)');
  await waitFor(() => assert.ok(button('Print 1 invitation')));
  assert.is(fakeApi.requestsTo(LIST).at(-1)?.query.mail, 'none');
});

test('says when everyone has registered or the list failed', async () => {
  fakeApi.reject(LIST, 500);
  openImport('/admin/users/invitations');
  await screen.findByText('Failed to load invitations.');
  fakeApi.reply(LIST, pageOf([]));
  pressElement(button('Retry'));
  await screen.findByText('Everyone has registered.');
});

test.run();
