import { deepEqual, equal, ok } from 'node:assert/strict';
import jsQR from 'jsqr';
import type { Browser, Page } from 'puppeteer-core';
import { ADMIN_PASSWORD } from '../../../support/processes/installation';
import { Company, PERSON_PASSWORD } from '../../parts/company';
import type { CleanUp, Story } from '../../parts/harness';
import { Person } from '../../parts/person';
import { startTestBed } from '../../parts/push/test-bed';

const TOPIC = 'Grid outages';
const TEXT = 'Feeder 12 tripped';
/** One more than fit on two sheets. */
const NAMES = Array.from({ length: 17 }, (_, index) => `m.lopez.${index + 1}`);

async function fromSpreadsheetToNotification(cleanUp: CleanUp): Promise<void> {
  const { browser, installation, report } = await startTestBed('Chromium', 'web-push', cleanUp);
  try {
    const company = await Company.connect(installation.address);
    const topic = await company.addTopic(TOPIC);
    const admin = await Person.openIn(await browser.createBrowserContext(), installation.address);
    await admin.signIn('admin', ADMIN_PASSWORD);
    await importAll(admin);
    const links = await readSheet(admin, browser);

    const technician = await Person.openIn(browser.defaultBrowserContext(), installation.address);
    await technician.open(links[1] ?? '');
    await technician.fill('Email', 'lopez@northgrid.example');
    await technician.fill('New password', PERSON_PASSWORD);
    await technician.fill('Confirm password', PERSON_PASSWORD);
    await technician.press('Set Password & Activate');
    await technician.follow('Go to sign-in');
    await technician.logIn('m.lopez.2', PERSON_PASSWORD);
    await technician.allowNotifications('Enable Notifications');
    await technician.closeNotice('Notifications are on for this device.');
    await technician.seeControl('switch', TOPIC);
    await company.sendMessage(topic, TEXT);
    equal((await technician.waitForNotification(TEXT))[0]?.title, TOPIC);

    await admin.page.emulateMediaType('screen');
    await admin.follow('17 users added');
    await admin.see('1 of 17 registered.');
    await admin.see('Registered');
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${report()}`, { cause: error });
  }
}

async function importAll(admin: Person): Promise<void> {
  await admin.open('/admin/users');
  await admin.follow('Add many users');
  const lines = NAMES.map((name) => `${name};;technician;${TOPIC}`);
  await admin.fill(
    'People, one per line:',
    ['username;email;role;topics', ...lines, 'x;;boss;'].join('\n'),
  );
  await admin.press('Check');
  await admin.see('“boss” is not a role. Use technician, customer or admin.');
  await admin.fill('People, one per line:', ['username;email;role;topics', ...lines].join('\n'));
  await admin.press('Check again');
  await admin.see('All lines are valid.');
  await admin.press('Add 17 users');
  await admin.see('17 users added');
  await admin.follow('Print 17 invitations');
  await admin.seeControl('button', 'Print 17 invitations');
}

/** @returns what the printed codes say, in order */
async function readSheet({ page }: Person, browser: Browser): Promise<string[]> {
  await page.waitForFunction(
    (count) => document.querySelectorAll('svg.qr').length === count,
    {},
    NAMES.length,
  );
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
  await page.emulateMediaType('print');
  equal(await countSheets(page), 3, 'sheets of 17');
  const names = await page.$$eval('.cards b', (elements) =>
    elements.map((element) => element.textContent),
  );
  deepEqual(names, NAMES);
  const reader = await browser.newPage();
  const links: string[] = [];
  for (const code of await page.$$('svg.qr')) {
    const picture = await code.screenshot({ encoding: 'base64' });
    const { data, width, height } = await reader.evaluate(readPixels, picture);
    const read = jsQR(new Uint8ClampedArray(data), width, height, {
      inversionAttempts: 'dontInvert',
    });
    links.push(read?.data ?? 'not to be read');
  }
  await reader.close();
  ok(
    links.every((link) => /\/register\/[\w-]{43}$/.test(link)),
    links.join('\n'),
  );
  equal(new Set(links).size, NAMES.length, 'each has a link of their own');
  await page.$eval('.cards > :last-child', (card) => card.remove());
  equal(await countSheets(page), 2, 'sheets of 16');
  return links;
}

async function countSheets(page: Page): Promise<number> {
  const file = Buffer.from(await page.pdf({ preferCSSPageSize: true })).toString('latin1');
  return file.match(/\/Type\s*\/Page\b/g)?.length ?? 0;
}

/** Runs in an empty page, outside our CSP. */
async function readPixels(
  picture: string,
): Promise<{ data: number[]; width: number; height: number }> {
  const image = new Image();
  image.src = `data:image/png;base64,${picture}`;
  await image.decode();
  const { width, height } = image;
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  const context = canvas.getContext('2d');
  context?.drawImage(image, 0, 0);
  return { data: [...(context?.getImageData(0, 0, width, height).data ?? [])], width, height };
}

export const importStories: Story[] = [
  {
    name: 'notifies people who were imported and registered by code',
    run: fromSpreadsheetToNotification,
  },
];
