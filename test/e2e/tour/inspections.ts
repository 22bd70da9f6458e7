/** What every page must keep. Each inspection returns its findings as sentences. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { HtmlValidate } from 'html-validate';
import type { Page } from 'puppeteer-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const WCAG_RULES = {
  type: 'tag',
  values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa', 'best-practice'],
};
let isBriefRun = false;
/**
 * CI's `--brief` inspects light at 320 px and dark at 1280 px in Chromium alone, and in Arabic only
 * the parts that a translation changes.
 */
export const setBrief = (wanted: boolean): void => {
  isBriefRun = wanted;
};
export const isBrief = (): boolean => isBriefRun;

/** The themes and rules for a width: all rules once per width. */
export const themesAt = (width: number): readonly (readonly [theme: string, rules: Rules])[] => {
  if (!isBriefRun)
    return [
      ['light', 'all'],
      ['dark', 'colors'],
    ];
  return [[width < 600 ? 'light' : 'dark', 'all']];
};

const AXE_RULE_SETS = {
  all: WCAG_RULES,
  /** Light and dark differ only in colors. */
  colors: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
  /** A translation differs in texts and directions. */
  translated: {
    type: 'rule',
    values: [
      ...['html-has-lang', 'html-lang-valid', 'html-xml-lang-mismatch', 'valid-lang'],
      ...['document-title', 'empty-heading', 'button-name', 'link-name', 'summary-name'],
      ...['label', 'select-name', 'aria-input-field-name', 'aria-toggle-field-name'],
      ...['aria-dialog-name', 'target-size', 'scrollable-region-focusable'],
    ],
  },
};
type Rules = keyof typeof AXE_RULE_SETS;

/**
 * WCAG 2.2 AA by axe. Floating parts move below the page meanwhile: axe would call a button half
 * beneath them small, but it can be scrolled out.
 */
export async function axeViolations(page: Page, rules: Rules = 'all'): Promise<string[]> {
  await page.evaluate(finishTransitions);
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe);
  return page.evaluate(async (axeRules) => {
    const { run } = (window as unknown as { axe: { run(options: object): Promise<AxeResults> } })
      .axe;
    const grounded = new CSSStyleSheet();
    grounded.replaceSync('.edge { position: static !important }');
    document.adoptedStyleSheets.push(grounded);
    const { violations } = await run({
      runOnly: axeRules,
      ...(axeRules.type === 'tag' && { rules: { 'target-size': { enabled: true } } }),
      resultTypes: ['violations'],
    });
    document.adoptedStyleSheets.splice(document.adoptedStyleSheets.indexOf(grounded), 1);
    return violations.map(
      ({ id, nodes }) => `axe ${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
    );
  }, AXE_RULE_SETS[rules]);
}

/**
 * Whether the page scrolls sideways. The window of a phone grows with its content, so it is no
 * measure.
 */
export const sidewaysOverflow = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const wide = Math.max(document.documentElement.scrollWidth, document.body.scrollWidth);
    return wide > document.documentElement.clientWidth ? [`scrolls sideways to ${wide} px`] : [];
  });

/** Text cut off where nothing scrolls. Clamped descriptions are intended. */
export const cutOffTexts = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('body *')]
      .filter((element) => {
        const { overflowX, overflowY, visibility } = getComputedStyle(element);
        if (
          visibility === 'hidden' ||
          element.matches('.clamp, .sr, input, select, textarea') ||
          !element.innerText?.trim()
        )
          return false;
        const hides = (overflow: string) => overflow === 'hidden' || overflow === 'clip';
        return (
          (hides(overflowX) && element.scrollWidth > element.clientWidth + 1) ||
          (hides(overflowY) && element.scrollHeight > element.clientHeight + 1)
        );
      })
      .map(
        (element) =>
          `<${element.tagName.toLowerCase()} class="${element.className}"> cuts “${element.innerText.slice(0, 40)}”`,
      ),
  );

/**
 * Parts that point the wrong way in right-to-left languages, and arrows on the words of a list. A
 * way back points the other way.
 */
export const unmirroredParts = (page: Page): Promise<string[]> =>
  page.evaluate(() => [
    ...[...document.querySelectorAll('.flip:not(.back > *)')]
      .filter((icon) => icon.checkVisibility()) // of a hidden one there is no transform
      .filter((icon) => !getComputedStyle(icon).transform.startsWith('matrix(-1'))
      .map((icon) => `an icon of “${icon.parentElement?.textContent}” is not mirrored`),
    ...[...document.querySelectorAll('main select')]
      .filter((list) => /^(right|100%)/.test(getComputedStyle(list).backgroundPosition))
      .map((list) => `the arrow of “${list.getAttribute('name')}” covers its words`),
  ]);

/**
 * Texts that are still English, also in labels and styles. What people typed is in elements with a
 * direction of their own.
 * @param texts the app's English ones
 */
export const untranslatedTexts = (page: Page, texts: string[]): Promise<string[]> =>
  page.evaluate((englishTexts) => {
    const english = new Set(englishTexts);
    const shownTexts = [...document.body.querySelectorAll('*')]
      .filter((one) => !one.closest('bdi, script, #app [dir], #app [lang]'))
      .flatMap((one) => [
        ...[...one.childNodes].map((node) =>
          node.nodeType === Node.TEXT_NODE ? node.nodeValue : '',
        ),
        ...['aria-label', 'title', 'placeholder'].map((name) => one.getAttribute(name)),
        ...['::before', '::after'].map(
          (part) => /^"(.*?)"/.exec(getComputedStyle(one, part).content)?.[1],
        ),
      ])
      .flatMap((text) => text?.trim() ?? []);
    return [...new Set(shownTexts)]
      .filter((text) => english.has(text))
      .map((text) => `“${text}” is English`);
  }, texts);

/** Controls smaller than a fingertip, 44 × 44 px. Their labels count. */
export const smallTargets = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [
      ...document.querySelectorAll<HTMLElement>(
        'button, a[href], input, select, textarea, summary',
      ),
    ].flatMap((control) => {
      if (control.matches('.sr') || !control.checkVisibility({ visibilityProperty: true }))
        return [];
      const target = control.matches('[type="checkbox"], [type="radio"]')
        ? (control.closest('label') ?? control)
        : control;
      const { width, height } = target.getBoundingClientRect();
      const name =
        control.getAttribute('aria-label') ?? control.innerText ?? control.getAttribute('name');
      return Math.min(width, height) < 43.9
        ? [
            `${control.tagName.toLowerCase()} “${name}” is ${Math.round(width)} × ${Math.round(height)} px`,
          ]
        : [];
    }),
  );

/** Elements that move despite reduced motion. */
export const movingElements = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('*')].flatMap((element) =>
      ['', '::before', '::after'].flatMap((part) => {
        const { animationName, transitionDuration, transitionDelay } = getComputedStyle(
          element,
          part || undefined,
        );
        const still =
          animationName === 'none' &&
          [transitionDuration, transitionDelay]
            .join()
            .split(',')
            .every((time) => Number.parseFloat(time) === 0);
        return still ? [] : [`${element.tagName.toLowerCase()}${part} moves`];
      }),
    ),
  );

// Browsers serialize the document their own way, so only rules of the standard and accessibility
// count.
const validator = new HtmlValidate({
  extends: ['html-validate:standard', 'html-validate:a11y'],
  rules: {
    'attribute-boolean-style': 'off',
    // The list of a combobox: a <select> has the focus itself, and no field to type in.
    'prefer-native-element': ['error', { exclude: ['listbox'] }],
  },
});

export async function invalidMarkup(html: string): Promise<string[]> {
  const { results } = await validator.validateString(html);
  return results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, selector }) => `${ruleId}: ${message} (${selector})`),
  );
}

/**
 * Runs in the page: half changed colors are no faults. A page in the background would never end
 * them by itself, and an inherited color changes step by step.
 */
export function finishTransitions(): void {
  for (let round = 0; round < 10; round++)
    for (const one of document.getAnimations()) if (one instanceof CSSTransition) one.finish();
}
