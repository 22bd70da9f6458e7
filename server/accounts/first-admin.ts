import { takeLock } from '../db/lock';
import type { Database } from '../db/open';
import { fold } from '../fold';
import type { Services } from '../services';
import { hashPassword, makePassword } from './passwords';

const hasUsers = async (db: Database): Promise<boolean> =>
  (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined;

export interface FirstAdmin {
  username: string;
  /** To be shown this once, as only its hash is kept; undefined if the operator chose it. */
  password: string | undefined;
}

/** Makes an administrator if there is no account at all. Of several processes that start together, one makes it. */
export async function makeFirstAdmin({ db, config, now }: Services): Promise<FirstAdmin | undefined> {
  if (await hasUsers(db)) return undefined;
  const { adminUsername: username, adminPassword } = config;
  const password = adminPassword ?? makePassword();
  const passwordHash = await hashPassword(password);
  return db.transaction().execute(async (transaction) => {
    await takeLock('administrators', transaction);
    if (await hasUsers(transaction)) return undefined;
    await transaction
      .insertInto('users')
      .values({ username, username_key: fold(username), password_hash: passwordHash, role: 'ADMIN', status: 'ACTIVE', created_at: now() })
      .execute();
    return { username, password: adminPassword === undefined ? password : undefined };
  });
}
