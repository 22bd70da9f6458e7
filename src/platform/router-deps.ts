/**
 * What wouter takes from React, in place of its own `react-deps.js`: that one looks a hook up by a computed name, which
 * makes a bundler keep all of preact/compat.
 */
import { useCallback, useLayoutEffect, useRef } from 'preact/compat';

export {
  cloneElement,
  createContext,
  createElement,
  forwardRef,
  Fragment,
  isValidElement,
  useContext,
  useLayoutEffect as useInsertionEffect,
  useLayoutEffect as useIsomorphicLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'preact/compat';

/** A function that stays the same over all renders and calls the latest one. */
export function useEvent<Args extends unknown[], Result>(act: (...args: Args) => Result): (...args: Args) => Result {
  const latest = useRef(act);
  useLayoutEffect(() => {
    latest.current = act;
  });
  return useCallback((...args: Args) => latest.current(...args), []);
}
