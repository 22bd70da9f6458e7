import { deepEqual } from 'node:assert/strict';
import type { Page } from 'puppeteer-core';
import { Company, PERSON_PASSWORD } from '../../parts/company';
import type { CleanUp, Story } from '../../parts/harness';
import { Person } from '../../parts/person';
import { ADMIN_PASSWORD } from '../../../support/processes/installation';
import { startTestBed, type BrowserName } from '../../parts/push/test-bed';
import { eventually } from '../../../support/eventually';
import { readCached } from '../../parts/traces';
import { createTranslator } from '../../parts/translations';

/**
 * The browser's language tag, the message's text, and the language's name in the other language.
 */
const SPOKEN = {
  de: {
    asked: 'de-AT',
    message: 'Trafo 11 ist aus.',
    yes: 'Ja',
    no: 'Nein',
    dir: 'ltr',
    choice: 'Deutsch الألمانية',
    send: 'An 1 Person senden',
  },
  ar: {
    asked: 'ar-EG',
    message: 'المحول متوقف.',
    yes: 'نعم',
    no: 'لا',
    dir: 'rtl',
    choice: 'العربية Arabisch',
    send: 'إرسال إلى شخص واحد',
  },
};
type Spoken = keyof typeof SPOKEN;

const askFor = (language: string) =>
  Object.defineProperty(navigator, 'languages', { get: () => [language, 'en'] });

const waitForLanguage = (page: Page, language: string) =>
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
  const keptPaths = (await readCached(page))
    .map(({ path }) => path)
    .filter((path) => /html$/.test(path));
  return { lang, dir, kept: keptPaths };
}

const TRANSLATED = {
  answers: ['Yes', 'No'],
  translations: {
    de: { message: SPOKEN.de.message, answers: [SPOKEN.de.yes, SPOKEN.de.no] },
    ar: { message: SPOKEN.ar.message, answers: [SPOKEN.ar.yes, SPOKEN.ar.no] },
  },
};

/** Sends by the form, in the sender's language, with translations written by hand. */
async function sendTranslated(by: Person, first: Spoken, topic: string): Promise<string> {
  const words = createTranslator(first);
  await by.page.evaluateOnNewDocument(askFor, SPOKEN[first].asked);
  await by.open('/login');
  await by.fill(words('Username'), 'admin');
  await by.fill(words('Password'), ADMIN_PASSWORD);
  await by.press(words('Sign in'));
  await by.follow(words('New message'));
  await by.fill(words('Add a topic, a team or a person'), topic);
  await by.take(topic);
  await by.fill(words('Message'), 'Transformer 12 is off.');
  await by.press(`${SPOKEN[first].yes} / ${SPOKEN[first].no}`);
  await by.unfold(words('More options'));
  await by.press(words('Add translations'));
  for (const code of ['de', 'ar'] as const) {
    const { message, yes, no } = SPOKEN[code];
    await by.choose(words('Add a language'), code);
    const inLanguage = (field: string) => by.page.locator(`form :is(${field})[lang="${code}"]`);
    await inLanguage('textarea').fill(message);
    for (const [place, answer] of [yes, no].entries())
      await by.page.locator(`label:nth-of-type(${place + 3}) > input[lang="${code}"]`).fill(answer);
  }
  await by.press(SPOKEN[first].send);
  await by.page.waitForFunction(() => /messages\/[\w-]{36}$/.test(location.pathname));
  return by.page.url().slice(-36);
}

/** The answer counts as the original one, whatever its language. */
const waitForAnswer = (company: Company, id: string, yes = 'Yes') =>
  eventually(
    async () => (await company.readMessage(id)).tally[yes] === 1,
    'the translated answer to be counted',
  );

async function switchLanguage(
  browserName: BrowserName,
  first: Spoken,
  cleanUp: CleanUp,
): Promise<void> {
  const second: Spoken = first === 'de' ? 'ar' : 'de';
  const { browser, installation, tray } = await startTestBed(browserName, 'web-push', cleanUp);
  const company = await Company.connect(installation.address);
  const topic = await company.addTopic('Netzstörungen');
  const invitation = await company.inviteTechnician('m.okafor', [topic], first);
  const phone = await Person.openIn(browser.defaultBrowserContext(), installation.address);
  const { page } = phone;
  await page.evaluateOnNewDocument(askFor, SPOKEN[first].asked);
  const [words, laterWords] = [createTranslator(first), createTranslator(second)];

  await phone.open('/messages');
  await phone.seeControl('combobox', words('Language'));
  for (const code of [second, first]) {
    await page.select('footer select', code);
    await phone.seeControl('combobox', createTranslator(code)('Language'));
  }
  await phone.open(new URL(invitation).pathname);
  await phone.fill(words('Email'), 'm.okafor@northgrid.example');
  await phone.fill(words('New password'), PERSON_PASSWORD);
  await phone.fill(words('Confirm password'), PERSON_PASSWORD);
  await phone.press(words('Set Password & Activate'));
  await phone.see(words('Registration complete! You can now log in.'));
  await phone.press(words('Sign in'));
  await waitForLanguage(page, first);
  await phone.open('/');
  await phone.allowNotifications(words('Enable Notifications'));
  await phone.closeNotice(words('Notifications are on for this device.'));

  const early = await company.sendMessage(topic, 'Transformer 11 is off.', TRANSLATED);
  await tray.press(SPOKEN[first].message, SPOKEN[first].yes);
  await waitForAnswer(company, early);

  await phone.open('/account');
  await phone.pick(SPOKEN[second].choice);
  await waitForLanguage(page, second);
  deepEqual(await stateOf(page), {
    lang: second,
    dir: SPOKEN[second].dir,
    kept: [`/index.${second}.html`],
  });
  const sender = await Person.openIn(await browser.createBrowserContext(), installation.address);
  const late = await sendTranslated(sender, first, 'Netzstörungen');
  await tray.waitForNotification(SPOKEN[second].message);
  const spoken = await page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration('/');
    return (await registration?.getNotifications())?.map(({ lang, dir }) => `${lang} ${dir}`);
  });
  deepEqual(spoken, [`${second} ${SPOKEN[second].dir}`]);
  await phone.closeApp();
  await tray.press(SPOKEN[second].message, SPOKEN[second].yes);
  await waitForAnswer(company, late, SPOKEN[first].yes);
  await company.sendMessage(topic, 'Trafo 12 ist aus.');
  await tray.waitForNotification('Trafo 12 ist aus.');

  await installation.stop();
  await phone.open('/messages');
  await phone.see('Trafo 12 ist aus.');
  await phone.seeControl('heading', laterWords('Inbox'));
  deepEqual((await stateOf(phone.page)).dir, SPOKEN[second].dir);
}

const BROWSERS: BrowserName[] = ['Chromium', 'Firefox'];
const NAMES = { de: 'German', ar: 'Arabic' };

export const languageStories: Story[] = BROWSERS.flatMap((browserName) =>
  (['de', 'ar'] as const).map((first) => ({
    name: `invites in ${NAMES[first]}, then speaks the language that the person chose, also offline, in ${browserName}`,
    run: (cleanUp: CleanUp) => switchLanguage(browserName, first, cleanUp),
  })),
);
