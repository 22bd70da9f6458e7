import { HttpError } from '../../http/errors';
import { inTransaction } from '../../db/transaction';
import type { Services } from '../../services';
import { findRecipient } from './mail-jobs';
import type { MailJob } from './mail-jobs';
import { createAuditAuthor, recordOwnAction } from '../audit-author';
import { consumeOneTimeToken, issueToken, findTokenOwner } from '../one-time-tokens';
import { changeEmail } from '../own-account/email';
import { translatorFor } from '../../translation/language-of-person';

const createInvalidLinkError = (): HttpError =>
  new HttpError(400, 'Invalid or expired verification link.');

export const verificationMail: MailJob = {
  async findRecipient(id, services) {
    const user = await findRecipient({ id }, services);
    return user?.email_verified_at === null ? user : undefined;
  },
  async writeMail(user, services) {
    const { id, username, email } = user;
    const translateText = translatorFor(user, services.config);
    const token = await inTransaction(services.db, (transaction) =>
      issueToken(id, 'email-verification', transaction, services),
    );
    const link = `${services.config.publicUrl}/verify-email/${token}`;
    return {
      to: email,
      subject: translateText('Verify your email address'),
      text: translateText(
        'Hello {0},\n\nOpen this link to verify your email address for Fieldbell:\n\n{1}\n\nThe link works once and expires in three days.\n',
        username,
        link,
      ),
      link,
    };
  },
};

/** @throws HttpError 400 for an invalid link; 409 if another account has the email */
export async function verifyEmail(
  token: string,
  callerAddress: string,
  services: Services,
): Promise<void> {
  if (await changeEmail(token, callerAddress, services)) return;
  if (
    (await findTokenOwner(token, 'email-verification', services.db, services.now())) === undefined
  )
    throw createInvalidLinkError();
  await inTransaction(services.db, async (transaction) => {
    const id = await consumeOneTimeToken(token, 'email-verification', transaction, services.now());
    if (id === undefined) throw createInvalidLinkError();
    await transaction
      .updateTable('users')
      .set({ email_verified_at: services.now() })
      .where('id', '=', id)
      .execute();
    await recordOwnAction(
      'email.verify',
      id,
      createAuditAuthor(callerAddress, services),
      transaction,
    );
  });
}
