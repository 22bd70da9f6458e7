import type { Body } from '../../../src/shared/contract';
import { inTransaction } from '../../db/transaction';
import { sha256 } from '../../lib/sha256';
import { HttpError } from '../../http/errors';
import { consumeLimit } from '../../http/rate-limits';
import type { Limit } from '../../http/rate-limits';
import type { Services } from '../../services';
import { createAuditAuthor, recordOwnAction } from '../audit-author';
import { revokeAccess } from '../revoke-access';
import { rememberBrowser } from '../sign-in/known-browsers';
import { findRecipient } from '../mail/mail-jobs';
import type { MailJob } from '../mail/mail-jobs';
import { consumeOneTimeToken, issueToken, findTokenOwner } from '../one-time-tokens';
import { hashPassword } from './passwords';
import { translatorFor } from '../../translation/language-of-person';

const createInvalidLinkError = (): HttpError =>
  new HttpError(400, 'Invalid or expired password reset link.');

export const passwordResetMail: MailJob = {
  findRecipient: (id, services) => findRecipient({ id }, services),
  async writeMail(user, services) {
    const { id, username, email } = user;
    const translateText = translatorFor(user, services.config);
    const token = await inTransaction(services.db, (transaction) =>
      issueToken(id, 'password-reset', transaction, services),
    );
    const link = `${services.config.publicUrl}/reset-password/${token}`;
    return {
      to: email,
      subject: translateText('Reset your password'),
      text: translateText(
        'Hello {0},\n\nOpen this link to set a new password for Fieldbell:\n\n{1}\n\nThe link works once and expires in one hour. If you did not request this, ignore this email. Nothing has changed.\n',
        username,
        link,
      ),
      link,
    };
  },
};

/** A link works once; simultaneous uses would only cost hashes. */
const resetLinkUseLimit = (token: string): Limit => ({
  key: ['password-reset-use', sha256(token)],
  max: 5,
  windowMs: 60 * 60 * 1000,
});

/**
 * The link proves the mailbox, so the email counts as verified.
 * @returns the browser's token
 * @throws HttpError 400 for an invalid link; 429
 */
export async function resetPassword(
  { token, password, clientToken }: Body<'POST /api/auth/reset-password'>,
  callerAddress: string,
  services: Services,
): Promise<string> {
  const { db, now } = services;
  if ((await findTokenOwner(token, 'password-reset', db, now())) === undefined)
    throw createInvalidLinkError();
  const wait = await consumeLimit([resetLinkUseLimit(token)], db, now());
  if (wait !== undefined) throw new HttpError(429, 'Too many attempts with this link.', wait);
  const passwordHash = await hashPassword(password);
  return inTransaction(db, async (transaction) => {
    const id = await consumeOneTimeToken(token, 'password-reset', transaction, now());
    if (id === undefined) throw createInvalidLinkError();
    const change = { password_hash: passwordHash, email_verified_at: now() };
    const links = ['password-reset', 'email-verification'] as const;
    if (!(await revokeAccess(id, change, links, now(), transaction)))
      throw createInvalidLinkError();
    const author = createAuditAuthor(callerAddress, services);
    await recordOwnAction('password.reset', id, author, transaction, 'With an emailed link');
    return rememberBrowser(id, clientToken, transaction, now());
  });
}
