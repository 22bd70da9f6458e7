import { useState } from 'react';
import { Link } from 'wouter';
import type { User } from '../../shared/contract';
import { Heading } from '../../ui/page';
import { Search } from '../../ui/Search';
import { Select } from '../../ui/Select';
import { LIST_RULES, oneOf, useAddress } from '../lists/address';
import { Deletion } from '../lists/Deletion';
import { Listing } from '../lists/Listing';
import { ROLES, STATUSES } from '../names';
import { usePages } from '../lists/pages';
import { RegistrationLink } from './RegistrationLink';
import { RoleDialog } from './RoleDialog';
import { UserForm } from './UserForm';
import { FETCH_FAILED, readUsers } from '../../state/users';
import { filterUsers, type Filters } from './filters';
import { UserTable, type UserAction } from './UserTable';

type Open = { dialog: 'add' } | { dialog: UserAction; user: User };

const STATUS_FILTERS = [
  ['', 'All'],
  ['PENDING', STATUSES.PENDING.name],
  ['ACTIVE', STATUSES.ACTIVE.name],
] as const;
const ROLE_FILTERS = [
  ['', 'All'],
  ['ADMIN', ROLES.ADMIN],
  ['TECHNICIAN', ROLES.TECHNICIAN],
  ['CUSTOMER', ROLES.CUSTOMER],
] as const;

const RULES = {
  ...LIST_RULES,
  status: oneOf(...Object.keys(STATUSES)),
  role: oneOf(...Object.keys(ROLES)),
};

/**
 * User management: the list with its search, filters and pages, and a dialog for each thing to do.
 */
export function Users() {
  const address = useAddress(RULES);
  const list = usePages(address, readUsers, FETCH_FAILED);
  const filters = address.parts as Filters; // the rules let nothing else through
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const all = list.shown?.rows ?? [];
  const matching = filterUsers(all, filters);
  const filtered = Boolean(filters.status || filters.role);
  return (
    <>
      <div className="bar">
        <Heading>Users</Heading>
        <Link className="other" href="/admin/users/import">
          Add many users
        </Link>
        <button type="button" onClick={() => setOpen({ dialog: 'add' })}>
          Add User
        </button>
      </div>
      <search className="bar">
        <Search label="Search Users" value={list.query} onSearch={list.search} />
        <Select
          label="Status"
          name="status"
          options={STATUS_FILTERS}
          value={filters.status}
          onChoose={(status) => address.change({ status })}
        />
        <Select
          label="Role"
          name="role"
          options={ROLE_FILTERS}
          value={filters.role}
          onChoose={(role) => address.change({ role })}
        />
      </search>
      <Listing
        list={list}
        noun="user"
        empty="There are no users yet. Press Add User to create the first one."
        note={filtered ? `${matching.length} of ${all.length} on this page match` : undefined}
      >
        {() => <UserTable rows={matching} onAct={(dialog, user) => setOpen({ dialog, user })} />}
      </Listing>
      {open?.dialog === 'add' && <UserForm onClose={close} onDone={list.reload} />}
      {open?.dialog === 'role' && (
        <RoleDialog user={open.user} onClose={close} onDone={list.reload} />
      )}
      {open?.dialog === 'delete' && (
        <Deletion
          kind="user"
          id={open.user.id}
          name={open.user.username}
          onClose={close}
          onDone={list.reload}
        />
      )}
      {open?.dialog === 'link' && <RegistrationLink user={open.user} onClose={close} />}
    </>
  );
}
