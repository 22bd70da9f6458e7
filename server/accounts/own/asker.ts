import type { UserRow } from '../../db/schema';
import type { Transact } from '../../http/access/authority';

/** Who changes something of their own account. */
export interface Asker {
  user: UserRow;
  transact: Transact;
  /** The header by which they are signed in. */
  authorization: string | undefined;
  /** The address of the connection. */
  from: string;
}

/** Of a route's call that somebody signed in makes. */
export const askerOf = ({
  user,
  transact,
  header,
  address,
}: {
  user: UserRow;
  transact: Transact;
  header(name: string): string | undefined;
  address: string;
}): Asker => ({ user, transact, authorization: header('authorization'), from: address });
