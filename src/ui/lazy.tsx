import { createElement, useLayoutEffect, useState, type ComponentType, type ReactNode } from 'react';

/**
 * What to do when a component's code cannot be had, which after a deploy means that it is gone. Set by the app: true
 * if the page starts again, false if the person has to be told.
 */
export const missingCode = { recover: (): boolean => false };

/**
 * A component whose code is fetched when it is first shown, or earlier by `preload()`, which never rejects. Shows `waiting` meanwhile.
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
      () => {
        loading = undefined; // so that the next visit tries again
      },
    ));
  function Lazy(props: Props) {
    const [failed, setFailed] = useState(false);
    const [, setReady] = useState(loaded !== undefined);
    // Not after the next paint, as an effect would: that is 20 to 50 ms during which nothing is asked for.
    useLayoutEffect(() => {
      if (!loaded) {
        void preload().then(() => (loaded ? setReady(true) : missingCode.recover() || setFailed(true)));
      }
    }, []);
    if (failed) {
      return (
        <p className="note" data-tone="bad" role="alert">
          This page could not be loaded. <a href="">Reload</a>
        </p>
      );
    }
    return loaded ? createElement(loaded, props) : waiting;
  }
  return Object.assign(Lazy, { preload });
}
