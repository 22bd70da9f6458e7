import { createElement, useEffect, useState, type ComponentType, type ReactNode } from 'react';

/**
 * A component whose code is fetched when it is first shown, or earlier by `preload()`. Shows `waiting` meanwhile.
 * Small on purpose: React's Suspense would cost the first load more than everything it brings.
 */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>, waiting: ReactNode = null) {
  let loaded: ComponentType<Props> | undefined;
  let loading: Promise<void> | undefined;
  const preload = () =>
    (loading ??= load().then(
      (component) => {
        loaded = component;
      },
      (error: unknown) => {
        loading = undefined; // so that the next visit tries again
        throw error;
      },
    ));
  function Lazy(props: Props) {
    const [failure, setFailure] = useState<unknown>();
    const [, setReady] = useState(loaded !== undefined);
    useEffect(() => {
      if (!loaded) preload().then(() => setReady(true), setFailure);
    }, []);
    if (failure) throw failure;
    return loaded ? createElement(loaded, props) : waiting;
  }
  return Object.assign(Lazy, { preload });
}
