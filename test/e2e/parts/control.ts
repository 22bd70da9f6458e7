import type { ElementHandle, Locator, Page } from 'puppeteer-core';

/** Maximum wait for anything, in milliseconds: busy machines are slow. */
export const MAX_WAIT_MS = 30_000;

const FIELD_XPATH = '*[self::input or self::textarea or self::select]';
/** Searches by label, because browsers disagree on the role of a password field. */
export const fieldSelector = (label: string): string =>
  `::-p-xpath(.//label[normalize-space(text())="${label}"]//${FIELD_XPATH} | .//${FIELD_XPATH}[@aria-label="${label}"])`;

/**
 * Waits for an element, and opens the menu of its row if it is in one.
 * @param named selects it by its accessible name
 */
async function openMenuOf(page: Page, named: string, name: string): Promise<void> {
  const controlOrMenu = `${named}, .more [aria-label="${quoted(name)}"]`;
  // A page that is replaced meanwhile ends the wait; the control is waited for again anyway.
  const handle = await page
    .waitForSelector(controlOrMenu, { timeout: MAX_WAIT_MS })
    .catch(() => null);
  await handle
    ?.evaluate((element) => {
      const menu = element.closest('details.more');
      if (menu && !element.matches('summary')) menu.setAttribute('open', '');
    })
    .catch(() => undefined);
}
const quoted = (text: string): string => text.replace(/["\\]/g, '\\$&');

export class Control {
  constructor(
    private readonly page: Page,
    private readonly selector: string,
    private readonly description: string,
    private readonly name?: string,
  ) {}

  async click(): Promise<void> {
    await this.#attempt(async (locator) => {
      if (this.name) await openMenuOf(this.page, this.selector, this.name);
      const control = await locator.waitHandle();
      await scrollIntoView(control);
      await control.dispose();
      await locator.click();
    });
  }

  async fill(text: string): Promise<void> {
    await this.#attempt(async (locator) => {
      await locator.fill(text);
      // Data that arrives between clearing and typing draws the former text again.
      if (await this.#differs(text)) await locator.fill(text);
    });
  }

  async #differs(text: string): Promise<boolean> {
    const field = await this.page.$(this.selector);
    const isOtherNumber = (element: Element, wanted: string) =>
      element instanceof HTMLInputElement && element.type === 'number' && element.value !== wanted;
    return (await field?.evaluate(isOtherNumber, text)) ?? false;
  }

  async waitForControl(): Promise<void> {
    await this.#attempt((locator) => locator.wait());
  }

  async #attempt(act: (locator: Locator<Element>) => Promise<unknown>): Promise<void> {
    // A page in the background draws nothing, and would never come to rest.
    await this.page.bringToFront();
    // An open dialog covers all else. While a page unloads there is no dialog: the next page
    // counts.
    const inDialog = (await this.page.$('dialog[open]').catch(() => null)) ? 'dialog[open] ' : '';
    try {
      await act(
        (this.page.locator(`${inDialog}${this.selector}`) as Locator<Element>).setTimeout(
          MAX_WAIT_MS,
        ),
      );
    } catch (cause) {
      const [state, text] = await this.page
        .evaluate(() => [
          document.readyState + ('waiting' in document.documentElement.dataset ? ', hidden' : ''),
          document.body.innerText,
        ])
        .catch(() => ['gone', '']);
      throw new Error(
        `Could not use the ${this.description} at ${this.page.url()} (${state}). The page says:\n${text}`,
        { cause },
      );
    }
  }
}

/** Scrolls where a bar at the lower edge covers the control. */
export const scrollIntoView = (control: ElementHandle): Promise<void> =>
  control.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    const topElement = document.elementFromPoint(left + width / 2, top + height / 2);
    if (topElement?.closest('.edge, .places')) element.scrollIntoView({ block: 'center' });
  });
