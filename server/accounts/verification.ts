import type { UserRow } from '../db/schema';
import { HttpError } from '../http/errors';
import type { Services } from '../services';
import { mailLater } from './mail-limits';
import type { MailRequest } from './mail-limits';
import { consumeToken, isGoodToken, issueToken } from './one-time-tokens';

const refused = (): HttpError => new HttpError(400, 'Invalid or expired verification link.');

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

/** @throws HttpError 400 for a link that is used, expired or invented */
export async function verifyEmail(token: string, services: Services): Promise<void> {
  if (!(await isGoodToken(token, 'email-verification', services.db, services.now()))) throw refused();
  await services.db.transaction().execute(async (transaction) => {
    const id = await consumeToken(token, 'email-verification', transaction, services.now());
    if (id === undefined) throw refused();
    await transaction.updateTable('users').set({ email_verified_at: services.now() }).where('id', '=', id).execute();
  });
}

/** Sends the mail again if there is an unverified account with this address. The caller cannot tell. @throws HttpError 429 */
export function resendVerification(asked: MailRequest, services: Services): Promise<void> {
  return mailLater('verification', asked, services, async (emailKey) => {
    const user = await services.db
      .selectFrom('users')
      .selectAll()
      .where('email_key', '=', emailKey)
      .where('status', '=', 'ACTIVE')
      .where('email_verified_at', 'is', null)
      .executeTakeFirst();
    if (user !== undefined) await sendVerification(user, services);
  });
}
