/**
 * A document for the tests of the app, installed once before any of them is loaded (by
 * test/run.mjs): modules of the app look at `location` and `navigator` as soon as they are
 * imported. What Node has itself and is no part of a document, such as fetch and its Response,
 * stays Node's.
 */
import { Window } from 'happy-dom';

const window = new Window({ url: 'https://bell.example/' });
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
