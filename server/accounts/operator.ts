/** The first administrator, and operator commands: access to the machine is the permission. */
import type { Transaction } from 'kysely';
import { actAs, recordAudit } from '../audit/record-audit';
import { acquireLock } from '../db/lock';
import { databaseFault } from '../db/errors';
import type { Database } from '../db/open';
import type { Tables } from '../db/schema';
import { inTransaction } from '../db/transaction';
import { foldCase } from '../../src/shared/case-fold';
import type { Services } from '../services';
import { revokeAccess } from './revoke-access';
import { unlinkIdentity } from './company/linked-account';
import { removeAllPasskeys } from './passkeys/remove-passkeys';
import { hashPassword, generatePassword } from './passwords/passwords';
import { clearCodeLimits, removeTwoFactor } from './two-factor/codes';
import { ADMINISTRATORS_LOCK } from './users';

export const COMMAND_LINE = { name: 'command line' };

const hasUsers = async (db: Database): Promise<boolean> =>
  (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined;

export interface FirstAdmin {
  username: string;
  password: string;
}

/**
 * Adds an administrator if there are no accounts; safe to repeat. It shows the password before the
 * commit: after a crash in between, that password opens nothing.
 */
export function createFirstAdmin(
  { db, config, now }: Pick<Services, 'db' | 'config' | 'now'>,
  showFirstAdmin: (admin: FirstAdmin) => Promise<void>,
): () => Promise<void> {
  const { adminUsername: username, adminPassword } = config;
  const password = adminPassword ?? generatePassword();
  let isShown = adminPassword !== undefined;
  return async () => {
    if (await hasUsers(db)) return;
    const passwordHash = await hashPassword(password);
    await db.transaction().execute(async (transaction) => {
      await acquireLock(ADMINISTRATORS_LOCK, transaction);
      if (await hasUsers(transaction)) return;
      actAs({ by: { name: 'Fieldbell' }, at: now() }, transaction);
      await insertAdministrator(username, passwordHash, 'First administrator', transaction, now());
      // The password is shown only once, so a repeat after a lost commit uses the same one.
      if (!isShown) await showFirstAdmin({ username, password });
      isShown = true;
    });
  };
}

async function insertAdministrator(
  username: string,
  password_hash: string,
  detail: string,
  transaction: Transaction<Tables>,
  created_at: number,
): Promise<void> {
  const account = { username, username_key: foldCase(username), password_hash, created_at };
  const { id } = await transaction
    .insertInto('users')
    .values({ ...account, role: 'ADMIN', status: 'ACTIVE' })
    .returning('id')
    .executeTakeFirstOrThrow();
  await recordAudit({ action: 'user.add', person: id, detail }, transaction);
}

/** @returns the password, stored only as a hash; undefined if the name is taken */
export async function createAdministrator(
  username: string,
  db: Database,
  now: number,
): Promise<string | undefined> {
  const password = generatePassword();
  const passwordHash = await hashPassword(password);
  try {
    await inTransaction(db, async (transaction) => {
      await acquireLock(ADMINISTRATORS_LOCK, transaction);
      actAs({ by: COMMAND_LINE, at: now }, transaction);
      await insertAdministrator(username, passwordHash, 'Admin', transaction, now);
    });
    return password;
  } catch (error) {
    if (databaseFault(error) === 'duplicate') return undefined;
    throw error;
  }
}

/** @returns the new password; `pending` if the account has not registered; `missing` */
export async function replacePassword(
  username: string,
  db: Database,
  now: number,
): Promise<{ password: string } | 'pending' | 'missing'> {
  const password = generatePassword();
  const passwordHash = await hashPassword(password);
  return inTransaction(db, async (transaction) => {
    const user = await findByName(username, transaction);
    if (user === undefined) return 'missing';
    const change = { password_hash: passwordHash };
    if (!(await revokeAccess(user.id, change, ['password-reset'], now, transaction)))
      return 'pending';
    await clearCodeLimits(user.id, transaction);
    actAs({ by: COMMAND_LINE, at: now }, transaction);
    await recordAudit({ action: 'password.reset', person: user.id }, transaction);
    return { password };
  });
}

const findByName = (username: string, db: Database): Promise<{ id: number } | undefined> =>
  db
    .selectFrom('users')
    .select('id')
    .where('username_key', '=', foldCase(username))
    .executeTakeFirst();

export type SignInMethod = 'totp' | 'passkeys' | 'company';

const SIGN_IN_METHODS = {
  totp: { remove: removeTwoFactor, action: 'totp.reset' },
  passkeys: { remove: removeAllPasskeys, action: 'passkey.reset' },
  company: { remove: unlinkIdentity, action: 'account.unlink' },
} as const;

/** @returns whether the account had this method; undefined without such an account */
export async function removeSignInMethod(
  method: SignInMethod,
  username: string,
  db: Database,
  now: number,
): Promise<boolean | undefined> {
  return inTransaction(db, async (transaction) => {
    const user = await findByName(username, transaction);
    if (user === undefined) return undefined;
    const { remove, action } = SIGN_IN_METHODS[method];
    if (!(await remove(user.id, transaction))) return false;
    actAs({ by: COMMAND_LINE, at: now }, transaction);
    await recordAudit({ action, person: user.id }, transaction);
    return true;
  });
}
