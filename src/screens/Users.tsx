import { useState } from 'react';
import type { User } from '../contract';
import { Heading } from '../ui/page';
import { Search } from '../ui/Search';
import { Choice } from '../ui/Choice';
import { Deletion } from './Deletion';
import { Listing } from './Listing';
import { ROLES, STATUSES } from './names';
import { usePages } from './pages';
import { RegistrationLink } from './RegistrationLink';
import { RoleDialog } from './RoleDialog';
import { UserForm } from './UserForm';
import { FETCH_FAILED, narrow, readUsers, type Filters } from './user';
import { UserTable } from './UserTable';

/** What can be done with one user, beside their subscriptions. `link` shows a link that could not be copied. */
export type UserAction = 'role' | 'delete' | 'link';
type Open = { dialog: 'add' } | { dialog: UserAction; user: User };

const STATUS_FILTERS = [['', 'All'], ['PENDING', STATUSES.PENDING.name], ['ACTIVE', STATUSES.ACTIVE.name]] as const;
const ROLE_FILTERS = [['', 'All'], ['ADMIN', ROLES.ADMIN], ['TECHNICIAN', ROLES.TECHNICIAN], ['CUSTOMER', ROLES.CUSTOMER]] as const;

/** User management: the list with its search, filters and pages, and a dialog for each thing to do. */
export function Users() {
  const list = usePages(readUsers, FETCH_FAILED);
  const [filters, setFilters] = useState<Filters>({ status: '', role: '' });
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const all = list.shown?.rows ?? [];
  const matching = narrow(all, filters);
  const filtered = Boolean(filters.status || filters.role);
  return (
    <>
      <div className="bar">
        <Heading>Users</Heading>
        <button type="button" onClick={() => setOpen({ dialog: 'add' })}>
          Add User
        </button>
      </div>
      <search className="bar">
        <Search label="Search Users" onSearch={list.search} />
        <Choice label="Status" name="status" options={STATUS_FILTERS} value={filters.status} onChoose={(status) => setFilters({ ...filters, status })} />
        <Choice label="Role" name="role" options={ROLE_FILTERS} value={filters.role} onChoose={(role) => setFilters({ ...filters, role })} />
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
      {open?.dialog === 'role' && <RoleDialog user={open.user} onClose={close} onDone={list.reload} />}
      {open?.dialog === 'delete' && <Deletion kind="user" id={open.user.id} name={open.user.username} onClose={close} onDone={list.reload} />}
      {open?.dialog === 'link' && <RegistrationLink user={open.user} onClose={close} />}
    </>
  );
}
