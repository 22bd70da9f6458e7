import type { InboxMessage } from '../../shared/contract';
import { parseTime } from './Day';
import { timeText } from './When';

type CorrectedMessage = Pick<InboxMessage, 'former'>;

/**
 * When an earlier text was sent.
 * @param sentAt of the message. ISO 8601
 */
export const formatTextTime = (
  revision: number,
  { former = [] }: CorrectedMessage,
  sentAt: string,
): string => timeText(parseTime(former.find((text) => text.revision === revision)?.at ?? sentAt));

/** Marks an answer that still counts although it belongs to an earlier text. */
export function AnsweredEarlierText({
  revision,
  row,
  sentAt,
}: {
  revision: number;
  row: CorrectedMessage;
  sentAt: string;
}) {
  const time = formatTextTime(revision, row, sentAt);
  return <small>Answered the text from {time}, before it was corrected</small>;
}

export interface OwnAnswerProps {
  row: CorrectedMessage &
    Pick<InboxMessage, 'revision'> &
    Partial<Pick<InboxMessage, 'answer' | 'answerRevision' | 'createdAt' | 'formerAnswers'>>;
  /** Whether the message waits for the person's answer. */
  asked?: boolean | undefined;
}

/** Which text a person answered, or what they answered before answers were requested again. */
export function OwnAnswer({ row, asked }: OwnAnswerProps) {
  const { answer = null, answerRevision, createdAt = '', formerAnswers, revision = 1 } = row;
  if (answer !== null)
    return answerRevision !== undefined && answerRevision < revision ? (
      <>
        <br />
        <AnsweredEarlierText revision={answerRevision} row={row} sentAt={createdAt} />
      </>
    ) : null;
  const former = formerAnswers?.at(-1);
  if (!former) return null;
  const time = formatTextTime(former.revision, row, createdAt);
  return (
    <div className="note" data-tone={asked ? 'warn' : undefined} role="status">
      <span>
        Your earlier answer:{' '}
        <b>
          <bdi>{former.answer}</bdi>
        </b>{' '}
        (to the text from {time}).
      </span>
      {asked && <span> Please answer again.</span>}
      {former.comment && (
        <p className="lines">
          <bdi>{former.comment}</bdi>
        </p>
      )}
    </div>
  );
}
