/**
 * Somebody at a browser: finds things by what they are called and what they are, as people and
 * screen readers do.
 */
import type { BrowserContext, Page } from 'puppeteer-core';
import { Control, labelled, PATIENCE } from './push/control';
import { isFirefox, pressAllow } from './push/firefox-windows';

/** Milliseconds between two looks at a page. */
const POLLING = 25;

export interface Shown {
  title: string;
  body: string;
  tag: string;
}

export class Person {
  readonly origin: string;
  readonly #context: BrowserContext;
  #page: Page;

  private constructor(context: BrowserContext, page: Page, origin: string) {
    this.origin = origin;
    this.#context = context;
    this.#page = page;
  }

  /**
   * Sits down at a browser (context) that has the app open nowhere, and has never been asked for
   * anything.
   */
  static async at(context: BrowserContext, origin: string): Promise<Person> {
    await context.setPermission(origin, { permission: { name: 'notifications' }, state: 'prompt' });
    return new Person(context, await newPage(context), origin);
  }

  /** For what no person does: looking into the page. */
  get page(): Page {
    return this.#page;
  }

  /** The same person with another tab of the same browser. */
  async newTab(): Promise<Person> {
    return new Person(this.#context, await newPage(this.#context), this.origin);
  }

  /** Decides in the browser's settings, outside the app. */
  async decide(state: 'granted' | 'denied' | 'prompt'): Promise<void> {
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

  /** Closes the app and leaves the browser running, with nothing of ours in it but the worker. */
  async closeApp(): Promise<void> {
    const empty = await newPage(this.#context);
    await this.#page.close();
    this.#page = empty;
  }

  /** On the login form, wherever it came from. */
  async logIn(username: string, password: string): Promise<void> {
    await this.fill('Username', username);
    await this.fill('Password', password);
    await this.press('Log in');
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

  /** Opens what is folded up, such as `App Management`, wherever on the page it is by then. */
  async unfold(summary: string): Promise<void> {
    const found = this.#page.locator(`summary::-p-text(${summary})`);
    const handle = await found.waitHandle();
    await handle.evaluate((element) => element.scrollIntoView({ block: 'center' }));
    await found.click();
  }

  tick(checkbox: string): Promise<void> {
    return this.#find('checkbox', checkbox).click();
  }

  pick(radio: string): Promise<void> {
    return this.#find('radio', radio).click();
  }

  /**
   * Presses the button, and answers Yes to the browser's question: in Chromium in its place, as
   * nothing reaches its own windows.
   */
  async allowNotifications(button: string): Promise<void> {
    const browser = this.#context.browser();
    if (await isFirefox(browser)) {
      await this.press(button);
      return pressAllow(browser);
    }
    const allow = () =>
      this.#context.setPermission(this.origin, {
        permission: { name: 'notifications' },
        state: 'granted',
      });
    await this.#page.exposeFunction('personSaysYes', allow);
    await this.#page.evaluate(() => {
      Notification.requestPermission = async () => {
        await (window as unknown as { personSaysYes(): Promise<void> }).personSaysYes();
        return Notification.permission;
      };
    });
    await this.press(button);
  }

  /** Waits until the text can be read anywhere on the page. */
  async see(text: string): Promise<void> {
    await this.#page.bringToFront();
    const visible = (wanted: string) =>
      document.body.innerText.replace(/\s+/g, ' ').includes(wanted);
    await this.#page
      .waitForFunction(visible, { timeout: PATIENCE, polling: POLLING }, text)
      .catch(async () => {
        throw new Error(
          `"${text}" did not appear. The page at ${this.#page.url()} says:\n${await this.#read()}`,
        );
      });
  }

  /** Waits until no dialog is open: some close by themselves. */
  async seeNoDialog(): Promise<void> {
    await this.#page.waitForFunction(() => !document.querySelector('dialog[open]'), {
      timeout: PATIENCE,
      polling: POLLING,
    });
  }

  /** Waits for a notice that says so, and closes it. */
  async read(notice: string): Promise<void> {
    await this.see(notice);
    await this.press('Close notice');
  }

  /** Waits for a control. */
  async seeControl(role: string, name: string): Promise<void> {
    await this.#find(role, name).wait();
  }

  /** The first text on the page that matches, once there is one. */
  async copy(pattern: RegExp): Promise<string> {
    const found = await this.#page.waitForFunction(
      (source) => new RegExp(source).exec(document.body.innerText)?.[0],
      { timeout: PATIENCE, polling: POLLING },
      pattern.source,
    );
    return found.jsonValue() as Promise<string>;
  }

  /**
   * Waits for the notification with this text to be listed by the worker's registration, and gives
   * all that are.
   */
  async notified(body: string): Promise<Shown[]> {
    const list = async (wanted: string) => {
      const registration = await navigator.serviceWorker.getRegistration('/');
      const shown = (await registration?.getNotifications()) ?? [];
      return (
        shown.some((each) => each.body === wanted) &&
        shown.map((each) => ({ title: each.title, body: each.body, tag: each.tag }))
      );
    };
    const found = await this.#page
      .waitForFunction(list, { timeout: PATIENCE, polling: POLLING }, body)
      .catch(() => {
        throw new Error(`No notification says "${body}"`);
      });
    return found.jsonValue() as Promise<Shown[]>;
  }

  async #read(): Promise<string> {
    return this.#page.evaluate(() => document.body.innerText).catch(() => '(nothing)');
  }

  #field(label: string): Control {
    return new Control(this.#page, labelled(label), `field "${label}"`);
  }

  #find(role: string, name: string): Control {
    const selector = `::-p-aria([name="${name}"][role="${role}"])`;
    return new Control(this.#page, selector, `${role} "${name}"`);
  }
}

/** A page of its own, large enough for the tables to be tables. */
async function newPage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  await page.setViewport({ width: 1280, height: 900 });
  return page;
}
