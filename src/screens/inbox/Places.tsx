import { useEffect } from 'react';
import { Link } from 'wouter';
import { followInbox } from '../../state/inbox/follow';
import { summary } from '../../state/inbox/summary';

/** On a phone: what a technician goes to all day, below the thumb. `here`: the current entry. */
export function Places({ here }: { here: string | undefined }) {
  useEffect(followInbox, []);
  return (
    <nav className="places" aria-label="Places">
      <Link href="/messages" aria-current={here === 'Messages' ? 'page' : undefined}>
        Messages{summary.value.unread}
      </Link>
      <Link href="/" aria-current={here === 'Notifications' ? 'page' : undefined}>
        Topics
      </Link>
      <Link href="/check" aria-current={here === 'Check' ? 'page' : undefined}>
        Check
      </Link>
    </nav>
  );
}
