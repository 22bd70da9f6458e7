import { tapOnce } from '../../platform/second-tap';
import { answerMessage, ANSWER_FAILED } from '../../state/inbox/inbox-answers';
import type { InboxItem } from '../../state/inbox/inbox-state';
import { Icon } from '../../ui/Icon';
import { notify } from '../../ui/notices';

/**
 * Buttons in the sender's order. An urgent message has a primary button.
 * @param onChanged if they replace an earlier answer, which they mark
 * @useSignals
 */
export const AnswerButtons = ({ row, onChanged }: { row: InboxItem; onChanged?: () => void }) => (
  // biome-ignore lint/a11y/useSemanticElements: a fieldset would want a legend
  <div className="answers" role="group" aria-label={`Answer to ${row.title}`}>
    {row.answers.map((text, index) => (
      <button
        key={text}
        type="button"
        className={index || onChanged || row.priority !== 'urgent' ? 'plain' : undefined}
        aria-pressed={onChanged && text === row.answer}
        onClick={() =>
          tapOnce(() => {
            sendAnswer(row.id, text, onChanged && true);
            onChanged?.();
          })
        }
      >
        {text === row.answer && <Icon name="check" />}
        <bdi>{text}</bdi>
      </button>
    ))}
  </div>
);

/** A rejected answer can be retried from any screen. */
function sendAnswer(id: string, text: string, changes?: true): void {
  answerMessage(id, text, changes).catch(() => {
    const close = notify(
      <div className="bar">
        <span>{ANSWER_FAILED}</span>
        <button
          type="button"
          className="plain"
          onClick={() => {
            close();
            sendAnswer(id, text, changes);
          }}
        >
          Retry
        </button>
      </div>,
      'bad',
    );
  });
}
