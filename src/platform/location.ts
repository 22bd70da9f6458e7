/**
 * Where in the app the person is. The one source for it outside the router, which fires the same
 * events.
 */
import { signal } from '@preact/signals-react';

/** The path of the page, such as `/admin/topics`. */
export const path = signal(location.pathname);

for (const event of ['popstate', 'pushState', 'replaceState']) {
  addEventListener(event, () => {
    path.value = location.pathname;
  });
}

/**
 * Goes to an address of the app in place of the present one, so that Back does not return to it.
 */
export function replacePath(to: string): void {
  history.replaceState(null, '', to);
  path.value = location.pathname;
}

export { parameter } from './parameter';

/**
 * `to` as a path of this app, or null for anything that would lead elsewhere: `//evil.example`,
 * `/\evil`, `javascript:`. So
 * would `/.//x`, whose path is `//x` once it is read: as an address, that is the host x.
 */
export function ownPath(to: string | null): string | null {
  if (!to?.startsWith('/') || !URL.canParse(to, location.origin)) return null;
  const url = new URL(to, location.origin);
  return url.origin === location.origin && url.pathname[1] !== '/'
    ? url.pathname + url.search
    : null;
}
