/**
 * Stands in for Firefox's own D-Bus client, which needs a library that is not everywhere. A press
 * there counts as a person's; Firefox's own notification windows have no buttons.
 */
import type { Browser } from 'puppeteer-core';

/** Undeclared by puppeteer: the WebDriver BiDi connection. */
interface Connected {
  connection: {
    send(
      method: 'browsingContext.getTree',
      parameters: object,
    ): Promise<{ result: { contexts: { context: string; url: string }[] } }>;
    send(
      method: 'script.evaluate',
      parameters: object,
    ): Promise<{
      result: {
        type: string;
        result?: { value?: unknown };
        exceptionDetails?: { text: string };
      };
    }>;
  };
}

const WINDOW_ADDRESS = 'chrome://browser/content/browser.xhtml';

/**
 * Evaluates the expression in each of Firefox's own windows with a page, but for those that close.
 */
export async function evaluateInFirefox(browser: Browser, expression: string): Promise<unknown[]> {
  const { connection } = browser as unknown as Connected;
  const { result } = await connection.send('browsingContext.getTree', {
    'moz:scope': 'chrome',
    maxDepth: 0,
  });
  const windows = result.contexts.filter(({ url }) => url === WINDOW_ADDRESS);
  const values = await Promise.all(
    windows.map(async ({ context }) => {
      const evaluated = await connection
        .send('script.evaluate', { expression, target: { context }, awaitPromise: true })
        .catch(() => undefined);
      if (evaluated?.result.exceptionDetails)
        throw new Error(evaluated.result.exceptionDetails.text);
      return evaluated?.result.result?.value;
    }),
  );
  return values.filter((value) => value !== undefined);
}

/** Callers run this before the first notification: Firefox looks for the service once. */
export async function connectDesktop(browser: Browser): Promise<void> {
  await evaluateInFirefox(
    browser,
    `{
      const shown = new Map();
      const service = {
        QueryInterface: ChromeUtils.generateQI(['nsIAlertsService']),
        showAlert(alert, observer) {
          shown.delete(alert.name); // a repeat comes last
          shown.set(alert.name, { alert, observer });
          observer?.observe(null, 'alertshow', alert.cookie);
        },
        closeAlert(name) {
          const closedAlert = shown.get(name);
          shown.delete(name);
          closedAlert?.observer?.observe(null, 'alertfinished', closedAlert.alert.cookie);
        },
        getHistory: () => [],
        teardown() {},
        pbmTeardown() {},
      };
      const factory = {
        QueryInterface: ChromeUtils.generateQI(['nsIFactory']),
        createInstance: (iid) => service.QueryInterface(iid),
      };
      Components.manager.QueryInterface(Ci.nsIComponentRegistrar).registerFactory(
        Components.ID(Services.uuid.generateUUID().toString()),
        'desktop',
        '@mozilla.org/system-alerts-service;1',
        factory,
      );
      window.desktop = shown;
    }`,
  );
}

export async function listFirefoxNotifications(
  browser: Browser,
): Promise<{ id: string; title: string; body: string; buttons: string[] }[]> {
  const [text] = await evaluateInFirefox(
    browser,
    `window.desktop && JSON.stringify([...desktop].map(([id, { alert }]) => ({
      id,
      title: alert.title,
      body: alert.text,
      buttons: alert.actions.map(({ title }) => title),
    })))`,
  );
  return JSON.parse(String(text));
}

/** Presses the button with this label, or the notification itself. */
export async function pressFirefoxNotification(
  browser: Browser,
  id: string,
  label?: string,
): Promise<void> {
  await evaluateInFirefox(
    browser,
    `if (window.desktop) {
      const { alert, observer } = desktop.get(${JSON.stringify(id)});
      const label = ${JSON.stringify(label ?? null)};
      const pressed = alert.actions.find(({ title }) => title === label) ?? null;
      if (label !== null && !pressed) throw new Error('The notification has no button ' + label);
      observer.observe(pressed, 'alertclickcallback', alert.cookie);
    }`,
  );
}
