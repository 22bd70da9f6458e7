import { useState, type ReactNode } from 'react';
import { errorMessage } from '../../../api/error';
import type { SentMessage } from '../../../shared/contract';
import { getMessageArea } from '../../../state/messages/call-area';
import { ALL_CLEAR_FAILED, giveAllClear } from '../../../state/messages/revisions';
import { DialogForm } from '../../../ui/forms/DialogForm';
import { GrowingText } from '../../../ui/forms/GrowingText';
import { notify } from '../../../ui/notices';
import { MAX_MESSAGE_LENGTH } from '../../compose/message-lengths';

interface Props {
  message: SentMessage;
  onClose: () => void;
  /** Called afterwards: the message may have changed. */
  onDone: () => void;
  /** What to know before. */
  children?: ReactNode;
}

type AlarmedCheckIn = NonNullable<SentMessage['checkIn']>;

/** Ends the message, with or without words. */
export function AllClearDialog({ message, onClose, onDone, children }: Props) {
  const [text, setText] = useState('');
  async function submit() {
    try {
      await giveAllClear(getMessageArea(message), message.id, text.trim());
      notify('All-clear sent. We’ll notify everyone who is reachable.');
    } finally {
      onDone();
    }
  }
  return (
    <DialogForm
      title="Send the all-clear"
      action="Send all-clear"
      busyText="Sending…"
      submit={submit}
      explain={(thrown) => errorMessage(thrown, ALL_CLEAR_FAILED)}
      onClose={onClose}
    >
      {children}
      <p>
        The message’s recipients get the all-clear, and the escalation stops. You can’t correct the
        message afterwards.
      </p>
      {message.checkIn?.needsAnswer && <p>{describeCheckIn(message.checkIn)}</p>}
      {/* biome-ignore lint/a11y/noLabelWithoutControl: GrowingText is the textarea */}
      <label>
        Message <span className="muted">(optional)</span>
        <GrowingText
          rows={[2, 6]}
          maxLength={MAX_MESSAGE_LENGTH}
          value={text}
          onText={setText}
          aria-describedby="all-clear-length"
        />
      </label>
      <small id="all-clear-length">
        {text.length.toLocaleString()} of {MAX_MESSAGE_LENGTH.toLocaleString()} characters
      </small>
    </DialogForm>
  );
}

/** What happens to the check-in, which waits for an answer. */
function describeCheckIn({ username, newerAlarm, isSuspended }: AlarmedCheckIn): ReactNode {
  if (newerAlarm) return 'This all-clear doesn’t end the newer alarm.';
  if (isSuspended)
    return (
      <>
        <bdi>{username}</bdi> is suspended. The all-clear also ends the check-in.
      </>
    );
  return (
    <>
      <bdi>{username}</bdi> still has to answer or end the check-in. We’ll remind them with a
      notification.
    </>
  );
}
