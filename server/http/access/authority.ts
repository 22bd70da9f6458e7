import type { Transaction } from 'kysely';
import { actAs } from '../../audit/record-audit';
import { lockForShare, acquireLock, lockForUpdate } from '../../db/lock';
import type { Database } from '../../db/open';
import { inTransaction } from '../../db/transaction';
import type { DeviceRow, Tables, UserRow } from '../../db/schema';
import type { Services } from '../../services';
import { auditNetwork } from '../connections/client-address';
import { isDeviceKeyValid } from './device-key';
import type { DeviceKey } from './device-key';
import { sessionEndedError, findSignedOut, signedOutError } from './session';
import type { Session } from './session';

interface TransactOptions {
  /** This lock comes first: otherwise two administrators who remove each other would deadlock. */
  lock?: string;
  isExclusive?: boolean;
}

/** @throws HttpError 401, 403 if the caller has lost the right since, and nothing has changed */
export type Transact = <Result>(
  work: (transaction: Transaction<Tables>) => Promise<Result>,
  options?: TransactOptions,
) => Promise<Result>;

type OwnRow = Pick<UserRow, 'id' | 'role' | 'is_auditor'>;

/**
 * Locks the account's row: a deletion, demotion or new password comes before or after.
 * @param demand throws if this account may not do it any more
 */
export function transactAs(
  { user, sid }: Session,
  callerAddress: string,
  { db, now }: Services,
  demand: (user: OwnRow, transaction: Transaction<Tables>) => Promise<void>,
): Transact {
  const { id, role, session_version } = user;
  return (work, { lock, isExclusive = false } = {}) =>
    inTransaction(db, async (transaction) => {
      if (lock !== undefined) await acquireLock(lock, transaction);
      const unchangedUser = transaction
        .selectFrom('users')
        .select(['id', 'role', 'is_auditor'])
        .where('id', '=', id)
        .where('role', '=', role)
        .where('session_version', '=', session_version)
        .where('status', '=', 'ACTIVE')
        .where('suspended_at', 'is', null);
      const lockingQuery = isExclusive
        ? lockForUpdate(unchangedUser, transaction)
        : lockForShare(unchangedUser, transaction);
      const lockedUser = await lockingQuery.executeTakeFirst();
      // The sessions are checked under the row's lock, because signing a device out locks it, too.
      if ((await findSignedOut([sid], transaction)).size > 0) throw signedOutError();
      if (lockedUser === undefined) throw sessionEndedError();
      await demand(lockedUser, transaction);
      actAs({ by: { person: id }, network: auditNetwork(callerAddress), at: now() }, transaction);
      return work(transaction);
    });
}

/**
 * The device of this key, while its person may sign in.
 * @throws HttpError 401
 */
export async function readDeviceOfKey(
  key: DeviceKey | undefined,
  services: Services,
  db: Database = services.db,
): Promise<DeviceRow> {
  if (key === undefined) throw sessionEndedError();
  const device = await db
    .selectFrom('devices')
    .innerJoin('users', 'users.id', 'devices.user_id')
    .selectAll('devices')
    .where('devices.id', '=', key.deviceId)
    .where('users.status', '=', 'ACTIVE')
    .where('users.suspended_at', 'is', null)
    .executeTakeFirst();
  if (device === undefined || !isDeviceKeyValid(key, device, services)) throw sessionEndedError();
  return device;
}

/** `transactAs` for a device: locks its person's row and its own. */
export function transactAsDevice(
  key: DeviceKey | undefined,
  callerAddress: string,
  services: Services,
): Transact {
  return (work, { lock } = {}) =>
    inTransaction(services.db, async (transaction) => {
      if (lock !== undefined) await acquireLock(lock, transaction);
      const { user_id } = await readDeviceOfKey(key, services, transaction);
      const person = transaction.selectFrom('users').select('id').where('id', '=', user_id);
      await lockForShare(person, transaction).executeTakeFirst();
      const devices = transaction.selectFrom('devices').select('id').where('user_id', '=', user_id);
      await lockForUpdate(
        devices.where('id', '=', key?.deviceId ?? 0),
        transaction,
      ).executeTakeFirst();
      // We hold both rows, so the key now stays valid until this transaction ends.
      await readDeviceOfKey(key, services, transaction);
      const author = {
        by: { person: user_id },
        network: auditNetwork(callerAddress),
        at: services.now(),
      };
      actAs(author, transaction);
      return work(transaction);
    });
}
