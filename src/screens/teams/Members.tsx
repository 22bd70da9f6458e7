import { useState } from 'react';
import { Link } from 'wouter';
import type { Member, Team } from '../../shared/contract';
import {
  changeMembers,
  MEMBERS_FAILED,
  MEMBERSHIP_FAILED,
  readMembers,
} from '../../state/teams/members';
import { EmptyList } from '../../ui/EmptyList';
import { Icon } from '../../ui/Icon';
import { lazy } from '../../ui/lazy';
import { MoreMenu } from '../../ui/MoreMenu';
import { notify } from '../../ui/notices';
import { countedNoun } from '../../ui/lists/Pager';
import { Search } from '../../ui/lists/Search';
import { offerUndo } from '../../ui/undo';
import { Initials } from '../../ui/values/Initials';
import { clockText, dayText } from '../../ui/values/Day';
import { isToday, nearDay } from '../../ui/values/When';
import { LIST_RULES, useListAddress } from '../lists/list-address';
import { Listing } from '../lists/Listing';
import { usePages } from '../lists/use-pages';
import { notifyIfFailed } from '../lists/notify-if-failed';
import { SelectionBar } from '../selection/SelectionBar';
import { useSelection, type Selection } from '../selection/selection';
import { RowCheckbox, PageCheckbox } from '../selection/RowCheckboxes';
import { ROLE_NAMES, USER_STATUSES } from '../user-labels';

const AddDialog = lazy(() => import('../selection/AddDialog').then((module) => module.AddDialog));

export function Members({ team, onChange }: { team: Team; onChange: () => void }) {
  const { id, name, members } = team;
  const address = useListAddress(LIST_RULES);
  const list = usePages(address, (pageRequest) => readMembers(id, pageRequest), MEMBERS_FAILED, [
    team,
  ]);
  const selection = useSelection(`${id} ${list.query}`);
  const [adding, setAdding] = useState(false);
  const { size } = selection.ids.value;

  const changeAndNotify = (by: 'add' | 'remove', ids: readonly number[]) =>
    notifyIfFailed(changeMembers(by, id, ids), MEMBERSHIP_FAILED[by], onChange);
  async function removeMembers(ids: readonly number[], nameText: string) {
    if (!(await changeAndNotify('remove', ids))) return;
    selection.set(ids, false);
    offerUndo(`${nameText} removed from ${name}.`, () => void changeAndNotify('add', ids), 'ok');
  }
  return (
    <section aria-labelledby="members">
      <div className="bar">
        <h2 id="members">Members ({members.toLocaleString()})</h2>
        <button type="button" className="plain" onClick={() => setAdding(true)}>
          <Icon name="plus" />
          Add people
        </button>
      </div>
      {(members > 10 || list.query) && (
        <search className="bar">
          <Search label="Search Members" value={list.query} onSearch={list.search} />
        </search>
      )}
      <SelectionBar selection={selection} total={list.shown?.total}>
        <button
          type="button"
          className="plain"
          onClick={() => void removeMembers([...selection.ids.peek()], countedNoun(size, 'person'))}
        >
          Remove {countedNoun(size, 'person')} from team
        </button>
      </SelectionBar>
      <Listing
        list={list}
        noun="person"
        empty={
          <EmptyList
            icon="people"
            title="No members yet"
            hint="Members get the messages to this team and to its topics."
          >
            <button type="button" className="plain" onClick={() => setAdding(true)}>
              Add people
            </button>
          </EmptyList>
        }
      >
        {(rows) => (
          <MemberTable
            rows={rows}
            selection={selection}
            onRemove={(member) => void removeMembers([member.id], member.username)}
          />
        )}
      </Listing>
      {adding && (
        <AddDialog
          title={
            <>
              Add people to <bdi>{name}</bdi>
            </>
          }
          label="Add a person"
          kinds={['person']}
          failed={MEMBERSHIP_FAILED.add}
          submit={async (people) => {
            const unchangedCount = await changeMembers(
              'add',
              id,
              people.map((addressee) => addressee.id),
            );
            onChange();
            const unchangedText = unchangedCount
              ? `, ${unchangedCount.toLocaleString()} already in the team`
              : '';
            notify(`${countedNoun(people.length, 'person')} added to ${name}${unchangedText}.`);
          }}
          onClose={() => setAdding(false)}
        />
      )}
    </section>
  );
}

function MemberTable({
  rows,
  selection,
  onRemove,
}: {
  rows: readonly Member[];
  selection: Selection;
  onRemove: (member: Member) => void;
}) {
  return (
    <div className="panel scroll">
      <table className="dense">
        <thead>
          <tr>
            <PageCheckbox page={rows.map(({ id }) => id)} selection={selection} />
            <th scope="col">Username</th>
            <th scope="col">Role</th>
            <th scope="col">Status</th>
            <th scope="col">Last seen</th>
            <th scope="col" className="actions">
              Actions
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((member) => (
            <MemberRow key={member.id} member={member} selection={selection} onRemove={onRemove} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** `14:05` today, otherwise the day. */
function lastSeenText(iso: string): string {
  const date = new Date(iso);
  return isToday(date) ? clockText(date) : (nearDay(date) ?? dayText(iso));
}

function MemberRow({
  member,
  selection,
  onRemove,
}: {
  member: Member;
  selection: Selection;
  onRemove: (member: Member) => void;
}) {
  const { id, username, role, suspendedAt, lastSeenAt } = member;
  const { name, tone } = USER_STATUSES[suspendedAt ? 'SUSPENDED' : member.status] ?? {
    name: member.status,
  };
  return (
    <tr>
      <td>
        <RowCheckbox id={id} name={username} selection={selection} />
      </td>
      <th scope="row">
        <Initials name={username} />
        <bdi>{username}</bdi>
      </th>
      <td data-label="Role" className="bare">
        {ROLE_NAMES[role] ?? role}
      </td>
      <td data-label="Status" className="bare">
        <span className="chip" data-tone={tone}>
          {name}
        </span>
      </td>
      <td data-label="Last seen" className={lastSeenAt ? undefined : 'blank'}>
        {lastSeenAt ? <time dateTime={lastSeenAt}>{lastSeenText(lastSeenAt)}</time> : '–'}
      </td>
      <td className="actions">
        <MoreMenu itemName={username}>
          <li>
            <Link href={`/admin/users/${id}/subscriptions`}>
              <Icon name="tag" />
              Manage Subscriptions
            </Link>
          </li>
          <li className="last">
            <button type="button" className="quiet" onClick={() => onRemove(member)}>
              <Icon name="x" />
              Remove from team
            </button>
          </li>
        </MoreMenu>
      </td>
    </tr>
  );
}
