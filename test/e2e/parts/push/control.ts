import type { Locator, Page } from 'puppeteer-core';

/** Milliseconds that a person waits for anything: a machine with much else to do is slow. */
export const PATIENCE = 30_000;

const FIELD = '*[self::input or self::textarea or self::select]';
/** A field by its label: browsers do not agree on the role of a password field. */
export const labelled = (label: string): string =>
  `::-p-xpath(.//label[normalize-space(text())="${label}"]//${FIELD} | .//${FIELD}[@aria-label="${label}"])`;

/** A control that may not be there yet. */
export class Control {
  constructor(
    private readonly page: Page,
    private readonly selector: string,
    private readonly description: string,
  ) {}

  async click(): Promise<void> {
    await this.#attempt(async (locator) => {
      await uncover(locator);
      await locator.click();
    });
  }

  async fill(text: string): Promise<void> {
    await this.#attempt((locator) => locator.fill(text));
  }

  async wait(): Promise<void> {
    await this.#attempt((locator) => locator.wait());
  }

  async #attempt(act: (locator: Locator<Element>) => Promise<unknown>): Promise<void> {
    // A page in the background draws nothing, and would never come to rest.
    await this.page.bringToFront();
    // What lies behind an open dialog cannot be reached. While a page is being left there is none:
    // what is looked for is on the next.
    const inDialog = (await this.page.$('dialog[open]').catch(() => null)) ? 'dialog[open] ' : '';
    try {
      await act(
        (this.page.locator(`${inDialog}${this.selector}`) as Locator<Element>).setTimeout(PATIENCE),
      );
    } catch (cause) {
      const text = await this.page.evaluate(() => document.body.innerText).catch(() => '(nothing)');
      throw new Error(
        `Could not use the ${this.description} at ${this.page.url()}. The page says:\n${text}`,
        { cause },
      );
    }
  }
}

/** Scrolls as a person does where the bar at the lower edge of the window lies over the control. */
async function uncover(locator: Locator<Element>): Promise<void> {
  const control = await locator.waitHandle();
  await control.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    const over = document.elementFromPoint(left + width / 2, top + height / 2);
    if (over?.closest('.edge')) element.scrollIntoView({ block: 'center' });
  });
  await control.dispose();
}
