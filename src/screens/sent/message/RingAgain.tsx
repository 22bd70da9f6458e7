import { useState } from 'react';
import { errorMessage } from '../../../api/error';
import type { Recipient } from '../../../shared/contract';
import { REPEAT_FAILED, ringAgain } from '../../../state/sending/sent';
import { notify } from '../../../ui/notices';
import { people } from '../words';

interface Props {
  messageId: string;
  /** At whom alone; else at all who have not answered. */
  user?: NonNullable<Recipient['user']>;
  /** Whatever came of it: the message may be another now. */
  onDone: () => void;
  children: string;
}

/** Rings again, and says at how many. */
export function RingAgain({ messageId, user, onDone, children }: Props) {
  const [busy, setBusy] = useState(false);
  async function ring() {
    setBusy(true);
    try {
      const rung = await ringAgain(messageId, user && [user.id]);
      if (rung > 0) notify(`It rings again at ${user ? user.username : people(rung)}.`);
      else
        notify(
          user
            ? `It does not ring at ${user.username}: a push is still on its way, or they cannot hear it.`
            : 'It rings at nobody: pushes are still on their way, or nobody can hear it.',
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
      aria-label={user && `Ring again at ${user.username}`}
      aria-busy={busy || undefined}
      disabled={busy}
      onClick={() => void ring()}
    >
      {children}
    </button>
  );
}
