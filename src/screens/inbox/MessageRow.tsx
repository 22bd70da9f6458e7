import { Link } from 'wouter';
import { isAsked, type InboxItem } from '../../state/inbox/known';
import { AnswerButtons } from './AnswerButtons';
import { MessageMarks } from './Marks';
import { timeText } from '../../ui/values/When';
import { isLate, messageTime } from './times';

/** A message in a list, with answer buttons if an answer is due. */
export function InboxRow({
  row,
  brief,
  why,
}: {
  row: InboxItem;
  brief?: boolean;
  /** Why the person received it, if their topics do not explain it. */
  why?: string | undefined;
}) {
  const fresh = row.readAt === null || row.sent !== 'yes';
  const asked = isAsked(row);
  const urgent = row.priority === 'urgent' && (fresh || asked);
  return (
    <li className={`${fresh ? 'new' : 'read'}${urgent ? ' urgent' : ''}`}>
      <Link href={`/messages/${row.id}`}>
        <span className="headline">
          <b>
            <bdi>{row.title}</bdi>
          </b>
          <small>
            <time dateTime={row.createdAt}>
              {brief ? timeText(Date.parse(row.createdAt)) : messageTime(row.createdAt)}
            </time>
          </small>
        </span>
        <MessageMarks state={row.state} urgent={urgent} />
        <p className={brief || !urgent ? 'clamp' : undefined}>
          <bdi>{row.message}</bdi>
        </p>
        {why && (
          <small>
            <bdi>{why}</bdi>
          </small>
        )}
        {!brief && <Outcome row={row} />}
      </Link>
      {!brief && asked && <AnswerButtons row={row} />}
    </li>
  );
}

/** The answer, or that none is needed. */
function Outcome({ row }: { row: InboxItem }) {
  const { answer, acknowledgedAt, answers, expiresAt, refused, sent } = row;
  if (refused && answer === null)
    return (
      <small className="chip" data-tone="warn">
        <bdi>{refused}</bdi> · not recorded
      </small>
    );
  if (answer !== null)
    return (
      <small className="chip" data-tone={sent === 'queued' ? 'warn' : 'ok'}>
        <bdi>{answer}</bdi>
        {sent === 'queued' && ' · sends when you’re back online'}
        {sent === 'yes' && acknowledgedAt && ` · ${timeText(Date.parse(acknowledgedAt))}`}
        {sent === 'yes' && isLate(acknowledgedAt, expiresAt) && ' · late'}
      </small>
    );
  return answers.length ? null : <small>No answer needed</small>;
}
