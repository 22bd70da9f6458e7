import { notify } from '../../ui/notices';
import { SendProgress } from './SendProgress';
import type { SentOutcome } from '../../state/messages/messages';

/** How long the notice stays after the dialog closed (S9.7). */
const SENT_NOTICE_MS = 5000;
/** A notice with a decision stays longer. */
const FAILURE_NOTICE_MS = 15_000;

/** Reports that a message was sent, with its progress. */
export function announceSent({ sentence, tone, messageId }: SentOutcome): void {
  const close = notify(
    <div className="bar">
      <span>
        {sentence} <SendProgress messageId={messageId} />
      </span>
      <button type="button" className="quiet" aria-label="Close notice" onClick={() => close()}>
        Close
      </button>
    </div>,
    tone,
    SENT_NOTICE_MS,
  );
}

/** Reports why a closed dialog's message was not sent. Shows nothing without a reason. */
export function announceFailed(reason: string, retry: () => void): void {
  const retryOnce = () => {
    close();
    retry();
  };
  const close = notify(
    reason && (
      <div className="bar">
        <span>{reason}</span>
        <button type="button" className="plain" onClick={retryOnce}>
          Retry
        </button>
        <button type="button" className="quiet" aria-label="Close notice" onClick={() => close()}>
          Close
        </button>
      </div>
    ),
    'bad',
    FAILURE_NOTICE_MS,
  );
}
