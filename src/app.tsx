import { effect } from '@preact/signals-react';
import { pathInApp, currentPath, replacePath } from './platform/location';
import { queryParameter } from './platform/query-parameter';
import { readStored } from './platform/storage/storage';
import { loadStylesheet } from './platform/stylesheet';
import { login, publicRoutes } from './routes/public';
import { pendingChallenge } from './state/account/challenge';
import {
  sessionClaims,
  isAdmin,
  signedOutOnPurpose,
  isSignedIn,
  PRESSES_STORAGE_KEY,
} from './state/session';
import { lazy, codeLoadFailure } from './ui/lazy';

// This script is not part of the app: see `rescue.ts`.
codeLoadFailure.recover = () =>
  import('/rescue.js' as string).then((module: typeof import('./rescue')) =>
    module.recoverFromLoadFailure(),
  );

let stylesheetLoad: Promise<void> | undefined;
const loadCommonStyles = () => (stylesheetLoad ??= loadStylesheet(STYLES));

/** Loads a screen together with the style sheet for everything beyond the login form. */
const loadWithStylesheet = <T,>(load: () => Promise<T>) =>
  Promise.all([load(), loadCommonStyles()]).then(([component]) => component);

const SignedIn = lazy(() => {
  // Preloads all files of the signed-in part at once, which saves a round trip.
  document.head.append(document.querySelector('template')?.content ?? '');
  return loadWithStylesheet(() => import('./signed-in').then((module) => module.SignedIn));
});
// What the end of a session cut off needs no sign-in: the device's key sends it.
if (readStored(PRESSES_STORAGE_KEY)) void import('./screens/check-in/CheckInCard');
const Administrator = lazy(() =>
  loadWithStylesheet(() => import('./administrator').then((module) => module.Administrator)),
);
const TwoFactorStep = TWO_FACTOR
  ? lazy(() =>
      loadWithStylesheet(() =>
        import('./screens/auth/TwoFactorStep').then((module) => module.TwoFactorStep),
      ),
    )
  : () => null;
const publicPages = publicRoutes.map((route) => ({
  // `/:token` becomes an optional group.
  pattern: new RegExp(`^${route.path.replace(/\/:\w+/, '(?:/([^/]+))')}/?$`),
  Screen: lazy(() => loadWithStylesheet(route.load)),
}));

/** The public page at the current path, with its token. */
function findPublicPage() {
  for (const { pattern, Screen } of publicPages) {
    const match = pattern.exec(currentPath.value);
    if (match) return <Screen token={decodePart(match[1] ?? '')} />;
  }
  return null;
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // a broken link: the server will say so
  }
}

/** The page itself contains only the login form; all other screens load when needed. */
export const isStartAtLogin = () => !isSignedIn.value && !findPublicPage();

/** Signed-out visitors go to /login and return afterwards. Returns how to stop. */
export function redirectSignedOut(): () => void {
  return effect(() => {
    if (findPublicPage()) return;
    const isAtLogin = currentPath.value === login.path;
    if (isSignedIn.value) {
      if (isAtLogin) replacePath(getPathAfterLogin());
    } else if (!isAtLogin) {
      replacePath(
        currentPath.value === '/' || signedOutOnPurpose.value
          ? login.path
          : `${login.path}?next=${encodeURIComponent(currentPath.value)}`,
      );
    }
  });
}

/** The page in `next`, or home. */
function getPathAfterLogin(): string {
  const nextPath = pathInApp(queryParameter('next'));
  return nextPath && !nextPath.startsWith(login.path) ? nextPath : '/';
}

export function App() {
  const page = findPublicPage();
  if (page) return page;
  if (TWO_FACTOR && pendingChallenge.value && !isSignedIn.value) return <TwoFactorStep />;
  if (!isSignedIn.value) return <login.screen onBegin={SignedIn.preload} />;
  const SignedInPart = isAdmin.value ? Administrator : SignedIn;
  // Another tab may sign in another person, who gets a new shell.
  return <SignedInPart key={`${sessionClaims.value?.id} ${sessionClaims.value?.role}`} />;
}
