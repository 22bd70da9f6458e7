import {
  createElement,
  useLayoutEffect,
  useState,
  type ComponentType,
  type ReactNode,
} from 'react';

/** If code fails to load, usually after a deployment. The app sets it; it may reload the page. */
export const codeLoadFailure = { recover: (): Promise<string> => Promise.reject() };

/**
 * `preload()` never rejects. Small on purpose: React's Suspense would cost the first load more than
 * it saves.
 */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  waiting: ReactNode = null,
) {
  let loadedComponent: ComponentType<Props> | undefined;
  let pendingLoad: Promise<void> | undefined;
  const preload = () =>
    (pendingLoad ??= load().then(
      (component) => {
        loadedComponent = component;
      },
      () => {
        pendingLoad = undefined; // the next visit tries again
      },
    ));
  function Lazy(props: Props) {
    const [failure, setFailure] = useState('');
    const [, setReady] = useState(loadedComponent !== undefined);
    // A normal effect runs after the next paint, 20 to 50 ms later.
    useLayoutEffect(() => {
      if (!loadedComponent) {
        void preload().then(() =>
          loadedComponent
            ? setReady(true)
            : codeLoadFailure
                .recover()
                .catch(() => 'This page couldn’t be loaded.')
                .then(setFailure),
        );
      }
    }, []);
    if (failure) {
      return (
        <p className="note" data-tone="bad" role="alert">
          {/* biome-ignore lint/a11y/useValidAnchor: an empty address is this page, once more */}
          {failure} <a href="">Reload</a>
        </p>
      );
    }
    return loadedComponent ? createElement(loadedComponent, props) : waiting;
  }
  return Object.assign(Lazy, { preload });
}
