import { Link } from 'wouter';
import type { SentMessage } from '../../shared/contract';
import { When } from '../../ui/values/When';
import { createHistoryEntry } from '../lists/list-address';
import { Legend, Meter } from './Meter';
import { HelpChip } from './HelpChip';
import { PriorityChip } from './PriorityChip';
import { SentRevision } from './SentRevision';
import { describeMessageState, SENT_STATE_NAME } from './state-texts';
import {
  answeredText,
  hasEnded,
  isUrgent,
  senderText,
  sentTitle,
  recipientsText,
} from './message-texts';
import { TableHead } from '../../ui/lists/TableHead';

const SENT_COLUMNS = ['Priority', 'Title', 'Sender', 'Sent', 'Response', 'State'];

export function SentTable({ rows }: { rows: readonly SentMessage[] }) {
  return (
    <>
      <div className="panel scroll">
        <table>
          <TableHead columns={SENT_COLUMNS} />
          <tbody>
            {rows.map((message) => (
              <SentMessageRow key={message.id} message={message} />
            ))}
          </tbody>
        </table>
      </div>
      <Legend messages={rows} />
    </>
  );
}

function SentMessageRow({ message }: { message: SentMessage }) {
  const { name, tone } = describeMessageState(message);
  const title = sentTitle(message);
  const recipients = recipientsText(message);
  const hasUnreached = message.state === 'sent' && name !== SENT_STATE_NAME;
  return (
    <tr className={isUrgent(message) ? 'urgent' : undefined}>
      <td data-label="Priority" className={message.priority === 'normal' ? 'desk' : 'bare'}>
        <PriorityChip priority={message.priority} />
      </td>
      <th scope="row">
        <Link href={`/admin/messages/${message.id}`} state={createHistoryEntry(location.search)}>
          <bdi>{title}</bdi>
        </Link>
        {recipients !== title && (
          <small>
            To <bdi>{recipients}</bdi>
          </small>
        )}
        <small>
          <bdi className="clamp">{message.message}</bdi>
        </small>
      </th>
      <td data-label="Sender" className="unbroken desk">
        <bdi>{senderText(message) || '-'}</bdi>
      </td>
      <td data-label="Sent" className="bare">
        <When iso={message.sendAt} />
      </td>
      <td data-label="Response" className="unbroken bare full">
        <span>
          <Meter message={message} />
          <small>{answeredText(message)}</small>
        </span>
      </td>
      <td data-label="State" className="bare full">
        <span className="tags">
          <HelpChip message={message} />
          {message.state !== 'sent' ? (
            <span className="chip" data-tone={tone}>
              {name}
            </span>
          ) : (
            (hasEnded(message) || !message.allClearAt) && (
              <span className="chip">{hasEnded(message) ? 'Expired' : 'Live'}</span>
            )
          )}
          <SentRevision row={message} part="marks" neutral />
          {hasUnreached && <small data-tone={tone}>{name}</small>}
        </span>
      </td>
    </tr>
  );
}
