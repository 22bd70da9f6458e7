import { actAs, record } from '../audit/record';
import { takeLock } from '../db/lock';
import type { Database } from '../db/open';
import { foldCase } from '../../src/shared/case-fold';
import type { Services } from '../services';
import { hashPassword, makePassword } from './passwords/passwords';

const hasUsers = async (db: Database): Promise<boolean> =>
  (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined;

export interface FirstAdmin {
  username: string;
  password: string;
}

/**
 * Returns what makes an administrator if there is no account at all; safe to call again after a
 * failure. Of several processes that start together, one makes it.
 *
 * Only the hash is kept, so the password is shown before the account is committed: a process that
 * dies in between has shown a password that opens nothing, and the next start shows another, while
 * the other way round no one could sign in.
 * @param show resolves once the password was written out; not asked where the operator chose it
 */
export function createFirstAdmin(
  { db, config, now }: Pick<Services, 'db' | 'config' | 'now'>,
  show: (admin: FirstAdmin) => Promise<void>,
): () => Promise<void> {
  const { adminUsername: username, adminPassword } = config;
  const password = adminPassword ?? makePassword();
  let isShown = adminPassword !== undefined;
  return async () => {
    if (await hasUsers(db)) return;
    const passwordHash = await hashPassword(password);
    await db.transaction().execute(async (transaction) => {
      await takeLock('administrators', transaction);
      if (await hasUsers(transaction)) return;
      const { id } = await transaction
        .insertInto('users')
        .values({
          username,
          username_key: foldCase(username),
          password_hash: passwordHash,
          role: 'ADMIN',
          status: 'ACTIVE',
          created_at: now(),
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      actAs({ by: { name: 'Fieldbell' }, at: now() }, transaction);
      await record({ action: 'user.add', person: id, detail: 'The first admin' }, transaction);
      // A commit whose answer was lost is asked for again: then this very password is the one that
      // was shown.
      if (!isShown) await show({ username, password });
      isShown = true;
    });
  };
}
