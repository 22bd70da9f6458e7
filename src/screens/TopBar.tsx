import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { claims, home, isAdmin, signOut } from '../state/session';

const ADMIN_PLACES = [
  ['/admin', 'Dashboard'],
  ['/admin/topics', 'Topics'],
  ['/admin/users', 'Users'],
  ['/subscriptions', 'Notifications'],
] as const;
const PLACES = [['/', 'Notifications']] as const;

/** Where the person is, as one of the places: a user's subscriptions belong to Users. */
function current(path: string, places: readonly (readonly [string, string])[]): string | undefined {
  if (path === '/subscriptions' && !isAdmin.value) return '/';
  return places.map(([to]) => to).filter((to) => path === to || (to !== '/' && path.startsWith(`${to}/`))).at(-1);
}

/** Logo and title, the places of the role, who is signed in, and the way out. Narrow screens fold all but the logo behind Menu. */
export function TopBar({ path }: { path: string }) {
  const [open, setOpen] = useState(false);
  const [leaving, setLeaving] = useState(false);
  useEffect(() => setOpen(false), [path]);
  const places = isAdmin.value ? ADMIN_PLACES : PLACES;
  const here = current(path, places);

  function leave() {
    setLeaving(true);
    void signOut().finally(() => setLeaving(false));
  }

  return (
    <header className="top">
      <Link className="brand" href={home.value}>
        <img src="/logo.svg" width="32" height="32" alt="" />
        {isAdmin.value ? 'Fieldbell Admin' : 'Fieldbell'}
      </Link>
      <button type="button" className="quiet" aria-expanded={open} aria-controls="menu" onClick={() => setOpen(!open)}>
        Menu
      </button>
      <div id="menu">
        <nav aria-label="Main">
          <ul>
            {places.map(([to, name]) => (
              <li key={to}>
                <Link href={to} aria-current={to === here ? 'page' : undefined}>
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <p>
          Logged in as:{' '}
          <b>
            <bdi>{claims.value?.username}</bdi>
          </b>
        </p>
        <button type="button" className="plain" aria-busy={leaving || undefined} disabled={leaving} onClick={leave}>
          Logout
        </button>
      </div>
    </header>
  );
}
