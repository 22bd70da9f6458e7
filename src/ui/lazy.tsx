import { createElement, useEffect, useState, type ComponentType, type ReactNode } from 'react';

/**
 * What to do when a component's code cannot be had, which after a deploy means that it is gone. Set by the app: true
 * if the page starts again, false if the person has to be told.
 */
export const missingCode = { recover: (): boolean => false };

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
    const [failed, setFailed] = useState(false);
    const [, setReady] = useState(loaded !== undefined);
    useEffect(() => {
      if (!loaded) {
        preload().then(
          () => setReady(true),
          () => missingCode.recover() || setFailed(true),
        );
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
