/**
 * A document for the tests of the app, installed once before any of them is loaded (by
 * test/run.mjs): modules of the app look at `location` and `navigator` as soon as they are
 * imported. What Node has itself and is no part of a document, such as fetch and its Response,
 * stays Node's.
 */
import { Window } from 'happy-dom';
import type { Element, HTMLElement } from 'happy-dom';
import defaults from 'happy-dom/lib/css/declaration/computed-style/config/CSSComputedStyleElementDefault.js';
import { readSelectorsOnce } from './selectors';

readSelectorsOnce();

const window = new Window({ url: 'https://bell.example/' });

/**
 * What `getByRole` asks for at every element. Happy-dom computes all properties from all style
 * sheets, which takes a fifth of the tests' time; these tests have no style sheets.
 */
class Style {
  constructor(private readonly element: Element) {}
  get display(): string {
    return styleAttribute(this.element, 'display') || displayByDefault(this.element);
  }
  get visibility(): string {
    for (let at: Element | null = this.element; at; at = at.parentElement) {
      const own = styleAttribute(at, 'visibility');
      if (own && own !== 'inherit') return own;
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

/** Of the tags of HTML, only a dialog's depends on an attribute. */
function displayByDefault(element: Element): string {
  const found =
    (defaults as Record<string, string | { default: string; open: string }>)[element.tagName] ?? '';
  const text =
    typeof found === 'string' ? found : element.hasAttribute('open') ? found.open : found.default;
  return /display: ([\w-]+)/.exec(text)?.[1] ?? '';
}

Object.assign(window, { getComputedStyle: (element: Element) => new Style(element) });
/** What Node has, too, but only the document's own kind works with its elements. */
const DOCUMENTS_OWN = [
  'Event',
  'EventTarget',
  'CustomEvent',
  'MessageEvent',
  'FormData',
  'navigator',
];
const nodes = Object.getOwnPropertyNames(globalThis).filter(
  (name) => !DOCUMENTS_OWN.includes(name),
);
const names = [window, Window.prototype, Object.getPrototypeOf(Window.prototype) as object].flatMap(
  (level) => Object.getOwnPropertyNames(level),
);

for (const name of new Set(names)) {
  if (nodes.includes(name) || name === 'constructor') continue;
  const value: unknown = Reflect.get(window, name);
  // Functions such as addEventListener need their window; classes must stay what they are.
  const bound =
    typeof value === 'function' && /^[a-z]/.test(name) ? (value.bind(window) as unknown) : value;
  Object.defineProperty(globalThis, name, { configurable: true, writable: true, value: bound });
}
Object.assign(globalThis, { window, self: window });
/** What a build has without `OIDC_COMPANY` and `ADMIN_TOTP`. */
Object.assign(globalThis, { COMPANY: '', SECOND_FACTOR: false });
/** Everything that is fetched when it is needed can be had (`lost-code.ts`). */
Object.assign(globalThis, { fetchCode: (_: string, fetch: () => unknown) => fetch() });
