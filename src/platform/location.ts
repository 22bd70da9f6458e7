/** The current place in the app. The router fires the same events. */
import { signal } from '@preact/signals-react';

export const currentPath = signal(location.pathname);

for (const event of ['popstate', 'pushState', 'replaceState']) {
  addEventListener(event, () => {
    currentPath.value = location.pathname;
  });
}

/** Navigates so that Back does not return to the current page. */
export function replacePath(to: string): void {
  history.replaceState(null, '', to);
  currentPath.value = location.pathname;
}

/**
 * `to` as a path of this app, or null if it leads elsewhere: `//evil.example`, `/\evil`,
 * `javascript:`. `/.//x` too: parsed, its path is `//x`, which is the host x.
 */
export function pathInApp(to: string | null): string | null {
  if (!to?.startsWith('/') || !URL.canParse(to, location.origin)) return null;
  const url = new URL(to, location.origin);
  return url.origin === location.origin && url.pathname[1] !== '/'
    ? url.pathname + url.search
    : null;
}
