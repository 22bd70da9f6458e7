import type { UserRow } from '../db/schema';
import { fold } from '../fold';
import { HttpError } from '../http/errors';
import { count } from '../limits';
import type { Services } from '../services';
import { consumeToken, issueToken } from './one-time-tokens';

const HOUR = 60 * 60 * 1000;

export async function sendVerification(user: UserRow, services: Services): Promise<void> {
  if (user.email === null) return;
  const token = await services.db.transaction().execute((transaction) => issueToken(user.id, 'email-verification', transaction, services));
  const link = `${services.config.publicUrl}/verify-email/${token}`;
  await services.mail({
    to: user.email,
    subject: 'Verify your email address',
    text: `Hello ${user.username},\n\nplease open this link to verify your email address for Fieldbell:\n\n${link}\n\nThe link works once, within three days.\n`,
    link,
  });
}

/** @throws HttpError 400 */
export async function verifyEmail(token: string, services: Services): Promise<void> {
  await services.db.transaction().execute(async (transaction) => {
    const id = await consumeToken(token, 'email-verification', transaction, services.now());
    if (id === undefined) throw new HttpError(400, 'Invalid or expired verification link.');
    await transaction.updateTable('users').set({ email_verified_at: services.now() }).where('id', '=', id).execute();
  });
}

/** Sends the mail again if there is an unverified account with this address. The caller cannot tell whether there is. */
export async function resendVerification(email: string, services: Services): Promise<void> {
  const key = fold(email);
  const wait = await count([{ key: ['verification', key], most: 3, windowMilliseconds: HOUR }], services.db, services.now());
  services.background.run(async () => {
    if (wait !== undefined) return;
    const user = await services.db
      .selectFrom('users')
      .selectAll()
      .where('email_key', '=', key)
      .where('status', '=', 'ACTIVE')
      .where('email_verified_at', 'is', null)
      .executeTakeFirst();
    if (user !== undefined) await sendVerification(user, services);
  });
}
