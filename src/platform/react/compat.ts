/**
 * What source means by `react` and `react-dom/client`: preact/compat, pared to what the app uses.
 * Every name is the very function that compat hands on; left out is what compat adds (old event
 * names, PureComponent, Suspense …), which no part of the app needs and which would cost the login
 * form 1.3 kB brotli.
 */
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

/** Takes over markup that is already there, with what was typed into it. */
export const hydrateRoot = (root: Element, node: ComponentChild) => hydrate(node, root);
