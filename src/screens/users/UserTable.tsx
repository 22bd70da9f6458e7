import { useCallback, useMemo, type MouseEvent, type ReactNode } from 'react';
import { Link } from 'wouter';
import type { User } from '../../shared/contract';
import { Icon } from '../../ui/Icon';
import { MoreMenu } from '../../ui/MoreMenu';
import { copyText } from '../../ui/clipboard';
import { Day } from '../../ui/values/Day';
import { Email } from '../../ui/values/Email';
import { Initials } from '../../ui/values/Initials';
import { GradualRows } from '../../ui/lists/GradualRows';
import { notify } from '../../ui/notices';
import { createHistoryEntry } from '../lists/list-address';
import type { Selection } from '../selection/selection';
import { RowCheckbox, PageCheckbox } from '../selection/RowCheckboxes';
import { ROLE_NAMES, USER_STATUSES } from '../user-labels';
import { sessionClaims } from '../../state/session';
import { getRegistrationLink, shownStatus } from './user-filters';

/** `link` shows a link that could not be copied. */
export type UserAction =
  | 'edit'
  | 'phone'
  | 'role'
  | 'teams'
  | 'addAuditor'
  | 'removeAuditor'
  | 'suspend'
  | 'reinstate'
  | 'delete'
  | 'link';

interface Props {
  rows: readonly User[];
  /** Whether the rows are the result of a search. */
  isSearch: boolean;
  selection: Selection;
  onAction: (action: UserAction, user: User) => void;
}

export function UserTable({ rows, isSearch, selection, onAction }: Props) {
  const isOnly = isSearch && rows.length === 1;
  // Stays the same element until the rows change, so other renderings skip it.
  const draw = useCallback(
    (user: User) => <UserRow key={user.id} user={user} selection={selection} isOnly={isOnly} />,
    [selection, isOnly],
  );
  const body = useMemo(() => <GradualRows rows={rows} draw={draw} />, [rows, draw]);
  /** One listener handles the clicks of all rows, as in `TopicTable`. */
  function handleClick({ target }: MouseEvent<HTMLElement>) {
    const button = (target as HTMLElement).closest('button');
    const user = isOnly ? rows[0] : rows[button?.closest('tr')?.sectionRowIndex ?? -1];
    if (!button || !user) return;
    const action = button.value as UserAction;
    if (action === 'link') void copyLink(user).then((copied) => copied || onAction(action, user));
    else onAction(action, user);
  }
  return (
    <div className="panel scroll">
      <table className="dense">
        <thead>
          <tr>
            <PageCheckbox page={rows.map(({ id }) => id)} selection={selection} />
            <th scope="col">ID</th>
            <th scope="col">Username</th>
            <th scope="col">Email</th>
            <th scope="col">Role</th>
            <th scope="col">Status</th>
            <th scope="col">Teams</th>
            <th scope="col">Created</th>
            <th scope="col" className="actions">
              Actions
            </th>
          </tr>
        </thead>
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: its buttons are what is pressed */}
        <tbody onClick={handleClick}>{body}</tbody>
      </table>
    </div>
  );
}

async function copyLink(user: User): Promise<boolean> {
  const copied = await copyText(getRegistrationLink(user) ?? '');
  if (copied) notify(`Registration link for ${user.username} copied.`);
  return copied;
}

/** A person may be in a hundred teams. */
const MAX_SHOWN_TEAMS = 2;

function teamsText({ teams = [] }: User): ReactNode {
  if (teams.length === 0) return '-';
  const hiddenCount = teams.length - MAX_SHOWN_TEAMS;
  const names = teams.slice(0, MAX_SHOWN_TEAMS).map(({ name }) => name);
  return (
    <span className="long">
      <bdi>{names.join(', ')}</bdi>
      {hiddenCount > 0 && ` +${hiddenCount.toLocaleString()}`}
    </span>
  );
}

interface RowProps {
  user: User;
  selection: Selection;
  /** Whether the search found only this user: the row's actions are shown without a menu. */
  isOnly: boolean;
}

function UserRow({ user, selection, isOnly }: RowProps) {
  const { id, username, role } = user;
  const { name, tone } = USER_STATUSES[shownStatus(user)] ?? { name: user.status };
  const suspension = user.suspendedAt ? 'Reinstate' : 'Suspend';
  const auditorAction = user.isAuditor ? 'Remove auditor access' : 'Add auditor access';
  const isPending = Boolean(getRegistrationLink(user));
  const subscriptions = (words: ReactNode) => (
    <Link
      href={`/admin/users/${id}/subscriptions`}
      state={createHistoryEntry(location.search)}
      aria-label={`Manage Subscriptions of ${username}`}
    >
      {words}
    </Link>
  );
  const rareActions = (
    <>
      {isPending && (
        <li>
          {subscriptions(
            <>
              <Icon name="tag" />
              Subscriptions
            </>,
          )}
        </li>
      )}
      <li>
        <button type="button" className="quiet" value="edit" aria-label={`Edit ${username}`}>
          <Icon name="edit" />
          Edit
        </button>
      </li>
      {role !== 'ADMIN' && user.status === 'ACTIVE' && !user.suspendedAt && (
        <li>
          <button
            type="button"
            className="quiet"
            value="phone"
            aria-label={`New phone for ${username}`}
          >
            <Icon name="device" />
            New phone…
          </button>
        </li>
      )}
      <li>
        <button
          type="button"
          className="quiet"
          value="role"
          aria-label={`Change role of ${username}`}
        >
          <Icon name="user" />
          Change role
        </button>
      </li>
      <li>
        <button type="button" className="quiet" value="teams" aria-label={`Teams of ${username}`}>
          <Icon name="team" />
          Teams
        </button>
      </li>
      <li>
        <button
          type="button"
          className="quiet"
          value={user.isAuditor ? 'removeAuditor' : 'addAuditor'}
          aria-label={`${auditorAction}: ${username}`}
        >
          <Icon name="chart" />
          {auditorAction}
        </button>
      </li>
      <li>
        <button
          type="button"
          className="quiet"
          value={user.suspendedAt ? 'reinstate' : 'suspend'}
          aria-label={user.suspendedAt ? `Reinstate ${username}` : `Suspend ${username}`}
          disabled={id === sessionClaims.value?.id}
        >
          <Icon name={user.suspendedAt ? 'check' : 'mute'} />
          {suspension}
        </button>
      </li>
      <li className="last">
        <button
          type="button"
          className="quiet"
          value="delete"
          aria-label={`Delete ${username}`}
          disabled={role === 'ADMIN'}
        >
          <Icon name="x" />
          Delete
        </button>
      </li>
    </>
  );
  return (
    <>
      <tr>
        <td>
          <RowCheckbox id={id} name={username} selection={selection} />
        </td>
        <td data-label="ID" className="desk">
          {id}
        </td>
        <th scope="row">
          <Initials name={username} />
          <bdi>{username}</bdi>
        </th>
        <td data-label="Email" className={user.email ? 'bare full' : 'blank'}>
          <Email>{user.email}</Email>
        </td>
        <td data-label="Role" className="bare">
          {ROLE_NAMES[role] ?? role}
          {user.isAuditor && (
            <span>
              {' '}
              <span className="chip">Auditor</span>
            </span>
          )}
        </td>
        <td data-label="Status" className="bare">
          <span className="chip" data-tone={tone}>
            {isPending && <Icon name="clock" />}
            {name}
          </span>
        </td>
        <td data-label="Teams" className={user.teams?.length ? undefined : 'blank'}>
          {teamsText(user)}
        </td>
        <td data-label="Created" className="desk">
          <Day iso={user.createdAt} />
        </td>
        <td className="actions">
          {isPending ? (
            <button
              type="button"
              className="quiet"
              value="link"
              aria-label={`Copy link for ${username}`}
            >
              Copy link
            </button>
          ) : (
            subscriptions('Subscriptions')
          )}
          {!isOnly && <MoreMenu itemName={username}>{rareActions}</MoreMenu>}
        </td>
      </tr>
      {isOnly && (
        <tr>
          <td colSpan={9}>
            <ul className="options" aria-label={`Actions for ${username}`}>
              {rareActions}
            </ul>
          </td>
        </tr>
      )}
    </>
  );
}
