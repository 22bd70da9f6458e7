import { deepEqual, equal, ok } from 'node:assert/strict';
import type { Page } from 'puppeteer-core';
import { DEMO_ADMIN, DEMO_PASSWORD } from '../../../../server/demo/sample';
import type { CleanUp, Story } from '../../parts/harness';
import type { Person } from '../../parts/person';
import { startSampleCompany } from '../../parts/sample-company';

async function signInToLists(cleanUp: CleanUp): Promise<Person> {
  const { person } = await startSampleCompany(cleanUp);
  const admin = await person();
  await admin.signIn(DEMO_ADMIN, DEMO_PASSWORD);
  return admin;
}

const readList = (page: Page) =>
  page.evaluate(() => ({
    address: location.pathname + location.search,
    search: document.querySelector<HTMLInputElement>('[type="search"]')?.value,
    status: document.querySelector<HTMLSelectElement>('[name="status"]')?.value,
    rows: [...document.querySelectorAll('tbody th')].map(({ textContent }) => textContent),
  }));

async function returnToLists(cleanUp: CleanUp): Promise<void> {
  const admin = await signInToLists(cleanUp);
  const { page } = admin;
  const settled = async () => {
    await page.waitForFunction(
      () => document.querySelector('tbody th') && !document.querySelector('[aria-busy="true"]'),
    );
    return readList(page);
  };
  await admin.follow('Users');
  await admin.see('of 60 users');
  const history = await page.evaluate(() => window.history.length);
  await admin.fill('Search Users', 'northgrid');
  await page.waitForFunction(() => location.search === '?query=northgrid');
  await admin.choose('Status', 'ACTIVE');
  await page.waitForFunction(() => location.search.includes('status=ACTIVE'));
  equal(
    await page.evaluate(() => window.history.length),
    history,
    'typing and filtering add no history steps',
  );
  await page.waitForFunction(() =>
    /^1–10 of .*result/.test(document.querySelector('nav.bar [role="status"]')?.textContent ?? ''),
  );
  await admin.press('Next');
  await page.waitForFunction(() =>
    /11–20/.test(document.querySelector('nav.bar [role="status"]')?.textContent ?? ''),
  );
  const before = await settled();
  equal(before.address, '/admin/users?page=2&query=northgrid&status=ACTIVE');

  await page.click('tbody a');
  await admin.see('Manage Subscriptions');
  await page.waitForSelector('#current');
  await admin.reload();
  await admin.page.locator('.back').click();
  deepEqual(await settled(), before, 'the way back');
  await page.goBack();
  await page.waitForSelector('#current');
  await page.goBack();
  deepEqual(await settled(), before, 'Back');
  await admin.reload();
  deepEqual(await settled(), before, 'a reload');
  await page.evaluate(() => window.history.back());
  await page.waitForFunction(() =>
    /1–10/.test(document.querySelector('nav.bar [role="status"]')?.textContent ?? ''),
  );
  equal((await settled()).address, '/admin/users?query=northgrid&status=ACTIVE', 'one page back');

  await admin.follow('Dashboard');
  await admin.see('Manage Users');
  await admin.press('Logout');
  await admin.logIn(DEMO_ADMIN, DEMO_PASSWORD);
  await page.evaluate(() => window.history.back());
  await page.waitForFunction(() =>
    /^1–10 of 60/.test(document.querySelector('nav.bar [role="status"]')?.textContent ?? ''),
  );
  const { address, search, status } = await settled();
  deepEqual(
    { address, search, status },
    { address: '/admin/users', search: '', status: '' },
    'nothing of the session before',
  );
}

/** The boxes of the first row's actions, and the row's height. */
const measureActions = (page: Page) =>
  page.evaluate(() => {
    const cell = document.querySelector('td.actions')!;
    const { right } = cell.parentElement!.getBoundingClientRect();
    const boxes = [...cell.children].map((one) => ({
      name: one.className,
      box: one.getBoundingClientRect().toJSON() as DOMRect,
    }));
    const heights = [...document.querySelectorAll('tbody tr')].map(
      (row) => row.getBoundingClientRect().height,
    );
    return { boxes, right, heights };
  });

async function rows(cleanUp: CleanUp): Promise<void> {
  const admin = await signInToLists(cleanUp);
  const { page } = admin;
  for (const width of [320, 360, 599]) {
    await page.setViewport({ width, height: 740, isMobile: true, hasTouch: true });
    for (const place of ['Topics', 'Users']) {
      await admin.open(`/admin/${place.toLowerCase()}`);
      await page.waitForSelector('td.actions');
      const { boxes, right } = await measureActions(page);
      for (const [at, { name, box }] of boxes.entries()) {
        for (const other of boxes.slice(at + 1)) {
          const apart = Math.max(other.box.left - box.right, other.box.top - box.bottom);
          ok(
            apart >= 8 - 0.5,
            `${name} and ${other.name} of ${place} are ${apart} px apart at ${width} px`,
          );
        }
      }
      const last = boxes.at(-1)!;
      equal(last.name, 'more');
      ok(
        right - last.box.right <= 17,
        `More of ${place} ends ${right - last.box.right} px before the row does, at ${width} px`,
      );
    }
  }
  await page.setViewport({ width: 1280, height: 900 });
  await admin.open('/admin/users');
  await page.waitForSelector('td.actions');
  const { heights } = await measureActions(page);
  ok(
    heights.every((height) => height <= 41),
    `rows of users are ${heights.join(', ')} px high`,
  );
}

async function openDialogOnLowScreen(cleanUp: CleanUp): Promise<void> {
  const admin = await signInToLists(cleanUp);
  const { page } = admin;
  await page.setViewport({ width: 360, height: 740, isMobile: true, hasTouch: true });
  await admin.open('/admin/topics');
  await admin.press('Add Topic');
  await page.waitForSelector('dialog[open]');
  // A keyboard shrinks the visible part, not the page.
  const shown = await page.evaluate(async () => {
    const view = window.visualViewport!;
    Object.defineProperty(view, 'height', { configurable: true, value: 300 });
    document.querySelector<HTMLElement>('dialog textarea')!.focus();
    view.dispatchEvent(new Event('resize'));
    await new Promise((resolve) => requestAnimationFrame(resolve));
    const edges = (selector: string) => document.querySelector(selector)!.getBoundingClientRect();
    return {
      page: innerHeight,
      dialog: edges('dialog').bottom,
      button: edges('dialog [type="submit"]').bottom,
      foot: edges('dialog .foot').top,
      field: edges('dialog textarea').bottom,
    };
  });
  equal(shown.page, 740);
  ok(shown.dialog <= 300 && shown.button <= 300, JSON.stringify(shown));
  ok(
    shown.field <= shown.foot + 1,
    `what is typed in is not behind the buttons: ${JSON.stringify(shown)}`,
  );
}

export const listStories: Story[] = [
  {
    name: 'restores search, page and filters until the session ends',
    run: returnToLists,
  },
  {
    name: 'keeps row actions apart and user rows 40 px high',
    run: rows,
  },
  {
    name: 'keeps a dialog’s buttons and the focused field above the keyboard',
    run: openDialogOnLowScreen,
  },
];
