import { databaseFault } from '../db/errors';
import { fold } from '../fold';
import { HttpError, conflict } from '../http/errors';
import type { Services } from '../services';
import { consumeToken, isGoodToken } from './one-time-tokens';
import { hashPassword } from './passwords';
import { sendVerification } from './verification';

const refused = (): HttpError => new HttpError(400, 'Invalid or expired registration link.');

/**
 * Makes a pending account active with the email and password that its person chose. The link is used up only if all of
 * it succeeds. Signing in does not wait for the verification of the email.
 */
export async function completeRegistration(
  { token, password, email }: { token: string; password: string; email: string },
  services: Services,
): Promise<void> {
  if (!(await isGoodToken(token, 'registration', services.db, services.now()))) throw refused();
  // Hashing takes its time and must not hold a transaction open, so it comes first.
  const passwordHash = await hashPassword(password);
  const user = await services.db
    .transaction()
    .execute(async (transaction) => {
      const id = await consumeToken(token, 'registration', transaction, services.now());
      if (id === undefined) throw refused();
      const row = await transaction
        .updateTable('users')
        .set({ email, email_key: fold(email), password_hash: passwordHash, status: 'ACTIVE' })
        .where('id', '=', id)
        .where('status', '=', 'PENDING')
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) throw refused();
      return row;
    })
    .catch((error: unknown) => {
      throw databaseFault(error) === 'duplicate' ? conflict('This email address is already in use.') : error;
    });
  services.background.run(() => sendVerification(user, services));
}
