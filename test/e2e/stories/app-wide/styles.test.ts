/** Unused styles waste bytes of the first load. */
import { ok } from 'node:assert/strict';
import type { Page } from 'puppeteer-core';
import { launchChromium } from '../../../support/browsers/chromium';
import { startInstallation } from '../../../support/processes/installation';
import { builtFolder } from '../../parts/builds';
import { startServerAndBrowser, type CleanUp, type Story } from '../../parts/harness';
import { openTourPage, TOUR_SCREENS, showPage, type TourUser } from '../../tour/tour';
import { printInStory } from '../../parts/page-records';

const UNUSED_SHARE = 0.05;
/** These screens together show everything. */
const SCREENS_THAT_SHOW_ALL = [
  'login',
  'register-typing',
  'dashboard',
  'topics',
  'topics-send',
  'topics-delete',
  'topics-subscribers',
  'topics-keys-made',
  'policies-on-call',
  'users',
  'users-role',
  'users-chosen',
  'import-faulty',
  'invitations',
  'user-subscriptions',
  'settings',
  'settings-default',
  'settings-denied',
  'settings-offline',
  'sent',
  'sent-message',
  'compose',
  'messages',
  'messages-none',
  'message',
  'message-answered',
  'check',
  'quiet-hours',
  'reach',
  'sent-states',
  'users-added',
];

/** Every rule of the page's sheets, with whether its selector matches in any state. */
const rulesOf = (page: Page) =>
  page.evaluate(() => {
    /** Matches temporary states and pseudo-elements. */
    const passing =
      /::[\w-]+(\([^)]*\))?|:(hover|focus(-visible|-within)?|active|checked|disabled|open|user-invalid|placeholder-shown|autofill|-webkit-autofill)(?![\w-])|\[(aria-(busy|invalid|sort|expanded)|disabled|hidden|data-waiting)[^\]]*\]/g;
    const withoutStates = (selector: string) =>
      selector.replace(passing, (_, ...rest) =>
        /(^|[\s>+~,(])$/.test(selector.slice(0, rest.at(-2) as number)) ? '*' : '',
      );
    const found: { text: string; used: boolean }[] = [];
    const read = (rules: CSSRuleList): void => {
      for (const rule of rules) {
        if (rule instanceof CSSStyleRule) {
          let isUsed = true; // unless the browser can tell
          try {
            isUsed = document.querySelector(withoutStates(rule.selectorText)) !== null;
          } catch {}
          found.push({ text: rule.cssText, used: isUsed });
        } else if ('cssRules' in rule) read((rule as CSSGroupingRule).cssRules);
      }
    };
    for (const sheet of document.styleSheets) read(sheet.cssRules);
    return found;
  });

async function findUnusedStyles(cleanUp: CleanUp): Promise<void> {
  const [demo, browser] = await startServerAndBrowser(
    startInstallation({ built: builtFolder('web-push'), program: 'demo' }),
    launchChromium(),
    cleanUp,
  );
  const used = new Map<string, boolean>();
  const screens = TOUR_SCREENS.filter(({ name }) => SCREENS_THAT_SHOW_ALL.includes(name));
  for (const role of new Set<TourUser>(screens.map(({ as }) => as))) {
    const page = await openTourPage(browser, demo.address, role);
    for (const screen of screens.filter(({ as }) => as === role)) {
      await showPage(page, demo.address, screen);
      for (const rule of await rulesOf(page))
        used.set(rule.text, rule.used || (used.get(rule.text) ?? false));
    }
    await page.close();
  }
  const all = [...used.keys()].join('').length;
  const unusedTexts = [...used].filter(([, isUsed]) => !isUsed).map(([text]) => text);
  const share = unusedTexts.join('').length / all;
  printInStory(
    `  ${(100 * share).toFixed(1)}% of ${all} characters are rules for nothing that was seen`,
  );
  ok(share <= UNUSED_SHARE, unusedTexts.join('\n'));
}

export const styleStories: Story[] = [
  {
    name: 'ships at most a twentieth of styles that no screen uses',
    run: findUnusedStyles,
  },
];
