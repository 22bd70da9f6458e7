/** Adding an account for somebody, who then registers by its link. */
import type { Role, User } from '../../src/contract';
import { databaseFault } from '../db/errors';
import type { Database } from '../db/open';
import type { UserRow } from '../db/schema';
import { fold } from '../fold';
import { conflict, type HttpError } from '../http/errors';
import { keyTaken } from '../http/idempotency';
import type { Services } from '../services';
import { issueToken, revealRegistrationTokens } from './one-time-tokens';
import { toUser } from './users';

interface NewUser {
  username: string;
  email?: string | undefined;
  role: Role;
}

/**
 * Adds an account that waits for its person to complete the registration; the same request again answers the same.
 * @param request_key what the request is known by, if it may come again
 * @throws HttpError 409 if the username or email is taken, whatever its case or Unicode form, or the key was used for another user
 */
export async function addUser(added: NewUser, request_key: string | null, services: Services): Promise<{ user: User; registrationLink: string }> {
  const { user, token } = await services.db
    .transaction()
    .execute(async (transaction) => {
      const row = await transaction
        .insertInto('users')
        .values({
          username: added.username,
          username_key: fold(added.username),
          email: added.email ?? null,
          email_key: added.email === undefined ? null : fold(added.email),
          role: added.role,
          status: 'PENDING',
          created_at: services.now(),
          request_key,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      return { user: row, token: await issueToken(row.id, 'registration', transaction, services) };
    })
    .catch(async (error: unknown) => {
      if (databaseFault(error) !== 'duplicate') throw error;
      const repeated = await findRepeated(added, request_key, services);
      if (repeated === undefined) throw await duplicateOf(added, services.db);
      return repeated;
    });
  return { user: toUser(user, token), registrationLink: `${services.config.publicUrl}/register/${token}` };
}

/** The account that this very request added, if its person has not registered since. */
async function findRepeated({ username }: NewUser, request_key: string | null, services: Services): Promise<{ user: UserRow; token: string } | undefined> {
  if (request_key === null) return undefined;
  const user = await services.db.selectFrom('users').selectAll().where('request_key', '=', request_key).executeTakeFirst();
  if (user?.status !== 'PENDING') return undefined;
  if (user.username !== username) throw keyTaken('user');
  const token = (await revealRegistrationTokens([user.id], services)).get(user.id);
  return token === undefined ? undefined : { user, token };
}

async function duplicateOf(added: NewUser, db: Database): Promise<HttpError> {
  const sameName = await db.selectFrom('users').select('id').where('username_key', '=', fold(added.username)).executeTakeFirst();
  return sameName === undefined ? emailTaken() : conflict('This username is already taken.', 'username');
}

export const emailTaken = (): HttpError => conflict('This email address is already in use.', 'email');
