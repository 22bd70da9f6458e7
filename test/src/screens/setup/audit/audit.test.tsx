import * as assert from 'uvu/assert';
import { Audit } from '../../../../../src/screens/setup/audit/Audit';
import type { AuditEntry } from '../../../../../src/shared/contract';
import {
  button,
  chooseOption,
  clock,
  fakeApi,
  notices,
  pressElement,
  screen,
  screenSuite,
  showScreen,
  tableRows,
  typeInto,
} from '../../../../support/app/app';
import { endSession, signInAs } from '../../../../support/app/session';
import { auditPages, createEntry } from '../../../../support/app/factories/setup';

const test = screenSuite('the audit log');
test.before.each(() => void signInAs('ADMIN'));
test.after.each(endSession);

const LIST = 'GET /api/admin/audit';
const CSV = 'GET /api/admin/audit.csv';

async function open(entries: AuditEntry[], keptDays?: number): Promise<void> {
  fakeApi.reply(LIST, auditPages(entries, keptDays));
  showScreen(<Audit />, '/admin/audit');
  await screen.findByRole('table');
}

test('shows time, action, actor, object and network of each entry', async () => {
  const today = new Date();
  today.setHours(9, 12);
  await open([
    createEntry(3, { at: today.toISOString() }),
    createEntry(2, {
      action: 'backup.make',
      actor: 'command line',
      target: '',
      detail: '',
      network: null,
    }),
    createEntry(1, { action: 'later.version' }),
  ]);
  assert.is(document.title, 'Audit log · Fieldbell');
  assert.is(document.activeElement, screen.getByRole('heading', { level: 1, name: 'Setup' }));
  assert.is(screen.getByRole('link', { name: 'Audit log' }).getAttribute('aria-current'), 'page');
  assert.equal(
    screen.getAllByRole('columnheader').map((head) => head.textContent),
    ['Time', 'Action', 'By', 'On', 'Detail'],
  );
  const [first, second, third] = tableRows();
  assert.equal(first, [
    'Today 09:12',
    'Role changed',
    'ada.lindqvist',
    'lead.north',
    'Technician to Admin · Network 203.0.113.0/24',
  ]);
  assert.equal(second?.slice(1), ['Backup created', 'command line', '-', '']);
  assert.is(third?.[1], 'later.version');
});

test('says that the log is read-only, and how long it is kept', async () => {
  await open([createEntry(1)], 1400);
  screen.getByText('Entries can’t be changed or deleted. They’re kept for 1,400 days.');
  assert.is(screen.queryByRole('button', { name: /delete|remove|edit/i }), null);
});

test('shows 25, 50 or 100 entries per page with the total', async () => {
  await open(Array.from({ length: 1204 }, (_, index) => createEntry(1204 - index)));
  assert.is(tableRows().length, 25);
  screen.getByText('1–25 of 1,204 entries');
  pressElement(button('Next'));
  await screen.findByText('26–50 of 1,204 entries');
  assert.is(location.search, '?page=2');
  chooseOption(screen.getByLabelText('Rows'), '50');
  await screen.findByText('1–50 of 1,204 entries');
});

test('exports the search result, and reports a failure', async () => {
  await open([createEntry(1)]);
  fakeApi.loseRequests(CSV);
  pressElement(button('Download all as CSV'));
  await notices().findByText('Failed to download the audit log.');
  typeInto(screen.getByRole('searchbox', { name: 'Search the log' }), 'role');
  await clock.advance(250);
  fakeApi.reject(CSV, 403, 'You may not.');
  pressElement(await screen.findByRole('button', { name: 'Download results as CSV' }));
  await notices().findByText('You may not.');
  assert.is(fakeApi.requestsTo(CSV).at(-1)?.query.query, 'role');
});

test('filters by area and time on the server, and downloads the same entries', async () => {
  await open([createEntry(1)]);
  chooseOption(screen.getByLabelText('Category'), 'Messages');
  chooseOption(screen.getByLabelText('Time'), 'Last 7 days');
  fakeApi.reject(CSV, 403, 'You may not.');
  pressElement(await screen.findByRole('button', { name: 'Download results as CSV' }));
  await notices().findByText('You may not.');
  assert.is(location.search, '?area=messages&days=7');
  for (const asked of [LIST, CSV] as const) {
    const { area, days } = fakeApi.requestsTo(asked).at(-1)?.query ?? {};
    assert.equal([area, days], ['messages', '7']);
  }
});

test('shows the text of a message that an entry is about, with a link', async () => {
  const message = { id: 'm1', title: 'Storm', text: 'Stop all work on poles.' };
  await open([createEntry(1, { action: 'message.send', message })]);
  const link = screen.getByRole('link', { name: 'Storm' });
  assert.is(link.getAttribute('href'), '/admin/messages/m1');
  assert.ok(screen.getByText('Stop all work on poles.'));
});

test('keeps right-to-left names and markup inside their cells', async () => {
  await open([createEntry(1, { actor: 'مدير', target: '<img src=x onerror=alert(1)>' })]);
  assert.is(document.querySelector('table img'), null);
  assert.equal(
    [...document.querySelectorAll('tbody bdi')].map((one) => one.textContent),
    ['مدير', '<img src=x onerror=alert(1)>', 'Technician to Admin'],
  );
});

test('says when a search did not cover all entries', async () => {
  fakeApi.reply(LIST, (sentRequest) => ({
    ...auditPages([createEntry(1)])(sentRequest),
    searched: 1_000_000,
  }));
  showScreen(<Audit />, '/admin/audit?query=x');
  await screen.findByText(/^Only the newest 1,000,000 entries were searched/);
});

test.run();
