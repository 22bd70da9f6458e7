import { useState, type ReactNode } from 'react';
import { errorMessage } from '../../../api/error';
import type { SentMessage } from '../../../shared/contract';
import { ALL_CLEAR_FILTER } from '../../../shared/recipient-states';
import { needsReview } from '../../../state/messages/needs-review';
import { NOTIFY_AGAIN_FAILED } from '../../../state/messages/sent-messages';
import { useBusy } from '../../../ui/forms/use-busy';
import { notify } from '../../../ui/notices';
import { countCallsForHelp } from '../calls-for-help';
import { lazy } from '../../../ui/lazy';
import { serverNow } from '../../../state/clock';
import { parseTime } from '../../../ui/values/Day';

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

/** How long most people take to answer. */
const ANSWERING_MS = 5 * 60_000;

export function NotifyAgain({ message, count, user, state, onDone, children }: Props) {
  const { busy, begin, end } = useBusy();
  const [asking, setAsking] = useState(false);
  // Helping comes first, and right after sending people still answer.
  const isMain =
    (!state || state === ALL_CLEAR_FILTER) &&
    countCallsForHelp(message) === 0 &&
    serverNow() - parseTime(message.sendAt) >= ANSWERING_MS;
  const asksFirst = !user && needsReview(count);
  async function notifyThem() {
    begin(true);
    let isDone: boolean | undefined;
    try {
      // It loads on a press: the page of a message is large.
      const { notifyAndAnnounce } = await import('./notify-and-announce');
      isDone = await notifyAndAnnounce({ message, count, user, state });
      if (isDone != null) onDone();
    } catch (thrown) {
      notify(errorMessage(thrown, NOTIFY_AGAIN_FAILED), 'bad');
    } finally {
      end(isDone === true);
    }
  }
  return (
    <>
      <button
        type="button"
        className={user ? 'quiet' : isMain ? 'full' : state ? 'plain' : 'plain full'}
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
