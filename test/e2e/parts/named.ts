/** Finds a control by role and name in the page: Firefox needs twice the time for a story to build its accessibility tree. */
import { Puppeteer } from 'puppeteer-core';

/** Names in the tree are asked of Chromium, in the same stories. */
export const namedSelector = (role: string, name: string): string =>
  `::-p-named("${`${role}:${name}`.replace(/["\\]/g, '\\$&')}")`;

Puppeteer.registerCustomQueryHandler('named', { queryAll: findNamed });

/** Runs in the page. */
function findNamed(within: Node, wanted: string): Element[] {
  const selectorsByRole: Record<string, string> = {
    button: 'button, summary, input:is([type="button"], [type="submit"])',
    checkbox: 'input[type="checkbox"]',
    combobox: 'select',
    heading: 'h1, h2, h3, h4, h5, h6',
    link: 'a[href]',
    option: 'option',
    radio: 'input[type="radio"]',
    switch: '[role="switch"]',
  };
  const textOf = (node: Node, except?: Element): string => {
    if (node instanceof Text) return node.data;
    if (!(node instanceof HTMLElement) || node === except) return '';
    if (node.ariaHidden === 'true' || !node.checkVisibility({ visibilityProperty: true }))
      return '';
    if (node.ariaLabel) return node.ariaLabel;
    const text = [...node.childNodes].map((child) => textOf(child, except)).join('');
    return getComputedStyle(node).display.startsWith('inline') ? text : ` ${text} `;
  };
  const nameOf = (control: HTMLElement): string => {
    const ids = control.getAttribute('aria-labelledby')?.split(/\s+/) ?? [];
    const labelElements = ids
      .map((id) => document.getElementById(id))
      .filter((one) => one !== null);
    if (labelElements.length > 0) return labelElements.map((one) => textOf(one)).join(' ');
    if (control.ariaLabel) return control.ariaLabel;
    const labels = [...((control as HTMLInputElement).labels ?? [])];
    if (labels.length > 0) return labels.map((label) => textOf(label, control)).join(' ');
    return textOf(control) || control.title;
  };
  const normalizeSpace = (text: string) => text.replace(/\s+/g, ' ').trim();
  const [role = ''] = wanted.split(':', 1);
  const name = normalizeSpace(wanted.slice(role.length + 1));
  const candidates = (within as Element).querySelectorAll<HTMLElement>(
    `:is(${selectorsByRole[role] ?? ''}):not([role]), [role="${role}"]`,
  );
  return [...candidates].filter(
    (one) =>
      one.checkVisibility({ visibilityProperty: true }) &&
      !one.closest('[aria-hidden="true"], [inert]') &&
      normalizeSpace(nameOf(one)) === name,
  );
}
