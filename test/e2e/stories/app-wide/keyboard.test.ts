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
  const admin = await Person.openIn(await browser.createBrowserContext(), installation.address);
  const keys = new Keyboard(admin.page);

  await admin.open('/login');
  await signIn(keys, 'admin', ADMIN_PASSWORD);
  await keys.waitForScreen('Dashboard');
  await keys.pressControl('Topics');
  await keys.waitForScreen('Topics');

  for (const title of ['Outages', 'Storms']) {
    await keys.pressControl('Add Topic');
    await keys.typeInto('Title', title);
    await keys.typeInto('Description', 'What happens');
    await keys.pressControl('Add Topic');
    await admin.see(title);
    await focusReturns(keys, 'Add Topic');
  }
  await keys.pressControl('Edit Outages');
  await keys.replaceText('Title', 'Grid outages');
  await keys.press('Enter');
  await admin.see('Changes saved.');
  await keys.goTo('Edit Grid outages');
  await keys.pressControl('Topic Name');
  equal(await keys.page.$eval('th', (head) => head.ariaSort), 'ascending');

  await keys.pressControl('Delete Storms');
  await admin.see('Are you sure you want to delete the topic');
  await keys.press('Escape');
  await focusReturns(keys, 'More for Storms');
  await keys.pressControl('Delete Storms');
  await keys.pressControl('Delete');
  await admin.see('Topic deleted.');
  await keys.waitForScreen('Topics'); // the row and its focus are gone

  await keys.pressControl('Users');
  await keys.waitForScreen('Users');
  await keys.pressControl('Add User');
  await keys.typeInto('Username', 'j.petrov');
  await keys.typeInto('Role', 'T');
  await keys.pressControl('Add User');
  const link = await admin.copyText(/http\S+\/register\/[\w-]+/);

  const technician = await Person.openIn(browser.defaultBrowserContext(), installation.address);
  await browser.defaultBrowserContext().setPermission(installation.address, {
    permission: { name: 'notifications' },
    state: 'granted',
  });
  const techniciansKeys = new Keyboard(technician.page);
  await technician.open(link);
  await techniciansKeys.typeInto('Email', 'petrov@northgrid.example');
  await techniciansKeys.typeInto('New password', PASSWORD);
  await techniciansKeys.typeInto('Confirm password', PASSWORD);
  await techniciansKeys.press('Enter');
  await technician.see('Registration complete!');
  await techniciansKeys.pressControl('Go to sign-in');
  await signIn(techniciansKeys, 'j.petrov', PASSWORD);
  await techniciansKeys.waitForScreen('Topics & Notifications Settings');

  await keys.pressControl('Manage Subscriptions of j.petrov');
  await keys.waitForScreen('Manage Subscriptions');
  await keys.goTo('Grid outages');
  await keys.press(' ');
  await keys.pressControl('Subscribe');
  await admin.see('Current Subscriptions (1)');

  await technician.reload();
  await techniciansKeys.goTo('Grid outages');
  await techniciansKeys.press(' ');
  await technician.see('0 of 1 topics enabled');
  await techniciansKeys.press(' ');
  await technician.see('1 of 1 topics enabled');
  await technician.see('hasn’t been tested yet'); // the device is registered

  await keys.pressControl('Topics');
  await keys.waitForScreen('Topics');
  await keys.pressControl('Send notification to Grid outages');
  await keys.typeInto('Message', 'Feeder 12');
  await keys.pressControl('Send');
  await admin.see('1 device');

  await techniciansKeys.pressControl('Logout');
  await techniciansKeys.pressControl('Forgot password?');
  await techniciansKeys.typeInto('Email', 'petrov@northgrid.example');
  await techniciansKeys.press('Enter');
  await technician.see('If an account with that email exists');
  const [reset] = await eventually(
    () => /http\S+\/reset-password\/[\w-]+/.exec(installation.output.join('\n')),
    'the mail with the link',
  );
  await technician.open(reset);
  await techniciansKeys.typeInto('New password', NEW_PASSWORD);
  await techniciansKeys.typeInto('Confirm password', NEW_PASSWORD);
  await techniciansKeys.press('Enter');
  await technician.see('Password reset!');
  await techniciansKeys.pressControl('Go to sign-in');
  await signIn(techniciansKeys, 'j.petrov', NEW_PASSWORD);
  await techniciansKeys.waitForScreen('Topics & Notifications Settings');
  await techniciansKeys.pressControl('App Management');
  await techniciansKeys.pressControl('Reset App');
  await technician.see('This signs you out');
  await techniciansKeys.pressControl('Reset App');
  await technician.see('Forgot password?'); // while the dialog is open, only it is searched
  await technician.seeControl('button', 'Sign in');
}

async function signIn(keys: Keyboard, username: string, password: string): Promise<void> {
  await keys.typeInto('Username', username);
  await keys.typeInto('Password', password);
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
    ok((await new Keyboard(page).walkAllStops()).length >= 2, `${name} has stops`);
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
