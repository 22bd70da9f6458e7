import { Link } from 'wouter';
import type { AuditEntry } from '../../../shared/contract';
import { describeAction } from '../../../state/setup/audit';
import { When } from '../../../ui/values/When';
import { TableHead } from '../../../ui/lists/TableHead';
import { auditActor, auditDetail, auditTarget } from './audit-texts';

/** Texts of many people: each keeps its own direction. */
export const AuditTable = ({ rows }: { rows: readonly AuditEntry[] }) => (
  <div className="panel scroll">
    <table className="dense">
      <TableHead columns={['Time', 'Action', 'By', 'On', 'Detail']} />
      <tbody>
        {rows.map((entry) => (
          <tr key={entry.id}>
            <td data-label="Time" className="bare">
              <When iso={entry.at} withYear />
            </td>
            <th scope="row">{describeAction(entry.action)}</th>
            <td data-label="By" className="bare">
              <bdi>{auditActor(entry)}</bdi>
            </td>
            <td data-label="On">
              <bdi>{auditTarget(entry) || '-'}</bdi>
            </td>
            <td data-label="Detail" className="bare full">
              <span>
                <bdi>{auditDetail(entry)}</bdi>
                {entry.network && (
                  <small>
                    {entry.detail && ' · '}
                    <span>Network {entry.network}</span>
                  </small>
                )}
                {entry.message && (
                  <>
                    <br />
                    <Link className="alone" href={`/admin/messages/${entry.message.id}`}>
                      <bdi>{entry.message.title || 'Message'}</bdi>
                    </Link>
                    <bdi className="clamp">{entry.message.text}</bdi>
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
