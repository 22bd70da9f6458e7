import { useId, useState, type ReactNode } from 'react';
import { errorMessage } from '../../api/error';
import { tapOnce } from '../../platform/second-tap';
import {
  changeAnswer,
  COMMENT_FAILED,
  findUnconfirmed,
  saveComment,
} from '../../state/inbox/opened-message';
import { answerTone, isCallForHelp } from '../../state/inbox/answer-tone';
import {
  isChangeable,
  keepUnsaved,
  unsavedAnswers,
  type InboxItem,
} from '../../state/inbox/inbox-state';
import { Icon } from '../../ui/Icon';
import { FormError, useForm } from '../../ui/forms/form';
import { timeText } from '../../ui/values/When';
import { InboxRevision } from './MessageMarks';
import { isLate } from './message-times';

/** The server's limit. */
const MAX_COMMENT_LENGTH = 500;

interface AnsweredProps {
  row: InboxItem;
  /** If the person may change the answer. */
  onChange?: (() => void) | undefined;
  /** The buttons to choose another answer, once the person wants to. */
  buttons?: ReactNode;
}

/** The answer that a person gave, with their comment. */
export const Answered = ({ row, onChange, buttons }: AnsweredProps) => (
  <>
    {row.unrecordedAnswer && (
      <div className="note" data-tone="warn" role="status">
        <b>
          <bdi>{row.unrecordedAnswer}</bdi>
        </b>{' '}
        wasn’t recorded. {whyUnrecorded(row)}
      </div>
    )}
    {row.unsavedComment && hasLostComment(row) && (
      <div className="note bar" data-tone="warn">
        <span role="status">
          Your comment wasn’t recorded: <bdi className="lines">{row.unsavedComment}</bdi>{' '}
          {!row.unrecordedAnswer && whyCommentLost(row)}
        </span>
        <button
          type="button"
          className="plain"
          onClick={() => keepUnsaved(row.id, { unsavedComment: undefined })}
        >
          Dismiss
        </button>
      </div>
    )}
    {row.answer !== null && <GivenAnswer row={row} onChange={onChange} buttons={buttons} />}
    {row.answer !== null && row.sent !== 'sending' && <Comment row={row} />}
  </>
);

/** Whether there are words to show, and no field that contains them. */
const hasLostComment = (row: InboxItem): boolean =>
  (row.answer === null || !isChangeable(row)) && row.unsavedComment !== row.comment;

function whyCommentLost({ allClearAt, state, answer }: InboxItem): string {
  if (allClearAt) return 'The all-clear came first.';
  if (state !== 'sent') return 'The message has ended.';
  return answer === null ? 'Answer again to send it.' : 'The message has expired.';
}

function whyUnrecorded({ answer, allClearAt, state, revision = 1 }: InboxItem): string {
  if (allClearAt) return 'The all-clear came first.';
  if (state === 'resolved') return 'The alert was resolved before your answer arrived.';
  if (state !== 'sent') return 'The message was canceled before your answer arrived.';
  if (answer !== null) return 'You had already answered.';
  return revision > 1
    ? 'The message was corrected before your answer arrived. Answer again.'
    : 'Answer again.';
}

function GivenAnswer({ row, onChange, buttons }: AnsweredProps) {
  const { acknowledgedAt, expiresAt, id, sent } = row;
  const answer = row.answer ?? '';
  const shownAnswer = (
    <b>
      <bdi>{answer}</bdi>
    </b>
  );
  if (sent === 'queued')
    return (
      <div className="note bar" data-tone="warn" role="status">
        <span>
          {shownAnswer}
          <br />
          Sends when you’re back online.
          <InboxRevision row={row} part="answer" />
        </span>
        <ChangeAnswer onPress={() => void changeAnswer(id)} />
      </div>
    );
  return (
    <div
      className="note bar"
      data-tone={sent === 'yes' ? (answerTone(answer, row) ?? 'ok') : 'busy'}
      role="status"
    >
      <span>
        {shownAnswer}
        {sent === 'yes' && acknowledgedAt && ` · sent ${timeText(Date.parse(acknowledgedAt))}`}
        {sent === 'yes' && isLate(acknowledgedAt, expiresAt) && ' · late'}
        <InboxRevision row={row} part="answer" />
        {sent === 'yes' && isCallForHelp(answer, row) && (
          <>
            <br />
            Administrators can see it. Need help now? Call someone, too.
          </>
        )}
      </span>
      {buttons}
      {onChange && sent === 'yes' && (
        <ChangeAnswer again={row.answers.length === 1} onPress={onChange} />
      )}
    </div>
  );
}

/** @param again if there is no other one */
const ChangeAnswer = ({ again, onPress }: { again?: boolean; onPress: () => void }) => (
  <button type="button" className="plain" onClick={() => tapOnce(onPress)}>
    {again ? 'Answer again' : 'Change answer'}
  </button>
);

/** Words with an answer, which the person can change until the message ends. */
function Comment({ row }: { row: InboxItem }) {
  const { comment } = row;
  if (isChangeable(row)) return <CommentForm row={row} />;
  return comment ? (
    <p className="lines">
      <bdi>{comment}</bdi>
    </p>
  ) : null;
}

function CommentForm({ row: { id, comment, unsavedComment } }: { row: InboxItem }) {
  const count = useId();
  const [isRejected, setIsRejected] = useState(false);
  const savedComment = comment ?? '';
  const text = unsavedComment ?? savedComment;
  const { onSubmit, error, busy } = useForm(
    async () => {
      const done = await saveComment(id, text);
      setIsRejected(!done);
      const isUnchanged = unsavedAnswers.value.get(id)?.unsavedComment === unsavedComment;
      if (done && isUnchanged) keepUnsaved(id, { unsavedComment: undefined });
    },
    (thrown) => errorMessage(thrown, COMMENT_FAILED),
  );
  const isSaved = text.trim() === savedComment;
  return (
    <form onSubmit={onSubmit}>
      <FormError>
        {isRejected
          ? 'Comment not saved. The message may have expired or been canceled, or you changed your answer on another device.'
          : error}
      </FormError>
      <label>
        Comment <span className="muted">(optional)</span>
        <textarea
          rows={2}
          dir="auto"
          maxLength={MAX_COMMENT_LENGTH}
          aria-describedby={count}
          value={text}
          onInput={({ currentTarget }) => keepUnsaved(id, { unsavedComment: currentTarget.value })}
        />
      </label>
      <div className="bar">
        <small id={count} role="status">
          {isSaved && savedComment ? (
            findUnconfirmed(id)?.queued ? (
              'Sends when you’re back online.'
            ) : (
              'Saved.'
            )
          ) : (
            <>
              {text.length} of {MAX_COMMENT_LENGTH} characters
            </>
          )}
        </small>
        <button
          type="submit"
          className="plain"
          aria-busy={busy || undefined}
          disabled={busy || isSaved}
        >
          <Icon name="check" />
          Save comment
        </button>
      </div>
    </form>
  );
}
