import type { Transaction } from 'kysely';
import type { Role, User, UserPage } from '../../src/shared/contract';
import { recordAudit } from '../audit/record-audit';
import { findOpenCheckIn, readCurrentCheckInState } from '../db/current-check-in';
import { FORGET_JOB } from '../db/jobs/kinds';
import { addJob } from '../db/jobs/jobs';
import type { DeletedPerson } from '../db/jobs/kinds';
import { acquireLock, lockForUpdate } from '../db/lock';
import { queryInReadThread } from '../db/open';
import type { Database } from '../db/open';
import { removeUnusedPushServices } from '../db/push-services';
import type { Tables, UserRow } from '../db/schema';
import { conflictError, notFoundError } from '../http/errors';
import { byNameMatch, containsWords, readPageFields } from '../http/paging';
import type { Paging } from '../http/paging';
import type { Services } from '../services';
import type { Transact } from '../http/access/authority';
import { isInTeam, readTeamsByUser } from '../memberships/teams-of-people';
import { readOrRenewRegistrationTokens } from './one-time-tokens';
import { toTime, toTimeOrNull } from '../lib/clock';

export const NO_SUCH_USER = 'This user does not exist.';

export function toUser(row: UserRow, registrationToken?: string): User {
  const { id, username, email, role, status } = row;
  const user: User = {
    id,
    username,
    email,
    role,
    status,
    createdAt: toTime(row.created_at),
    ...(row.is_auditor === 1 && { isAuditor: true }),
    suspendedAt: toTimeOrNull(row.suspended_at),
    ...(row.language !== null && { language: row.language }),
  };
  return registrationToken === undefined ? user : { ...user, registrationToken };
}

async function describeUsers(rows: UserRow[], services: Services): Promise<User[]> {
  const pendingIds = rows.flatMap((row) =>
    row.status === 'PENDING' && row.suspended_at === null ? row.id : [],
  );
  const tokens = await readOrRenewRegistrationTokens(pendingIds, services);
  const teams = await readTeamsByUser(
    rows.map(({ id }) => id),
    services.db,
  );
  return rows.map((row) => {
    const ownTeams = teams.get(row.id);
    return { ...toUser(row, tokens.get(row.id)), ...(ownTeams && { teams: ownTeams }) };
  });
}

async function describeUser(row: UserRow, services: Services): Promise<User> {
  const [user] = await describeUsers([row], services);
  return user ?? toUser(row);
}

export async function requireUser(id: number, db: Database): Promise<UserRow> {
  const row = await db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFoundError(NO_SUCH_USER);
  return row;
}

export async function readUser(id: number, services: Services): Promise<User> {
  const { db, now } = services;
  const user = await describeUser(await requireUser(id, db), services);
  const checkIn = await readCurrentCheckInState(id, db, now());
  return { ...user, ...(checkIn && { checkIn }) };
}

export async function listUsers(
  paging: Paging,
  teamId: number | undefined,
  services: Services,
): Promise<UserPage> {
  const { limit, offset, words } = paging;
  const { db } = services;
  let usersQuery = db
    .selectFrom('users')
    .where(({ ref }) => containsWords(words, ref('username_key'), ref('email_key')));
  if (teamId !== undefined) usersQuery = usersQuery.where(isInTeam(teamId));
  const page = usersQuery
    .selectAll()
    // An email’s domain matches everyone of a company.
    .$if(words.length > 0, (search) =>
      search.orderBy(({ ref }) => byNameMatch(words, ref('username_key'))),
    )
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset);
  const rows = await queryInReadThread(page.compile(), db);
  return {
    users: await describeUsers(rows, services),
    ...(await readPageFields(rows, paging, usersQuery, db)),
  };
}

/**
 * Ends the account's sessions.
 * @throws HttpError 409 for the last administrator
 */
export async function changeRole(
  id: number,
  role: Role,
  transact: Transact,
  services: Services,
): Promise<User> {
  const changeLockedRole = async (
    formerUser: UserRow,
    transaction: Transaction<Tables>,
  ): Promise<UserRow> => {
    if (formerUser.role === role) return formerUser;
    await requireOther(
      formerUser,
      'You cannot change the role of the last administrator.',
      transaction,
    );
    const detail = `${roleNames[formerUser.role]} to ${roleNames[role]}`;
    await recordAudit({ action: 'user.role', person: id, detail }, transaction);
    return transaction
      .updateTable('users')
      .set((update) => ({ role, session_version: update('session_version', '+', 1) }))
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
  };
  return changeUserUnderLock(id, changeLockedRole, transact, services);
}

/**
 * Changes an account under the administrators' lock.
 * @throws HttpError 404, and those of `change`
 */
export async function changeUserUnderLock(
  id: number,
  change: (formerUser: UserRow, transaction: Transaction<Tables>) => Promise<UserRow>,
  transact: Transact,
  services: Services,
): Promise<User> {
  const row = await transact(
    async (transaction) => change(await requireUserToChange(id, transaction), transaction),
    { lock: ADMINISTRATORS_LOCK },
  );
  return describeUser(row, services);
}

/**
 * Other mentions are removed within the hour (`operations/forget.ts`).
 * @throws HttpError 409
 */
export async function deleteUser(id: number, transact: Transact, now: number): Promise<void> {
  await transact(
    async (transaction) => {
      const user = await requireUserToChange(id, transaction);
      await requireOther(user, 'You cannot delete the last administrator.', transaction);
      // Receipts lock people in this order, too. No check-in starts while this row is locked.
      const row = transaction.selectFrom('users').select('id').where('id', '=', id);
      await lockForUpdate(row, transaction).execute();
      await requireNoCheckIn(id, transaction, now);
      const devices = transaction.selectFrom('devices').where('user_id', '=', id);
      const removedDevices = await devices.select('service_id').execute();
      await transaction.deleteFrom('users').where('id', '=', id).execute();
      await transaction
        .updateTable('recipients')
        .set({ comment: null, former: null })
        .where('user_id', '=', id)
        .where((eb) => eb.or([eb('comment', 'is not', null), eb('former', 'is not', null)]))
        .execute();
      await recordAudit({ action: 'user.delete', person: id }, transaction);
      await removeUnusedPushServices(removedDevices, transaction);
      await addForgetJob(user, transaction, now);
    },
    { lock: ADMINISTRATORS_LOCK },
  );
}

/** A check-in that is deleted raises no alarm, and ends no alarm that was raised. */
async function requireNoCheckIn(
  id: number,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  const openCheckIn = await findOpenCheckIn(id, transaction);
  if (openCheckIn === undefined) return;
  if ((await readCurrentCheckInState(id, transaction, now))?.isAlarmOpen)
    throw conflictError(
      'An alarm for this user is open. Suspend the user and send the all-clear first.',
    );
  throw conflictError(
    openCheckIn.ended_at === null
      ? 'This user’s check-in has not ended. Suspend the user first. That ends the check-in.'
      : 'People are still to be notified of the end of this user’s check-in. Try again later.',
  );
}

export const roleNames: Record<Role, string> = {
  ADMIN: 'Admin',
  TECHNICIAN: 'Technician',
  CUSTOMER: 'Customer',
};

export async function addForgetJob(
  { id, username, email }: DeletedPerson,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  const subject = JSON.stringify({ id, username, email } satisfies DeletedPerson);
  await addJob({ kind: FORGET_JOB, subject }, transaction, now);
}

/** Callers acquire this lock before their own row is locked: see `Transact`. */
export const ADMINISTRATORS_LOCK = 'administrators';

/** The lock lasts until the commit: if two administrators remove each other, one must stay. */
async function requireUserToChange(id: number, transaction: Transaction<Tables>): Promise<UserRow> {
  await acquireLock(ADMINISTRATORS_LOCK, transaction);
  return requireUser(id, transaction);
}

/** An administrator may go only while another one can sign in. */
async function requireOther(
  user: UserRow,
  rejection: string,
  transaction: Transaction<Tables>,
): Promise<void> {
  if (user.role !== 'ADMIN' || user.status !== 'ACTIVE' || user.suspended_at !== null) return;
  const otherAdmin = await transaction
    .selectFrom('users')
    .select('id')
    .where('role', '=', 'ADMIN')
    .where('status', '=', 'ACTIVE')
    .where('suspended_at', 'is', null)
    .where('id', '!=', user.id)
    .limit(1)
    .executeTakeFirst();
  if (otherAdmin === undefined) throw conflictError(rejection);
}
