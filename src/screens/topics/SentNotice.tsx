import { notify } from '../../ui/notices';
import { Progress } from './Progress';
import type { SentOutcome } from '../../state/sending/messages';

/** The message stays so long after the dialog closed (S9.7). */
const STAYS_MS = 5000;
/** What asks for a decision stays longer. */
const FAILURE_STAYS_MS = 15_000;

/** Says at the top of the page that a message was sent, and how far it got. */
export function announceSent({ sentence, tone, messageId }: SentOutcome): void {
  const close = notify(
    <div className="bar">
      <span>
        {sentence} <Progress messageId={messageId} />
      </span>
      <button type="button" className="quiet" aria-label="Close notice" onClick={() => close()}>
        Close
      </button>
    </div>,
    tone,
    STAYS_MS,
  );
}

/**
 * Says why a message was not sent whose dialog is closed, with the way to try again. Says nothing
 * without a reason.
 */
export function announceFailed(why: string, retry: () => void): void {
  const again = () => {
    close();
    retry();
  };
  const close = notify(
    why && (
      <div className="bar">
        <span>{why}</span>
        <button type="button" className="plain" onClick={again}>
          Retry
        </button>
        <button type="button" className="quiet" aria-label="Close notice" onClick={() => close()}>
          Close
        </button>
      </div>
    ),
    'bad',
    FAILURE_STAYS_MS,
  );
}
