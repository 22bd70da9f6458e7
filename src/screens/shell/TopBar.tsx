import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { summary } from '../../state/inbox/summary';
import { claims, isAdmin, signOut } from '../../state/session';
import type { ShellRoute } from './routing';

interface Props {
  /** Those the person may see. */
  routes: readonly ShellRoute[];
  home: string;
  here: ShellRoute | undefined;
  path: string;
}

/** Narrow screens fold all but the logo into Menu. */
export function TopBar({ routes, home, here, path }: Props) {
  const [open, setOpen] = useState(false);
  const [leaving, setLeaving] = useState(false);
  useEffect(() => setOpen(false), [path]);

  function leave() {
    setLeaving(true);
    void signOut().finally(() => setLeaving(false));
  }

  return (
    <header className="top">
      <Link className="brand" href={home}>
        <img src="/logo.svg" width="32" height="32" alt="" />
        {isAdmin.value ? 'Fieldbell Admin' : 'Fieldbell'}
      </Link>
      <button
        type="button"
        className="quiet"
        aria-expanded={open}
        aria-controls="menu"
        onClick={() => setOpen(!open)}
      >
        Menu
      </button>
      <div id="menu">
        <nav aria-label="Main">
          <ul>
            {routes.map(
              ({ path: to, nav }, index) =>
                routes.findIndex((route) => route.nav === nav) === index && (
                  <li key={to}>
                    <Link href={to} aria-current={nav === here?.nav ? 'page' : undefined}>
                      {nav}
                      {nav === 'Messages' && summary.value.unread}
                    </Link>
                  </li>
                ),
            )}
          </ul>
        </nav>
        <p>
          Logged in as:{' '}
          <Link href="/account">
            <bdi>{claims.value?.username}</bdi>
          </Link>
        </p>
        <button
          type="button"
          className="plain"
          aria-busy={leaving || undefined}
          disabled={leaving}
          onClick={leave}
        >
          Logout
        </button>
      </div>
    </header>
  );
}
