import { useEffect } from 'react';
import { ownRights } from '../../state/rights';
import { isAdmin, isStorageWorking } from '../../state/session';
import { notify } from '../../ui/notices';
import { StatusMessages } from './StatusMessages';
import type { ShellRoute } from './routing';
import { Link } from 'wouter';
import { followInbox } from '../../state/inbox/follow-inbox';
import { Icon } from '../../ui/Icon';
import { lazy } from '../../ui/lazy';
import { InboxCount } from './InboxCount';

/** The bar also sends the answers that an earlier page could not send. */
const CheckInBar = lazy(() =>
  import('../check-in/CheckInCard').then((module) => module.CheckInBar),
);

export interface ShellFooterProps {
  currentRoute: ShellRoute | undefined;
  /** Routes in the navigation. */
  routes: readonly ShellRoute[];
}

/** The shell's bottom edge, once the first screen is shown. */
export function ShellFooter({ currentRoute, routes }: ShellFooterProps) {
  useEffect(() => {
    if (!isStorageWorking.value)
      notify(
        'This browser doesn’t store data. You’ll need to sign in again after you close this page.',
        'warn',
        15_000,
      );
  }, []);
  const mayCheckIn = ownRights.value.includes('check-in');
  return (
    <>
      <StatusMessages currentRoute={currentRoute} />
      {mayCheckIn && currentRoute?.right !== 'check-in' && <CheckInBar />}
      {/* Administrators have their messages beside the topics. */}
      {!isAdmin.value && <Places currentRoute={currentRoute} routes={routes} />}
    </>
  );
}

/** On phones: a technician's main places, within the thumb's reach. */
function Places({ currentRoute, routes }: ShellFooterProps) {
  useEffect(followInbox, []);
  const currentPath = currentRoute?.path ?? '';
  return (
    <nav className="places" aria-label="Main navigation">
      <Link
        href="/messages"
        aria-current={currentPath.startsWith('/messages') ? 'page' : undefined}
      >
        <Icon name="inbox" />
        <span>Inbox</span>
        <InboxCount />
      </Link>
      <Link
        href="/"
        aria-current={currentPath === '/' || currentPath === '/subscriptions' ? 'page' : undefined}
      >
        <Icon name="bell" />
        <span>Topics</span>
      </Link>
      {routes.map(
        ({ path, right, inBottomBar, adminLabel: nav, icon }) =>
          inBottomBar && (
            <Link
              key={path}
              href={path}
              aria-current={currentRoute?.right === right ? 'page' : undefined}
            >
              {icon && <Icon name={icon} />}
              <span>{nav}</span>
            </Link>
          ),
      )}
      <Link href="/check" aria-current={currentPath === '/check' ? 'page' : undefined}>
        <Icon name="shield" />
        <span>Test</span>
      </Link>
    </nav>
  );
}
