import { effect } from '@preact/signals-react';
import { ownPath, parameter, path, replacePath } from './platform/location';
import { login, publicRoutes } from './routes/public';
import { challenge } from './state/account/challenge';
import { claims, isAdmin, leftOnPurpose, signedIn } from './state/session';
import { lazy, missingCode } from './ui/lazy';

// Not part of the app: see there.
missingCode.recover = () =>
  import('/rescue.js' as string).then((module: typeof import('./rescue')) => module.recover());

/** Loads a screen together with the style sheet that everything beyond the login form needs. */
const screen = <T,>(load: () => Promise<T>) =>
  Promise.all([load(), stylesheet()]).then(([component]) => component);

const SignedIn = lazy(() => {
  // The page has links to all files of that: asked for at once, they come a round trip earlier.
  document.head.append(document.querySelector('template')?.content ?? '');
  return screen(() => import('./signed-in').then((module) => module.SignedIn));
});
const Administrator = lazy(() =>
  screen(() => import('./administrator').then((module) => module.Administrator)),
);
const SecondStep = SECOND_FACTOR
  ? lazy(() =>
      screen(() => import('./screens/auth/SecondStep').then((module) => module.SecondStep)),
    )
  : () => null;
/** The pages for those who are not signed in, each with the pattern of its path. */
const publicPages = publicRoutes.map((route) => ({
  // `/:token` becomes a group, and a question mark behind it makes that optional.
  pattern: new RegExp(`^${route.path.replace(/\/:\w+/, '(?:/([^/]+))')}/?$`),
  Screen: lazy(() => screen(route.load)),
}));

/** The public page of the present path, if it is one, with the token of the path. */
function publicPage() {
  for (const { pattern, Screen } of publicPages) {
    const found = pattern.exec(path.value);
    if (found) return <Screen token={decoded(found[1] ?? '')} />;
  }
  return null;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // a broken link: the server will say so
  }
}

/**
 * The only thing that is shown right away is the login form; everything else is fetched when it is
 * needed.
 */
export const startsAtLogin = () => !signedIn.value && !publicPage();

/**
 * Keeps address and session in agreement: a visitor who is not signed in is at /login, and comes
 * back afterwards; a person who is signed in does not stay there. Which screens a person may see is
 * the frame's to say (`Shell`). Returns how to end it.
 */
export function guard(): () => void {
  return effect(() => {
    if (publicPage()) return;
    const atLogin = path.value === login.path;
    if (signedIn.value) {
      if (atLogin) replacePath(afterLogin());
    } else if (!atLogin) {
      replacePath(
        path.value === '/' || leftOnPurpose.value
          ? login.path
          : `${login.path}?next=${encodeURIComponent(path.value)}`,
      );
    }
  });
}

/** Where the address says that the person was going: home, unless it is another of our screens. */
function afterLogin(): string {
  const next = ownPath(parameter('next'));
  return next && !next.startsWith(login.path) ? next : '/';
}

export function App() {
  const page = publicPage();
  if (page) return page;
  if (SECOND_FACTOR && challenge.value && !signedIn.value) return <SecondStep />;
  if (!signedIn.value) return <login.screen onBegin={SignedIn.preload} />;
  const Part = isAdmin.value ? Administrator : SignedIn;
  // Another person is another frame: another tab may have signed somebody else in.
  return <Part key={`${claims.value?.id} ${claims.value?.role}`} />;
}

let loading: Promise<void> | undefined;

/** Resolves when the style sheet for everything beyond the login form applies, or cannot be had. */
const stylesheet = (): Promise<void> =>
  (loading ??= new Promise((resolve) => {
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = STYLES;
    link.onload = link.onerror = () => resolve();
    document.head.append(link);
  }));
