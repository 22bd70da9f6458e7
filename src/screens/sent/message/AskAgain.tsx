import { UNDO_SECONDS } from '../../../state/sending/caution';
import type { SentMessage } from '../../../shared/contract';
import { DialogForm } from '../../../ui/forms/DialogForm';
import { people, PRIORITIES, titleOf } from '../words';

interface Props {
  message: SentMessage;
  count: number | undefined;
  onRing: () => void;
  onClose: () => void;
}

/** Asks once before a message is sent again to many people, or urgently. */
export function AskAgain({ message, count, onRing, onClose }: Props) {
  const priority = PRIORITIES[message.priority]?.name;
  return (
    <DialogForm
      title="Notify again"
      action={count === undefined ? 'Notify again' : `Notify ${people(count)} again`}
      meanwhile="Notifying..."
      danger={message.priority === 'urgent'}
      question={`Notify ${count === undefined ? 'everyone who has not answered' : people(count)} again of "${titleOf(message)}"?${priority ? ` Priority: ${priority}.` : ''} You can undo it for ${UNDO_SECONDS} seconds.`}
      send={async () => onRing()}
      explain={String}
      onClose={onClose}
    />
  );
}
