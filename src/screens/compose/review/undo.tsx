/** The seconds to undo a message, and the outcome: notices above any screen. */
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { errorMessage } from '../../../api/error';
import type { SentMessage } from '../../../shared/contract';
import {
  changeComposed,
  composedMessage,
  hasDraftContent,
  type ComposedMessage,
} from '../../../state/messages/composing';
import { UNDO_SECONDS } from '../../../state/messages/needs-review';
import { readIfSent, undoMessage } from '../../../state/messages/undo-message';
import { countedNoun } from '../../../ui/lists/Pager';
import { notify, type Tone } from '../../../ui/notices';
import { announceSent } from '../../topics/sent-notice';
import { getSentPath } from '../../topics/SendProgress';

/** The notice may stay this long, but undo and sending remove it earlier. */
const HELD_NOTICE_MS = 600_000;
const OUTCOME_NOTICE_MS = 10_000;
/** How often, and how many times, to check whether it was sent. */
const OUTCOME_POLL_INTERVAL_MS = 1000;
const MAX_OUTCOME_POLLS = 30;
const UNDONE_TEXT = 'Undone. Nothing was sent.';
const UNDO_FAILED = 'Failed to undo.';

/** Closes the notice “Undone” of the previous message: it would contradict a new countdown. */
let closeUndoneNotice = (): void => {};

const pause = (milliseconds: number) =>
  new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/** What the seconds are for. */
type DelayedAction = 'send' | 'notify-again';

const COUNTDOWNS = {
  send: {
    announced: `Sending in ${UNDO_SECONDS} seconds.`,
    left: (seconds: number) => `Sending in ${seconds} s…`,
    over: 'Sending…',
  },
  'notify-again': {
    announced: `Notifying again in ${UNDO_SECONDS} seconds.`,
    left: (seconds: number) => `Notifying again in ${seconds} s…`,
    over: 'Notifying again…',
  },
};

function Countdown({
  delayedAction,
  note,
  onUndo,
  onEnd,
}: {
  delayedAction: DelayedAction;
  note: string;
  onUndo: () => void;
  onEnd: () => void;
}) {
  const [secondsLeft, setSecondsLeft] = useState(UNDO_SECONDS);
  useEffect(() => {
    if (secondsLeft === 0) {
      onEnd();
      return;
    }
    const timer = setTimeout(() => setSecondsLeft(secondsLeft - 1), 1000);
    return () => clearTimeout(timer);
  }, [secondsLeft]);
  const texts = COUNTDOWNS[delayedAction];
  return (
    <div className="bar">
      {/* Screen readers do not announce each second. */}
      <span className="sr">
        {texts.announced} {note}
      </span>
      <span aria-hidden="true">
        {secondsLeft > 0 ? texts.left(secondsLeft) : texts.over} {note}
      </span>
      {secondsLeft > 0 && (
        <button type="button" className="plain" onClick={onUndo}>
          Undo
        </button>
      )}
    </div>
  );
}

/**
 * Announces a message that the server holds.
 * @param onUndone called if nothing was sent
 */
export function announceHeld(messageId: string, onUndone: () => void): void {
  closeUndoneNotice();
  const close = notify(
    <Countdown
      delayedAction="send"
      note=""
      onUndo={() => void undo()}
      onEnd={() => void announceOutcome().then(close)}
    />,
    '',
    HELD_NOTICE_MS,
  );
  async function undo() {
    close();
    try {
      const undoResult = await undoMessage(messageId);
      if (undoResult.kind === 'undone') onUndone();
      else if (undoResult.kind === 'gone')
        announceMessage('Too late. The message was already sent.');
      else
        announceMessage(
          `Too late. The message was already sent to ${countedNoun(undoResult.people, 'person')}. The remaining notifications were canceled.`,
        );
    } catch (thrown) {
      notify(
        `${errorMessage(thrown, UNDO_FAILED)} The message may have been sent.`,
        'bad',
        OUTCOME_NOTICE_MS,
      );
      await announceOutcome();
    }
  }
  async function announceOutcome() {
    for (let poll = 0; poll < MAX_OUTCOME_POLLS; poll++) {
      const message = await readIfSent(messageId);
      if (message?.state === 'cancelled') return announceMessage('The message was canceled.');
      if (message)
        return announceSent({ sentence: sentText(message), tone: getSentTone(message), messageId });
      await pause(OUTCOME_POLL_INTERVAL_MS);
    }
    announceMessage('We don’t know yet whether the message was sent.');
  }
  const announceMessage = (sentence: string) =>
    announce(sentence, { href: getSentPath(messageId), label: 'Open message' }, 'warn');
}

/** Nothing was sent; `href` leads to the draft. */
export function announceUndone(href: string): void {
  closeUndoneNotice = announce(UNDONE_TEXT, { href, label: 'Edit message' }, '');
}

/**
 * Announces a message that the server holds. Undo leads back to its text.
 * @param formPath the page where it was written
 */
export function announceHeldDraft(
  messageId: string,
  draft: ComposedMessage,
  formPath: string,
  navigate: (path: string, options: { replace: boolean }) => void,
): void {
  announceHeld(messageId, () => {
    if (!hasDraftContent(composedMessage.peek())) changeComposed(draft);
    announceUndone(formPath);
    // Not the page of a message that was never sent.
    if (location.pathname === getSentPath(messageId)) navigate(formPath, { replace: true });
  });
}

function announce(
  sentence: string,
  { href, label }: { href: string; label: string },
  tone: Tone,
): () => void {
  const close = notify(
    <div className="bar">
      <span>
        {sentence} <Link href={href}>{label}</Link>
      </span>
      <button type="button" className="quiet" aria-label="Close notice" onClick={() => close()}>
        Close
      </button>
    </div>,
    tone,
    OUTCOME_NOTICE_MS,
  );
  return close;
}

const countNotified = ({ people }: SentMessage): number =>
  people.total - people.unreachable - people.muted;
const getSentTone = (message: SentMessage) => (countNotified(message) > 0 ? '' : 'warn');

/** Counts the people reached: `Sent to 31 of 35 people. 4 won’t be notified.` */
function sentText(message: SentMessage): string {
  const { total } = message.people;
  const notifiedCount = countNotified(message);
  const missedCount = total - notifiedCount;
  return missedCount > 0
    ? `Sent to ${notifiedCount.toLocaleString()} of ${countedNoun(total, 'person')}. ${missedCount.toLocaleString()} won’t be notified.`
    : `Sent to ${countedNoun(total, 'person')}.`;
}

/** The app counts down if the server cannot hold messages. Resolves with whether to send. */
export const countDown = (delayedAction: DelayedAction): Promise<boolean> =>
  new Promise((resolve) => {
    closeUndoneNotice();
    const finish = (shouldSend: boolean) => {
      close();
      resolve(shouldSend);
    };
    const close = notify(
      <Countdown
        delayedAction={delayedAction}
        note="Keep this page open."
        onUndo={() => {
          finish(false);
          closeUndoneNotice = notify(UNDONE_TEXT, '');
        }}
        onEnd={() => finish(true)}
      />,
      'warn',
      HELD_NOTICE_MS,
    );
  });
