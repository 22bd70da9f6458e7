/**
 * Firefox' own windows, which no page can reach: its question about notifications, and the
 * notifications. A press there is taken for a person's: the worker may open a window after it.
 */
import type { Browser, Page } from 'puppeteer-core';
import { eventually } from '../support/eventually';

/** What puppeteer has and does not declare: the WebDriver BiDi connection itself. */
interface Connected {
  connection: {
    send(
      method: 'browsingContext.getTree',
      parameters: object,
    ): Promise<{ result: { contexts: { context: string; url: string }[] } }>;
    send(
      method: 'script.evaluate',
      parameters: object,
    ): Promise<{ result: { result?: { value?: unknown } } }>;
  };
}

const BROWSER = 'chrome://browser/content/browser.xhtml';
const ALERT = 'chrome://global/content/alerts/alert.xhtml';

export const isFirefox = async (browser: Browser): Promise<boolean> =>
  /firefox/i.test(await browser.version());

/**
 * Evaluates the expression in each of Firefox' own windows with such an address. A window that
 * closes meanwhile is left out.
 */
async function evaluateIn(
  browser: Browser,
  address: string,
  expression: string,
): Promise<unknown[]> {
  const { connection } = browser as unknown as Connected;
  const { result } = await connection.send('browsingContext.getTree', {
    'moz:scope': 'chrome',
    maxDepth: 0,
  });
  const windows = result.contexts.filter(({ url }) => url === address);
  const values = await Promise.all(
    windows.map(async ({ context }) => {
      const evaluated = await connection
        .send('script.evaluate', { expression, target: { context }, awaitPromise: false })
        .catch(() => undefined);
      return evaluated?.result.result?.value;
    }),
  );
  return values.filter((value) => value !== undefined);
}

/** Answers Allow to Firefox' question about notifications, once it is asked. */
export async function pressAllow(browser: Browser): Promise<void> {
  const press = `(() => {
    const question = PopupNotifications.panel.querySelector('#web-notifications-notification');
    if (!question || PopupNotifications.panel.state !== 'open') return false;
    question.button.click();
    return true;
  })()`;
  await eventually(
    async () => (await evaluateIn(browser, BROWSER, press)).includes(true),
    'Firefox to ask about notifications',
  );
}

/** All notifications on the screen. */
export async function alerts(browser: Browser): Promise<{ title: string; body: string }[]> {
  const read = `JSON.stringify({ title: document.getElementById('alertTitleLabel').value, body: document.getElementById('alertTextLabel').textContent })`;
  return (await evaluateIn(browser, ALERT, read)).map((text) => JSON.parse(String(text)));
}

/** Clicks on the notification with this text, once it is on the screen. */
export async function clickAlert(browser: Browser, body: string): Promise<void> {
  const click = `(() => {
    if (document.getElementById('alertTextLabel').textContent !== ${JSON.stringify(body)}) return false;
    document.getElementById('alertBox').click();
    return true;
  })()`;
  await eventually(
    async () => (await evaluateIn(browser, ALERT, click)).includes(true),
    `a notification on the screen that says "${body}"`,
  );
}

/**
 * Sets what a person, or their system, prefers: Firefox looks up such numbers wherever it would ask
 * the system.
 */
export async function prefer(browser: Browser, numbers: Record<string, number>): Promise<void> {
  for (const [name, number] of Object.entries(numbers))
    await evaluateIn(
      browser,
      BROWSER,
      `Services.prefs.setIntPref(${JSON.stringify(name)}, ${number})`,
    );
}

/**
 * Gives the keys to the page in front, which a notification's window takes away here: no desktop
 * manages the windows.
 */
export async function giveKeys(page: Page): Promise<void> {
  if (!(await isFirefox(page.browser())) || (await page.evaluate(() => document.hasFocus())))
    return;
  await evaluateIn(page.browser(), BROWSER, 'window.focus(), gBrowser.selectedBrowser.focus(), 0');
  await page.waitForFunction(() => document.hasFocus());
}
