// What source code gets as `react` and `react-dom/client`: the part of preact/compat that the app
// uses. The rest would cost the login form 1.3 kB brotli.
import { hydrate, render, type ComponentChild } from 'preact';

export {
  cloneElement,
  Component,
  createContext,
  createElement,
  Fragment,
  isValidElement,
} from 'preact';
export {
  useCallback,
  useContext,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'preact/hooks';

export const createRoot = (root: Element) => ({
  render: (node: ComponentChild) => render(node, root),
});

/** Takes over existing markup, with the text that was typed into its fields. */
export const hydrateRoot = (root: Element, node: ComponentChild) => hydrate(node, root);
