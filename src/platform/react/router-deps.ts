/**
 * What wouter takes from React, in place of its own `react-deps.js`: that one looks a hook up by a
 * computed name, which makes a bundler keep everything.
 */
import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type ReactNode,
  type Ref,
} from 'react';

export {
  cloneElement,
  createContext,
  createElement,
  Fragment,
  isValidElement,
  useContext,
  useLayoutEffect as useInsertionEffect,
  useLayoutEffect as useIsomorphicLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';

/** A component that is handed its `ref`: Preact passes it among the props. */
export const forwardRef =
  <Props extends object, Element>(
    render: (props: Props, ref: Ref<Element> | undefined) => ReactNode,
  ) =>
  (props: Props & { ref?: Ref<Element> }) =>
    render(props, props.ref);

/** What `read` gives, again whenever `subscribe` says that it may have changed. */
export function useSyncExternalStore<Value>(
  subscribe: (changed: () => void) => () => void,
  read: () => Value,
): Value {
  const value = read();
  const shown = useRef(value);
  const [, again] = useState({});
  useLayoutEffect(() => {
    shown.current = value;
  });
  useEffect(() => {
    const check = () => {
      if (!Object.is(read(), shown.current)) again({});
    };
    check(); // it may have changed between the first render and now
    return subscribe(check);
  }, [subscribe]);
  return value;
}

/** A function that stays the same over all renders and calls the latest one. */
export function useEvent<Args extends unknown[], Result>(
  act: (...args: Args) => Result,
): (...args: Args) => Result {
  const latest = useRef(act);
  useLayoutEffect(() => {
    latest.current = act;
  });
  return useCallback((...args: Args) => latest.current(...args), []);
}
