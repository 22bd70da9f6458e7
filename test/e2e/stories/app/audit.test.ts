import { deepEqual } from 'node:assert/strict';
import type { Page } from 'puppeteer-core';
import { DEMO_ADMIN, DEMO_PASSWORD } from '../../../../server/demo/sample';
import type { CleanUp, Story } from '../../parts/harness';
import { startSampleCompany, TECHNICIAN } from '../../parts/sample-company';

/** Action, actor and object of each row. */
const rowsOf = (page: Page) =>
  page.$$eval('tbody tr', (rows) =>
    rows.map((row) =>
      ['th', '[data-label="By"]', '[data-label="On"]'].map(
        (cell) => row.querySelector(cell)?.textContent ?? '',
      ),
    ),
  );

async function logAndForgetNames(cleanUp: CleanUp): Promise<void> {
  const { person } = await startSampleCompany(cleanUp);
  const admin = await person();
  await admin.signIn(DEMO_ADMIN, DEMO_PASSWORD);
  await admin.open('/admin/topics');
  await admin.press('Add Topic');
  await admin.fill('Title', 'River levels');
  await admin.fill('Description', 'Every hour');
  await admin.press('Add Topic');
  await admin.closeNotice('Topic added.');
  await admin.open('/admin/users');
  await admin.fill('Search Users', TECHNICIAN);
  await admin.press(`Delete ${TECHNICIAN}`);
  await admin.press('Delete');
  await admin.closeNotice('User deleted.');

  await admin.follow('Setup');
  await admin.follow('Audit log');
  await admin.see('Entries can’t be changed or deleted. They’re kept for 365 days.');
  const [deleted, added, signedIn] = await rowsOf(admin.page);
  deepEqual(deleted?.slice(0, 2), ['User deleted', DEMO_ADMIN]);
  deepEqual(/^deleted user \d+$/.test(deleted?.[2] ?? ''), true, deleted?.[2]);
  deepEqual(added, ['Topic added', DEMO_ADMIN, 'River levels']);
  deepEqual(signedIn, ['Signed in', DEMO_ADMIN, DEMO_ADMIN]);

  await admin.fill('Search the log', 'levels demo ADDED');
  await admin.see('1–1 of 1 entry');
  deepEqual(await rowsOf(admin.page), [added]);
  await admin.fill('Search the log', TECHNICIAN);
  await admin.see('No results for');
}

export const auditStories: Story[] = [
  {
    name: 'audit: logs who did what to whom, without the names of deleted people',
    run: logAndForgetNames,
  },
];
