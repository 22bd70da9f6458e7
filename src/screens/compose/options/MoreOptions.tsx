import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import type { Priority, Topic } from '../../../shared/contract';
import {
  changeComposed,
  discardComposed,
  EMPTY_MESSAGE,
  hasDraftContent,
  restoreComposed,
  withHelpAnswers,
  composedMessage,
} from '../../../state/messages/composing';
import type { MessageDraft } from '../../../state/messages/messages';
import { Choice } from '../../../ui/forms/Choice';
import { offerUndo } from '../../../ui/undo';
import { PRIORITIES } from './PriorityField';
import { HelpAnswers } from './HelpAnswers';
import { LinkField } from './LinkField';

const toAnswers = (text: string): string[] =>
  text
    .split(/[,،]/)
    .map((answer) => answer.trim())
    .filter(Boolean);

/** Opening the options changes nothing. */
export function MoreOptions({
  topic,
  draft,
  onPriority,
}: {
  topic: Topic;
  draft: MessageDraft;
  /** The priority decides for whom quiet hours hold the message. */
  onPriority: (priority: Priority) => void;
}) {
  const [priority, setPriority] = useState<Priority>(
    draft.options?.priority ?? EMPTY_MESSAGE.priority,
  );
  const [answers, setAnswers] = useState((draft.options?.answers ?? []).join(', '));
  const [helpAnswers, setHelpAnswers] = useState(draft.options?.helpAnswers);
  const [link, setLink] = useState(draft.options?.link ?? '');
  useEffect(() => {
    const options = {
      ...(priority !== EMPTY_MESSAGE.priority && { priority }),
      ...(answers.trim() && withHelpAnswers(toAnswers(answers), helpAnswers)),
      ...(link.trim() && { link: link.trim() }),
    };
    // If no option is set, the request and its idempotency key stay the same.
    draft.options = Object.keys(options).length > 0 ? options : undefined;
  }, [priority, answers, helpAnswers, link]);

  /** Moves the draft to the page for new messages; what it replaces there can be restored. */
  function move() {
    restoreComposed();
    const previous = composedMessage.peek();
    const { text, options } = draft;
    if (hasDraftContent(previous))
      offerUndo('This message replaced your draft.', () => {
        changeComposed(previous);
        Object.assign(draft, { text, options });
      });
    discardComposed();
    changeComposed({
      to: [{ kind: 'topic', id: topic.id, name: topic.title }],
      message: draft.text,
      priority,
      answers: toAnswers(answers),
      helpAnswers,
      link,
    });
    draft.text = '';
    draft.options = undefined;
  }
  return (
    <div>
      <fieldset>
        <Choice
          legend="Priority"
          name="priority"
          options={PRIORITIES}
          value={priority}
          onChoose={(chosen) => {
            setPriority(chosen);
            onPriority(chosen);
          }}
        />
      </fieldset>
      <label>
        Answers <span className="muted">(up to 3, separated by commas)</span>
        <input
          type="text"
          name="answers"
          autoComplete="off"
          dir="auto"
          value={answers}
          onInput={({ currentTarget }) => setAnswers(currentTarget.value)}
        />
      </label>
      <HelpAnswers
        draft={{ answers: toAnswers(answers), helpAnswers }}
        onChange={(changed) => setHelpAnswers(changed.helpAnswers)}
      />
      <LinkField value={link} onChange={setLink} />
      <Link className="alone" href="/admin/messages/new" onClick={move}>
        Open as a new message
      </Link>
    </div>
  );
}
