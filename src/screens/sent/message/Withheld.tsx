import { useState } from 'react';
import { errorMessage } from '../../../api/error';
import type { SentMessage } from '../../../shared/contract';
import { RELEASE_FAILED, releaseMessage } from '../../../state/messages/all-sent';
import { notify } from '../../../ui/notices';
import { senderText } from '../message-texts';

interface Props {
  message: SentMessage;
  /** Opens the question before canceling. */
  onCancel: () => void;
  /** Called afterwards: the message may have changed. */
  onDone: () => void;
}

/** Why a message is withheld, and what an administrator can do. */
export function Withheld({ message, onCancel, onDone }: Props) {
  const [busy, setBusy] = useState(false);
  async function release() {
    setBusy(true);
    try {
      await releaseMessage(message.id);
      notify('Message sent.');
    } catch (thrown) {
      notify(errorMessage(thrown, RELEASE_FAILED), 'bad');
    } finally {
      setBusy(false);
      onDone();
    }
  }
  return (
    <div className="note bar" data-tone="warn" role="alert">
      <span>
        <b>This message was not sent.</b> Its sender{' '}
        {senderText(message) && (
          <>
            <bdi>{senderText(message)}</bdi>{' '}
          </>
        )}
        may no longer send to one of this message’s topics.
      </span>
      <button
        type="button"
        aria-busy={busy || undefined}
        disabled={busy}
        onClick={() => void release()}
      >
        {busy ? 'Sending…' : 'Send now'}
      </button>
      <button type="button" className="plain" onClick={onCancel}>
        Cancel message
      </button>
    </div>
  );
}
