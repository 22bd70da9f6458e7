import { MESSAGE_CANCEL_FAILED } from '../../state/messages/call-area';
import { cancelMessage } from '../../state/messages/composing';
import { errorMessage } from '../../api/error';
import type { SentOutcome } from '../../state/messages/messages';
import { notify } from '../../ui/notices';

/** A notice with a decision stays longer. */
const SCHEDULED_NOTICE_MS = 15_000;

/** Reports a scheduled message, which can be canceled here. */
export function announceScheduled({ sentence, messageId }: SentOutcome): void {
  async function cancel() {
    close();
    try {
      await cancelMessage(messageId);
      notify('Canceled. The message won’t be sent.');
    } catch (thrown) {
      notify(errorMessage(thrown, MESSAGE_CANCEL_FAILED), 'bad');
    }
  }
  const close = notify(
    <div className="bar">
      <span>{sentence}</span>
      <button type="button" className="plain" onClick={() => void cancel()}>
        Cancel sending
      </button>
    </div>,
    '',
    SCHEDULED_NOTICE_MS,
  );
}
