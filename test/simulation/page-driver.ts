/**
 * Presses with a real pointer as soon as possible. `Person` (test/e2e) waits for the page to rest
 * and would take an hour for a day.
 */
import type { BrowserContext, CDPSession, Page } from 'puppeteer-core';
import { MAX_WAIT_MS } from '../e2e/parts/control';
import { eventually } from '../support/eventually';
import { installPageQueries, type PageQueries, type ControlKind } from './page-queries';

export class PageDriver {
  private constructor(
    readonly page: Page,
    readonly origin: string,
  ) {}

  static async openIn(context: BrowserContext, origin: string): Promise<PageDriver> {
    const page = await context.newPage();
    const driver = new PageDriver(page, origin);
    // Pages cannot see the browser's own question, so the person answers yes.
    await page.exposeFunction('personSaysYes', () => driver.setPermission('granted'));
    await page.evaluateOnNewDocument(() => {
      Notification.requestPermission = async () => {
        await (window as unknown as { personSaysYes(): Promise<void> }).personSaysYes();
        return Notification.permission;
      };
    });
    await page.setViewport({ width: 1280, height: 900 });
    await page.evaluateOnNewDocument(installPageQueries);
    const client = await page.createCDPSession();
    await client.send('Emulation.setFocusEmulationEnabled', { enabled: true }); // several people look at once
    await driver.#countCalls(client);
    return driver;
  }

  /** Decides about notifications in the browser's settings. */
  setPermission(state: 'granted' | 'prompt'): Promise<void> {
    return this.page
      .browserContext()
      .setPermission(this.origin, { permission: { name: 'notifications' }, state });
  }

  get path(): string {
    return new URL(this.page.url()).pathname;
  }

  /** What the page shows now; undefined while it is being left. */
  query<Name extends keyof PageQueries>(
    name: Name,
    ...args: Parameters<PageQueries[Name]>
  ): Promise<ReturnType<PageQueries[Name]> | undefined> {
    const ask = (queryName: string, values: unknown[]) =>
      (window.pageQueries[queryName as keyof PageQueries] as (...args: unknown[]) => unknown)(
        ...values,
      );
    return this.page
      .evaluate(ask, name as string, args as unknown[])
      .catch(() => undefined) as Promise<ReturnType<PageQueries[Name]> | undefined>;
  }

  /** Resolves with what the test in the page gives once that is true. */
  async waitUntil<Given extends unknown[], Value>(
    test: (...given: Given) => Value,
    description: string,
    ...testArguments: Given
  ): Promise<Exclude<Value, false | null | undefined>> {
    const handle = await this.page
      .waitForFunction(
        test as (...given: unknown[]) => unknown,
        { timeout: MAX_WAIT_MS, polling: 30 },
        ...testArguments,
      )
      .catch(async (cause: unknown) => {
        throw new Error(
          `${description}: waited in vain at ${this.page.url()}, which says: ${await this.query('text')}`,
          { cause },
        );
      });
    const value = await handle.jsonValue();
    await handle.dispose(); // it would keep something of the page alive
    return value as Exclude<Value, false | null | undefined>;
  }

  see(text: string): Promise<unknown> {
    return this.waitUntil(
      (wanted) => window.pageQueries.text().includes(wanted),
      `to see "${text}"`,
      text,
    );
  }

  /** @param times 2 for a double click */
  async press(kind: Exclude<ControlKind, 'field'>, name: string, times = 1): Promise<void> {
    for (;;) {
      const spot =
        (await this.query('find', kind, name)) ??
        (await this.waitUntil(
          (wantedKind, wanted) => window.pageQueries.find(wantedKind, wanted),
          `to press the ${kind} "${name}"`,
          kind,
          name,
        ));
      if (spot !== 'covered') {
        for (let time = 0; time < times; time++) await this.page.mouse.click(spot.x, spot.y);
        return;
      }
      await this.waitUntil(
        () => document.querySelector('.toast > .note') !== null,
        `to find a notice over the ${kind} "${name}"`,
      );
      await this.press('button', 'Close notice').catch(() => undefined); // gone by itself meanwhile
    }
  }

  /** Presses the button and waits for its dialog. */
  async openDialog(button: string): Promise<void> {
    await this.press('button', button);
    await this.waitUntil(
      () => document.querySelector('dialog[open]') !== null,
      `the dialog of "${button}"`,
    );
  }

  async fill(field: string, text: string): Promise<void> {
    await this.waitUntil((label) => window.pageQueries.focus(label), `to fill "${field}"`, field);
    if (text) await this.page.keyboard.sendCharacter(text);
    else await this.page.keyboard.press('Delete');
  }

  choose(field: string, option: string): Promise<unknown> {
    return this.waitUntil(
      (label, value) => window.pageQueries.choose(label, value),
      `to choose ${option} as "${field}"`,
      field,
      option,
    );
  }

  async closeDialog(): Promise<void> {
    await this.page.keyboard.press('Escape');
    await this.waitUntil(() => !document.querySelector('dialog[open]'), 'the dialog to close');
  }

  /**
   * Backend calls under way, with the document of each: one that is left gets no more answers.
   * (Puppeteer's count never ends after an offline start.)
   */
  readonly #calls = new Map<string, { name: string; document: string }>();
  #lastCall = 0;
  #callCount = 0;

  async #countCalls(client: CDPSession): Promise<void> {
    client.on('Network.requestWillBeSent', ({ requestId, loaderId, request: { method, url } }) => {
      if (!url.includes('/api/')) return;
      this.#calls.set(requestId, {
        name: `${method} ${new URL(url).pathname}`,
        document: loaderId,
      });
      this.#lastCall = performance.now();
      this.#callCount++;
    });
    client.on('Network.loadingFinished', ({ requestId }) => this.#calls.delete(requestId));
    client.on('Network.loadingFailed', ({ requestId }) => this.#calls.delete(requestId));
    client.on('Page.frameNavigated', ({ frame }) => {
      for (const [id, { document }] of this.#calls)
        if (document !== frame.loaderId) this.#calls.delete(id);
    });
    await client.send('Network.enable');
    await client.send('Page.enable');
  }

  /**
   * Waits until no backend call is running and none begins for a moment, because a switch is checked
   * again after 100 ms.
   */
  async waitForCalls(): Promise<void> {
    const startedAt = performance.now();
    const quiet = () =>
      this.#calls.size === 0 && performance.now() - Math.max(startedAt, this.#lastCall) > 200;
    await eventually(quiet, 'the calls to end', MAX_WAIT_MS).catch((cause: Error) => {
      throw new Error(
        `${cause.message}: ${[...this.#calls.values()].map(({ name }) => name).join(', ') || 'none is under way'}; asked ${this.#callCount} in all`,
        { cause },
      );
    });
  }
}
