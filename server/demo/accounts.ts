import type { Role, UserStatus } from '../../src/shared/contract';
import * as names from './names';
import { DEMO_ADMIN } from './names';

export interface SampleAccount {
  username: string;
  email: string | null;
  role: Role;
  status: UserStatus;
}

export function listAccounts(): SampleAccount[] {
  const as = (role: Role) => (username: string) => ({ username, role });
  const otherAccounts = [
    ...names.sampleAdmins.map(as('ADMIN')),
    ...names.sampleCustomers.map(as('CUSTOMER')),
    ...names.sampleTechnicians.map(as('TECHNICIAN')),
  ];
  // Mixes the roles, so the first page shows some of each. 7 shares no factor with 59.
  const mixedUsers = otherAccounts
    .map((_, index) => otherAccounts[(index * 7 + 3) % otherAccounts.length])
    .filter((account) => account !== undefined);
  const latestReaders = names.latestMessages.flatMap((name) =>
    mixedUsers.filter(({ username }) => username === name),
  );
  const earlierReaders = mixedUsers.filter((account) => !latestReaders.includes(account));
  const admin = { username: DEMO_ADMIN, role: 'ADMIN' as const };
  return [admin, ...earlierReaders, ...latestReaders].map(({ username, role }, place) => {
    const status = names.unregisteredPeople.includes(username) ? 'PENDING' : 'ACTIVE';
    const address =
      role === 'CUSTOMER' ? `office@${username}.example` : `${username}@northgrid.example`;
    const email = status === 'PENDING' && place % 2 === 0 ? null : address;
    return { username, email, role, status };
  });
}
