import { Link } from 'wouter';
import type { AuditEntry } from '../../../shared/contract';
import { describeAction } from '../../../state/setup/audit';
import { When } from '../../../ui/values/When';
import { TableHead } from '../../../ui/lists/TableHead';

/** Texts of many people: each keeps its own direction. */
export const AuditTable = ({ rows }: { rows: readonly AuditEntry[] }) => (
  <div className="panel scroll">
    <table className="dense">
      <TableHead columns={['Time', 'Action', 'By', 'On', 'Detail']} />
      <tbody>
        {rows.map(({ id, at, action, actor, target, detail, network, message }) => (
          <tr key={id}>
            <td data-label="Time">
              <When iso={at} />
            </td>
            <th scope="row">{describeAction(action)}</th>
            <td data-label="By">
              <bdi>{actor}</bdi>
            </td>
            <td data-label="On">
              <bdi>{target || '-'}</bdi>
            </td>
            <td data-label="Detail">
              <span>
                <bdi>{detail}</bdi>
                {network && <small> from {network}</small>}
                {message && (
                  <>
                    <br />
                    <Link className="alone" href={`/admin/messages/${message.id}`}>
                      <bdi>{message.title || 'Message'}</bdi>
                    </Link>
                    <bdi className="clamp">{message.text}</bdi>
                  </>
                )}
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
