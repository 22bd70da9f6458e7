import { deepEqual, equal, ok } from 'node:assert/strict';
import type { Page } from 'puppeteer-core';
import { eventually } from '../../../support/eventually';
import { ADMIN_PASSWORD } from '../../../support/processes/installation';
import { setPreferences } from '../../parts/push/firefox-windows';
import type { CleanUp, Story } from '../../parts/harness';
import { Keyboard } from '../../tour/keyboard';
import { Person } from '../../parts/person';
import { openTourPage, TOUR_SCREENS, showPage, type TourUser } from '../../tour/tour';
import { startTestBed, type BrowserName } from '../../parts/push/test-bed';

const PASSWORD = 'four-words-in-a-row';
const NEW_PASSWORD = 'other-words-in-a-row';

async function doEverythingByKeyboard(browserName: BrowserName, cleanUp: CleanUp): Promise<void> {
  const { browser, installation } = await startTestBed(browserName, 'web-push', cleanUp);
  const admin = await Person.at(await browser.createBrowserContext(), installation.address);
  const keys = new Keyboard(admin.page);

  await admin.open('/login');
  await signIn(keys, 'admin', ADMIN_PASSWORD);
  await keys.arrive('Dashboard');
  await keys.enter('Topics');
  await keys.arrive('Topics');

  for (const title of ['Outages', 'Storms']) {
    await keys.enter('Add Topic');
    await keys.type('Title', title);
    await keys.type('Description', 'What happens');
    await keys.enter('Add Topic');
    await admin.see(title);
    await focusReturns(keys, 'Add Topic');
  }
  await keys.enter('Edit Outages');
  await keys.replace('Title', 'Grid outages');
  await keys.press('Enter');
  await admin.see('Changes saved.');
  await keys.goTo('Edit Grid outages');
  await keys.enter('Topic Name');
  equal(await keys.page.$eval('th', (head) => head.ariaSort), 'ascending');

  await keys.enter('Delete Storms');
  await admin.see('Are you sure you want to delete the topic');
  await keys.press('Escape');
  await focusReturns(keys, 'More for Storms');
  await keys.enter('Delete Storms');
  await keys.enter('Delete');
  await admin.see('Topic deleted.');
  await keys.arrive('Topics'); // the row and its focus are gone

  await keys.enter('Users');
  await keys.arrive('Users');
  await keys.enter('Add User');
  await keys.type('Username', 'j.petrov');
  await keys.type('Role', 'T');
  await keys.enter('Add User');
  const link = await admin.copy(/http\S+\/register\/[\w-]+/);

  const technician = await Person.at(browser.defaultBrowserContext(), installation.address);
  await browser.defaultBrowserContext().setPermission(installation.address, {
    permission: { name: 'notifications' },
    state: 'granted',
  });
  const techniciansKeys = new Keyboard(technician.page);
  await technician.open(link);
  await techniciansKeys.type('Email', 'petrov@northgrid.example');
  await techniciansKeys.type('New password', PASSWORD);
  await techniciansKeys.type('Confirm password', PASSWORD);
  await techniciansKeys.press('Enter');
  await technician.see('Registration complete!');
  await techniciansKeys.enter('Go to sign-in');
  await signIn(techniciansKeys, 'j.petrov', PASSWORD);
  await techniciansKeys.arrive('Topics & Notifications Settings');

  await keys.enter('Manage Subscriptions of j.petrov');
  await keys.arrive('Manage Subscriptions');
  await keys.goTo('Grid outages');
  await keys.press(' ');
  await keys.enter('Subscribe');
  await admin.see('Current Subscriptions (1)');

  await technician.reload();
  await techniciansKeys.goTo('Grid outages');
  await techniciansKeys.press(' ');
  await technician.see('0 of 1 topics enabled');
  await techniciansKeys.press(' ');
  await technician.see('1 of 1 topics enabled');
  await technician.see('hasn’t been tested yet'); // the device is registered

  await keys.enter('Topics');
  await keys.arrive('Topics');
  await keys.enter('Send notification to Grid outages');
  await keys.type('Message', 'Feeder 12');
  await keys.enter('Send');
  await admin.see('1 device');

  await techniciansKeys.enter('Logout');
  await techniciansKeys.enter('Forgot password?');
  await techniciansKeys.type('Email', 'petrov@northgrid.example');
  await techniciansKeys.press('Enter');
  await technician.see('If an account with that email exists');
  const [reset] = await eventually(
    () => /http\S+\/reset-password\/[\w-]+/.exec(installation.output.join('\n')),
    'the mail with the link',
  );
  await technician.open(reset);
  await techniciansKeys.type('New password', NEW_PASSWORD);
  await techniciansKeys.type('Confirm password', NEW_PASSWORD);
  await techniciansKeys.press('Enter');
  await technician.see('Password reset!');
  await techniciansKeys.enter('Go to sign-in');
  await signIn(techniciansKeys, 'j.petrov', NEW_PASSWORD);
  await techniciansKeys.arrive('Topics & Notifications Settings');
  await techniciansKeys.enter('App Management');
  await techniciansKeys.enter('Reset App');
  await technician.see('This signs you out');
  await techniciansKeys.enter('Reset App');
  await technician.see('Forgot password?'); // while the dialog is open, only it is searched
  await technician.seeControl('button', 'Sign in');
}

async function signIn(keys: Keyboard, username: string, password: string): Promise<void> {
  await keys.type('Username', username);
  await keys.type('Password', password);
  await keys.press('Enter');
}

/** Waits for a dialog to close and return the focus. */
const focusReturns = (keys: Keyboard, name: string) =>
  keys.page.waitForFunction(
    (wanted) =>
      !document.querySelector('dialog') &&
      [document.activeElement?.ariaLabel, document.activeElement?.textContent].includes(wanted),
    {},
    name,
  );

const INSPECTED_SCREENS: [TourUser, string][] = [
  ['visitor', 'login'],
  ['admin', 'topics'],
  ['admin', 'topics-add'],
  ['admin', 'users-role'],
  ['technician', 'settings'],
];

/** The system's colors (Windows' high contrast) replace ours: shadows and backgrounds are gone. */
async function forceColors(page: Page, browserName: BrowserName): Promise<void> {
  if (browserName === 'Firefox')
    await setPreferences(page.browser(), { 'browser.display.document_color_use': 2 });
  else
    await (await page.createCDPSession()).send('Emulation.setEmulatedMedia', {
      features: [{ name: 'forced-colors', value: 'active' }],
    });
  await page.waitForFunction(() => matchMedia('(forced-colors: active)').matches);
}

async function inspectInForcedColors(browserName: BrowserName, cleanUp: CleanUp): Promise<void> {
  const { browser, installation } = await startTestBed(browserName, 'web-push', cleanUp, {
    program: 'demo',
  });
  for (const [role, name] of INSPECTED_SCREENS) {
    const page = await openTourPage(browser, installation.address, role);
    await forceColors(page, browserName);
    await showPage(
      page,
      installation.address,
      TOUR_SCREENS.find((screen) => screen.name === name)!,
    );
    ok((await new Keyboard(page).walk()).length >= 2, `${name} has stops`);
    const edgeless = await page.$$eval('button, input, select, textarea', (controls) =>
      controls
        .filter((control) => {
          const { borderTopStyle, borderTopWidth, appearance } = getComputedStyle(control);
          return (
            control.checkVisibility() &&
            appearance === 'none' &&
            (borderTopStyle === 'none' || Number.parseFloat(borderTopWidth) < 1)
          );
        })
        .map((control) => control.outerHTML),
    );
    deepEqual(edgeless, [], `controls of ${name} that look like text`);
    if (name === 'settings')
      equal(
        await page.$eval('[role="switch"]', (control) => getComputedStyle(control).appearance),
        'auto',
        'a switch says where it stands',
      );
    await page.close();
  }
}

const BROWSERS: BrowserName[] = ['Chromium', 'Firefox'];

export const keyboardStories: Story[] = BROWSERS.flatMap((browserName): Story[] => [
  {
    name: `works by keyboard with visible focus, in ${browserName}`,
    run: (cleanUp) => doEverythingByKeyboard(browserName, cleanUp),
  },
  {
    name: `shows focus and control edges in forced colors, in ${browserName}`,
    run: (cleanUp) => inspectInForcedColors(browserName, cleanUp),
  },
]);
