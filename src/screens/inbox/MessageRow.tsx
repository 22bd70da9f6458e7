import { Link } from 'wouter';
import { isAsked, type Row } from '../../state/inbox/known';
import { Answers } from './Answers';
import { timeAfter, timeOf } from './times';

/** Nothing more is to be done with it. */
const isOver = (row: Row): boolean =>
  row.readAt !== null && row.sent === 'yes' && !isAsked(row);

/** A message in a list: one link to it, and the answers while somebody waits for one. */
export function MessageRow({ row, brief }: { row: Row; brief?: boolean }) {
  const urgent = row.priority === 'urgent' && !isOver(row);
  const fresh = row.readAt === null || row.sent !== 'yes';
  return (
    <li className={`${fresh ? 'new' : 'read'}${urgent ? ' urgent' : ''}`} data-id={row.id}>
      <Link href={`/messages/${row.id}`}>
        <span className="head">
          <b>
            <bdi>{row.title}</bdi>
          </b>
          <small>
            <time dateTime={row.createdAt}>{timeOf(row.createdAt)}</time>
          </small>
        </span>
        {urgent && (
          <span className="chip" data-tone="bad">
            Urgent
          </span>
        )}
        <p className={brief || !urgent ? 'clamp' : undefined}>
          <bdi>{row.message}</bdi>
        </p>
        {!brief && <Outcome row={row} />}
      </Link>
      {!brief && isAsked(row) && <Answers row={row} />}
    </li>
  );
}

/** What became of it. */
function Outcome({ row }: { row: Row }) {
  const { answer, acknowledgedAt, answers, createdAt, sent, state } = row;
  if (answer !== null)
    return (
      <small className="chip" data-tone={sent === 'queued' ? 'warn' : 'ok'}>
        <bdi>{answer}</bdi>
        {sent === 'queued' && ' · will be sent when you are connected'}
        {sent === 'yes' && acknowledgedAt && ` · ${timeAfter(createdAt, acknowledgedAt)}`}
      </small>
    );
  if (state !== 'sent')
    return <small className="chip">{state === 'cancelled' ? 'Cancelled' : 'Resolved'}</small>;
  return answers.length ? null : <small>No answer needed</small>;
}
