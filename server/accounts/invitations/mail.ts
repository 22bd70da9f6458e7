/** The mail that invites a person who was imported. */
import type { MailJob, MailRecipient } from '../mail/mail-jobs';
import { revealRegistrationLinks } from '../one-time-tokens';
import { linkTo } from '../registration/invitation';

/** The job's subject is the person's id. */
export const invitationMail: MailJob = {
  async find(subject, { db }): Promise<MailRecipient | undefined> {
    const user = await db
      .selectFrom('users')
      .selectAll()
      .where('id', '=', Number(subject))
      .where('status', '=', 'PENDING')
      .executeTakeFirst();
    return user?.email == null ? undefined : { ...user, email: user.email };
  },
  async write({ id, username, email }, services) {
    // The one that administrators see and print: another one would end that.
    const shown = (await revealRegistrationLinks([id], services)).get(id);
    if (shown === undefined) throw new Error('Registered since it was looked up.');
    const link = linkTo(shown.token, services.config);
    return {
      to: email,
      subject: 'Your invitation to Fieldbell',
      text: `Hello ${username},\n\nyou are invited to Fieldbell, which brings you the messages of your topics. Please open this link on your phone, and set a password:\n\n${link}\n\nThe link works once, within seven days, and is for you alone.\n`,
      link,
    };
  },
  async noteOutcome(subject, outcome, transaction) {
    if (outcome === 'dropped') return;
    await transaction
      .updateTable('invitations')
      .set({ mail: outcome === 'sent' ? 'sent' : 'failed' })
      .where('user_id', '=', Number(subject))
      .execute();
  },
};
