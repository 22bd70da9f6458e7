import { Link } from 'wouter';
import type { SentMessage } from '../../shared/contract';
import { When } from '../../ui/values/When';
import { noteEntry } from '../lists/address';
import { Legend, Meter } from './Meter';
import { messageStateOf } from './states';
import { answeredText, senderOf, recipientsText } from './words';

export function SentTable({ rows }: { rows: readonly SentMessage[] }) {
  return (
    <>
      <div className="panel scroll">
        <table>
          <thead>
            <tr>
              {['To', 'Message', 'Sent', 'Answered', 'State'].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((message) => (
              <Row key={message.id} message={message} />
            ))}
          </tbody>
        </table>
      </div>
      <Legend messages={rows} />
    </>
  );
}

function Row({ message }: { message: SentMessage }) {
  const { name, tone } = messageStateOf(message);
  const sender = senderOf(message);
  return (
    <tr>
      <th scope="row">
        <Link href={`/admin/messages/${message.id}`} state={noteEntry(location.search)}>
          <bdi>{recipientsText(message)}</bdi>
        </Link>
      </th>
      <td>
        <bdi className="clamp">{message.message}</bdi>
      </td>
      <td data-label="Sent">
        <span>
          <When iso={message.sendAt} />
          {sender && (
            <>
              <br />
              <small>
                <bdi>{sender}</bdi>
              </small>
            </>
          )}
        </span>
      </td>
      <td data-label="Answered">
        <span>
          <Meter message={message} />
          <small>{answeredText(message)}</small>
        </span>
      </td>
      <td data-label="State">
        <span className="chip" data-tone={tone}>
          {name}
        </span>
      </td>
    </tr>
  );
}
