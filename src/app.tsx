import { effect } from '@preact/signals-react';
import { ownPath, parameter, path, reloadOnce, replace } from './platform/location';
import { Login } from './screens/Login';
import { claims, home, isAdmin, leftOnPurpose, signedIn } from './state/session';
import { lazy, missingCode } from './ui/lazy';
import { stylesheet } from './ui/stylesheet';

missingCode.recover = reloadOnce;

/** Loads a screen together with the style sheet that everything beyond the login form needs. */
const screen = <T,>(load: () => Promise<T>) => Promise.all([load(), stylesheet()]).then(([module]) => module);

const Shell = lazy(() => screen(() => import('./screens/Shell')).then((module) => module.Shell));
/** What a door gets: the token of its path, empty where there is none. */
interface Place {
  token: string;
}
/** The pages for those who are not signed in, by the first part of their path. */
const doors = {
  register: lazy(() => screen(() => import('./screens/Register')).then((module) => module.Register)),
  'request-password-reset': lazy<Place>(() => screen(() => import('./screens/RequestReset')).then((module) => module.RequestReset)),
  'reset-password': lazy(() => screen(() => import('./screens/ResetPassword')).then((module) => module.ResetPassword)),
  'verify-email': lazy(() => screen(() => import('./screens/VerifyEmail')).then((module) => module.VerifyEmail)),
};

/** The paths of the doors, with the token that some of them have. Whatever is merely alike belongs to the signed-in part. */
const DOOR = /^\/(register|request-password-reset(?!\/)|(?:reset-password|verify-email)(?=\/.))(?:\/([^/]*))?$/;

/** What a path shows: a door with the token of its path, the login form, or the signed-in part. */
function place() {
  const [, name, token = ''] = DOOR.exec(path.value) ?? [];
  if (name) return { Door: doors[name as keyof typeof doors], token: decoded(token) };
  return signedIn.value ? 'shell' : 'login';
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // a broken link: the server will say so
  }
}

/** The only thing that is shown right away is the login form; everything else is fetched when it is needed. */
export const startsAtLogin = () => place() === 'login';

/**
 * Keeps address and session in agreement: whoever is not signed in is at /login (and comes back to where they were
 * afterwards), whoever is does not stay there. Admin pages are not for others: they would only show refusals.
 * Returns how to end it.
 */
export function guard(): () => void {
  return effect(() => {
    if (DOOR.test(path.value)) return;
    if (!signedIn.value) {
      if (path.value === '/login') return;
      replace(path.value === '/' || leftOnPurpose.value ? '/login' : `/login?next=${encodeURIComponent(path.value)}`);
    } else if (path.value === '/login') {
      const next = ownPath(parameter('next'));
      replace(next && !/^\/login\b/.test(next) ? next : home.value);
    } else if (path.value.startsWith('/admin') && !isAdmin.value) {
      replace('/');
    } else if (path.value === '/' && isAdmin.value) {
      replace('/admin');
    }
  });
}

export function App() {
  const here = place();
  if (here === 'login') return <Login onBegin={Shell.preload} />;
  // Another session is another shell: another tab may have signed in anew, and somebody else.
  return here === 'shell' ? <Shell key={`${claims.value?.id} ${claims.value?.exp}`} /> : <here.Door token={here.token} />;
}
