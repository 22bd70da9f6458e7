/** A person with only a keyboard, who must see the focus at every stop. */
import type { KeyInput, Page } from 'puppeteer-core';
import { MAX_WAIT_MS } from '../parts/control';
import { focusWindow } from '../parts/push/firefox-windows';

const MAX_STOPS = 150;

interface Stop {
  /** What a screen reader says; empty for the page itself. */
  name: string;
  visible: boolean;
}

export class Keyboard {
  constructor(readonly page: Page) {}

  /** @throws if a stop on the way shows no focus */
  async goTo(name: string): Promise<void> {
    await this.page.bringToFront();
    await focusWindow(this.page);
    const inDialog = (await this.page.$('dialog[open]').catch(() => null)) ? 'dialog[open] ' : '';
    const named = `${inDialog}::-p-aria([name="${name}"])`;
    const inMenu = `${inDialog}.more:not([open]) li > [aria-label="${name}"]`;
    await this.page
      .waitForSelector(`${named}, ${inMenu}`, { timeout: MAX_WAIT_MS })
      .catch(async () => {
        throw new Error(
          `There is no “${name}” at ${this.page.url()}:\n${await this.page.evaluate(() => document.body.innerText)}`,
        );
      });
    if (await this.page.$(inMenu)) {
      const menu = (element: Element) => element.closest('details')!.firstElementChild!.ariaLabel!;
      await this.pressControl(await this.page.$eval(inMenu, menu));
    }
    // Forward or back: beyond the page's last stop are the browser's own controls.
    const back = await this.page.$$eval(named, (elements) => {
      const goal = elements.find((one) =>
        one.matches('a, button, input, select, textarea, summary'),
      );
      return (
        goal !== undefined &&
        (document.activeElement!.compareDocumentPosition(goal) & Node.DOCUMENT_POSITION_PRECEDING) >
          0
      );
    });
    for (
      let stop = await this.page.evaluate(lookAtFocus), left = MAX_STOPS;
      stop.name !== name;
      left--
    ) {
      if (left === 0) throw new Error(`No way leads to “${name}” at ${this.page.url()}`);
      if (back) await this.page.keyboard.down('Shift');
      await this.press('Tab');
      if (back) await this.page.keyboard.up('Shift');
      stop = await this.page.evaluate(lookAtFocus);
      if (!stop.visible)
        throw new Error(`The focus cannot be seen on “${stop.name}” at ${this.page.url()}`);
    }
  }

  /**
   * The names of all stops to the end of the page or open dialog.
   * @throws if a stop shows no focus
   */
  async walkAllStops(): Promise<string[]> {
    await this.page.bringToFront();
    await focusWindow(this.page);
    const names: string[] = [];
    for (
      let stop = await this.page.evaluate(lookAtFocus);
      names.length < MAX_STOPS;
      stop = await this.page.evaluate(lookAtFocus)
    ) {
      if (!stop.name && names.length > 0) break;
      if (!stop.visible && names.length > 0)
        throw new Error(`The focus cannot be seen on “${stop.name}” at ${this.page.url()}`);
      names.push(stop.name);
      await this.press('Tab');
    }
    return names;
  }

  press(key: KeyInput): Promise<void> {
    return this.page.keyboard.press(key);
  }

  async typeInto(field: string, text: string): Promise<void> {
    await this.goTo(field);
    await this.page.keyboard.type(text);
  }

  async replaceText(field: string, text: string): Promise<void> {
    await this.goTo(field);
    await this.page.keyboard.down('Control');
    await this.press('a');
    await this.page.keyboard.up('Control');
    await this.page.keyboard.type(text);
  }

  async pressControl(control: string): Promise<void> {
    await this.goTo(control);
    await this.press('Enter');
  }

  /** Waits for this screen, with its name in the window and the focus on its heading. */
  async waitForScreen(title: string): Promise<void> {
    await this.page
      .waitForFunction(
        (wanted) =>
          document.title === `${wanted} · Fieldbell` && document.activeElement?.tagName === 'H1',
        { timeout: MAX_WAIT_MS },
        title,
      )
      .catch(async () => {
        const [shown, focus] = await this.page.evaluate(() => [
          document.title,
          document.activeElement?.outerHTML.slice(0, 80),
        ]);
        throw new Error(
          `Expected “${title}” with the focus on its heading. The window is named “${shown}”, the focus is on ${focus}`,
        );
      });
  }
}

/** Runs in the page. */
function lookAtFocus(): Stop {
  const element = document.activeElement;
  if (!(element instanceof HTMLElement) || element === document.body)
    return { name: '', visible: true };
  const labelledBy = element
    .getAttribute('aria-labelledby')
    ?.split(' ')
    .map((id) => document.getElementById(id)?.textContent ?? '');
  const label = (element as HTMLInputElement).labels?.[0];
  const ownText =
    label &&
    [...label.childNodes]
      .filter((node) => node.nodeType === Node.TEXT_NODE)
      .map((node) => node.textContent)
      .join('');
  const name =
    element.getAttribute('aria-label') ?? labelledBy?.join(' ') ?? ownText ?? element.innerText;
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
  const marked =
    (outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1) ||
    (boxShadow !== 'none' && !matchMedia('(forced-colors: active)').matches);
  const { bottom, top, width, height } = element.getBoundingClientRect();
  return {
    name: name.replace(/\s+/g, ' ').trim() || element.tagName,
    visible: marked && width > 0 && height > 0 && bottom > 0 && top < innerHeight,
  };
}
