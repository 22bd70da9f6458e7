import { HttpError } from '../http/errors';
import type { Services } from '../services';
import { mailLater } from './mail-limits';
import type { MailRequest } from './mail-limits';
import { consumeToken, isGoodToken, issueToken } from './one-time-tokens';
import { hashPassword } from './passwords';

const refused = (): HttpError => new HttpError(400, 'Invalid or expired password reset link.');

/** Mails a link if there is an account with this address. The caller cannot tell. @throws HttpError 429 */
export function requestPasswordReset(asked: MailRequest, services: Services): Promise<void> {
  return mailLater('password-reset', asked, services, (emailKey) => sendReset(emailKey, services));
}

async function sendReset(emailKey: string, services: Services): Promise<void> {
  const user = await services.db
    .selectFrom('users')
    .selectAll()
    .where('email_key', '=', emailKey)
    .where('status', '=', 'ACTIVE')
    .executeTakeFirst();
  if (user?.email == null) return;
  const token = await services.db.transaction().execute((transaction) => issueToken(user.id, 'password-reset', transaction, services));
  const link = `${services.config.publicUrl}/reset-password/${token}`;
  await services.mail({
    to: user.email,
    subject: 'Reset your password',
    text: `Hello ${user.username},\n\nplease open this link to choose a new password for Fieldbell:\n\n${link}\n\nThe link works once, within an hour. If you did not ask for it, ignore this mail: nothing has changed.\n`,
    link,
  });
}

/**
 * Sets the password and ends every session of the account. Whoever holds the link reads the mailbox, so the address
 * is verified, too.
 * @throws HttpError 400 for a link that is used, expired or invented
 */
export async function resetPassword({ token, password }: { token: string; password: string }, services: Services): Promise<void> {
  if (!(await isGoodToken(token, 'password-reset', services.db, services.now()))) throw refused();
  const passwordHash = await hashPassword(password);
  await services.db.transaction().execute(async (transaction) => {
    const id = await consumeToken(token, 'password-reset', transaction, services.now());
    if (id === undefined) throw refused();
    await transaction
      .updateTable('users')
      .set((update) => ({
        password_hash: passwordHash,
        session_version: update('session_version', '+', 1),
        email_verified_at: services.now(),
      }))
      .where('id', '=', id)
      .execute();
  });
}
