import { say } from '../ui/notices';
import { Progress } from './Progress';
import type { Sent } from './send';

/** The message stays so long after the dialog closed (specification, section 9). */
const STAYS_MS = 5000;

/** Says at the top of the page that a message was sent, and how far it got. */
export function announceSent({ sentence, messageId }: Sent): void {
  const close = say(
    <div className="bar">
      <span>
        {sentence} <Progress messageId={messageId} />
      </span>
      <button type="button" className="quiet" aria-label="Close notice" onClick={() => close()}>
        Close
      </button>
    </div>,
    'ok',
    STAYS_MS,
  );
}
