import { signal, type Signal } from '@preact/signals-react';
import { useEffect, useMemo, useState } from 'react';
import { Link } from 'wouter';
import type { User } from '../../shared/contract';
import { Icon } from '../../ui/Icon';
import { lazy } from '../../ui/lazy';
import { Heading } from '../../ui/page';
import { Filters } from '../../ui/lists/Filters';
import { Search } from '../../ui/lists/Search';
import { Select } from '../../ui/forms/Select';
import { LIST_RULES, oneOf, useListAddress } from '../lists/list-address';
import { SelectionBar } from '../selection/SelectionBar';
import { IdFilter, parseIdFilter } from '../lists/IdFilter';
import { Listing } from '../lists/Listing';
import { PageSizeField, usePageSize } from '../lists/PageSize';
import { useSelection } from '../selection/selection';
import { ROLE_NAMES, USER_STATUSES } from '../user-labels';
import { usePages } from '../lists/use-pages';
import type { PageOf } from '../../state/read-all-pages';
import { readAllTeams, TEAMS_FAILED } from '../../state/teams/teams';
import { USERS_FAILED, readUsers } from '../../state/users/users';
import { matchesFilters, type UserFilters } from './user-filters';
import type { OpenUserDialog } from './UserDialogs';
import {
  describeSearchResult,
  describeEmptySearch,
  searchUsers,
  type UserSearchResult,
} from './user-search';
import { reinstate } from './reinstate';
import { UserTable } from './UserTable';

const Dialogs = lazy(() => import('./UserDialogs').then((module) => module.UserDialogs));

const STATUS_FILTERS = [
  ['', 'All'],
  ['PENDING', USER_STATUSES.PENDING.name],
  ['ACTIVE', USER_STATUSES.ACTIVE.name],
  ['SUSPENDED', USER_STATUSES.SUSPENDED.name],
] as const;
const ROLE_FILTERS = [
  ['', 'All'],
  ['ADMIN', ROLE_NAMES.ADMIN],
  ['TECHNICIAN', ROLE_NAMES.TECHNICIAN],
  ['CUSTOMER', ROLE_NAMES.CUSTOMER],
] as const;

const USER_ADDRESS_RULES = {
  ...LIST_RULES,
  status: oneOf(...Object.keys(USER_STATUSES)),
  role: oneOf(...Object.keys(ROLE_NAMES)),
  team: parseIdFilter,
};

export function Users() {
  const address = useListAddress(USER_ADDRESS_RULES);
  const { query, team } = address.parts;
  const { status, role } = address.parts as UserFilters; // the rules let nothing else through
  const search = useMemo(
    () => (status || role ? searchUsers(matchesFilters({ status, role }), team) : undefined),
    [query, status, role, team],
  );
  useEffect(() => search?.stop, [search]);
  const setting = usePageSize();
  const list = usePages<User, PageOf<User> & Partial<UserSearchResult>>(
    address,
    search?.read ?? ((pageRequest) => readUsers(pageRequest, team)),
    USERS_FAILED,
    [search, team],
    setting.limit,
  );
  const selection = useSelection(`${status} ${role} ${team} ${query}`);
  // A separate signal: opening a dialog does not render the table again.
  const [open] = useState(() => signal<OpenUserDialog>());
  const { shown } = list;
  const searchResult =
    search && shown?.searched !== undefined ? (shown as UserSearchResult) : undefined;
  function reload(gone?: User) {
    if (gone) selection.set([gone.id], false);
    search?.forget();
    list.reload();
  }
  // Preloads the dialogs.
  useEffect(() => void (shown && Dialogs.preload()), [shown]);
  return (
    <>
      <div className="bar">
        <Heading>Users</Heading>
        <Link className="other" href="/admin/users/import">
          <Icon name="people" />
          Add many users
        </Link>
        <button type="button" onClick={() => (open.value = { dialog: 'add' })}>
          <Icon name="plus" />
          Add User
        </button>
      </div>
      <search className="bar">
        <Search label="Search Users" value={list.query} onSearch={list.search} />
        <Filters values={[team, status, role]}>
          <IdFilter
            label="Team"
            name="team"
            all="All"
            read={readAllTeams}
            failed={TEAMS_FAILED}
            value={team}
            onChoose={(chosen) => address.change({ team: chosen, page: '' })}
          />
          <Select
            label="Status"
            name="status"
            options={STATUS_FILTERS}
            value={status}
            onChoose={(chosen) => address.change({ status: chosen, page: '' })}
          />
          <Select
            label="Role"
            name="role"
            options={ROLE_FILTERS}
            value={role}
            onChoose={(chosen) => address.change({ role: chosen, page: '' })}
          />
        </Filters>
      </search>
      <SelectionBar
        selection={selection}
        total={
          searchResult && searchResult.searched < searchResult.userCount ? undefined : shown?.total
        }
      />
      <Listing
        // A shorter search would not find people that the filters hide.
        list={search ? { ...list, query: '' } : list}
        noun="user"
        empty={
          searchResult
            ? describeEmptySearch(searchResult)
            : team
              ? 'This team has no members yet.'
              : 'There are no users yet. Press Add User to create the first one.'
        }
        status={searchResult && describeSearchResult(searchResult)}
        controls={<PageSizeField setting={setting} address={address} />}
      >
        {(rows) => (
          <UserTable
            rows={rows}
            isSearch={list.query !== ''}
            selection={selection}
            onAction={(action, user) => {
              if (action === 'reinstate') void reinstate(user, reload);
              else open.value = { dialog: action, user };
            }}
          />
        )}
      </Listing>
      <OpenDialog open={open} onDone={reload} />
    </>
  );
}

function OpenDialog({
  open,
  onDone,
}: {
  open: Signal<OpenUserDialog | undefined>;
  onDone: (gone?: User) => void;
}) {
  const close = () => (open.value = undefined);
  return open.value && <Dialogs open={open.value} onClose={close} onDone={onDone} />;
}
