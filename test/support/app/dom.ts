/**
 * A document for the tests of the app, installed before they load (test/run.mjs). What Node has
 * itself, such as fetch and its Response, stays Node's.
 */
import { Window } from 'happy-dom';
import type { Element, HTMLElement } from 'happy-dom';
import defaults from 'happy-dom/lib/css/declaration/computed-style/config/CSSComputedStyleElementDefault.js';
import { readSelectorsOnce } from './selectors';

readSelectorsOnce();

const window = new Window({ url: 'https://bell.example/' });

/**
 * `getByRole` asks for it at every element, and happy-dom's own takes a fifth of the tests' time.
 */
class Style {
  constructor(private readonly element: Element) {}
  get display(): string {
    return styleAttribute(this.element, 'display') || displayByDefault(this.element);
  }
  get visibility(): string {
    for (let ancestor: Element | null = this.element; ancestor; ancestor = ancestor.parentElement) {
      const ownVisibility = styleAttribute(ancestor, 'visibility');
      if (ownVisibility && ownVisibility !== 'inherit') return ownVisibility;
    }
    return 'visible';
  }
  getPropertyValue(name: string): string {
    if (name === 'display' || name === 'visibility') return this[name];
    throw new Error(`Tests of the app cannot compute ${name}: it depends on style sheets.`);
  }
}

function styleAttribute(element: Element, name: 'display' | 'visibility'): string {
  return element.hasAttribute('style') && 'style' in element
    ? (element as HTMLElement).style.getPropertyValue(name)
    : '';
}

function displayByDefault(element: Element): string {
  const defaultDisplay =
    (defaults as Record<string, string | { default: string; open: string }>)[element.tagName] ?? '';
  const text =
    typeof defaultDisplay === 'string'
      ? defaultDisplay
      : element.hasAttribute('open')
        ? defaultDisplay.open
        : defaultDisplay.default;
  return /display: ([\w-]+)/.exec(text)?.[1] ?? '';
}

Object.assign(window, { getComputedStyle: (element: Element) => new Style(element) });
/** Node's own classes do not work with the document's elements. */
const DOCUMENT_GLOBALS = [
  'Event',
  'EventTarget',
  'CustomEvent',
  'MessageEvent',
  'FormData',
  'navigator',
];
const nodes = Object.getOwnPropertyNames(globalThis).filter(
  (name) => !DOCUMENT_GLOBALS.includes(name),
);
const names = [window, Window.prototype, Object.getPrototypeOf(Window.prototype) as object].flatMap(
  (level) => Object.getOwnPropertyNames(level),
);

for (const name of new Set(names)) {
  if (nodes.includes(name) || name === 'constructor') continue;
  const value: unknown = Reflect.get(window, name);
  // Functions need their window; classes must stay as they are.
  const bound =
    typeof value === 'function' && /^[a-z]/.test(name) ? (value.bind(window) as unknown) : value;
  Object.defineProperty(globalThis, name, { configurable: true, writable: true, value: bound });
}
Object.assign(globalThis, { window, self: window });
/** The values of a build without `OIDC_COMPANY`, `ADMIN_TOTP` and `PASSKEYS`. */
Object.assign(globalThis, { COMPANY: '', TWO_FACTOR: false, PASSKEYS: false });
/** All lazy code loads (`broken-imports.ts`). */
Object.assign(globalThis, { fetchCode: (_: string, fetch: () => unknown) => fetch() });

const { head } = window.document;
const append = head.append.bind(head);
/** No style sheet would ever load here: there is no network. */
head.append = (...added) => {
  for (const node of added)
    if (node instanceof window.HTMLLinkElement) node.onload?.(new window.Event('load'));
    else append(node);
};
