import { useState } from 'react';
import { errorMessage } from '../../../api/error';
import type { Recipient } from '../../../shared/contract';
import { REPEAT_FAILED, ringAgain } from '../../../state/sending/sent';
import { notify } from '../../../ui/notices';
import { people } from '../words';

interface Props {
  messageId: string;
  /** Whom alone; else all who have not answered, or of them those in a state. */
  user?: NonNullable<Recipient['user']>;
  state?: string;
  /** Whatever came of it: the message may be another now. */
  onDone: () => void;
  children: string;
}

/** Notifies people again, and says how many. */
export function RingAgain({ messageId, user, state, onDone, children }: Props) {
  const [busy, setBusy] = useState(false);
  async function ring() {
    setBusy(true);
    try {
      const rung = await ringAgain(messageId, {
        ...(user && { userIds: [user.id] }),
        ...(state && { state }),
      });
      if (rung > 0) notify(`Notifying ${user ? user.username : people(rung)} again.`);
      else
        notify(
          user
            ? `${user.username} will not be notified: a push is still pending, or they are not reachable.`
            : 'Nobody will be notified: pushes are still pending, or no one is reachable.',
          'warn',
        );
      onDone();
    } catch (thrown) {
      notify(errorMessage(thrown, REPEAT_FAILED), 'bad');
    } finally {
      setBusy(false);
    }
  }
  return (
    <button
      type="button"
      className={user && 'quiet'}
      aria-label={user && `Notify ${user.username} again`}
      aria-busy={busy || undefined}
      disabled={busy}
      onClick={() => void ring()}
    >
      {children}
    </button>
  );
}
