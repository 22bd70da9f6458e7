import type { Page } from 'puppeteer-core';

/**
 * Controls that something fixed covers at any scroll position: Install App, then an urgent toast.
 */
export async function findCoveredControls(page: Page): Promise<string[]> {
  const isThere = Boolean(await page.$('.edge'));
  await page.evaluate(offerInstallation);
  // The page has no manifest without the server, and thus no offer to install.
  if (isThere) await page.waitForSelector('.fab', { timeout: 500 }).catch(() => {});
  const below = await page.evaluate(findCovered);
  await page.evaluate(showMessage);
  if (isThere) await page.waitForSelector('.toast:not(.above) .note');
  return [...below, ...(await page.evaluate(findCovered))];
}

/** Runs in the page. */
function offerInstallation(): void {
  dispatchEvent(Object.assign(new Event('beforeinstallprompt'), { prompt: async () => {} }));
}

/** Runs in the page. */
function showMessage(): void {
  const shown = { title: 'Grid outages', body: 'Feeder 12 '.repeat(40), priority: 'urgent' };
  navigator.serviceWorker.dispatchEvent(
    new MessageEvent('message', { data: { type: 'shown', shown } }),
  );
}

/** Runs in the page. */
function findCovered(): string[] {
  const isAbove = (hit: Element, control: Element): boolean => {
    for (let one: Element | null = hit; one; one = one.parentElement)
      if (!one.contains(control) && /fixed|sticky/.test(getComputedStyle(one).position))
        return true;
    return false;
  };
  // The last dialog lies above the others.
  const scope = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document;
  return [
    ...scope.querySelectorAll<HTMLElement & { name?: string; type?: string }>(
      'button, a[href], input, select, textarea, summary',
    ),
  ].flatMap((control) => {
    if (control.matches('.sr') || !control.checkVisibility({ visibilityProperty: true })) return [];
    const findCover = (block: ScrollLogicalPosition) => {
      control.scrollIntoView({ block, behavior: 'instant' });
      const { left, right, top, bottom } = control.getBoundingClientRect();
      const points = [top + 2, (top + bottom) / 2, bottom - 2].map((y) =>
        document.elementFromPoint((left + right) / 2, y),
      );
      return points.find((hit) => hit && isAbove(hit, control));
    };
    // A control that is visible at one position needs no other positions.
    const cover = findCover('center');
    if (!cover) return [];
    // A check-in's answers must be free wherever the page is scrolled to.
    if (!control.matches('.pinned *') && (!findCover('start') || !findCover('end'))) return [];
    const name = control.ariaLabel || control.innerText || control.name || control.type || '';
    return [`“${name.slice(0, 40)}” lies below “${cover.textContent?.slice(0, 40)}”`];
  });
}
