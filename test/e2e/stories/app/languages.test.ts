import { deepEqual } from 'node:assert/strict';
import type { Page } from 'puppeteer-core';
import { Company, PASSWORD } from '../../parts/company';
import type { CleanUp, Story } from '../../parts/harness';
import { Person } from '../../parts/person';
import { setStage, type BrowserName } from '../../parts/push/transports';
import { eventually } from '../../../support/eventually';
import { cachedIn } from '../../parts/traces';
import { wordsIn } from '../../parts/words';

/** As a browser asks, what its message says, and its name in the other language. */
const SPOKEN = {
  de: {
    asked: 'de-AT',
    message: 'Trafo 11 ist aus.',
    yes: 'Ja',
    dir: 'ltr',
    choice: 'Deutsch الألمانية',
  },
  ar: {
    asked: 'ar-EG',
    message: 'المحول متوقف.',
    yes: 'نعم',
    dir: 'rtl',
    choice: 'العربية Arabisch',
  },
};
type Spoken = keyof typeof SPOKEN;

const askFor = (asked: string) =>
  Object.defineProperty(navigator, 'languages', { get: () => [asked, 'en'] });

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
    de: { message: SPOKEN.de.message, answers: [SPOKEN.de.yes, 'Nein'] },
    ar: { message: SPOKEN.ar.message, answers: [SPOKEN.ar.yes, 'لا'] },
  },
};

/** The answer counts as the original one, whatever its language. */
const answered = (company: Company, id: string) =>
  eventually(
    async () => (await company.progressOf(id)).tally.Yes === 1,
    'the translated answer to be counted',
  );

async function switchLanguage(
  browserName: BrowserName,
  first: Spoken,
  cleanUp: CleanUp,
): Promise<void> {
  const second: Spoken = first === 'de' ? 'ar' : 'de';
  const { browser, installation, tray } = await setStage(browserName, 'web-push', cleanUp);
  const company = await Company.at(installation.address);
  const topic = await company.addTopic('Netzstörungen');
  const invitation = await company.inviteTechnician('m.okafor', [topic], first);
  const phone = await Person.at(browser.defaultBrowserContext(), installation.address);
  const { page } = phone;
  await page.evaluateOnNewDocument(askFor, SPOKEN[first].asked);
  const [words, laterWords] = [wordsIn(first), wordsIn(second)];

  await phone.open('/messages');
  await phone.seeControl('combobox', words('Language'));
  for (const code of [second, first]) {
    await page.select('footer select', code);
    await phone.seeControl('combobox', wordsIn(code)('Language'));
  }
  await phone.open(new URL(invitation).pathname);
  await phone.fill(words('Email'), 'm.okafor@northgrid.example');
  await phone.fill(words('New password'), PASSWORD);
  await phone.fill(words('Confirm password'), PASSWORD);
  await phone.press(words('Set Password & Activate'));
  await phone.see(words('Registration complete! You can now log in.'));
  await phone.press(words('Sign in'));
  await settled(page, first);
  await phone.open('/');
  await phone.allowNotifications(words('Enable Notifications'));
  await phone.closeNotice(words('Notifications are on for this device.'));

  const early = await company.send(topic, 'Transformer 11 is off.', TRANSLATED);
  await tray.press(SPOKEN[first].message, SPOKEN[first].yes);
  await answered(company, early);

  await phone.open('/account');
  await phone.pick(SPOKEN[second].choice);
  await settled(page, second);
  deepEqual(await stateOf(page), {
    lang: second,
    dir: SPOKEN[second].dir,
    kept: [`/index.${second}.html`],
  });
  const late = await company.send(topic, 'Transformer 12 is off.', TRANSLATED);
  await tray.until(SPOKEN[second].message);
  const spoken = await page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration('/');
    return (await registration?.getNotifications())?.map(({ lang, dir }) => `${lang} ${dir}`);
  });
  deepEqual(spoken, [`${second} ${SPOKEN[second].dir}`]);
  await phone.closeApp();
  await tray.press(SPOKEN[second].message, SPOKEN[second].yes);
  await answered(company, late);
  await company.send(topic, 'Trafo 12 ist aus.');
  await tray.until('Trafo 12 ist aus.');

  await installation.stop();
  await phone.open('/messages');
  await phone.see('Trafo 12 ist aus.');
  await phone.seeControl('heading', laterWords('Inbox'));
  deepEqual((await stateOf(phone.page)).dir, SPOKEN[second].dir);
}

const BROWSERS: BrowserName[] = ['Chromium', 'Firefox'];
const NAMES = { de: 'German', ar: 'Arabic' };

export const stories: Story[] = BROWSERS.flatMap((browserName) =>
  (['de', 'ar'] as const).map((first) => ({
    name: `invites in ${NAMES[first]}, then speaks the language that the person chose, also offline, in ${browserName}`,
    run: (cleanUp: CleanUp) => switchLanguage(browserName, first, cleanUp),
  })),
);
