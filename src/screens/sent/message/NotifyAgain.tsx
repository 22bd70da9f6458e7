import { useState } from 'react';
import { errorMessage } from '../../../api/error';
import type { SentMessage } from '../../../shared/contract';
import { needsReview, UNDO_SECONDS } from '../../../state/sending/caution';
import { areaOf } from '../../../state/sending/area';
import { NOTIFY_AGAIN_FAILED, notifyAgain } from '../../../state/sending/sent';
import { notify } from '../../../ui/notices';
import { peopleCount, PRIORITY_NAMES, sentTitle } from '../words';
import { DialogForm } from '../../../ui/forms/DialogForm';

interface Props {
  message: SentMessage;
  /** Undefined for one person. */
  count?: number;
  /** One person; otherwise all who have not answered, or those in a state. */
  user?: { id: number; username: string };
  state?: string;
  /** Called afterwards: the message may have changed. */
  onDone: () => void;
  children: string;
}

export function NotifyAgain({ message, count, user, state, onDone, children }: Props) {
  const [busy, setBusy] = useState(false);
  const [asking, setAsking] = useState(false);
  const asksFirst = !user && needsReview(count);
  const canUndo = !user && needsReview(count, message.priority);
  async function notifyThem() {
    setBusy(true);
    try {
      if (canUndo) {
        const { countDown } = await import('../../compose/review/review');
        if (!(await countDown('Notifying again'))) return;
      }
      const notified = await notifyAgain(areaOf(message), message.id, {
        ...(user && { userIds: [user.id] }),
        ...(state && { state }),
      });
      if (notified > 0)
        notify(`Notifying ${user ? user.username : peopleCount(notified)} again.`, '');
      else
        notify(
          user
            ? `${user.username} won’t be notified again. A notification is still on its way, or they aren’t reachable.`
            : 'No one will be notified again. Notifications are still on their way, or no one is reachable.',
          'warn',
        );
      onDone();
    } catch (thrown) {
      notify(errorMessage(thrown, NOTIFY_AGAIN_FAILED), 'bad');
    } finally {
      setBusy(false);
    }
  }
  return (
    <>
      <button
        type="button"
        className={user && 'quiet'}
        aria-label={user && `Notify again: ${user.username}`}
        aria-busy={busy || undefined}
        disabled={busy}
        onClick={() => (asksFirst ? setAsking(true) : void notifyThem())}
      >
        {children}
      </button>
      {asking && (
        <ConfirmNotifyAgain
          message={message}
          count={count}
          onConfirm={() => void notifyThem()}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}

/** Confirms before many people are notified again. */
function ConfirmNotifyAgain({
  message,
  count,
  onConfirm,
  onClose,
}: {
  message: SentMessage;
  count: number | undefined;
  onConfirm: () => void;
  onClose: () => void;
}) {
  const title = sentTitle(message);
  const priority = message.priority === 'normal' ? '' : PRIORITY_NAMES[message.priority];
  return (
    <DialogForm
      title="Notify again"
      action={count === undefined ? 'Notify again' : `Notify ${peopleCount(count)} again`}
      meanwhile="Notifying..."
      danger={message.priority === 'urgent'}
      question={`${count === undefined ? `Notify everyone who hasn’t answered again about "${title}"?` : `Notify ${peopleCount(count)} again about "${title}"?`}${priority ? ` Priority: ${priority}.` : ''} You can undo this for ${UNDO_SECONDS} seconds.`}
      send={async () => onConfirm()}
      explain={String}
      onClose={onClose}
    />
  );
}
