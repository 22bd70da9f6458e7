/**
 * What the operator does on the command line, where having access to the machine is the permission.
 */
import { actAs, record } from '../audit/record';
import { takeLock } from '../db/lock';
import { databaseFault } from '../db/errors';
import type { Database } from '../db/open';
import { inTransaction } from '../db/transaction';
import { foldCase } from '../../src/shared/case-fold';
import { endAccess } from './end-access';
import { unlink } from './company/person';
import { hashPassword, makePassword } from './passwords/passwords';
import { forgetCodes, switchOff } from './second-factor/codes';

/** In the audit log. */
export const COMMAND_LINE = { name: 'command line' };

/**
 * Adds an active administrator. @returns the password, of which only the hash is kept; undefined if
 * the name is taken
 */
export async function createAdministrator(
  username: string,
  db: Database,
  now: number,
): Promise<string | undefined> {
  const password = makePassword();
  const account = {
    username,
    username_key: foldCase(username),
    password_hash: await hashPassword(password),
    created_at: now,
  };
  try {
    await inTransaction(db, async (transaction) => {
      await takeLock('administrators', transaction);
      const { id } = await transaction
        .insertInto('users')
        .values({ ...account, role: 'ADMIN', status: 'ACTIVE' })
        .returning('id')
        .executeTakeFirstOrThrow();
      actAs({ by: COMMAND_LINE, at: now }, transaction);
      await record({ action: 'user.add', person: id, detail: 'Admin' }, transaction);
    });
    return password;
  } catch (error) {
    if (databaseFault(error) === 'duplicate') return undefined;
    throw error;
  }
}

/**
 * Gives an account a new password and ends all that the former one had let in, mailed links
 * included.
 * @returns the password; `pending` if the account waits for its registration, which is what gives
 * it one; `missing`
 */
export async function replacePassword(
  username: string,
  db: Database,
  now: number,
): Promise<{ password: string } | 'pending' | 'missing'> {
  const password = makePassword();
  const passwordHash = await hashPassword(password);
  return inTransaction(db, async (transaction) => {
    const user = await findByName(username, transaction);
    if (user === undefined) return 'missing';
    const change = { password_hash: passwordHash };
    if (!(await endAccess(user.id, change, ['password-reset'], now, transaction))) return 'pending';
    await forgetCodes(user.id, transaction);
    actAs({ by: COMMAND_LINE, at: now }, transaction);
    await record({ action: 'password.reset', person: user.id }, transaction);
    return { password };
  });
}

const findByName = (username: string, db: Database): Promise<{ id: number } | undefined> =>
  db
    .selectFrom('users')
    .select('id')
    .where('username_key', '=', foldCase(username))
    .executeTakeFirst();

/**
 * What an account signs in by besides a password: the authenticator app, for who lost the phone and
 * the recovery codes, or the company's sign-in, for who has another one there.
 */
export type Way = 'totp' | 'company';

/** Takes a way to sign in from an account. @returns whether it had it; undefined without such an account */
export async function removeWay(
  way: Way,
  username: string,
  db: Database,
  now: number,
): Promise<boolean | undefined> {
  return inTransaction(db, async (transaction) => {
    const user = await findByName(username, transaction);
    if (user === undefined) return undefined;
    const remove = way === 'totp' ? switchOff : unlink;
    if (!(await remove(user.id, transaction))) return false;
    actAs({ by: COMMAND_LINE, at: now }, transaction);
    const action = way === 'totp' ? 'totp.reset' : 'account.unlink';
    await record({ action, person: user.id }, transaction);
    return true;
  });
}
