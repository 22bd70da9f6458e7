import {
  createElement,
  useLayoutEffect,
  useState,
  type ComponentType,
  type ReactNode,
} from 'react';

/**
 * What to do when a component's code cannot be had, which after a deploy means that it is gone. Set
 * by the app: resolves with what to tell the person, or never, if the page starts again.
 */
export const missingCode = { recover: (): Promise<string> => Promise.reject() };

/**
 * A component whose code is fetched when it is first shown, or earlier by `preload()`, which never
 * rejects. Shows `waiting` meanwhile. Small on purpose: React's Suspense would cost the first load
 * more than everything it brings.
 */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  waiting: ReactNode = null,
) {
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
    const [failed, setFailed] = useState('');
    const [, setReady] = useState(loaded !== undefined);
    // Not after the next paint, as an effect would: that is 20 to 50 ms during which nothing is
    // asked for.
    useLayoutEffect(() => {
      if (!loaded) {
        void preload().then(() =>
          loaded
            ? setReady(true)
            : missingCode
                .recover()
                .catch(() => 'This page could not be loaded.')
                .then(setFailed),
        );
      }
    }, []);
    if (failed) {
      return (
        <p className="note" data-tone="bad" role="alert">
          {/* biome-ignore lint/a11y/useValidAnchor: an empty address is this page, once more */}
          {failed} <a href="">Reload</a>
        </p>
      );
    }
    return loaded ? createElement(loaded, props) : waiting;
  }
  return Object.assign(Lazy, { preload });
}
