import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { ownRights } from '../../state/rights';
import { sessionClaims, isAdmin, signOut } from '../../state/session';
import { Icon } from '../../ui/Icon';
import { Initials } from '../../ui/values/Initials';
import { lazy } from '../../ui/lazy';
import { InboxCount } from './InboxCount';
import type { ShellRoute } from './routing';

const importCheckIn = () => import('../check-in/CheckInScreen');
const SignOutDuringCheckIn = lazy(() =>
  importCheckIn().then((module) => module.SignOutDuringCheckIn),
);
const isCheckInRunning = () =>
  importCheckIn().then(
    (module) => module.isCheckInRunning(),
    () => false,
  );

interface Props {
  /** The routes that the person may see. */
  routes: readonly ShellRoute[];
  home: string;
  currentRoute: ShellRoute | undefined;
  path: string;
  /** Before, a slow phone would draw the folded menu for a fifth of the time to the first screen. */
  isStarted: boolean;
}

/** The styles never fold the menu of a window of this width, if a letter is as large as usual. */
const UNFOLDED_PX = 900;

/** Narrow screens fold all but the logo into Menu. */
export function TopBar({ routes, home, currentRoute, path, isStarted }: Props) {
  const [open, setOpen] = useState(false);
  const [isSigningOut, setSigningOut] = useState(false);
  const [isAsking, setAsking] = useState(false);
  useEffect(() => setOpen(false), [path]);

  async function handleSignOut() {
    setSigningOut(true);
    if (ownRights.value.includes('check-in') && (await isCheckInRunning())) setAsking(true);
    else await signOut();
    setSigningOut(false);
  }

  return (
    // The navigation of administrators and auditors is too long for one line. A narrow menu lies
    // over the page, with a backdrop that belongs to the header: a press on it closes the menu.
    // biome-ignore lint/a11y/noStaticElementInteractions: links and Escape close it for keyboards
    <header
      className={isAdmin.value || ownRights.value.includes('audit') ? 'top rail' : 'top'}
      onClick={({ target }) => (target as Element).closest('button') || setOpen(false)}
      onKeyDown={({ key, currentTarget }) => {
        if (key !== 'Escape') return;
        currentTarget.querySelector('button')?.focus();
        setOpen(false);
      }}
      onBlurCapture={({ relatedTarget, currentTarget }) => {
        if (relatedTarget && !currentTarget.contains(relatedTarget)) setOpen(false);
      }}
    >
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
        {(open || isStarted || innerWidth >= UNFOLDED_PX) && (
          <>
            <nav aria-label="Main">
              <ul>
                {routes.map(
                  ({ path: to, adminLabel: nav, icon }, index) =>
                    nav &&
                    routes.findIndex((route) => route.adminLabel === nav) === index && (
                      <li key={to}>
                        <Link
                          href={to}
                          aria-current={nav === currentRoute?.adminLabel ? 'page' : undefined}
                        >
                          {icon && <Icon name={icon} />}
                          {nav}
                          {to === '/messages' && !isAdmin.value && <InboxCount />}
                        </Link>
                      </li>
                    ),
                )}
              </ul>
            </nav>
            <p className="me">
              <Initials name={sessionClaims.value?.username ?? ''} />
              <span>
                Logged in as:{' '}
                <Link href="/account">
                  <bdi>{sessionClaims.value?.username}</bdi>
                </Link>
              </span>
            </p>
            <button
              type="button"
              className="plain"
              aria-busy={isSigningOut || undefined}
              disabled={isSigningOut}
              onClick={() => void handleSignOut()}
            >
              <Icon name="logout" />
              Logout
            </button>
          </>
        )}
      </div>
      {isAsking && <SignOutDuringCheckIn onClose={() => setAsking(false)} />}
    </header>
  );
}
