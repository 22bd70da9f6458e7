import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { answerTone } from '../../state/inbox/answer-tone';
import {
  isAnswerable,
  isToEarlierText,
  waitsForAnswer,
  type InboxItem,
} from '../../state/inbox/inbox-state';
import { AnswerButtons } from './AnswerButtons';
import { InboxRevision, isUrgent, MessageMarks } from './MessageMarks';
import { Icon, type IconName } from '../../ui/Icon';
import { timeOfDay, timeText } from '../../ui/values/When';
import { isLate } from './message-times';

/** A message in a list, with answer buttons if an answer is due; in brief, only if it is urgent. */
export function InboxRow({
  row,
  brief,
  dated = brief,
  why,
}: {
  row: InboxItem;
  brief?: boolean;
  /** Whether the row tells its day, which no heading does. */
  dated?: boolean | undefined;
  /** Why the person received the message, if the person's topics do not explain it. */
  why?: string | undefined;
}) {
  const isWaiting = waitsForAnswer(row);
  const isOpen = isWaiting || row.readAt === null || row.sent !== 'yes';
  // A correction of an answered message is new, but nothing to hurry for.
  const urgent = isUrgent(row) && isOpen && (row.answer === null || row.sent !== 'yes');
  const isFull = !brief || urgent || row.notifiesAgain;
  return (
    <li className={`${isOpen ? 'new' : 'read'}${urgent ? ' urgent' : ''}`}>
      <Link href={`/messages/${row.id}`}>
        <span className="headline">
          <Disc row={row} urgent={urgent} open={isOpen} />
          <b>
            <bdi>{row.title}</bdi>
          </b>
          <small>
            <time dateTime={row.createdAt}>
              {dated ? timeText(Date.parse(row.createdAt)) : timeOfDay(row.createdAt)}
            </time>
          </small>
        </span>
        <p>
          <bdi className={urgent ? undefined : 'clamp'}>{row.allClear ?? row.message}</bdi>
        </p>
        {why && (
          <small>
            <bdi>{why}</bdi>
          </small>
        )}
        <span className="tags">
          <MessageMarks row={row} urgent={urgent} />
          {!brief && row.sender && (
            <small>
              <bdi>{row.sender}</bdi>
            </small>
          )}
          {isToEarlierText(row) && <InboxRevision row={row} part="answer" />}
          {(isFull || row.answer !== null || isAnswerable(row)) && (
            <Outcome row={row} asked={isWaiting} />
          )}
        </span>
      </Link>
      {isFull && isWaiting && <AnswerButtons row={row} />}
    </li>
  );
}

/** The icon speeds up scanning; the words beside it say the same. */
function Disc({ row, urgent, open }: { row: InboxItem; urgent: boolean; open: boolean }) {
  const [name, look, tone] = getDisc(row, urgent, open);
  return (
    <span className={`disc${look}`} data-tone={tone}>
      <Icon name={name} />
    </span>
  );
}

function getDisc(
  row: InboxItem,
  urgent: boolean,
  open: boolean,
): [name: IconName, look: string, tone?: string] {
  const { answer, sent } = row;
  if (urgent) return ['alert', ' solid', 'bad'];
  if (sent === 'queued') return ['clock', '', 'warn'];
  if (answer !== null && !open)
    return answerTone(answer, row) ? ['alert', '', 'bad'] : ['check', '', 'ok'];
  return [open ? 'bell' : 'tag', ''];
}

/** The answer, that one is due, or that none is needed. */
function Outcome({ row, asked: isWaiting }: { row: InboxItem; asked: boolean }) {
  const { allClearAt, answer, acknowledgedAt, answers, expiresAt, unrecordedAnswer, sent } = row;
  const chip = (content: ReactNode, tone?: string) => (
    <span className="chip" data-tone={tone}>
      {content}
    </span>
  );
  if (unrecordedAnswer && answer === null)
    return chip(
      <>
        <bdi>{unrecordedAnswer}</bdi> · not recorded
      </>,
      'warn',
    );
  if (answer !== null)
    return chip(
      <>
        <bdi>{answer}</bdi>
        {sent === 'queued' && ' · sends when you’re back online'}
        {sent === 'yes' && acknowledgedAt && ` · ${timeText(Date.parse(acknowledgedAt))}`}
        {sent === 'yes' && isLate(acknowledgedAt, expiresAt) && ' · late'}
      </>,
      sent === 'yes'
        ? (answerTone(answer, row) ?? (isToEarlierText(row) ? 'warn' : 'ok'))
        : sent === 'queued'
          ? 'warn'
          : undefined,
    );
  if (isWaiting && row.notifiesAgain)
    return chip(
      <>
        <Icon name="bell" />
        Rings until you answer
      </>,
      'bad',
    );
  if (isWaiting) return row.formerAnswers ? chip('Answer again', 'warn') : null;
  if (isAnswerable(row)) return chip('Expired');
  // After the all-clear, the server offers no answers any more.
  return answers.length || allClearAt ? null : <small>No answer requested</small>;
}
