import { useLocation } from 'wouter';
import type { SentMessage } from '../../../shared/contract';
import {
  changeComposed,
  composedMessage,
  EMPTY_MESSAGE,
  hasDraftContent,
  restoreComposed,
} from '../../../state/messages/composing';
import { mayChange } from '../../../state/rights';
import { Icon } from '../../../ui/Icon';
import { notify } from '../../../ui/notices';
import { offerUndo } from '../../../ui/undo';
import { textOrNothing, wasNeverSent } from '../message-texts';

/** Opens a new message with the text and recipients of one that has ended. */
export function SendAgain({ message }: { message: SentMessage }) {
  const [, navigate] = useLocation();
  const { topics, teams = [], namedPeople = 0, isTranslated, priority, answers } = message;
  // An alarm and an all-clear belong to their check-in or message.
  if (!mayChange.value || message.isAllClear || message.checkIn || message.withheld) return null;
  const isUnsent = wasNeverSent(message);
  function copy() {
    restoreComposed();
    const draft = composedMessage.peek();
    changeComposed({
      ...EMPTY_MESSAGE,
      to: [
        ...topics.map(({ id, title }) => ({ kind: 'topic' as const, id, name: title })),
        ...teams.map(({ id, name }) => ({ kind: 'team' as const, id, name })),
      ],
      title: textOrNothing(message.title),
      message: message.message,
      link: textOrNothing(message.link),
      priority,
      answers,
    });
    navigate('/admin/messages/new');
    if (hasDraftContent(draft))
      offerUndo('The message replaced your draft.', () => changeComposed(draft));
    if (namedPeople > 0 || isTranslated)
      notify('Translations and people chosen by name aren’t copied. Add them again.', 'warn');
  }
  return (
    <button type="button" className={isUnsent ? undefined : 'plain'} onClick={copy}>
      <Icon name={isUnsent ? 'edit' : 'send'} />
      {isUnsent ? 'Edit message' : 'Send again'}
    </button>
  );
}
