import { Link } from 'wouter';
import type { User } from '../../shared/contract';
import { copy } from '../../ui/clipboard';
import { Day } from '../../ui/Day';
import { Email } from '../../ui/Email';
import { notify } from '../../ui/notices';
import { note } from '../lists/address';
import { ROLES, STATUSES } from '../names';
import { registrationLink } from './filters';

/**
 * What can be done with one user, beside their subscriptions. `link` shows a link that could not be
 * copied.
 */
export type UserAction = 'role' | 'delete' | 'link';

type Act = (action: UserAction, user: User) => void;

/** The users of one page that match the filters. */
export function UserTable({ rows, onAct }: { rows: readonly User[]; onAct: Act }) {
  return (
    <div className="panel scroll">
      <table className="dense">
        <thead>
          <tr>
            <th scope="col">ID</th>
            <th scope="col">Username</th>
            <th scope="col">Email</th>
            <th scope="col">Role</th>
            <th scope="col">Status</th>
            <th scope="col">Created</th>
            <th scope="col" className="acts">
              Actions
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={row.id} user={row} onAct={onAct} />
          ))}
          {rows.length === 0 && (
            <tr>
              <td colSpan={7}>No user on this page matches. Other pages may have some.</td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
}

function Row({ user, onAct }: { user: User; onAct: Act }) {
  const { name, tone } = STATUSES[user.status] ?? { name: user.status };
  return (
    <tr>
      <td data-label="ID">{user.id}</td>
      <th scope="row">
        <bdi>{user.username}</bdi>
      </th>
      <td data-label="Email">
        <Email>{user.email}</Email>
      </td>
      <td data-label="Role">{ROLES[user.role] ?? user.role}</td>
      <td data-label="Status">
        <span className="chip" data-tone={tone}>
          {name}
        </span>
      </td>
      <td data-label="Created">
        <Day iso={user.createdAt} />
      </td>
      <td className="acts">
        <Actions user={user} onAct={onAct} />
      </td>
    </tr>
  );
}

function Actions({ user, onAct }: { user: User; onAct: Act }) {
  const { id, username, role } = user;
  const link = registrationLink(user);
  async function copyLink(text: string) {
    if (await copy(text)) notify(`The registration link of ${username} is copied.`);
    else onAct('link', user);
  }
  return (
    <>
      {link && (
        <button
          type="button"
          className="quiet"
          aria-label={`Copy link for ${username}`}
          onClick={() => void copyLink(link)}
        >
          Copy link
        </button>
      )}
      <Link
        href={`/admin/users/${id}/subscriptions`}
        state={note(location.search)}
        aria-label={`Manage Subscriptions of ${username}`}
      >
        Subscriptions
      </Link>
      <button
        type="button"
        className="quiet"
        aria-label={`Change role of ${username}`}
        onClick={() => onAct('role', user)}
      >
        Change role
      </button>
      <button
        type="button"
        className="quiet last"
        aria-label={`Delete ${username}`}
        disabled={role === 'ADMIN'}
        onClick={() => onAct('delete', user)}
      >
        Delete
      </button>
    </>
  );
}
