import { Link } from 'wouter';
import { plural } from '../../../platform/plural';
import type { SentMessage } from '../../../shared/contract';
import { ALL_CLEAR_FILTER, CORRECTION_FILTER } from '../../../shared/recipient-states';
import { EARLIER_ANSWERS_GROUP, type SeenRecipient } from '../../../state/messages/sent-messages';
import { parseTime } from '../../../ui/values/Day';
import { AnsweredEarlierText, formatTextTime } from '../../../ui/values/EarlierText';
import { timeText } from '../../../ui/values/When';
import { listLink } from '../../lists/list-address';
import { textOrNothing } from '../message-texts';
import { SentRevision } from '../SentRevision';

const formatRevisionTime = (revision: number, message: SentMessage): string =>
  formatTextTime(revision, message, message.sendAt);

/** A link to the same page with another list of people. */
const peopleLink = (show: string) => listLink(`${location.pathname}?show=${show}`);

/** How many were shown the newest text, and who was not. An older server does not know. */
function CorrectionDisplayed({ message: { people } }: RevisionsProps) {
  if (people.correctionDisplayed === undefined) return null;
  return (
    <p>
      <small>
        The correction was displayed to {people.correctionDisplayed.toLocaleString()} of{' '}
        {people.total.toLocaleString()}.
      </small>
      {people.correctionDisplayed < people.total && (
        <small>
          {' '}
          <Link className="alone" {...peopleLink(CORRECTION_FILTER)}>
            Show who wasn’t shown the correction
          </Link>
        </small>
      )}
    </p>
  );
}

/** How many were shown the all-clear, and who was not. */
function AllClearDisplayed({ message: { people } }: RevisionsProps) {
  if (people.allClearDisplayed === undefined) return null;
  return (
    <p>
      <small>
        The all-clear was displayed to {people.allClearDisplayed.toLocaleString()} of{' '}
        {people.total.toLocaleString()}.
      </small>
      {people.allClearDisplayed < people.total && (
        <small>
          {' '}
          <Link className="alone" {...peopleLink(ALL_CLEAR_FILTER)}>
            Show who wasn’t shown the all-clear
          </Link>
        </small>
      )}
    </p>
  );
}

/** The line is not green while a recipient may not know the latest text. */
function EveryoneAnswered({ message: { people } }: RevisionsProps) {
  const { answeredEarlierText = 0, correctionDisplayed = 0, total } = people;
  return (
    <span className="chip" data-tone={correctionDisplayed < total ? 'warn' : 'ok'}>
      {answeredEarlierText < total
        ? `Everyone answered. To the earlier text: ${answeredEarlierText.toLocaleString()}`
        : 'Everyone answered the earlier text'}
    </span>
  );
}

export interface RevisionsProps {
  message: SentMessage;
  /** Without a person, the note says which answers of all people count. */
  row?: SeenRecipient;
  /**
   * That everyone answered, who was shown the all-clear, or who was shown the correction, with the
   * earlier texts.
   */
  part?: 'everyone' | 'all-clear' | 'former';
}

/** Which text of a corrected message people answered and were shown. */
export const AnswerRevisions = ({ message, part, row }: RevisionsProps) =>
  part === 'everyone' ? (
    <EveryoneAnswered message={message} />
  ) : part === 'all-clear' ? (
    <AllClearDisplayed message={message} />
  ) : !message.revisedAt ? null : part ? (
    <>
      <CorrectionDisplayed message={message} />
      <SentRevision row={message} part={part} />
    </>
  ) : row ? (
    <PersonRevisions message={message} row={row} />
  ) : (
    <MessageRevisions message={message} />
  );

const answerIn = (answerText: string, late: boolean): string =>
  late ? `${answerText} (late)` : answerText;

/** The earlier text that the person answered, and the person's earlier answers. */
function PersonRevisions({ row, message }: RevisionsProps & { row: SeenRecipient }) {
  const { answerRevision, formerAnswers = [] } = row;
  const count = formerAnswers.length;
  return (
    <>
      {answerRevision !== undefined && answerRevision < (message.revision ?? 1) && (
        <div>
          <AnsweredEarlierText revision={answerRevision} row={message} sentAt={message.sendAt} />
        </div>
      )}
      {count > 0 && (
        <details>
          <summary>
            {plural(count, { one: '1 earlier answer', other: `${count} earlier answers` })}
          </summary>
          {formerAnswers.map(({ revision, answer, comment, at, late }) => (
            <p key={revision}>
              <bdi>{answerIn(textOrNothing(answer), late)}</bdi>
              <br />
              {comment && (
                <small className="lines">
                  <bdi>{comment}</bdi>
                  <br />
                </small>
              )}
              <small>
                Answered {timeText(parseTime(at))} (text from{' '}
                {formatRevisionTime(revision, message)})
              </small>
            </p>
          ))}
        </details>
      )}
    </>
  );
}

function MessageRevisions({ message: { revision = 1, askedRevision = 1 } }: RevisionsProps) {
  return (
    <>
      {askedRevision > 1 && (
        <p>
          <small>
            When answers were requested again, earlier answers stopped counting, except calls for
            help. <Link {...peopleLink(EARLIER_ANSWERS_GROUP)}>Show earlier answers</Link>
          </small>
        </p>
      )}
      {revision > askedRevision && (
        <p>
          <small>
            {askedRevision > 1
              ? 'Later answers still count. Answers from before the last correction are marked in the list of people.'
              : 'Answers from before the last correction still count. They’re marked in the list of people.'}
          </small>
        </p>
      )}
    </>
  );
}
