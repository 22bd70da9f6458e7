import { deepEqual } from 'node:assert/strict';
import type { Page } from 'puppeteer-core';
import { Company, PASSWORD } from '../../parts/company';
import type { CleanUp, Story } from '../../parts/harness';
import { Person } from '../../parts/person';
import { setStage, type BrowserName } from '../../parts/push/transports';
import { eventually } from '../../../support/eventually';
import { cachedIn } from '../../parts/traces';
import { wordsIn } from '../../parts/words';

const asksForGerman = () =>
  Object.defineProperty(navigator, 'languages', { get: () => ['de-AT', 'en'] });

const settled = (page: Page, language: string) =>
  page.waitForFunction(
    async (wanted) => {
      const registration = await navigator.serviceWorker.getRegistration('/');
      return (
        document.documentElement.lang === wanted &&
        registration?.active?.state === 'activated' &&
        registration.active.scriptURL.endsWith(`?${wanted}`)
      );
    },
    {},
    language,
  );

/** Which language a page shows, and the pages that the worker keeps. */
async function stateOf(page: Page) {
  const { lang, dir } = await page.evaluate(() => {
    const { documentElement: html } = document;
    return { lang: html.lang, dir: html.dir };
  });
  const kept = (await cachedIn(page)).map(({ path }) => path).filter((path) => /html$/.test(path));
  return { lang, dir, kept };
}

const TRANSLATED = {
  answers: ['Yes', 'No'],
  translations: {
    de: { message: 'Trafo 11 ist aus.', answers: ['Ja', 'Nein'] },
    ar: { message: 'المحول متوقف.', answers: ['نعم', 'لا'] },
  },
};

/** The answer counts as the original one, whatever its language. */
const answered = (company: Company, id: string) =>
  eventually(
    async () => (await company.progressOf(id)).tally.Yes === 1,
    'the translated answer to be counted',
  );

async function switchLanguage(browserName: BrowserName, cleanUp: CleanUp): Promise<void> {
  const { browser, installation, tray } = await setStage(browserName, 'web-push', cleanUp);
  const company = await Company.at(installation.address);
  const topic = await company.addTopic('Netzstörungen');
  const invitation = await company.inviteTechnician('m.okafor', [topic], 'de');
  const phone = await Person.at(browser.defaultBrowserContext(), installation.address);
  const { page } = phone;
  await page.evaluateOnNewDocument(asksForGerman);
  const [german, arabic] = [wordsIn('de'), wordsIn('ar')];

  await phone.open('/messages');
  await phone.seeControl('combobox', german('Language'));
  for (const [code, words] of [
    ['ar', arabic],
    ['de', german],
  ] as const) {
    await page.select('footer select', code);
    await phone.seeControl('combobox', words('Language'));
  }
  await phone.open(new URL(invitation).pathname);
  await phone.fill(german('Email'), 'm.okafor@northgrid.example');
  await phone.fill(german('New password'), PASSWORD);
  await phone.fill(german('Confirm password'), PASSWORD);
  await phone.press(german('Set Password & Activate'));
  await phone.see(german('Registration complete! You can now log in.'));
  await phone.press(german('Sign in'));
  await settled(page, 'de');
  await phone.open('/');
  await phone.allowNotifications(german('Enable Notifications'));
  await phone.closeNotice(german('Notifications are on for this device.'));

  const first = await company.send(topic, 'Transformer 11 is off.', TRANSLATED);
  await tray.press('Trafo 11 ist aus.', 'Ja');
  await answered(company, first);

  await phone.open('/account');
  await phone.pick('العربية Arabisch');
  await settled(page, 'ar');
  deepEqual(await stateOf(page), { lang: 'ar', dir: 'rtl', kept: ['/index.ar.html'] });
  const second = await company.send(topic, 'Transformer 12 is off.', TRANSLATED);
  await tray.until('المحول متوقف.');
  const spoken = await page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration('/');
    return (await registration?.getNotifications())?.map(({ lang, dir }) => `${lang} ${dir}`);
  });
  deepEqual(spoken, ['ar rtl']);
  await phone.closeApp();
  await tray.press('المحول متوقف.', 'نعم');
  await answered(company, second);
  await company.send(topic, 'Trafo 12 ist aus.');
  await tray.until('Trafo 12 ist aus.');

  await installation.stop();
  await phone.open('/messages');
  await phone.see('Trafo 12 ist aus.');
  await phone.seeControl('heading', arabic('Inbox'));
  deepEqual((await stateOf(phone.page)).dir, 'rtl');
}

const BROWSERS: BrowserName[] = ['Chromium', 'Firefox'];

export const stories: Story[] = BROWSERS.map((browserName) => ({
  name: `speaks the invited person’s language, then the chosen one, also offline, in ${browserName}`,
  run: (cleanUp) => switchLanguage(browserName, cleanUp),
}));
