import { useState, type ReactNode } from 'react';
import { errorMessage } from '../../../api/error';
import type { SentMessage } from '../../../shared/contract';
import { needsReview } from '../../../state/messages/needs-review';
import { getMessageArea } from '../../../state/messages/call-area';
import { NOTIFY_AGAIN_FAILED, notifyAgain } from '../../../state/messages/sent-messages';
import { useBusy } from '../../../ui/forms/use-busy';
import { notify } from '../../../ui/notices';
import { peopleCount } from '../message-texts';
import { lazy } from '../../../ui/lazy';

/** The dialog asks only before many people are notified. */
const ConfirmNotifyAgain = lazy(() =>
  import('./ConfirmNotifyAgain').then((module) => module.ConfirmNotifyAgain),
);

interface Props {
  message: SentMessage;
  /** The number of people, undefined for one person. */
  count?: number;
  /** One person; otherwise all who have not answered, or those in a state. */
  user?: { id: number; username: string };
  state?: string | false;
  /** Called afterwards: the message may have changed. */
  onDone: () => void;
  children: ReactNode;
}

export function NotifyAgain({ message, count, user, state, onDone, children }: Props) {
  const { busy, begin, end } = useBusy();
  const [asking, setAsking] = useState(false);
  const asksFirst = !user && needsReview(count);
  const canUndo = !user && needsReview(count, message.priority);
  async function notifyThem() {
    begin(true);
    let isDone = false;
    try {
      if (canUndo) {
        const { countDown } = await import('../../compose/review/review');
        if (!(await countDown('notify-again'))) return;
      }
      const notifiedCount = await notifyAgain(getMessageArea(message), message.id, {
        ...(user && { userIds: [user.id] }),
        ...(state && { state }),
      });
      isDone = notifiedCount > 0;
      if (isDone)
        notify(`Notifying ${user ? user.username : peopleCount(notifiedCount)} again.`, '');
      else
        notify(
          user
            ? `${user.username} won’t be notified again. A notification may still be on its way, they may be in quiet hours, or they aren’t reachable.`
            : 'No one will be notified again. Notifications may still be on their way, people may be in quiet hours, or no one is reachable.',
          'warn',
        );
      onDone();
    } catch (thrown) {
      notify(errorMessage(thrown, NOTIFY_AGAIN_FAILED), 'bad');
    } finally {
      end(isDone);
    }
  }
  return (
    <>
      <button
        type="button"
        className={user && 'quiet'}
        aria-label={user && `Notify again: ${user.username}`}
        aria-busy={busy}
        disabled={busy}
        onClick={() => (asksFirst ? setAsking(true) : void notifyThem())}
      >
        {children}
      </button>
      {asking && (
        <ConfirmNotifyAgain
          message={message}
          count={count}
          state={state}
          onConfirm={() => void notifyThem()}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}
