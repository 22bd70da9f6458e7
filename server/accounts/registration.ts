import { databaseFault } from '../db/errors';
import type { UserRow } from '../db/schema';
import { fold } from '../fold';
import { HttpError } from '../http/errors';
import { requestKey } from '../http/idempotency';
import type { Services } from '../services';
import { emailTaken } from './invitation';
import { consumeToken, isGoodToken } from './one-time-tokens';
import { hashPassword, isPassword } from './passwords';
import { sendVerification } from './verification';

interface Completion {
  token: string;
  password: string;
  email: string;
}

/**
 * Makes a pending account active with the email and password that its person chose. The link is used up only if all of
 * it succeeds. Signing in does not wait for the verification of the email.
 * @throws HttpError 400 for a link that is used, expired or invented; 409 for an email that somebody else has
 */
export async function completeRegistration(completion: Completion, idempotencyKey: string | undefined, services: Services): Promise<void> {
  const request_key = requestKey(completion.token, idempotencyKey);
  const user = await activate(completion, request_key, services);
  if (user !== undefined) return services.background.run(() => sendVerification(user, services));
  if (!(await isRepeated(completion, request_key, services))) throw new HttpError(400, 'Invalid or expired registration link.');
}

/** @returns the account, or undefined if the link is not good */
async function activate({ token, password, email }: Completion, request_key: string | null, { db, now }: Services): Promise<UserRow | undefined> {
  if (!(await isGoodToken(token, 'registration', db, now()))) return undefined;
  // Hashing takes its time and must not hold a transaction open, so it comes first.
  const changed = { email, email_key: fold(email), password_hash: await hashPassword(password), status: 'ACTIVE', request_key } as const;
  try {
    return await db.transaction().execute(async (transaction) => {
      const id = await consumeToken(token, 'registration', transaction, now());
      if (id === undefined) return undefined;
      return transaction.updateTable('users').set(changed).where('id', '=', id).where('status', '=', 'PENDING').returningAll().executeTakeFirst();
    });
  } catch (error) {
    throw databaseFault(error) === 'duplicate' ? emailTaken() : error;
  }
}

/**
 * Whether this very request made the account active: then whoever did not hear the answer may have it. Nothing changes,
 * and without the key, which only its sender knows, a used link stays a used link.
 */
async function isRepeated({ password, email }: Completion, request_key: string | null, { db }: Services): Promise<boolean> {
  if (request_key === null) return false;
  const user = await db.selectFrom('users').selectAll().where('request_key', '=', request_key).executeTakeFirst();
  return user?.email_key === fold(email) && isPassword(user.password_hash, password);
}
