import type { SentMessage } from '../../../shared/contract';
import { ALL_CLEAR_FILTER, CORRECTION_FILTER } from '../../../shared/recipient-states';
import { UNDO_SECONDS } from '../../../state/messages/needs-review';
import { DialogForm } from '../../../ui/forms/DialogForm';
import { peopleCount, PRIORITY_NAMES, sentTitle } from '../message-texts';

/** Confirms before many people are notified again. */
export function ConfirmNotifyAgain({
  message,
  count,
  state,
  onConfirm,
  onClose,
}: {
  message: SentMessage;
  count: number | undefined;
  /** The server's filter; undefined for everyone who has not answered. */
  state: string | false | undefined;
  onConfirm: () => void;
  onClose: () => void;
}) {
  const title = sentTitle(message);
  const everyone =
    state === CORRECTION_FILTER
      ? `Everyone who wasn’t shown the correction of “${title}” will be notified again.`
      : state === ALL_CLEAR_FILTER
        ? `Everyone who wasn’t shown the all-clear of “${title}” will be notified again.`
        : `Everyone who hasn’t answered “${title}” will be notified again.`;
  const priority = message.priority === 'normal' ? '' : PRIORITY_NAMES[message.priority];
  return (
    <DialogForm
      title="Notify again"
      action={count === undefined ? 'Notify again' : `Notify ${peopleCount(count)} again`}
      busyText="Notifying…"
      danger={message.priority === 'urgent'}
      question={`${count === undefined ? everyone : `Notify ${peopleCount(count)} again about “${title}”?`}${priority ? ` Priority: ${priority}.` : ''} You can undo this for ${UNDO_SECONDS} seconds.`}
      submit={async () => onConfirm()}
      explain={String}
      onClose={onClose}
    />
  );
}
