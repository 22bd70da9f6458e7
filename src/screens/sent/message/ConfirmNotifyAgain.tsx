import type { SentMessage } from '../../../shared/contract';
import { UNDO_SECONDS } from '../../../state/messages/needs-review';
import { DialogForm } from '../../../ui/forms/DialogForm';
import { peopleCount, PRIORITY_NAMES, sentTitle } from '../message-texts';

/** Confirms before many people are notified again. */
export function ConfirmNotifyAgain({
  message,
  count,
  onConfirm,
  onClose,
}: {
  message: SentMessage;
  count: number | undefined;
  onConfirm: () => void;
  onClose: () => void;
}) {
  const title = sentTitle(message);
  const priority = message.priority === 'normal' ? '' : PRIORITY_NAMES[message.priority];
  return (
    <DialogForm
      title="Notify again"
      action={count === undefined ? 'Notify again' : `Notify ${peopleCount(count)} again`}
      busyText="Notifying…"
      danger={message.priority === 'urgent'}
      question={`${count === undefined ? `Everyone who hasn’t answered “${title}” will be notified again.` : `Notify ${peopleCount(count)} again about “${title}”?`}${priority ? ` Priority: ${priority}.` : ''} You can undo this for ${UNDO_SECONDS} seconds.`}
      send={async () => onConfirm()}
      explain={String}
      onClose={onClose}
    />
  );
}
