import { Link } from 'wouter';
import type { Team } from '../../shared/contract';
import { Icon } from '../../ui/Icon';
import { MoreMenu } from '../../ui/MoreMenu';
import { TeamMark } from '../../ui/values/TeamMark';
import { createHistoryEntry } from '../lists/list-address';
import { MessageLink } from './MessageLink';
import { TableHead } from '../../ui/lists/TableHead';

/** A team may have a thousand topics. */
const MAX_SHOWN_TOPICS = 3;
const TEAM_COLUMNS = ['Team', 'Description', 'Members', 'Topics'];

type OnTeamAction = (action: 'edit' | 'delete', team: Team) => void;

export const TeamTable = ({
  rows,
  onAction,
}: {
  rows: readonly Team[];
  onAction: OnTeamAction;
}) => (
  <div className="panel scroll">
    <table className="dense">
      <TableHead columns={TEAM_COLUMNS} actions="Actions" />
      <tbody>
        {rows.map((team) => (
          <TeamRow key={team.id} team={team} onAction={onAction} />
        ))}
      </tbody>
    </table>
  </div>
);

function TeamRow({ team, onAction }: { team: Team; onAction: OnTeamAction }) {
  const { id, name, description, members, topics } = team;
  const hiddenCount = topics.length - MAX_SHOWN_TOPICS;
  return (
    <tr>
      <th scope="row">
        <Link href={`/admin/teams/${id}`} state={createHistoryEntry(location.search)}>
          <TeamMark />
          <bdi>{name}</bdi>
        </Link>
      </th>
      <td data-label="Description" className={description ? 'bare full' : 'blank'}>
        <bdi className="clamp">{description || '–'}</bdi>
      </td>
      <td data-label="Members">{members.toLocaleString()}</td>
      <td data-label="Topics" className={topics.length > 0 ? 'full' : undefined}>
        <span className="tags">
          {topics.slice(0, MAX_SHOWN_TOPICS).map((topic) => (
            <span key={topic.id} className="chip">
              <Icon name="tag" />
              <bdi>{topic.title}</bdi>
            </span>
          ))}
          {hiddenCount > 0 && <span>+{hiddenCount.toLocaleString()}</span>}
          {topics.length === 0 && 'None yet'}
        </span>
      </td>
      <td className="actions">
        <MessageLink team={team} />
        <MoreMenu itemName={name}>
          <li>
            <button type="button" className="quiet" onClick={() => onAction('edit', team)}>
              <Icon name="edit" />
              Edit
            </button>
          </li>
          <li className="last">
            <button type="button" className="quiet" onClick={() => onAction('delete', team)}>
              <Icon name="x" />
              Delete team
            </button>
          </li>
        </MoreMenu>
      </td>
    </tr>
  );
}
