import { lockForUpdate } from '../../db/lock';
import { inTransaction } from '../../db/transaction';
import { foldCase } from '../../../src/shared/case-fold';
import { MailError } from '../../lib/mail';
import type { Services } from '../../services';
import { findRecipient } from '../mail/mail-jobs';
import type { MailJob, MailRecipient } from '../mail/mail-jobs';
import { issueToken } from '../one-time-tokens';
import { readPendingEmail } from './email';
import { translatorFor } from '../../translation/language-of-person';

async function findMailRecipient(
  id: string,
  email: string | undefined,
  { db }: Services,
): Promise<MailRecipient | undefined> {
  if (email === undefined) return undefined;
  const user = await db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', Number(id))
    .where('status', '=', 'ACTIVE')
    .where('suspended_at', 'is', null)
    .executeTakeFirst();
  return user && { ...user, email };
}

/** This mail goes to the new address. The job's subject is the account's id. */
export const emailChangeMail: MailJob = {
  findRecipient: async (id, services) =>
    findMailRecipient(
      id,
      await readPendingEmail(Number(id), services.db, services.now()),
      services,
    ),
  async writeMail(user, services) {
    const { id, username, email } = user;
    const translateText = translatorFor(user, services.config);
    const { publicUrl } = services.config;
    const emailOwner = await findRecipient({ emailKey: foldCase(email) }, services);
    // The mail's reader owns that account, too, so this reveals nothing.
    if (emailOwner !== undefined && emailOwner.id !== id)
      return {
        to: email,
        subject: translateText('This email address is already in use'),
        text: translateText(
          'Hello,\n\nThe Fieldbell user {0} wants to use this email address. Another Fieldbell account already uses this address, so nothing has changed.\n\nIf both accounts are yours, sign in to the account that uses this address now, and change its email address first:\n\n{1}\n',
          username,
          `${publicUrl}/account`,
        ),
        link: `${publicUrl}/account`,
      };
    const token = await inTransaction(services.db, async (transaction) => {
      const account = transaction.selectFrom('users').select('id').where('id', '=', id);
      await lockForUpdate(account, transaction).execute();
      // After a second change meanwhile, this address must not get a link for the other address.
      if ((await readPendingEmail(id, transaction, services.now())) !== email)
        throw new MailError('asked-anew', 'retry', true);
      return issueToken(id, 'email-change', transaction, services);
    });
    const link = `${publicUrl}/verify-email/${token}`;
    return {
      to: email,
      subject: translateText('Confirm your new email address'),
      text: translateText(
        'Hello {0},\n\nOpen this link to use this email address for your Fieldbell account:\n\n{1}\n\nThe link works once and expires in 24 hours. If you did not request this, ignore this email. Nothing has changed.\n',
        username,
        link,
      ),
      link,
    };
  },
};

/** Finds the account for the subject `ID ADDRESS`. The account may no longer use the address. */
export function findMailRecipientAtAddress(
  subject: string,
  services: Services,
): Promise<MailRecipient | undefined> {
  const [id = ''] = subject.split(' ', 1);
  return findMailRecipient(id, subject.slice(id.length + 1), services);
}

/** This mail goes to the former address. */
export const emailChangedMail: MailJob = {
  findRecipient: findMailRecipientAtAddress,
  async writeMail(user, { config }) {
    const { username, email } = user;
    const translateText = translatorFor(user, config);
    const link = `${config.publicUrl}/login`;
    return {
      to: email,
      subject: translateText('Your email address was changed'),
      text: translateText(
        'Hello {0},\n\nYour Fieldbell account now uses another email address. It no longer uses this one.\n\nIf you did not make this change, contact an administrator immediately. Your account:\n\n{1}\n',
        username,
        link,
      ),
      link,
    };
  },
};
