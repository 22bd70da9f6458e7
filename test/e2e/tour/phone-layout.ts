/** Inspects the layout of a phone at 320 px, with the settings that a person may have chosen. */
import type { Page } from 'puppeteer-core';
import {
  cutOffTexts,
  invalidMarkup,
  movingElements,
  sidewaysOverflow,
  smallTargets,
} from './inspections';

/**
 * The findings about small targets, invalid markup, unwanted motion, text of 200 % and wide spacing.
 * @param setMotion sets the system's preference for motion
 */
export async function inspectPhoneLayout(
  page: Page,
  setMotion: (reduced: boolean) => Promise<void>,
): Promise<string[]> {
  const found = [...(await smallTargets(page)), ...(await invalidMarkup(await page.content()))];
  await setMotion(true);
  found.push(...(await movingElements(page)));
  await setMotion(false);
  for (const [what, style] of Object.entries(LARGER)) {
    await restyle(page, style);
    found.push(
      ...[...(await sidewaysOverflow(page)), ...(await cutOffTexts(page))].map(
        (fault) => `${what}: ${fault}`,
      ),
    );
    await restyle(page, '');
  }
  return found;
}

/** WCAG 1.4.4 and 1.4.12. */
const LARGER = {
  'text of 200 %': 'html { font-size: 200% }',
  'text spacing':
    '* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important } p { margin-bottom: 2em !important }',
};

const restyle = (page: Page, css: string): Promise<void> =>
  page.evaluate((text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    document.adoptedStyleSheets = [sheet];
  }, css);
