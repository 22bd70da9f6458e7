/** A person at a browser, who finds things by name and role as people and screen readers do. */
import type { BrowserContext, Page } from 'puppeteer-core';
import { Control, fieldSelector, MAX_WAIT_MS } from './control';
import { namedSelector } from './named';
import { isFirefox, pressAllow } from './push/firefox-windows';

const POLLING_MS = 25;

export interface PageNotification {
  title: string;
  body: string;
  tag: string;
}

export class Person {
  readonly origin: string;
  readonly #context: BrowserContext;
  readonly #inFirefox: boolean;
  #page: Page;

  private constructor(context: BrowserContext, page: Page, origin: string, inFirefox: boolean) {
    this.origin = origin;
    this.#context = context;
    this.#page = page;
    this.#inFirefox = inFirefox;
  }

  /** A person at a fresh browser context, which was never asked for a permission. */
  static async openIn(context: BrowserContext, origin: string): Promise<Person> {
    await context.setPermission(origin, { permission: { name: 'notifications' }, state: 'prompt' });
    const inFirefox = await isFirefox(context.browser());
    return new Person(context, await newPage(context), origin, inFirefox);
  }

  /** Looks into the page, which no person does. */
  get page(): Page {
    return this.#page;
  }

  async newTab(): Promise<Person> {
    return new Person(this.#context, await newPage(this.#context), this.origin, this.#inFirefox);
  }

  /** Decides in the browser's settings, outside the app. */
  async setPermission(state: 'granted' | 'denied' | 'prompt'): Promise<void> {
    await this.#context.setPermission(this.origin, {
      permission: { name: 'notifications' },
      state,
    });
  }

  /** @param address a path of the app, or a whole address of it */
  async open(address: string): Promise<void> {
    await this.#page.goto(new URL(address, this.origin).href);
  }

  async reload(): Promise<void> {
    await this.#page.reload();
  }

  /** Closes the app and leaves the browser running with only the worker. */
  async closeApp(): Promise<void> {
    const emptyPage = await newPage(this.#context);
    await this.#page.close();
    this.#page = emptyPage;
  }

  async logIn(username: string, password: string): Promise<void> {
    await this.fill('Username', username);
    await this.fill('Password', password);
    await this.press('Sign in');
    await this.see(`Logged in as: ${username}`);
  }

  async signIn(username: string, password: string): Promise<void> {
    await this.open('/login');
    await this.logIn(username, password);
  }

  fill(field: string, text: string): Promise<void> {
    return this.#field(field).fill(text);
  }

  choose(field: string, option: string): Promise<void> {
    return this.#field(field).fill(option);
  }

  press(button: string): Promise<void> {
    return this.#find('button', button).click();
  }

  follow(link: string): Promise<void> {
    return this.#find('link', link).click();
  }

  /** Opens a folded part such as `App Management`. */
  async unfold(summary: string): Promise<void> {
    const summaryElement = this.#page.locator(`summary::-p-text(${summary})`);
    const handle = await summaryElement.waitHandle();
    await handle.evaluate((element) => element.scrollIntoView({ block: 'center' }));
    await summaryElement.click();
  }

  tick(checkbox: string): Promise<void> {
    return this.#find('checkbox', checkbox).click();
  }

  pick(radio: string): Promise<void> {
    return this.#find('radio', radio).click();
  }

  /** Chooses from the list that a typed text opened. An email or a count may follow the name. */
  take(name: string): Promise<void> {
    const selector = `::-p-xpath(.//*[@role="option"][bdi="${name}"])`;
    return new Control(this.#page, selector, `suggestion "${name}"`).click();
  }

  /**
   * Presses the button and answers Yes. In Chromium the story answers, as drivers do not reach its
   * windows.
   */
  async allowNotifications(button: string): Promise<void> {
    const browser = this.#context.browser();
    if (await isFirefox(browser)) {
      await this.press(button);
      return pressAllow(browser);
    }
    const grantPermission = () =>
      this.#context.setPermission(this.origin, {
        permission: { name: 'notifications' },
        state: 'granted',
      });
    await this.#page.exposeFunction('personSaysYes', grantPermission);
    await this.#page.evaluate(() => {
      Notification.requestPermission = async () => {
        await (window as unknown as { personSaysYes(): Promise<void> }).personSaysYes();
        return Notification.permission;
      };
    });
    await this.press(button);
  }

  /** Waits for the text anywhere on the page. */
  async see(text: string): Promise<void> {
    await this.#page.bringToFront();
    const visible = (wanted: string) =>
      document.body.innerText.replace(/\s+/g, ' ').includes(wanted);
    await this.#page
      .waitForFunction(visible, { timeout: MAX_WAIT_MS, polling: POLLING_MS }, text)
      .catch(async () => {
        throw new Error(
          `"${text}" did not appear. The page at ${this.#page.url()} says:\n${await this.#read()}`,
        );
      });
  }

  async seeNoDialog(): Promise<void> {
    await this.#page.waitForFunction(() => !document.querySelector('dialog[open]'), {
      timeout: MAX_WAIT_MS,
      polling: POLLING_MS,
    });
  }

  /** Waits for a notice, and closes it. On a busy machine, the notice may have closed itself. */
  async closeNotice(notice: string): Promise<void> {
    await this.see(notice);
    await this.#page.evaluate((text) => {
      for (const note of document.querySelectorAll<HTMLElement>('.toast .note'))
        if (note.innerText.replace(/\s+/g, ' ').includes(text))
          note.querySelector<HTMLElement>('[aria-label="Close notice"]')?.click();
    }, notice);
  }

  async seeControl(role: string, name: string): Promise<void> {
    await this.#find(role, name).waitForControl();
  }

  /** Waits for text on the page that matches, and returns it. */
  async copyText(pattern: RegExp): Promise<string> {
    const matchedText = await this.#page.waitForFunction(
      (source) => new RegExp(source).exec(document.body.innerText)?.[0],
      { timeout: MAX_WAIT_MS, polling: POLLING_MS },
      pattern.source,
    );
    return matchedText.jsonValue() as Promise<string>;
  }

  /** Waits for the worker's registration to list this notification, and returns all listed. */
  async waitForNotification(body: string): Promise<PageNotification[]> {
    const listNotifications = async (wanted: string) => {
      const registration = await navigator.serviceWorker.getRegistration('/');
      const shown = (await registration?.getNotifications()) ?? [];
      return (
        shown.some((each) => each.body === wanted) &&
        shown.map((each) => ({ title: each.title, body: each.body, tag: each.tag }))
      );
    };
    const notifications = await this.#page
      .waitForFunction(listNotifications, { timeout: MAX_WAIT_MS, polling: POLLING_MS }, body)
      .catch(() => {
        throw new Error(`No notification says "${body}"`);
      });
    return notifications.jsonValue() as Promise<PageNotification[]>;
  }

  async #read(): Promise<string> {
    return this.#page.evaluate(() => document.body.innerText).catch(() => '(nothing)');
  }

  #field(label: string): Control {
    return new Control(this.#page, fieldSelector(label), `field "${label}"`);
  }

  #find(role: string, name: string): Control {
    const selector = this.#inFirefox
      ? namedSelector(role, name)
      : `::-p-aria([name="${name}"][role="${role}"])`;
    return new Control(this.#page, selector, `${role} "${name}"`, name);
  }
}

/** A page wide enough for real tables. */
async function newPage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  await page.setViewport({ width: 1280, height: 900 });
  return page;
}
