import * as assert from 'uvu/assert';
import { createTeam, teamPages } from '../../../support/app/factories/teams';
import { Users } from '../../../../src/screens/users/Users';
import {
  button,
  chooseOption,
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
import { allowCopying, rejectCopying } from '../../../support/app/browser';
import { numbersUpTo, createUser, userPages } from '../../../support/app/factories/people';

const test = screenSuite('users');
const LIST = 'GET /api/admin/users';
const ADD = 'POST /api/admin/users';

const admin = createUser(1, { username: 'ada', role: 'ADMIN' });
const technician = createUser(2, { username: 'm.okafor' });
const pending = createUser(3, {
  username: 'depot',
  role: 'CUSTOMER',
  status: 'PENDING',
  email: null,
  registrationToken: 'a+b/c',
});

const ONE = 'GET /api/admin/users/:id';

async function open(...users: Parameters<typeof userPages>[0]) {
  fakeApi.reply(ONE, technician);
  fakeApi.reply(LIST, userPages(users));
  showScreen(<Users />, '/admin/users');
  await screen.findByRole('table');
}
const names = () => tableRows().map(([, name]) => name);

test('lists users in eight columns, with a dash for no email', async () => {
  await open(admin, pending);
  assert.is(document.title, 'Users · Fieldbell');
  assert.equal(
    screen.getAllByRole('columnheader').map((head) => head.textContent),
    ['', 'ID', 'Username', 'Email', 'Role', 'Status', 'Teams', 'Created', 'Actions'],
  );
  assert.equal(
    tableRows().map((row) => row.slice(0, 5)),
    [
      ['1', 'ada', 'user1@northgrid.example', 'Admin', 'Active'],
      ['3', 'depot', '-', 'Customer', 'Pending'],
    ],
  );
  assert.ok(screen.getByRole('rowheader', { name: 'ada' }).querySelector('bdi'));
});

test('shows an unknown role or status by the server’s word', async () => {
  await open(createUser(5, { role: 'constructor' as never, status: '__proto__' as never }));
  assert.equal(tableRows()[0]!.slice(3, 5), ['constructor', '__proto__']);
});

test('adds a Customer by default, with or without email', async () => {
  await open(admin);
  fakeApi.reply(ADD, { user: pending, registrationLink: 'https://bell.example/register/t0k3n' });
  await openDialog('Add User');
  assert.ok(dialog().getByRole('heading', { name: 'Add User' }));
  const role = dialog().getByLabelText<HTMLSelectElement>('Role');
  assert.is(role.value, 'CUSTOMER');
  assert.equal(
    [...role.options].map(({ text }) => text),
    ['Customer', 'Technician', 'Admin'],
  );
  assert.is(dialog().getByLabelText<HTMLInputElement>('Username').required, true);
  assert.is(dialog().getByLabelText<HTMLInputElement>(/^Email/).required, false);
  typeInto(dialog().getByLabelText('Username'), ' depot ');
  pressInDialog('Add User');
  await notices('.above').findByText('Registration link created!');
  assert.equal(fakeApi.requestsTo(ADD)[0].body, { username: 'depot', role: 'CUSTOMER' });
  await waitFor(() => assert.is(fakeApi.requestsTo(LIST).length, 2));
});

test('chooses the language of an invitation, until the person registers', async () => {
  document.documentElement.dataset.languages = 'en|de|ar';
  try {
    await open(pending, technician);
    fakeApi.reply(ADD, { user: pending, registrationLink: 'https://bell.example/register/t0k3n' });
    await openDialog('Add User');
    typeInto(dialog().getByLabelText('Username'), 'depot');
    chooseOption(dialog().getByLabelText('Language of the invitation'), 'Deutsch (German)');
    pressInDialog('Add User');
    await notices('.above').findByText('Registration link created!');
    assert.equal(fakeApi.requestsTo(ADD)[0].body, {
      username: 'depot',
      role: 'CUSTOMER',
      language: 'de',
    });
    pressElement(button(`Edit ${pending.username}`));
    const language = await waitFor(() => dialog().getByLabelText('Language of the invitation'));
    fakeApi.reply('PUT /api/admin/users/:id', pending);
    fakeApi.reply('PUT /api/admin/users/:id/language', pending);
    chooseOption(language, 'العربية (Arabic)');
    pressInDialog('Save Changes');
    await notices().findByText(`${pending.username} changed.`);
    assert.equal(fakeApi.requestsTo('PUT /api/admin/users/:id/language')[0].body, {
      language: 'ar',
    });
    pressElement(button('Edit m.okafor'));
    await waitFor(() => dialog().getByLabelText('Username'));
    assert.is(dialog().queryByLabelText('Language of the invitation'), null);
  } finally {
    delete document.documentElement.dataset.languages;
  }
});

test('copies the new link from its notice, which closes after 10 s', async () => {
  const copiedTexts = allowCopying();
  await open(admin);
  fakeApi.reply(ADD, { user: pending, registrationLink: 'https://bell.example/register/t0k3n' });
  await openDialog('Add User');
  typeInto(dialog().getByLabelText('Username'), 'depot');
  typeInto(dialog().getByLabelText(/^Email/), 'depot@northgrid.example');
  chooseOption(dialog().getByLabelText('Role'), 'Technician');
  pressInDialog('Add User');
  await notices('.above').findByText('https://bell.example/register/t0k3n');
  assert.equal(fakeApi.requestsTo(ADD)[0].body, {
    username: 'depot',
    email: 'depot@northgrid.example',
    role: 'TECHNICIAN',
  });
  notices('.above').getByRole('button', { name: 'Copy link' }).click();
  await notices('.above').findByText('Link copied.');
  assert.equal(copiedTexts, ['https://bell.example/register/t0k3n']);
  await clock.advance(9999);
  assert.ok(notices('.above').getByText('Registration link created!'));
  await clock.advance(1);
  assert.is(notices('.above').queryByText('Registration link created!'), null);
});

test('keeps the link notice while pointed at or focused', async () => {
  await open(admin);
  fakeApi.reply(ADD, { user: pending, registrationLink: 'https://bell.example/register/t0k3n' });
  await openDialog('Add User');
  typeInto(dialog().getByLabelText('Username'), 'depot');
  pressInDialog('Add User');
  const title = await notices('.above').findByText('Registration link created!');
  const notice = title.closest('.note') as HTMLElement;
  fireEvent.mouseEnter(notice);
  notices('.above').getByRole('button', { name: 'Copy link' }).focus();
  await clock.advance(60_000);
  fireEvent.mouseLeave(notice);
  await clock.advance(60_000);
  assert.ok(notices('.above').getByText('Registration link created!'));
  notices('.above').getByRole('button', { name: 'Copy link' }).blur();
  await clock.advance(9_999);
  assert.ok(notices('.above').getByText('Registration link created!'));
  await clock.advance(1);
  assert.is(notices('.above').queryByText('Registration link created!'), null);
});

test('closes the link notice, and shows the link when the browser cannot copy', async () => {
  rejectCopying();
  await open(admin);
  fakeApi.reply(ADD, { user: pending, registrationLink: 'https://bell.example/register/t0k3n' });
  await openDialog('Add User');
  typeInto(dialog().getByLabelText('Username'), 'depot');
  pressInDialog('Add User');
  await notices('.above').findByText('Registration link created!');
  pressElement(notices('.above').getByRole('button', { name: 'Copy link' }));
  await notices('.above').findByText(/^Your browser doesn’t allow copying\. The link is selected/);
  assert.is(String(getSelection()), 'https://bell.example/register/t0k3n');
  pressElement(notices('.above').getByRole('button', { name: 'Close notice' }));
  assert.is(notices('.above').queryByText('Registration link created!'), null);
});

test('shows a used username at its field', async () => {
  await open(admin);
  fakeApi.reject(ADD, 409, [{ message: 'This username is already taken.', path: 'username' }]);
  await openDialog('Add User');
  typeInto(dialog().getByLabelText('Username'), 'ada');
  pressInDialog('Add User');
  await waitFor(() =>
    assert.is(dialog().getByRole('alert').textContent, 'This username is already taken.'),
  );
  assert.is(dialog().getByLabelText('Username').getAttribute('aria-invalid'), 'true');
  assert.is(document.activeElement, dialog().getByLabelText('Username'));
  fakeApi.replyWithPage(ADD);
  pressInDialog('Add User');
  await dialog().findByText('Failed to add user.');
});

test('copies a pending user’s link with this app’s address', async () => {
  const copiedTexts = allowCopying();
  await open({ ...admin, registrationToken: 'left over' }, pending);
  assert.is(
    screen.queryByRole('button', { name: 'Copy link for ada' }),
    null,
    'registered people need no link',
  );
  pressElement(button('Copy link for depot'));
  await notices().findByText('Registration link for depot copied.');
  assert.equal(copiedTexts, ['https://bell.example/register/a%2Bb%2Fc']);
});

test('shows a pending user’s link to copy by hand', async () => {
  rejectCopying();
  await open(pending);
  pressElement(button('Copy link for depot'));
  const field = await screen.findByRole<HTMLInputElement>('textbox', { name: /selected link/ });
  assert.is(field.value, 'https://bell.example/register/a%2Bb%2Fc');
  assert.equal([field.selectionStart, field.selectionEnd], [0, field.value.length]);
});

test('opens a user’s subscriptions', async () => {
  await open(technician);
  pressElement(screen.getByRole('link', { name: 'Manage Subscriptions of m.okafor' }));
  assert.is(location.pathname, '/admin/users/2/subscriptions');
});

test('suspends a user after a question, and reinstates them with Undo instead', async () => {
  const suspended = { ...technician, suspendedAt: '2026-11-20T07:00:00.000Z' };
  await open(technician);
  fakeApi.reply('POST /api/admin/users/:id/suspend', suspended);
  pressElement(button('Suspend m.okafor'));
  await waitFor(() => dialog().getByText(/^They’ll be signed out everywhere/));
  fakeApi.reply(LIST, userPages([suspended]));
  await enabledInDialog('Suspend');
  pressInDialog('Suspend');
  await notices().findByText('m.okafor is suspended.');
  await waitFor(() => assert.is(tableRows()[0]?.[4], 'Suspended'));
  fakeApi.reply('POST /api/admin/users/:id/reinstate', technician);
  fakeApi.reply(LIST, userPages([technician]));
  pressElement(button('Reinstate m.okafor'));
  await notices().findByText('m.okafor is reinstated.');
  await waitFor(() => assert.is(tableRows()[0]?.[4], 'Active'));
  pressElement(notices().getByRole('button', { name: 'Undo' }));
  await waitFor(() => assert.is(fakeApi.requestsTo('POST /api/admin/users/:id/suspend').length, 2));
});

test('changes name and email, and shows a used name at its field', async () => {
  await open(technician);
  const change = 'PUT /api/admin/users/:id';
  fakeApi.reject(change, 409, [{ message: 'This username is already taken.', path: 'username' }]);
  pressElement(button('Edit m.okafor'));
  const name = await waitFor(() => dialog().getByLabelText<HTMLInputElement>('Username'));
  assert.is(name.value, 'm.okafor');
  typeInto(name, 'mary');
  pressInDialog('Save Changes');
  await waitFor(() => assert.is(name.getAttribute('aria-invalid'), 'true'));
  fakeApi.reply(change, { ...technician, username: 'mary' });
  pressInDialog('Save Changes');
  await notices().findByText('mary changed.');
  assert.equal(fakeApi.requestsTo(change).at(-1)?.body, {
    username: 'mary',
    email: 'user2@northgrid.example',
  });
});

test('offers a new phone to people who may sign in with a code', async () => {
  await open(admin, technician, pending);
  assert.equal(
    screen.queryAllByRole('button', { name: /^New phone/, hidden: true }).map(nameOfButton),
    ['New phone for m.okafor'],
  );
  fakeApi.reply('POST /api/admin/users/:id/phone-link', {
    link: 'https://bell.example/new-phone#t0k3n',
    expiresAt: '2026-11-20T14:12:00.000Z',
  });
  pressElement(button('New phone for m.okafor'));
  assert.ok(await screen.findByText('https://bell.example/new-phone#t0k3n'));
});
const nameOfButton = (one: HTMLElement) => one.getAttribute('aria-label');

test('puts Delete last in a row’s menu, after Change role', async () => {
  await open(pending);
  const actions = [...(button('Delete depot').closest('ul')?.children ?? [])];
  assert.equal(
    actions.map((one) => one.textContent),
    ['Subscriptions', 'Edit', 'Change role', 'Teams', 'Add auditor access', 'Suspend', 'Delete'],
  );
  assert.equal(
    actions.map((one) => one.classList.contains('last')),
    [false, false, false, false, false, false, true],
  );
});

test('protects administrators from deletion, and confirms others', async () => {
  await open(admin, technician);
  assert.is(button('Delete ada').disabled, true);
  await openDialog('Delete m.okafor');
  const question = screen.getByRole('dialog', { name: 'Delete user' });
  assert.is(
    document.getElementById(question.getAttribute('aria-describedby') ?? '')?.textContent,
    'Are you sure you want to delete the user "m.okafor"? This action cannot be undone.',
  );
  fakeApi.loseRequests('DELETE /api/admin/users/:id');
  await enabledInDialog('Delete');
  pressInDialog('Delete');
  await dialog().findByText('Failed to delete user m.okafor.');
  fakeApi.reply('DELETE /api/admin/users/:id', { message: 'gone' });
  fakeApi.reply(LIST, userPages([admin]));
  pressInDialog('Delete');
  await notices().findByText('User deleted.');
  assert.is(fakeApi.requestsTo('DELETE /api/admin/users/:id').at(-1)?.params.id, '2');
  await waitFor(() => assert.equal(names(), ['ada']));
});

const enabledInDialog = (name: string) =>
  waitFor(() =>
    assert.is(dialog().getByRole<HTMLButtonElement>('button', { name }).disabled, false),
  );

for (const [state, isAlarmOpen, suspendText] of [
  ['due', false, /^m\.okafor has a check-in running\. Suspending ends it, and we won’t send/],
  ['help', true, /^m\.okafor asked for help, and the alarm is still open\. .+ stays open until/],
  ['missed', true, /^m\.okafor missed a check-in, and the alarm is still open\./],
  ['missed', false, /^m\.okafor still has to answer or end a check-in\. Suspending ends/],
] as const)
  test(`warns before a user is suspended whose check-in is ${state}${isAlarmOpen ? ', with an open alarm' : ''}, and prevents a deletion`, async () => {
    await open(technician);
    fakeApi.reply(ONE, { ...technician, checkIn: { state, isAlarmOpen } });
    const warning = () => dialog().getAllByRole('status')[0]?.textContent ?? '';
    await openDialog('Suspend m.okafor');
    await enabledInDialog('Suspend');
    assert.match(warning(), suspendText);
    pressInDialog('Cancel');
    await openDialog('Delete m.okafor');
    await waitFor(() => assert.match(warning(), 'You can’t delete this user now.'));
    const deletion = dialog().getByRole<HTMLButtonElement>('button', { name: 'Delete' });
    assert.is(deletion.disabled, true);
  });

test('lets an administrator suspend a user whose check-in could not be loaded', async () => {
  await open(technician);
  fakeApi.loseRequests(ONE);
  await openDialog('Suspend m.okafor');
  await dialog().findByText(/^We couldn’t check whether/);
  await enabledInDialog('Suspend');
});

test('confirms making or unmaking an administrator', async () => {
  await open(admin, technician);
  await openDialog('Change role of m.okafor');
  const role = () => dialog().getByLabelText<HTMLSelectElement>('Role');
  const change = () => dialog().getByRole<HTMLButtonElement>('button', { name: 'Change role' });
  assert.is(role().value, 'TECHNICIAN');
  assert.is(change().disabled, true);
  chooseOption(role(), 'Customer');
  assert.is(dialog().queryByText(/administrator privileges/), null);
  chooseOption(role(), 'Admin');
  assert.match(
    screen.getByRole('dialog').textContent ?? '',
    'assign administrator privileges to "m.okafor"',
  );
  pressInDialog('Cancel');
  await openDialog('Change role of ada');
  chooseOption(role(), 'Technician');
  assert.match(
    screen.getByRole('dialog').textContent ?? '',
    'remove administrator privileges from "ada"',
  );
});

test('changes a role, and explains a rejection', async () => {
  await open(technician);
  fakeApi.replyWithPage('PUT /api/admin/users/:id/role', 500);
  await openDialog('Change role of m.okafor');
  chooseOption(dialog().getByLabelText('Role'), 'Customer');
  pressInDialog('Change role');
  await dialog().findByText('Failed to update role for user 2.');
  fakeApi.reply('PUT /api/admin/users/:id/role', { ...technician, role: 'CUSTOMER' });
  fakeApi.reply(LIST, userPages([{ ...technician, role: 'CUSTOMER' }]));
  pressInDialog('Change role');
  await notices().findByText('m.okafor now has the role Customer.');
  assert.equal(fakeApi.requestsTo('PUT /api/admin/users/:id/role').at(-1)?.body, {
    role: 'CUSTOMER',
  });
  await waitFor(() => assert.is(tableRows()[0][3], 'Customer'));
});

test('puts one page of ten thousand users into the document', async () => {
  await open(...numbersUpTo(10_000).map((id) => createUser(id)));
  assert.ok(screen.getByText('1–10 of 10,000 users'));
  assert.ok(document.querySelectorAll('*').length < 1500);
});

test('changes a user’s teams in one dialog', async () => {
  const [crew, depot, office] = ['Crew', 'Depot', 'Office'].map((name, at) =>
    createTeam(at + 1, { name }),
  );
  const current = [crew!, depot!].map(({ id, name }) => ({ id, name }));
  await open({ ...technician, teams: current });
  assert.ok(screen.getByText('Crew, Depot'));
  fakeApi.reply('GET /api/admin/teams', teamPages([crew!, depot!, office!]));
  pressElement(button('Teams of m.okafor'));
  const leaving = await screen.findByRole<HTMLInputElement>('checkbox', { name: 'Depot' });
  assert.is(leaving.checked, true);
  pressElement(leaving);
  pressElement(screen.getByRole('checkbox', { name: 'Office' }));
  const [JOIN, LEAVE] = [
    'POST /api/admin/teams/:id/members',
    'DELETE /api/admin/teams/:id/members',
  ] as const;
  fakeApi.reply(JOIN, { changed: 1, unchanged: 0 });
  fakeApi.reply(LEAVE, { changed: 1, unchanged: 0 });
  pressInDialog('Save Changes');
  await notices().findByText('Teams of m.okafor changed.');
  const requestsOf = (endpoint: typeof JOIN | typeof LEAVE) =>
    fakeApi.requestsTo(endpoint).map(({ params, body }) => [params.id, body]);
  assert.equal(requestsOf(JOIN), [['3', { userIds: [technician.id] }]]);
  assert.equal(requestsOf(LEAVE), [['2', { userIds: [technician.id] }]]);
});

test('lets a user audit after a question, and marks them', async () => {
  await open(technician);
  const auditor = { ...technician, isAuditor: true };
  fakeApi.reply('PUT /api/admin/users/:id/auditor', auditor);
  fakeApi.reply(LIST, userPages([auditor]));
  await openDialog('Add auditor access: m.okafor');
  pressInDialog('Add auditor access');
  await notices().findByText('m.okafor is now an auditor.');
  assert.equal(fakeApi.requestsTo('PUT /api/admin/users/:id/auditor')[0]?.body, {
    isAuditor: true,
  });
  await screen.findByText('Auditor');
  assert.ok(button('Remove auditor access: m.okafor'));
});

test.run();
