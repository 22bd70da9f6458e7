import { useEffect } from 'react';
import { isAdmin, storageWorks } from '../../state/session';
import { notify } from '../../ui/notices';
import { StatusMessages } from './StatusMessages';
import type { ShellRoute } from './routing';
import { Link } from 'wouter';
import { followInbox } from '../../state/inbox/follow';
import { Icon } from '../../ui/Icon';
import { InboxCount } from './InboxCount';

/** The shell's bottom edge, once the first screen is shown. */
export function ShellFoot({ here }: { here: ShellRoute | undefined }) {
  useEffect(() => {
    if (!storageWorks.value)
      notify(
        'This browser doesn’t store data. You’ll need to sign in again after you close this page.',
        'warn',
        15_000,
      );
  }, []);
  return (
    <>
      <StatusMessages here={here} />
      {/* Administrators have their messages beside the topics. */}
      {!isAdmin.value && <Places here={here?.nav} />}
    </>
  );
}

/** On phones: a technician's main places, within the thumb's reach. `here`: the current one. */
function Places({ here }: { here: string | undefined }) {
  useEffect(followInbox, []);
  return (
    <nav className="places" aria-label="Places">
      <Link href="/messages" aria-current={here === 'Inbox' ? 'page' : undefined}>
        <Icon name="inbox" />
        <span>Inbox</span>
        <InboxCount />
      </Link>
      <Link href="/" aria-current={here === 'Notifications' ? 'page' : undefined}>
        <Icon name="bell" />
        <span>Topics</span>
      </Link>
      <Link href="/check" aria-current={here === 'Check' ? 'page' : undefined}>
        <Icon name="shield" />
        <span>Check</span>
      </Link>
    </nav>
  );
}
