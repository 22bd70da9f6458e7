import { Link } from 'wouter';
import { isAsked, type Row } from '../../state/inbox/known';
import { Answers } from './Answers';
import { Marks } from './Marks';
import { timeText } from '../../ui/values/When';
import { timeOf } from './times';

/** A message in a list: one link to it, and the answers while somebody waits for one. */
export function MessageRow({ row, brief }: { row: Row; brief?: boolean }) {
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
              {brief ? timeText(Date.parse(row.createdAt)) : timeOf(row.createdAt)}
            </time>
          </small>
        </span>
        <Marks state={row.state} urgent={urgent} />
        <p className={brief || !urgent ? 'clamp' : undefined}>
          <bdi>{row.message}</bdi>
        </p>
        {!brief && <Outcome row={row} />}
      </Link>
      {!brief && asked && <Answers row={row} />}
    </li>
  );
}

/** What became of it. */
function Outcome({ row }: { row: Row }) {
  const { answer, acknowledgedAt, answers, sent } = row;
  if (answer !== null)
    return (
      <small className="chip" data-tone={sent === 'queued' ? 'warn' : 'ok'}>
        <bdi>{answer}</bdi>
        {sent === 'queued' && ' · will be sent when you are connected'}
        {sent === 'yes' && acknowledgedAt && ` · ${timeText(Date.parse(acknowledgedAt))}`}
      </small>
    );
  return answers.length ? null : <small>No answer needed</small>;
}
