/** Replaces wouter's `react-deps.js`, whose computed lookup of a hook defeats tree shaking. */
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

/** Preact passes `ref` as a prop. */
export const forwardRef =
  <Props extends object, Element>(
    render: (props: Props, ref: Ref<Element> | undefined) => ReactNode,
  ) =>
  (props: Props & { ref?: Ref<Element> }) =>
    render(props, props.ref);

export function useSyncExternalStore<Value>(
  subscribe: (changed: () => void) => () => void,
  read: () => Value,
): Value {
  const value = read();
  const shownValue = useRef(value);
  const [, rerender] = useState({});
  useLayoutEffect(() => {
    shownValue.current = value;
  });
  useEffect(() => {
    const check = () => {
      if (!Object.is(read(), shownValue.current)) rerender({});
    };
    check(); // the value may have changed since the first render
    return subscribe(check);
  }, [subscribe]);
  return value;
}

/** A stable function that always calls the latest `act`. */
export function useEvent<Args extends unknown[], Result>(
  act: (...args: Args) => Result,
): (...args: Args) => Result {
  const latestAct = useRef(act);
  useLayoutEffect(() => {
    latestAct.current = act;
  });
  return useCallback((...args: Args) => latestAct.current(...args), []);
}
