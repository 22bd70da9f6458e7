import { errorMessage } from '../../../api/error';
import type { SentMessage } from '../../../shared/contract';
import { getMessageArea, MESSAGE_CANCEL_FAILED } from '../../../state/messages/call-area';
import { cancelSentMessage } from '../../../state/messages/sent-messages';
import { DialogForm } from '../../../ui/forms/DialogForm';
import { notify } from '../../../ui/notices';

interface Props {
  message: SentMessage;
  onClose: () => void;
  /** Called afterwards: the message may have changed. */
  onDone: () => void;
}

/** Confirms before canceling what has not been sent. */
export function CancelDialog({ message, onClose, onDone }: Props) {
  const area = getMessageArea(message);
  async function submit() {
    try {
      await cancelSentMessage(area, message.id);
      notify('Message canceled.');
    } finally {
      onDone();
    }
  }
  return (
    <DialogForm
      title="Cancel message"
      action="Cancel message"
      busyText="Canceling…"
      dismiss="Keep message"
      submit={submit}
      explain={(thrown) => errorMessage(thrown, MESSAGE_CANCEL_FAILED)}
      onClose={onClose}
      question={`${
        message.state === 'scheduled'
          ? 'The message won’t be sent.'
          : 'People we haven’t notified yet won’t be notified, and the escalation stops. The message stays in the inboxes it has reached.'
      } This action cannot be undone.`}
    />
  );
}
