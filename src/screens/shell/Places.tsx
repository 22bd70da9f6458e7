import { Link } from 'wouter';
import { summary } from '../../state/inbox-summary';
import { isAdmin } from '../../state/session';
import type { ShellRoute } from './routing';

/** Messages, and how many are new. An administrator's entry leads to more than their own. */
export const messages = () =>
  `Messages${summary.value.unread && !isAdmin.value ? ` (${summary.value.unread})` : ''}`;

/** On a phone: what a technician goes to all day, below the thumb. @useSignals */
export const Places = ({ here }: { here: ShellRoute | undefined }) => (
  <nav className="places" aria-label="Places">
    <Link href="/messages" aria-current={here?.nav === 'Messages' ? 'page' : undefined}>
      {messages()}
    </Link>
    <Link href="/" aria-current={here?.nav === 'Notifications' ? 'page' : undefined}>
      Topics
    </Link>
  </nav>
);
