import { deepEqual, equal, match } from 'node:assert/strict';
import { TOTP } from 'otpauth';
import type { Browser, Page } from 'puppeteer-core';
import { launchChromium } from '../../../support/browsers/chromium';
import { launchFirefox } from '../../../support/browsers/firefox';
import { startCompanyProvider } from '../../../support/company-sign-in/provider';
import { startAutopush } from '../../../support/push-services/autopush';
import { ADMIN_PASSWORD, startInstallation } from '../../../support/processes/installation';
import { builtFolder } from '../../parts/builds';
import { requestApi } from '../../parts/company';
import { startServerAndBrowser, type CleanUp, type Story } from '../../parts/harness';
import { themesAt, sidewaysOverflow, axeViolations } from '../../tour/inspections';
import { Person } from '../../parts/person';
import type { BrowserName } from '../../parts/push/test-bed';

async function launch(name: BrowserName, cleanUp: CleanUp): Promise<Browser> {
  if (name === 'Chromium') return launchChromium();
  const autopush = await startAutopush();
  cleanUp(() => autopush.close());
  return launchFirefox({ autopush, fcm: undefined });
}

/** Runs axe on phone and desktop, light and dark. */
async function checkAccessibility(page: Page, name: BrowserName): Promise<void> {
  if (name === 'Firefox') return; // the tour checks colors and sizes
  const violations: string[] = [];
  for (const width of [360, 1280])
    for (const [theme, rules] of themesAt(width)) {
      await page.setViewport({ width, height: 800 });
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
      const faults = [...(await sidewaysOverflow(page)), ...(await axeViolations(page, rules))];
      violations.push(...faults.map((fault) => `at ${width} px, ${theme}: ${fault}`));
    }
  deepEqual(violations, []);
}

async function tokenOfAdmin(address: string): Promise<string> {
  const body = { username: 'admin', password: ADMIN_PASSWORD };
  const response = await requestApi(address, '', 'POST /api/auth/login', body);
  return ((await response.json()) as { token: string }).token;
}

async function addTechnician(address: string, email: string): Promise<void> {
  const token = await tokenOfAdmin(address);
  const user = { username: 'm.okafor', email, role: 'TECHNICIAN' };
  equal((await requestApi(address, token, 'POST /api/admin/users', user)).status, 201);
}

async function signInAs(person: Person, sub: string): Promise<void> {
  await person.press('Sign in with Northgrid');
  await person.see('Sign in at Northgrid');
  await person.fill('Employee', sub);
  await person.press('Continue');
}

async function signInByCompany(name: BrowserName, cleanUp: CleanUp): Promise<void> {
  const email = 'maya@northgrid.example';
  const company = await startCompanyProvider({
    maya: { email, email_verified: true },
    twin: { email, email_verified: true },
    guest: { email: 'guest@northgrid.example', email_verified: true },
    newcomer: { email, email_verified: false },
  });
  cleanUp(() => company.close());
  const [{ address }, browser] = await startServerAndBrowser(
    startInstallation({ built: builtFolder('company'), environment: company.environment }),
    launch(name, cleanUp),
    cleanUp,
  );
  company.sendBackTo(`${address}/api/auth/oidc/callback`);
  await addTechnician(address, email);

  const maya = await Person.openIn(await browser.createBrowserContext(), address);
  await maya.open('/messages');
  await maya.see('or with your Fieldbell password');
  await checkAccessibility(maya.page, name);
  await signInAs(maya, 'maya');
  await maya.see('Logged in as: m.okafor');
  equal(await maya.page.evaluate(() => location.pathname + location.hash), '/messages');
  await maya.reload();
  await maya.see('Logged in as: m.okafor');
  // Back leads to no address with a token.
  const knownPaths = await maya.page.evaluate(() =>
    'navigation' in window
      ? (window.navigation as { entries(): { url: string }[] }).entries().map(({ url }) => url)
      : [],
  );
  deepEqual(
    knownPaths.filter((url) => /token|code/.test(url)),
    [],
  );
  // A link with another person's session changes nothing.
  const forged = `/login#token=${await tokenOfAdmin(address)}`;
  await maya.open('/');
  await maya.open(forged);
  await maya.see('Logged in as: m.okafor');
  const clickedPerson = await Person.openIn(await browser.createBrowserContext(), address);
  await clickedPerson.open(forged);
  await clickedPerson.see('This sign-in started in another browser or took too long.');

  for (const [sub, sentence] of [
    ['guest', 'No account here has your Northgrid email address.'],
    ['newcomer', 'Northgrid hasn’t verified your email address'],
    ['twin', 'Your account here is linked to another Northgrid account.'],
  ] as const) {
    const otherPerson = await Person.openIn(await browser.createBrowserContext(), address);
    await otherPerson.open('/login');
    await signInAs(otherPerson, sub);
    await otherPerson.see(sentence);
    equal(await otherPerson.page.evaluate(() => location.href), `${address}/login`);
    if (sub === 'guest') await checkAccessibility(otherPerson.page, name);
    await otherPerson.fill('Username', 'admin');
    await otherPerson.fill('Password', 'wrong');
    await otherPerson.press('Sign in');
    await otherPerson.see('Invalid username or password.');
    await otherPerson.page.close();
  }

  const stranger = await Person.openIn(await browser.createBrowserContext(), address);
  await stranger.open('/login');
  await stranger.press('Sign in with Northgrid');
  await stranger.press('Cancel');
  await stranger.see('You weren’t signed in. Northgrid reports that the sign-in was canceled.');
  await stranger.open('/api/auth/oidc/callback?code=x&state=y');
  await stranger.see('This sign-in started in another browser or took too long.');
}

/** The phone app's code for a key, `steps` from now. */
const codeOf = (key: string, steps: number): string =>
  new TOTP({ secret: key.replace(/\s/g, '') }).generate({
    timestamp: Date.now() + steps * 30_000,
  });
const SECRET_PATTERN = /(?:[A-Z2-7]{4} ){7}[A-Z2-7]{4}/;
const RECOVERY_CODE_PATTERN = /[a-z2-9]{4}(?:-[a-z2-9]{4}){3}/;

async function signInWithTwoFactor(name: BrowserName, cleanUp: CleanUp): Promise<void> {
  const [{ address }, browser] = await startServerAndBrowser(
    startInstallation({
      built: builtFolder('company'),
      environment: { ADMIN_TOTP: 'required' },
    }),
    launch(name, cleanUp),
    cleanUp,
  );
  const admin = await Person.openIn(await browser.createBrowserContext(), address);
  const logIn = async () => {
    await admin.open('/login');
    await admin.fill('Username', 'admin');
    await admin.fill('Password', ADMIN_PASSWORD);
    await admin.press('Sign in');
  };
  const logOut = async () => {
    await admin.press('Logout');
    await admin.see('Sign in to Fieldbell');
  };
  await logIn();
  await admin.see('Set up two-factor authentication');
  const key = await admin.copyText(SECRET_PATTERN);
  await checkAccessibility(admin.page, name);
  await admin.fill('Code', '000000');
  await admin.press('Confirm');
  await admin.see('This code is wrong or was already used.');
  const first = codeOf(key, -1);
  await admin.fill('Code', first);
  await admin.press('Confirm');
  await admin.see('They won’t be shown again.');
  const recovery = await admin.copyText(RECOVERY_CODE_PATTERN);
  await checkAccessibility(admin.page, name);
  await admin.press('Continue to Fieldbell');
  await admin.see('Logged in as: admin');
  await logOut();

  await logIn();
  await admin.see('Enter your code');
  await checkAccessibility(admin.page, name);
  await admin.fill('Code', first);
  await admin.press('Sign in');
  await admin.see('This code is wrong or was already used.');
  await admin.fill('Code', codeOf(key, 1));
  await admin.press('Sign in');
  await admin.see('Logged in as: admin');
  await logOut();

  await logIn();
  await admin.fill('Code', recovery.toUpperCase());
  await admin.press('Sign in');
  await admin.see('Logged in as: admin');
  await admin.open('/account');
  await admin.see('9 left.');
  await checkAccessibility(admin.page, name);
  await admin.press('Create new codes: Recovery codes');
  await admin.fill('Code', recovery);
  await admin.press('Create new codes');
  await admin.see('This code is wrong or was already used.');
  await admin.fill('Code', codeOf(key, 2));
  await admin.press('Create new codes');
  const fresh = await admin.copyText(RECOVERY_CODE_PATTERN);
  match(fresh, RECOVERY_CODE_PATTERN);
  await admin.press('I’ve saved the codes');
  await admin.see('10 left.');
  await admin.press('Turn off: Authenticator app');
  await admin.fill('Code', fresh);
  await admin.press('Turn off');
  await admin.see('Authenticator app turned off.');

  // An open session alone cannot set up another one.
  await admin.press('Set up: Authenticator app');
  await admin.fill('Password', 'wrong');
  await admin.press('Set up');
  await admin.see('This is not your current password.');
  await checkAccessibility(admin.page, name);
  await admin.fill('Password', ADMIN_PASSWORD);
  await admin.press('Set up');
  const other = await admin.copyText(SECRET_PATTERN);
  await admin.fill('Code', codeOf(other, 0));
  await admin.press('Confirm');
  await admin.see('They won’t be shown again.');
}

const PASSKEY_REJECTED = 'This passkey does not work here. Please sign in with your password.';

async function signInWithPasskey(cleanUp: CleanUp): Promise<void> {
  const [{ address }, browser] = await startServerAndBrowser(
    startInstallation({ built: builtFolder('company'), environment: { PASSKEYS: 'true' } }),
    launchChromium(),
    cleanUp,
  );
  const admin = await Person.openIn(await browser.createBrowserContext(), address);
  const phone = await admin.page.createCDPSession();
  await phone.send('WebAuthn.enable', { enableUI: false });
  const { authenticatorId } = await phone.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: false,
    },
  });
  /** Whether its owner agrees to all requests that begin from now on. */
  const agree = (enabled: boolean) =>
    phone.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
  const verify = (isUserVerified: boolean) =>
    phone.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
  const logOut = async () => {
    await agree(false);
    await admin.press('Logout');
    await admin.see('Sign in to Fieldbell');
  };
  await admin.signIn('admin', ADMIN_PASSWORD);
  await admin.open('/account');
  await agree(true);
  await admin.press('Add passkey');
  await checkAccessibility(admin.page, 'Chromium');
  await admin.fill('Name', 'Work phone');
  await admin.fill('Password', ADMIN_PASSWORD);
  await admin.press('Add passkey');
  await admin.see('never used');
  await admin.closeNotice('Passkey added.'); // axe would read its colors while it fades
  await checkAccessibility(admin.page, 'Chromium');

  await logOut();
  await checkAccessibility(admin.page, 'Chromium');
  await agree(true); // to the first that the list of usernames offers
  await admin.open('/login');
  await admin.see('Logged in as: admin');
  await logOut();
  await verify(false);
  await agree(true);
  await admin.press('Sign in with a passkey');
  await admin.see('No passkey was used.');
  await agree(false); // or the list, which asks again, would sign in before the button is pressed
  await verify(true);
  await agree(true);
  await admin.press('Sign in with a passkey');
  await admin.see('Logged in as: admin');

  await admin.open('/account');
  await admin.see('· last used');
  await admin.press('Remove: Work phone');
  await admin.press('Remove');
  await admin.see('Passkey removed.');
  await logOut();
  await agree(true);
  await admin.press('Sign in with a passkey');
  await admin.see(PASSKEY_REJECTED);
}

export const signInStories: Story[] = (['Chromium', 'Firefox'] as const).flatMap(
  (name): Story[] => [
    {
      name: `signs people in by their company and returns to their page, in ${name}`,
      run: (cleanUp) => signInByCompany(name, cleanUp),
    },
    {
      name: `signs an administrator in by a second step, in ${name}`,
      run: (cleanUp) => signInWithTwoFactor(name, cleanUp),
    },
  ],
);

signInStories.push({
  name: 'signs in with a passkey by list and button, in Chromium',
  run: signInWithPasskey,
});
